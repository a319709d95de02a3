import Foundation
import Holdfast
import HoldfastTransfer

/// What one library can do for people. A subcommand finds the library of a store and lets it answer.
///
/// An answer's document is without `store`, which the subcommand adds.
protocol LibraryCommands {
  /// Its name is the library's, for `--library` too.
  static var schema: StoreSchema { get }
  /// What can be imported and exported, by the name that `--format` takes. `holdfast` is one of each.
  static var readableFormats: [Format] { get }
  static var writableFormats: [Format] { get }
  /// What `list` takes, the usual one first.
  static var lists: [String] { get }
  /// The tables that say how much there is, with the word for their rows.
  static var counted: [(table: String, what: String)] { get }

  /// Nil: nothing speaks for it.
  static func likeness(of source: SourceLook) -> Likeness?
  /// - Throws: `.wrongKind` for hints that none of its formats looks at.
  static func importLibrary(
    from source: URL, into store: URL, format: String?, hints: SourceHints, options: ImportOptions, storeOptions: StoreOptions
  ) throws -> ImportReport

  /// - Parameter store: was opened with the schema.
  init(_ store: Store)
  /// - Parameter format: one of `writableFormats`.
  /// - Throws: `.wrongKind` for wishes that the library or the format has nothing for.
  func export(to file: URL, format: String, _ wishes: ExportWishes) throws -> ExportReport
  /// Adds what the library holds to the facts about its file, and returns the same for programs.
  func info(_ facts: inout FactList) throws -> JSONValue
  /// - Parameters:
  ///   - what: one of `lists`.
  ///   - limit: nil lists all.
  func list(_ what: String, limit: Int?, _ console: Console) throws -> Answer
  /// - Parameter text: an id, the beginning of one, or a name.
  func show(_ text: String, _ console: Console) throws -> Answer
  func search(_ text: String, ranked: Bool, limit: Int, _ console: Console) throws -> Answer
  func stats(_ console: Console) throws -> Answer
  /// - Throws: `.wrongKind` for a library without a point to go on from, as without this method.
  func resume() throws -> Answer
}

/// How sure a library is that a source is for it.
enum Likeness {
  case possible, certain
}

/// A kind of file, by the name that `--format` takes.
struct Format: Equatable {
  var name: String
  var what: String
}

extension LibraryCommands {
  static var name: String { schema.name }

  func resume() throws -> Answer {
    throw StoreError(
      .wrongKind, "a library of \(Self.name) has no point to resume from", suggestion: "holdfast list STORE, to see what there is.")
  }
}
