import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastMusic

@Suite("Conformance", .timeLimit(.minutes(10))) struct Conformance {
  @Test("the library keeps what every library promises", arguments: ConformanceCheck.allCases)
  func conforms(_ check: ConformanceCheck) async throws {
    var conformance = LibraryConformance(
      fill: VerbCase.prepare, reads: VerbCase.reads, writes: VerbCase.writes, records: Self.records, updates: VerbCase.updates)
    conformance.walks = Self.walks
    conformance.damages = Self.damages
    conformance.olderRows = [1: Self.firstRows]
    conformance.description = MusicStore.description
    try await conformance.run(check)
  }

  @Test("devices that change the library at once end with the same rows, and break no rule", arguments: SyncConformance<MusicStore>.seeds)
  func syncs(_ seed: UInt64) async throws {
    var conformance = SyncConformance<MusicStore>(devices: seed.isMultiple(of: 2) ? 2 : 3) { world in
      _ = try await VerbCase.prepare(world)
      try await world.store.write { _ = try $0.execute("UPDATE tracks SET file_modified_at = 1 WHERE title = 'One'") }
    }
    conformance.staying = [
      "tracks": ["file_url": .null, "file_modified_at": .null, "availability": .text("offline"), "artwork_hash": .null]
    ]
    try await conformance.run(seed: seed)
  }

  /// What may walk through a whole table, by verb. Everything else must find its rows by an index, or stop at its page's limit.
  private static let walks: [String: Set<String>] = [
    "load all tracks": ["SCAN tracks", "SCAN tracks USING COVERING INDEX sqlite_autoindex_tracks_1"],
    "load all playlists": [
      "SCAN collections USING INDEX collections_in_order", "SCAN collection_tracks USING COVERING INDEX collection_tracks_in_order",
    ],
    "save what is there": ["SCAN tracks", "SCAN tracks USING COVERING INDEX sqlite_autoindex_tracks_1"],
    "save fewer tracks": ["SCAN tracks", "SCAN tracks USING COVERING INDEX sqlite_autoindex_tracks_1"],
    // The rows of the playlists without their entries: there are few.
    "save a new playlist": playlists, "save the playlists that are there": playlists, "save another name": playlists,
    "save another order": playlists, "save fewer playlists": playlists, "save a folder as a playlist": playlists,
    // The folders above one: a common table expression.
    "move a playlist into a folder": ["SCAN above"],
    "remove unused artwork": ["SCAN artwork"], "count": counted, "list artists": ["USE TEMP B-TREE FOR count(DISTINCT)"],
    // The whole library is counted, and the ten greatest of what was counted are taken.
    "statistics": counted.union([
      "SCAN tracks", "SCAN tracks USING COVERING INDEX tracks_by_added_at", "USE TEMP B-TREE FOR GROUP BY", "USE TEMP B-TREE FOR ORDER BY",
    ]),
  ]

  private static let playlists: Set<String> = ["SCAN collections USING INDEX collections_in_order"]
  private static let counted: Set<String> = [
    "SCAN tracks USING COVERING INDEX sqlite_autoindex_tracks_1", "SCAN of_album", "SCAN of_artist", "SCAN collections",
  ]

  private static var records: [any StoredRecord] {
    var random = SeededGenerator(seed: 1)
    let art = MusicArtwork(Data([1, 2, 3]))
    let (full, bare) = (Sample.full(&random, artwork: art.hash), Sample.track("Bare", &random))
    let folder = MusicPlaylist(id: random.id(), name: "Folder", isFolder: true)
    let list = MusicPlaylist(id: random.id(), name: "List", parentID: folder.id, persistentID: "0123456789ABCDEF")
    return [
      ArtworkRow(art), TrackRow(full), TrackRow(bare), PlaylistRow(folder, at: 1), PlaylistRow(list, at: 2),
      EntryRow(id: random.id(), collectionID: list.id, trackID: bare.id, position: 3),
      PlayRow(id: random.id(), trackID: bare.id, playedAt: random.date()),
    ]
  }

  /// A row in each table of the first version.
  private static let firstRows = [
    """
    INSERT INTO artwork (hash, media_type, bytes, data)
    VALUES ('4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a', 'x', 1, x'01')
    """,
    """
    INSERT INTO tracks (id, title, artist, album, is_compilation, availability, play_count, metadata, sort_title, sort_album,
      sort_artist, group_album, group_artist)
    VALUES ('00000000-0000-4000-8000-000000000001', 'One', 'Artist', 'Album', 0, 'available', 3, '{}', 'one', 'album', 'artist', 'Album',
      'Artist')
    """,
    "INSERT INTO collections (id, name, is_folder, position) VALUES ('00000000-0000-4000-8000-000000000002', 'List', 0, 0)",
    """
    INSERT INTO collection_tracks (id, collection_id, track_id, position)
    VALUES ('00000000-0000-4000-8000-000000000003', '00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000001', 0)
    """,
  ]

  private static let damages = [
    ("UPDATE collections SET parent_id = id WHERE is_folder", "breaks: a playlist's parent is a folder, and not one inside the playlist"),
    (
      "UPDATE collections SET parent_id = (SELECT id FROM collections WHERE NOT is_folder) WHERE NOT is_folder",
      "breaks: a playlist's parent is a folder, and not one inside the playlist"
    ),
    ("UPDATE artwork SET bytes = 1", "breaks: an artwork's size is the length of its content"),
    (
      // Replacing a row runs no trigger for the old one.
      "INSERT OR REPLACE INTO plays (id, track_id, played_at) SELECT id, (SELECT id FROM tracks WHERE title = 'One'), played_at FROM plays",
      "breaks: a track's count is that of its plays and of those from elsewhere"
    ),
    ("UPDATE tracks SET metadata = '{'", "breaks: a track's metadata is a JSON object"),
    ("UPDATE tracks SET group_album = 'Other' WHERE title = 'Four'", "breaks: a track counts to the album that its own fields name"),
    ("UPDATE tracks SET group_artist = 'é' WHERE title = 'Four'", "breaks: a track counts to the album that its own fields name"),
    ("UPDATE tracks SET guest_artist = artist WHERE title = 'Four'", "breaks: a track counts to the album that its own fields name"),
  ]
}
