import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastAudiobooks

@Suite("Conformance", .timeLimit(.minutes(10))) struct Conformance {
  @Test("the library keeps what every library promises", arguments: ConformanceCheck.allCases)
  func conforms(_ check: ConformanceCheck) async throws {
    var conformance = LibraryConformance(
      fill: VerbCase.prepare, reads: VerbCase.reads, writes: VerbCase.writes, records: Self.records, updates: VerbCase.updates)
    conformance.walks = Self.walks
    conformance.damages = Self.damages
    conformance.olderRows = [1: Self.firstRows]
    conformance.description = AudiobookLibrary.description
    try await conformance.run(check)
  }

  @Test(
    "devices that change the library at once end with the same rows, and break no rule", arguments: SyncConformance<AudiobookLibrary>.seeds)
  func syncs(_ seed: UInt64) async throws {
    try await SyncConformance<AudiobookLibrary>(devices: seed.isMultiple(of: 2) ? 2 : 3) { _ = try await VerbCase.prepare($0) }.run(
      seed: seed)
  }

  /// Where a whole table is asked for, and what is sorted: the tags and the favourites of one collection, and what was counted.
  private static let walks: [String: Set<String>] = [
    "load all": [
      "SCAN collections USING INDEX collections_by_created_at", "SCAN tracks USING INDEX tracks_in_order", "SCAN playback_states",
      "SCAN favorites", "SCAN tags USING INDEX sqlite_autoindex_tags_1", sortsEnd,
    ],
    "load one": [sortsEnd], "load a page": [sortsEnd], "load by tag": [sorts, sortsEnd], "load all states": ["SCAN playback_states"],
    "resume": ["SCAN c", sorts], "list tags": ["SCAN tags USING COVERING INDEX tags_by_tag"],
    "count": [
      "SCAN collections USING COVERING INDEX sqlite_autoindex_collections_1", "SCAN t USING INDEX tracks_in_order", "SCAN per_collection",
      "SCAN favorites USING COVERING INDEX favorites_by_collection",
    ],
    "most heard": ["SCAN s USING INDEX playback_states_by_collection", sorts], "add a tag": [sorts], "add a tag that is there": [sorts],
    "save a new collection": [sorts], "save what is there": [sorts], "save another title": [sorts], "save another order": [sorts],
    "save without a favourite": [sorts], "save without a track": [sorts], "save other tags": [sorts], "save a newer state": [sorts],
  ]
  private static let sorts = "USE TEMP B-TREE FOR ORDER BY"
  private static let sortsEnd = "USE TEMP B-TREE FOR RIGHT PART OF ORDER BY"

  private static var records: [any StoredRecord] {
    var random = SeededGenerator(seed: 60)
    var book = Sample.collection("三体", author: "刘慈欣", tracks: ["序章"])
    book.description = "A book"
    book.cover = CollectionCover(.image(relativePath: "a.jpg"), dominantColorHex: "#000001")
    book.updatedAt += 1
    book.lastPlayedTrackID = random.id()
    let bare = Sample.collection("Bare", tracks: ["One"], seed: 2)
    var (track, empty) = (book.tracks[0], bare.tracks[0])
    (track.fileSize, track.duration, track.trackNumber, track.checksum) = (1, 2.5, 3, "sum")
    track.originalID = random.id()
    empty.duration = nil
    return [
      CollectionRow(book), CollectionRow(bare), TrackRow(track, in: book.id, at: 4), TrackRow(empty, in: bare.id, at: -1),
      PlaybackRow(PlaybackState(position: 1, duration: 2, updatedAt: book.createdAt), of: track.id, in: book.id),
      PlaybackRow(PlaybackState(position: 0, updatedAt: book.updatedAt), of: track.id, in: book.id),
      FavoriteRow(trackID: track.id, collectionID: book.id, favoritedAt: book.createdAt),
      FavoriteRow(trackID: track.id, collectionID: book.id), TagRow(collectionID: book.id, tag: "tag", position: 5),
    ]
  }

  /// A row in each table of the first version.
  private static let firstRows = [
    """
    INSERT INTO collections (id, title, cover_kind, cover_payload, created_at, updated_at, source_type, source_payload)
    VALUES ('00000000-0000-4000-8000-000000000001', 'Book', 'standard', '{}', 1, 2, 'external', '{}')
    """,
    """
    INSERT INTO tracks (id, collection_id, position, display_name, filename, location_type, location_payload, file_size, track_number,
      metadata)
    VALUES ('00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000001', 0, 'One', '1.mp3', 'external', '{}', 3, 1,
      '{}')
    """,
    """
    INSERT INTO playback_states (track_id, collection_id, position, updated_at)
    VALUES ('00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000001', 4.5, 5)
    """,
    """
    INSERT INTO favorites (track_id, collection_id)
    VALUES ('00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000001')
    """,
    "INSERT INTO tags (collection_id, tag, position) VALUES ('00000000-0000-4000-8000-000000000001', 'tag', 0)",
  ]

  private static let damages = [
    ("UPDATE playback_states SET collection_id = 'x'", "breaks: a playback state belongs to its track's collection"),
    ("UPDATE favorites SET collection_id = 'x'", "breaks: a favourite belongs to its track's collection"),
    ("UPDATE collections SET last_played_track_id = 'x'", "breaks: the last played track is one of the collection"),
    ("UPDATE tracks SET location_payload = '[]' WHERE track_number = 1", "breaks: payloads of tracks are JSON objects"),
    ("UPDATE tracks SET metadata = '{' WHERE track_number = 1", "breaks: payloads of tracks are JSON objects"),
    ("UPDATE collections SET source_payload = ''", "breaks: payloads of collections are JSON objects"),
    ("UPDATE collections SET cover_payload = '1'", "breaks: payloads of collections are JSON objects"),
  ]
}
