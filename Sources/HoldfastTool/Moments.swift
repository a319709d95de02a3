import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

extension Moment {
  static let words =
    "A moment is a time that `\(Program.name) history` shows, \"10 minutes ago\", \"commit 5\" or \"label TEXT\"."

  /// A moment as a person types it: a time, `commit 5`, or `label before the move`.
  ///
  /// `now` is the newest state, also when the clock was set back: the times of an archive only rise, so its newest commits may be later
  /// than the present time.
  ///
  /// - Parameters:
  ///   - option: the option that it was typed for.
  ///   - store: its archive may know times that have not come yet.
  /// - Throws: `ValidationError` for a time that cannot be read, or is later than both the present time and the newest commit; for a commit
  ///   without a number.
  init(typed text: String, for option: String, of store: FilePath) throws {
    let typed = text.drop { $0.isWhitespace }
    func rest(after word: String) -> String? {
      typed.prefix(word.count).lowercased() == word ? String(typed.dropFirst(word.count)) : nil
    }
    if let label = rest(after: "label ") {
      self = .label(label)
    } else if let commit = rest(after: "commit ") {
      guard let number = Int64(commit.trimmingCharacters(in: .whitespaces)), number >= 0 else {
        throw ValidationError(
          "\"\(text)\" is not a commit for \(option): write commit and its number from 0, as in `\(Program.name) history`.")
      }
      self = .commit(number)
    } else if typed.trimmingCharacters(in: .whitespaces).lowercased() == "now" {
      self = .time(.distantFuture)
    } else {
      let times = try TimeWords.times(text, for: option, or: ", \"commit 5\" or \"label TEXT\"")
      // An archive that cannot be read has its own error later.
      guard
        times.lowerBound <= Date()
          || (try? Archive(of: store.url, options: LockOptions.defaults).reach().newest).map({ times.lowerBound <= $0 }) ?? false
      else {
        throw ValidationError("\(option): \(TimeWords.both(times)) has not come yet.")
      }
      self = .time(times.upperBound)
    }
  }

  /// For programs: a time, or the words for a commit or a label.
  var json: JSONValue {
    switch self {
    case .time(let date): .time(date == .distantFuture ? Date() : date)
    case .commit(let number): .string("commit \(number)")
    case .label(let text): .string("label \(text)")
    }
  }
}

/// A moment of a store's archive, on a command line: a label or a commit, beside the option for any moment.
struct MomentOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The state that the newest label with this text stands at.", valueName: "text"))
  var label: String?

  @Option(help: ArgumentHelp("The state after this commit, by its number in `\(Program.name) history`.", valueName: "number"))
  var commit: Int64?

  /// The moment that is given; nil where none is.
  ///
  /// - Parameter option: the one that `typed` was given for.
  /// - Throws: `ValidationError` for more than one, and as `Moment(typed:for:of:)`.
  func moment(_ typed: String?, _ option: String, of store: FilePath) throws -> Moment? {
    guard [typed != nil, label != nil, commit != nil].count(where: { $0 }) <= 1 else {
      throw ValidationError("\(option), --label and --commit exclude each other.")
    }
    if let typed { return try Moment(typed: typed, for: option, of: store) }
    if let commit, commit < 0 { throw ValidationError("--commit is a number from 0.") }
    return label.map(Moment.label) ?? commit.map(Moment.commit)
  }
}

/// The archive of a store.
///
/// - Throws: `.notFound`, with the command that begins an archive; for a file that is no store, its error.
func archive(of store: FilePath) throws -> Archive {
  do {
    return try Archive(of: store.url, options: LockOptions.defaults)
  } catch let error as StoreError where error.code == .notFound {
    guard FileManager.default.fileExists(atPath: store.path) else { throw DurableFile.noFile(store.path) }
    guard try !Store.kinds(at: store.url, options: LockOptions.defaults).isEmpty else { throw nothing(at: store) }
    throw StoreError(
      .notFound, "\(store.path) has no archive: its past was not kept",
      suggestion: "\(Program.name) archive begin \(store.shellWord), for what comes")
  }
}

extension ArchivedCommit {
  /// `commit 12 of 2026-11-24 14:02:33 (2026-11-24T13:02:33Z)`
  var words: String { "commit \(number) of \(TimeWords.both(time))" }

  /// The tables that the commit changed; `unknown` where the kit did not see the commit, for example that of another program.
  var tableWords: String { tables.isEmpty ? "unknown" : tables.joined(separator: ", ") }

  var document: JSONValue {
    .object([
      "commit": .integer(number), "time": .time(time), "earliest": .time(earliest), "clock": .time(clock),
      "rows_changed": rowsChanged.map(JSONValue.number) ?? .null,
      "tables": tables.isEmpty ? .null : .texts(tables), "merged": .integer(merged),
    ])
  }
}

extension [TableDifference] {
  func text(width: Int?) -> String {
    guard !isEmpty else { return "no row differs\n" }
    let rows = map { [$0.table, String($0.added), String($0.changed), String($0.removed)] }
    return TextTable([.text("TABLE"), .number("ADDED"), .number("CHANGED"), .number("REMOVED")], rows).text(width: width)
  }

  var document: JSONValue { ShownProperties().list(of: self).json }
}

extension [RowDifference] {
  func text(width: Int?) -> String {
    guard !isEmpty else { return "no row differs\n" }
    let rows = map { [$0.kind.rawValue, JSONValue.object($0.key).canonicalText(), $0.values] }
    return TextTable([.text("CHANGE"), .text("KEY"), .flexible("VALUES")], rows, keys: "KEY").text(width: width)
  }

  var document: JSONValue {
    ShownProperties { value in
      if let row = value as? RowDifference { ["kind": nil, "change": .text(row.kind.rawValue)] } else { [:] }
    }.list(of: self).json
  }
}

extension RowDifference {
  /// The row's values; of a changed row those that differ, before and after.
  fileprivate var values: String {
    let names = Set((before ?? [:]).keys).union((after ?? [:]).keys).sorted()
    func text(_ values: [String: JSONValue]?, _ name: String) -> String { (values?[name] ?? .null).canonicalText() }
    guard kind == .changed else { return names.map { "\($0): \(text(before ?? after, $0))" }.joined(separator: ", ") }
    let changed = names.filter { text(before, $0) != text(after, $0) }
    // Bytes are shown as their number.
    guard !changed.isEmpty else { return "other bytes" }
    return changed.map { "\($0): \(text(before, $0)) -> \(text(after, $0))" }.joined(separator: ", ")
  }
}
