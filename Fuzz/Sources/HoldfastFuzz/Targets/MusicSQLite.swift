import Foundation
import Holdfast

/// The player's first databases, `library.db`.
struct MusicSQLite: MusicTarget {
  let name = "music-sqlite"
  let file = "library.db"

  private static let kinds = ["tracks": "tracks", "collections": "collections", "collection_tracks": "collection_tracks"]

  func source(_ random: inout SeededRandom) throws -> FuzzSource {
    try .database(&random, kinds: Self.kinds, bookkeeping: ["grdb_migrations"]) { random in
      var seeds = MusicSheets(random: random)
      defer { random = seeds.random }
      return seeds.library()
    }
  }
}

/// Small valid databases of the three shapes.
private struct MusicSheets {
  private enum Shape: CaseIterable { case paths, urls, plays }

  var random: SeededRandom

  mutating func library() -> [Sheet] {
    let shape = Shape.allCases.randomElement(using: &random) ?? .urls
    var tracks = Sheet("tracks", Self.columns(of: shape))
    var lists = Sheet("collections", ["id TEXT", "name TEXT"])
    var entries = Sheet(
      "collection_tracks",
      shape == .paths
        ? ["collection_id TEXT", "track_id TEXT", "position INTEGER"] : ["collectionId TEXT", "trackId TEXT", "position INTEGER"])
    var ids: [String] = []
    for number in 0..<Int.random(in: 0...5, using: &random) {
      let id = Sheet.quoted(random.worldID())
      ids.append(id)
      tracks.rows.append(track(id, number, shape))
    }
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let list = Sheet.quoted(random.worldID())
      lists.rows.append([list, name()])
      for place in 0..<Int.random(in: 0...5, using: &random) {
        let track = random.chance(1, of: 12) ? Sheet.quoted(random.worldID()) : random.pick(ids, otherwise: "'x'")
        entries.rows.append([list, track, pick(["\(place)", "\(place)", "\(place)", "0"])])
      }
    }
    var sheets = [tracks, lists, entries]
    if shape != .paths { sheets.append(Sheet("grdb_migrations", ["identifier TEXT"], rows: [["'v1'"]])) }
    return sheets
  }

  private static func columns(of shape: Shape) -> [String] {
    let types = ["TEXT", "TEXT", "TEXT", "TEXT", "TEXT", "REAL", "TEXT", "TEXT", "BLOB", "TEXT", "INTEGER", "INTEGER"]
    let names =
      shape == .paths
      ? [
        "id", "title", "artist", "album", "album_artist", "duration", "file_url", "artwork_url", "artwork_data", "genre", "year",
        "track_number",
      ]
      : [
        "id", "title", "artist", "album", "albumArtist", "duration", "fileURL", "artworkURL", "artworkData", "genre", "year", "trackNumber",
      ]
    return zip(names, types).map { "\($0) \($1)" } + (shape == .plays ? ["playCount INTEGER"] : [])
  }

  private mutating func track(_ id: String, _ number: Int, _ shape: Shape) -> [String] {
    let file =
      shape == .paths
      ? pick(["'/Music/a b/\(number).mp3'", "'/Musik/ä.flac'", "'/100%/\(number).mp3'", "'file:///Music/a%20b.mp3'", "'relative.mp3'"])
      : pick(["'file:///Music/a%20b/\(number).mp3'", "'file:///Musik/%C3%A4.flac'", "'http://radio.example/\(number)'"])
    let picture = random.pick(MusicTexts.pictures, otherwise: [0]).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let cover = shape == .paths ? "'/Music/cover.jpg'" : "'file:///Music/cover.jpg'"
    let row = [
      id, name(), name(), name(), pick(["NULL", name()]), pick(["201.5", "0", "187.99999999999997", "12"]), file, pick(["NULL", cover]),
      pick(["NULL", "NULL", "x'\(picture)'"]), pick(["NULL", name()]), pick(["NULL", "1971"]), pick(["NULL", "\(number + 1)"]),
    ]
    return row + (shape == .plays ? [pick(["0", "17"])] : [])
  }

  private mutating func name() -> String { Sheet.quoted(random.musicName()) }

  private mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: values.indices, using: &random)] }
}
