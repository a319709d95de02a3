import Foundation
import Holdfast

/// What a person means by an id, the beginning of one, or a title.
struct AudiobookLookup {
  struct Place: Equatable {
    var collectionID: UUID
    /// Nil: the collection as a whole.
    var trackID: UUID?
  }

  let text: String
  let reader: Reader

  init(text: String, in reader: Reader) {
    self.text = text
    self.reader = reader
  }

  /// - Throws: `.notFound`; `ambiguous` with what it could mean.
  func place() throws -> Place {
    if let id = IDCodec.parse(text) {
      if let place = try beginning(IDCodec.lowercase(id)).first { return place }
      throw StoreError(.notFound, "there is no collection and no track \(IDCodec.lowercase(id))")
    }
    // A title like "1984" may also be the beginning of an id; the title is what was typed in full.
    var found = try titled()
    if found.isEmpty { found = try beginning(text.lowercased()) }
    guard let first = found.first else {
      throw StoreError(
        .notFound, "nothing has the id or the title \"\(text)\"", suggestion: "holdfast list STORE, or holdfast search STORE TEXT")
    }
    guard found.count == 1 else {
      let ids = found.prefix(5).map { IDCodec.lowercase($0.trackID ?? $0.collectionID) }.joined(separator: ", ")
      throw Failure(
        code: "ambiguous", "\"\(text)\" stands for \(found.count > 5 ? "more than 5" : String(found.count)) things: \(ids)",
        suggestion: "one of these ids in full", status: .usage)
    }
    return first
  }

  /// Collections and tracks whose id begins so; six at most.
  private func beginning(_ prefix: String) throws -> [Place] {
    guard !prefix.isEmpty, prefix.utf8.allSatisfy({ $0 == 0x2D || (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) else {
      return []
    }
    // Every id that begins so sorts before the prefix with a letter that no id has.
    let end = prefix + "g"
    let collections = try reader.values("SELECT id FROM collections WHERE id >= \(prefix) AND id < \(end) LIMIT 6") { row in
      Place(collectionID: try row.id())
    }
    let tracks = try reader.values("SELECT collection_id, id FROM tracks WHERE id >= \(prefix) AND id < \(end) LIMIT 6") { row in
      Place(collectionID: try row.id(), trackID: try row.id())
    }
    return collections + tracks
  }

  /// Collections with this title: written the same if there are any, otherwise in any case.
  private func titled() throws -> [Place] {
    let wanted = text.lowercased()
    var same: [Place] = []
    var similar: [Place] = []
    try reader.rows("SELECT id, title FROM collections", of: "collections") { row in
      let place = Place(collectionID: try row.id())
      // Swift compares what is seen, so a title typed on a Mac equals one from a file name.
      let title = try row.text()
      if title == text { same.append(place) } else if title.lowercased() == wanted { similar.append(place) }
    }
    return same.isEmpty ? similar : same
  }
}
