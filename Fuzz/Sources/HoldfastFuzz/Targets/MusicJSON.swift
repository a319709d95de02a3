import Foundation
import Holdfast

/// The player's own `library.json`.
struct MusicJSON: MusicTarget {
  let name = "music-json"
  let file = "library.json"
  var saysWhere: Bool { true }

  private static let keys = [
    "id", "title", "artist", "album", "duration", "fileURL", "albumArtist", "genre", "year", "trackNumber", "artworkURL", "artworkData",
    "name", "trackIDs", "version", "tracks", "collections", "unknown", "",
  ]

  func source(_ random: inout SeededRandom) -> FuzzSource {
    .document(&random, keys: Self.keys) { random in
      var nodes = MusicNodes(random: random)
      defer { random = nodes.random }
      return nodes.library()
    } counts: { root in
      guard let root = root as? [String: Any], let tracks = root["tracks"] as? [Any] else { return nil }
      let playlists = root["collections"] as? [Any] ?? []
      let entries = playlists.reduce(0) { $0 + ((($1 as? [String: Any])?["trackIDs"] as? [Any])?.count ?? 0) }
      return ["tracks": tracks.count, "collections": playlists.count, "collection_tracks": entries]
    }
  }
}

/// Small valid documents of both versions.
private struct MusicNodes {
  var random: SeededRandom

  mutating func library() -> Node {
    var tracks: [Node] = []
    var ids: [String] = []
    for number in 0..<Int.random(in: 0...5, using: &random) {
      let id = random.worldID()
      ids.append(id)
      tracks.append(track(id, number))
    }
    var playlists: [Node] = []
    for _ in 0..<Int.random(in: 0...3, using: &random) { playlists.append(playlist(of: ids)) }
    var members: [(key: String, value: Node)] = [("tracks", .array(tracks)), ("collections", .array(playlists))]
    if random.chance(2, of: 3) { members.insert(("version", .raw("1")), at: 0) }
    if random.chance(1, of: 4) { members.shuffle(using: &random) }
    return .object(members)
  }

  private mutating func playlist(of tracks: [String]) -> Node {
    var entries: [Node] = []
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      // Removing a track left its id in the playlists.
      entries.append(.string(random.chance(1, of: 12) ? random.worldID() : random.pick(tracks, otherwise: random.worldID())))
    }
    return .object([("id", .string(random.worldID())), ("name", name()), ("trackIDs", .array(entries))])
  }

  private mutating func name() -> Node { .string(random.musicName()) }

  private mutating func track(_ id: String, _ number: Int) -> Node {
    let file = random.pick(
      [
        "file:///Music/a%20b/\(number).mp3", "file:///Music/%C3%A4.flac", "file:///C:/Music/\(number).mp3",
        "http://radio.example/\(number)",
        "file:///Musik/ä b.mp3",
      ], otherwise: "")
    var members: [(key: String, value: Node)] = [
      ("id", .string(id)), ("title", name()), ("artist", name()), ("album", name()),
      ("duration", .raw(random.pick(["0", "201.5", "1e3", "0.1", "-0.0", "187.99999999999997"], otherwise: "0"))),
      ("fileURL", .string(file)),
    ]
    if random.chance(1, of: 3) { members.append(("albumArtist", name())) }
    if random.chance(1, of: 3) { members.append(("genre", name())) }
    if random.chance(1, of: 3) { members.append(("year", .raw("1971"))) }
    if random.chance(1, of: 2) { members.append(("trackNumber", .raw("\(number + 1)"))) }
    if random.chance(1, of: 4) { members.append(("artworkURL", .string("file:///Music/cover.jpg"))) }
    if random.chance(1, of: 3) {
      members.append(("artworkData", .string(Data(random.pick(MusicTexts.pictures, otherwise: [0])).base64EncodedString())))
    }
    if random.chance(1, of: 2) { members.shuffle(using: &random) }
    return .object(members)
  }
}
