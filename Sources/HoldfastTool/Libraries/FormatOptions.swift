import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

protocol FormatChoice { static var formats: [FormatDescription] { get } }

enum ReadableFormats: FormatChoice { static var formats: [FormatDescription] { Libraries.readable } }

enum WritableFormats: FormatChoice { static var formats: [FormatDescription] { Libraries.writable } }

/// The options that formats declare, as options of a command. Where several have one name, the help shows the first.
///
/// The parser finds options in the mirror of a command's value. This mirror shows one for each declared option.
struct FormatOptions<Choice: FormatChoice>: ParsableArguments, CustomReflectable {
  /// The texts as a person typed them, by the names of their options.
  private(set) var typed: [String: String] = [:]

  init() {}

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    for option in Self.declared {
      typed[option.name] = try container.decode(Option<String?>.self, forKey: Key(option.name)).wrappedValue
    }
  }

  var customMirror: Mirror {
    let children: [Mirror.Child] = Self.declared.map { option in (label: option.name, value: Self.parsed(option)) }
    return Mirror(self, children: children, displayStyle: .struct)
  }

  static var declared: [FormatDescription.Option] {
    Choice.formats.flatMap(\.options).reduce(into: []) { declared, option in
      if !declared.contains(where: { $0.name == option.name }) { declared.append(option) }
    }
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  private static func parsed(_ option: FormatDescription.Option) -> Option<String?> {
    var valueName = "name"
    if case .words(let words) = option.values, words.count < 4 { valueName = words.joined(separator: "|") }
    return Option<String?>(
      name: .customLong(option.name), help: ArgumentHelp(option.help, valueName: valueName),
      completion: option.suggestions.isEmpty ? nil : .list(option.suggestions))
  }

  func validate() throws {
    for option in Self.declared {
      guard let text = typed[option.name] else { continue }
      let same = Choice.formats.flatMap(\.options).filter { $0.name == option.name }
      guard same.allSatisfy({ $0.value(of: text) == nil }) else { continue }
      throw ValidationError("'\(text)' is not a value for --\(option.name): choose \(option.allowed).")
    }
  }

  /// - Throws: `.wrongKind` for the first given option that is not among them, or whose text none of them allows.
  func values(among useful: [FormatDescription.Option], of what: String) throws -> [String: String] {
    var values: [String: String] = [:]
    for option in Self.declared {
      guard let text = typed[option.name] else { continue }
      let declared = useful.filter { $0.name == option.name }
      guard let first = declared.first else {
        throw StoreError(.wrongKind, "\(what) has no use for --\(option.name)", suggestion: "the same without --\(option.name)")
      }
      guard let value = declared.lazy.compactMap({ $0.value(of: text) }).first else {
        throw StoreError(
          .wrongKind, "\(what) does not allow \(text) for --\(option.name)", suggestion: "--\(option.name) with \(first.allowed)")
      }
      values[option.name] = value
    }
    return values
  }
}

extension FormatOptions<ReadableFormats> {
  /// An import with the given options.
  ///
  /// - Throws: `.wrongKind` for an option that no format in question declares, and for a library without an importer.
  func importing(_ request: LibraryImport, _ library: LibraryDescription) throws -> ImportReport {
    let useful = library.readable.filter { request.format == nil || $0.name == request.format }.flatMap(\.options)
    var wanted = request
    wanted.values = try values(among: useful, of: "an import of \(request.format ?? library.name)")
    wanted.hints = SourceHints(wanted.values)
    wanted.environment = ProcessInfo.processInfo.environment
    guard let importing = library.importing else { throw StoreError(.wrongKind, "nothing can be imported into \(wanted.store.path)") }
    return try importing(wanted)
  }
}
