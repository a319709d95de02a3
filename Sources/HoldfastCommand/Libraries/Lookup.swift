import Foundation
import Holdfast

/// What a person means by an id, the beginning of one, or a name.
enum Lookup {
  /// Something that was found, with its id and what to call it beside others.
  struct Found<Place> {
    var place: Place
    var label: String
  }

  /// - Parameters:
  ///   - kinds: what there could be, as a person calls them.
  ///   - named: what has this name.
  ///   - beginning: what has an id that begins so; a few are enough.
  /// - Throws: `.notFound`; `ambiguous` with what it could mean.
  static func one<Place>(
    _ text: String, of kinds: [String], named: () throws -> [Found<Place>], beginning: (String) throws -> [Found<Place>]
  ) throws -> Place {
    if let id = IDCodec.parse(text) {
      if let found = try beginning(IDCodec.lowercase(id)).first { return found.place }
      throw StoreError(.notFound, "there is no \(kinds.joined(separator: " and no ")) \(IDCodec.lowercase(id))")
    }
    // A name like "1984" may also be the beginning of an id; the name is what was typed in full.
    var found = try named()
    let prefix = text.lowercased()
    if found.isEmpty, isBeginning(prefix) { found = try beginning(prefix) }
    guard let first = found.first else {
      throw StoreError(
        .notFound, "nothing has the id or the title \"\(text)\"", suggestion: "holdfast list STORE, or holdfast search STORE TEXT")
    }
    guard found.count == 1 else {
      let labels = found.prefix(5).map(\.label).joined(separator: ", ")
      throw Failure(
        code: "ambiguous", "\"\(text)\" stands for \(found.count > 5 ? "more than 5" : String(found.count)) things: \(labels)",
        suggestion: "one of these ids in full", status: .usage)
    }
    return first.place
  }

  /// Those that are written the same if there are any, otherwise all: they have this name in other letters.
  static func closest<Place>(_ text: String, _ found: [(name: String, found: Found<Place>)]) -> [Found<Place>] {
    // Swift compares what is seen, so a name typed on a Mac equals one from a file name.
    let same = found.filter { $0.name == text }
    return (same.isEmpty ? found : same).map(\.found)
  }

  /// Every id that begins so sorts before this: the prefix with a letter that no id has.
  static func end(of prefix: String) -> String { prefix + "g" }

  /// Whether an id may begin so, in lower case.
  static func isBeginning(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0 == 0x2D || (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}
