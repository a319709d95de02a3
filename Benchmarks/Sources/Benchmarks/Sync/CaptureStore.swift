import Foundation
import Holdfast
import HoldfastSync

/// A row of 8 columns, two of which are one value.
struct SyncedSong: StoredRecord, Codable {
  static let table = "songs"
  var id: UUID
  var title: String
  var artist: String
  var album: String
  var genre: String
  var rating: Int
  var playCount: Int
  var lastPlayedAt: Int64
}

/// A store of songs, whose changes are noted for a server where it is connected.
struct CaptureStore {
  let name: String
  let store: Store
  let songs: [UUID]
  /// Nil: not connected. Held as an app holds it: it hears of each commit.
  private let sync: StoreSync?

  /// - Parameters:
  ///   - declares: whether the schema has `.synced`.
  ///   - connects: whether triggers note the changes.
  init(_ name: String, declares: Bool, connects: Bool, songs: [SyncedSong], in folder: String) throws {
    let schema = StoreSchema(
      "songs", migrations: [Self.migration], records: [SyncedSong.self],
      declarations: declares ? [.synced("songs", together: [["last_played_at", "play_count"]])] : [])
    store = try Store.open(
      at: URL(fileURLWithPath: folder + "/" + DataSet.databaseName), schemas: [schema], options: .production)
    try store.write { tx in try tx.insert(contentsOf: songs) }
    sync = connects ? try connect(store) : nil
    (self.name, self.songs) = (name, songs.map(\.id))
  }

  /// As after a round of sync: the server has all rows.
  func markSent() throws {
    guard sync != nil else { return }
    _ = try store.write { tx in try tx.execute("UPDATE holdfast_sync_row SET dirty = 0, sequence = 1 WHERE dirty") }
  }

  /// Sums of what the saves change.
  func sums() throws -> [Int] {
    try store.read { reader in
      try reader.value("SELECT sum(rating), sum(play_count), sum(last_played_at) FROM songs") { row in
        [try row.int(), try row.int(), try row.int()]
      } ?? []
    }
  }

  /// With ids as the kit makes them: in the order of time.
  static func makeSongs(_ count: Int) -> [SyncedSong] {
    var random = SplitMix(state: 45)
    return (0..<count).map { number in
      let high = (1_764_000_000_000 + UInt64(number)) << 16 | 0x7000 | random.next() & 0x0FFF
      let low = random.next() & ~(3 << 62) | 2 << 62
      let id = withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
      return SyncedSong(
        id: id, title: "Song number \(number)", artist: "Artist \(number % 500)", album: "Album \(number / 12)", genre: "Rock", rating: 0,
        playCount: 0, lastPlayedAt: 0)
    }
  }

  private static let migration = Migration(
    "songs/001-songs",
    sql: """
      CREATE TABLE songs (
        id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, artist TEXT NOT NULL, album TEXT NOT NULL, genre TEXT NOT NULL,
        rating INTEGER NOT NULL, play_count INTEGER NOT NULL, last_played_at INTEGER NOT NULL) STRICT
      """)
}

/// Connects a store to a space, which asks nothing of the server.
func connect(_ store: Store) throws -> StoreSync {
  guard let nowhere = URL(string: "http://127.0.0.1:9") else { throw Failure("no address") }
  let sync = try StoreSync(store, server: StoreSync.Server(nowhere, space: "benchmarks") { nil })
  try blocking { try await sync.connect(.merge) }
  return sync
}
