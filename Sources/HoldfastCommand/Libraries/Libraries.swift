import ArgumentParser
import Foundation
import Holdfast

/// The libraries that this program knows, and which of them is meant.
enum Libraries {
  static var all: [any LibraryCommands.Type] { [AudiobookCommands.self, MusicCommands.self, WorkoutCommands.self, InferenceCommands.self] }

  /// The names of all formats, each once.
  static var readableFormats: [String] { once(all.flatMap { $0.readableFormats.map(\.name) }) }
  static var writableFormats: [String] { once(all.flatMap { $0.writableFormats.map(\.name) }) }

  private static func once(_ names: [String]) -> [String] {
    names.enumerated().filter { names[..<$0.offset].contains($0.element) == false }.map(\.element)
  }

  /// Those of a store that is there.
  ///
  /// - Parameters:
  ///   - kinds: what the file says it holds; not empty.
  ///   - name: of the only one that is wanted; nil: any.
  /// - Throws: `.wrongKind` when there is none.
  static func held(_ kinds: [String: Int], in path: String, named name: String?) throws -> [any LibraryCommands.Type] {
    let held = all.filter { kinds[$0.name] != nil && (name == nil || $0.name == name) }
    guard held.isEmpty else { return held }
    let content = kinds.keys.sorted().joined(separator: " and ")
    throw StoreError(.wrongKind, "\(path) holds \(content)\(name.map { ", not \($0)" } ?? ", which this program does not know")")
  }

  /// The one of a store that is there.
  ///
  /// - Throws: `.wrongKind`; `ambiguous` with the names when there are several.
  static func one(of kinds: [String: Int], in path: String, named name: String?) throws -> any LibraryCommands.Type {
    let held = try held(kinds, in: path, named: name)
    guard let first = held.first, held.count == 1 else {
      throw Failure(
        code: "ambiguous", "\(path) holds \(held.map { $0.name }.joined(separator: " and ")): which is meant cannot be known",
        suggestion: choices(held), status: .usage)
    }
    return first
  }

  /// `--library audiobooks, or --library music`.
  static func choices(_ libraries: [any LibraryCommands.Type]) -> String {
    libraries.map { "--library \($0.name)" }.joined(separator: ", or ")
  }

  /// How much a snapshot holds: `2 collections, 3 tracks`.
  static func content(of snapshot: Snapshot) -> String {
    let known = all.filter { snapshot.schemas[$0.name] != nil }
    let counts = known.flatMap { library in
      library.counted.map { "\(snapshot.rows[$0.table].map(String.init) ?? "no") \($0.what)" }
    }
    guard counts.isEmpty else { return counts.joined(separator: ", ") }
    let rows = snapshot.rows.filter { !$0.key.hasPrefix("holdfast_") }.values.reduce(0, &+)
    return "\(rows) rows"
  }
}

struct LibraryOption: ParsableArguments {
  @Option(
    help: ArgumentHelp("The library that is meant, where a store holds several.", valueName: "name"),
    completion: .list(Libraries.all.map { $0.name }))
  var library: String?

  func validate() throws {
    let names = Libraries.all.map { $0.name }
    guard let library, !names.contains(library) else { return }
    throw ValidationError("'\(library)' is not a library: choose one of \(names.joined(separator: ", ")).")
  }
}
