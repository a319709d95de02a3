internal import Foundation
internal import Holdfast

/// The rows that are synced: 8 columns, 250 bytes a line.
struct Song: StoredRecord, Codable {
  static let table = "songs"
  var id: UUID
  var title: String
  var artist: String
  var album: String
  var genre: String
  var rating: Int
  var playCount: Int
  var lastPlayedAt: Int64

  static let schema = StoreSchema(
    "songs",
    migrations: [
      Migration(
        "songs/001-songs",
        sql: """
          CREATE TABLE songs (
            id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, artist TEXT NOT NULL, album TEXT NOT NULL, genre TEXT NOT NULL,
            rating INTEGER NOT NULL, play_count INTEGER NOT NULL, last_played_at INTEGER NOT NULL) STRICT
          """)
    ], records: [Song.self], declarations: [.synced("songs")])

  /// The songs with these numbers. Their ids have the order of their numbers, as ids of the kit have that of time.
  static func make(_ numbers: Range<Int>) -> [Song] {
    numbers.map { number in
      let high = (1_764_000_000_000 + UInt64(number)) << 16 | 0x7000
      let low = (UInt64(number) &* 0x9E37_79B9_7F4A_7C15) & ~(3 << 62) | 2 << 62
      let id = withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
      return Song(
        id: id, title: "Song number \(number)", artist: "Artist \(number % 500)", album: "Album \(number / 12)", genre: "Rock", rating: 3,
        playCount: number % 100, lastPlayedAt: 1_764_000_000_000)
    }
  }

  /// A push of new songs, as a device sends it that has seen nothing of the space: see `SyncProtocol.md`.
  static func push(_ songs: [Song], epoch: String) -> Data {
    let head = #"{"cursor":0,"epoch":"\#(epoch)","rows":\#(songs.count),"schema":1}"#
    return Data(([head] + lines(songs, stamped: stamp())).map { $0 + "\n" }.joined().utf8)
  }

  static func lines(_ songs: [Song], stamped stamp: String) -> [String] {
    songs.map { song in
      let key = song.id.uuidString.lowercased()
      return """
        {"g":1,"h":"\(stamp)","k":"\(key)","t":"songs","v":{"album":"\(song.album)","artist":"\(song.artist)","genre":"\(song.genre)",\
        "id":"\(key)","last_played_at":\(song.lastPlayedAt),"play_count":\(song.playCount),"rating":\(song.rating),"title":"\(song.title)"}}
        """
    }
  }

  /// Of now: the time in 13 digits of base 32, the node 1 in 8.
  static func stamp() -> String {
    let digits = String(Int64(Date().timeIntervalSince1970 * 1000) << 15, radix: 32).uppercased()
    return String(repeating: "0", count: max(0, 13 - digits.count)) + digits + "00000001"
  }
}
