public import Foundation
public import Holdfast

// Nested values are read with one ordered scan per table and joined in memory.

extension AudiobookLibrary {
  /// All collections with everything in them, newest first: by `createdAt`, then by id.
  ///
  /// - Throws: `.decoding` naming table, column and row when a stored value is damaged.
  public func collections() async throws -> [AudiobookCollection] { try await store.read { try Self.collections(in: $0) } }

  /// One collection with everything in it; nil when there is none with this id.
  public func collection(_ id: UUID) async throws -> AudiobookCollection? {
    try await store.read { try Self.collection(id, in: $0) }
  }

  /// A page of collections, newest first, each with everything in it.
  ///
  /// - Parameters:
  ///   - key: the last page's `next`; nil begins at the newest.
  ///   - limit: how many; values below 1 count as 1.
  /// - Throws: `.misuse` for a page key of another list.
  public func collections(after key: PageKey?, limit: Int) async throws -> Page<AudiobookCollection> {
    try await store.read { try Self.collections(after: key, limit: limit, in: $0) }
  }

  /// All collections now, and again after each change of one.
  public func collectionUpdates() -> Updates<[AudiobookCollection]> {
    store.updates { try Self.collections(in: $0) }
  }

  /// One collection now, and again after each change of the library; nil while it does not exist.
  public func collectionUpdates(_ id: UUID) -> Updates<AudiobookCollection?> {
    store.updates { try Self.collection(id, in: $0) }
  }

  /// Reads all collections inside your transaction; as `collections()`.
  public static func collections(in reader: Reader) throws -> [AudiobookCollection] {
    let rows = try reader.all(CollectionRow.self, "ORDER BY created_at DESC, id DESC")
    return try Assembly(rows).filled(by: "", in: reader)
  }

  /// Reads one collection inside your transaction; as `collection(_:)`.
  public static func collection(_ id: UUID, in reader: Reader) throws -> AudiobookCollection? {
    guard let row = try reader.find(CollectionRow.self, id: id) else { return nil }
    return try Assembly([row]).filled(by: "WHERE collection_id = \(id)", in: reader).first
  }

  /// Reads a page of collections inside your transaction; as `collections(after:limit:)`.
  public static func collections(after key: PageKey?, limit: Int, in reader: Reader) throws -> Page<AudiobookCollection> {
    let shelf = Listing(columns: [("created_at", .number), ("id", .text)], isDescending: true)
    let page = try reader.page(CollectionRow.self, shelf, after: key, limit: limit)
    let condition: BoundSQL = "WHERE collection_id IN \(page.items.map(\.collection.id))"
    return Page(items: try Assembly(page.items).filled(by: condition, in: reader), next: page.next)
  }

  /// The collections whose ids `ids` selects, newest first.
  static func collections(in ids: BoundSQL, _ reader: Reader) throws -> [AudiobookCollection] {
    let rows = try reader.all(CollectionRow.self, "WHERE id IN \(sql: ids) ORDER BY created_at DESC, id DESC")
    return try Assembly(rows).filled(by: "WHERE collection_id IN \(sql: ids)", in: reader)
  }
}

/// Adds tracks, states, favourites and tags to their collections.
private struct Assembly {
  private var collections: [AudiobookCollection]
  private var places: [UUID: Int]
  private var last: (id: UUID, place: Int)?

  init(_ rows: [CollectionRow]) {
    collections = rows.map(\.collection)
    places = [:]
    places.reserveCapacity(rows.count)
    for (place, row) in rows.enumerated() { places[row.collection.id] = place }
  }

  /// `condition` selects the same collections' rows in every table.
  consuming func filled(by condition: BoundSQL, in reader: Reader) throws -> [AudiobookCollection] {
    try addTracks(condition, reader)
    try addTags(condition, reader)
    try addMarks(PlaybackRow.self, condition, reader, to: \.playbackStates) { ($0.collectionID, $0.trackID, $0.state) }
    try addMarks(FavoriteRow.self, condition, reader, to: \.favorites) { ($0.collectionID, $0.trackID, $0.favorite) }
    return collections
  }

  /// Rows of one collection mostly follow each other.
  private mutating func place(of id: UUID) -> Int? {
    if let last, last.id == id { return last.place }
    guard let place = places[id] else { return nil }
    last = (id, place)
    return place
  }

  private mutating func addTracks(_ condition: BoundSQL, _ reader: Reader) throws {
    var current: UUID?
    // The text of the collection's id: comparing it with the next row's text costs less than decoding an id.
    var text: [UInt8]?
    var place: Int?
    // The tracks of one collection follow each other, so they are collected here and assigned together.
    var tracks: [AudiobookTrack] = []
    func order() -> BoundSQL {
      "SELECT \(raw: AudiobookTrack.loadedColumns.joined(separator: ", ")), collection_id FROM tracks \(sql: condition) ORDER BY collection_id, position, id"
    }
    try reader.rows(order(), of: "tracks") { row in
      // Decoded first, because an error names the row by its first column.
      let track = try AudiobookTrack(loading: &row)
      if !row.skip(text) {
        let collectionID = try row.id()
        if collectionID != current {
          let expected = tracks.count
          if let place { swap(&collections[place].tracks, &tracks) }
          tracks = []
          // Collections often have about the same size; a wrong guess costs little.
          tracks.reserveCapacity(min(expected, 4096))
          current = collectionID
          text = Array(IDCodec.lowercase(collectionID).utf8)
          place = places[collectionID]
        }
      }
      tracks.append(consume track)
    }
    if let place { swap(&collections[place].tracks, &tracks) }
  }

  /// Adds values of tracks by track. Values of one collection are collected outside of it while its rows follow each other.
  private mutating func addMarks<Record: StoredRecord, Mark>(
    _ type: Record.Type, _ condition: BoundSQL, _ reader: Reader, to marks: WritableKeyPath<AudiobookCollection, [UUID: Mark]>,
    _ parts: (Record) -> (collection: UUID, track: UUID, mark: Mark)
  ) throws {
    var current: Int?
    var gathered: [UUID: Mark] = [:]
    try reader.each(type, condition) { row in
      let (collection, track, mark) = parts(row)
      guard let place = place(of: collection) else { return }
      if place != current {
        let expected = gathered.count
        if let current { swap(&collections[current][keyPath: marks], &gathered) }
        swap(&collections[place][keyPath: marks], &gathered)
        gathered.reserveCapacity(min(expected, 4096))
        current = place
      }
      gathered[track] = mark
    }
    if let current { swap(&collections[current][keyPath: marks], &gathered) }
  }

  private mutating func addTags(_ condition: BoundSQL, _ reader: Reader) throws {
    try reader.each(TagRow.self, "\(sql: condition) ORDER BY collection_id, position, tag") { row in
      if let place = place(of: row.collectionID) { collections[place].tags.append(row.tag) }
    }
  }
}
