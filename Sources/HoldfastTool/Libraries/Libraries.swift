import ArgumentParser
import Holdfast
import HoldfastTransfer

/// The libraries that this program knows, and the choice among them.
enum Libraries {
  static var all: [LibraryDescription] { Program.current.libraries }

  static var readable: [FormatDescription] { all.flatMap(\.readable) }
  static var writable: [FormatDescription] { all.flatMap(\.writable) }

  static func names(_ formats: [FormatDescription]) -> [String] {
    formats.map(\.name).reduce(into: []) { names, name in if !names.contains(name) { names.append(name) } }
  }

  /// A sentence for each library in a help text: `audiobooks: collections, newest first; tracks, by collection.` None for one without words.
  static func help(_ words: (LibraryDescription) -> String) -> String {
    all.map { ($0.name, words($0)) }.filter { !$0.1.isEmpty }.map { "\($0): \($1)." }.joined(separator: " ")
  }

  /// The known libraries in an existing store; with a name, only the one of that name.
  ///
  /// - Throws: `.wrongKind` when this program knows none.
  static func held(_ kinds: [String: Int], in path: String, named name: String?) throws -> [LibraryDescription] {
    let held = all.filter { kinds[$0.name] != nil && (name == nil || $0.name == name) }
    guard held.isEmpty else { return held }
    let content = kinds.keys.sorted().joined(separator: " and ")
    throw StoreError(.wrongKind, "\(path) holds \(content)\(name.map { ", not \($0)" } ?? ", which this program does not know")")
  }

  /// The only library in an existing store. For a store of another program: a description without migrations.
  ///
  /// - Throws: `.wrongKind`; `ambiguous` with the names when there are several.
  static func one(of kinds: [String: Int], in path: String, named name: String?) throws -> LibraryDescription {
    if name == nil, all.allSatisfy({ kinds[$0.name] == nil }) {
      return LibraryDescription(StoreSchema(kinds.keys.sorted().joined(separator: " and "), migrations: []))
    }
    let held = try held(kinds, in: path, named: name)
    guard let first = held.first, held.count == 1 else {
      throw Failure(
        code: "ambiguous", "\(path) holds \(held.map(\.name).joined(separator: " and ")); name one of them",
        suggestion: choices(held), status: .usage)
    }
    return first
  }

  /// The schemas in a store that this program knows.
  static func schemas(_ kinds: [String: Int]) -> [StoreSchema] { all.map(\.schema).filter { kinds[$0.name] != nil } }

  /// `--library audiobooks, or --library music`.
  static func choices(_ libraries: [LibraryDescription]) -> String {
    libraries.map { "--library \($0.name)" }.joined(separator: ", or ")
  }

  /// How much a snapshot holds: `2 collections, 3 tracks`.
  static func content(of snapshot: Snapshot) -> String {
    let counted = all.filter { snapshot.schemas[$0.name] != nil }.flatMap(\.counted)
    guard counted.isEmpty else {
      return counted.map { ShownValue.counted(snapshot.rows[$0.table] ?? 0, $0.one, $0.many) }.joined(separator: ", ")
    }
    return ShownValue.counted(snapshot.rows.filter { !$0.key.hasPrefix("holdfast_") }.values.reduce(0, &+), "row")
  }
}

extension LibraryDescription {
  var isKnown: Bool { !schema.migrations.isEmpty }
  var schemas: [StoreSchema] { isKnown ? [schema] : [] }

  /// - Throws: `.wrongKind` for another program's library.
  func checkKnown(_ store: FilePath) throws {
    if !isKnown { throw StoreError(.wrongKind, "\(store.path) holds \(name), which this program does not know") }
  }
}

struct LibraryOption: ParsableArguments {
  @Option(
    help: ArgumentHelp("The library to use, if a store holds several.", valueName: "name"),
    completion: .list(Libraries.all.map(\.name)))
  var library: String?

  func validate() throws { try Self.check(library) }

  /// - Throws: `ValidationError` for a name that no library has.
  static func check(_ library: String?) throws {
    let names = Libraries.all.map(\.name)
    guard let library, !names.contains(library) else { return }
    throw ValidationError("'\(library)' is not a library: choose one of \(names.joined(separator: ", ")).")
  }
}
