import Foundation
import Holdfast

/// A collection or a track, by what a person calls it.
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
  func place() throws -> Place { try Lookup.one(text, of: ["collection", "track"], named: titled, beginning: beginning) }

  /// Six of each at most.
  private func beginning(_ prefix: String) throws -> [Lookup.Found<Place>] {
    let end = Lookup.end(of: prefix)
    let collections = try reader.values("SELECT id FROM collections WHERE id >= \(prefix) AND id < \(end) LIMIT 6") { row in
      found(Place(collectionID: try row.id()))
    }
    let tracks = try reader.values("SELECT collection_id, id FROM tracks WHERE id >= \(prefix) AND id < \(end) LIMIT 6") { row in
      found(Place(collectionID: try row.id(), trackID: try row.id()))
    }
    return collections + tracks
  }

  /// Collections only: the chapters of many books are called the same.
  private func titled() throws -> [Lookup.Found<Place>] {
    let wanted = text.lowercased()
    var similar: [(name: String, found: Lookup.Found<Place>)] = []
    try reader.rows("SELECT id, title FROM collections", of: "collections") { row in
      let place = Place(collectionID: try row.id())
      let title = try row.text()
      if title == text || title.lowercased() == wanted { similar.append((title, found(place))) }
    }
    return Lookup.closest(text, similar)
  }

  private func found(_ place: Place) -> Lookup.Found<Place> {
    Lookup.Found(place: place, label: IDCodec.lowercase(place.trackID ?? place.collectionID))
  }
}
