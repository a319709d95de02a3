import Foundation
import Holdfast
import HoldfastAudiobooks

/// The player's own `library.json`.
struct AudiobookJSON: AudiobookTarget {
  let name = "audiobook-json"
  let file = "library.json"
  var saysWhere: Bool { true }

  private static let keys = [
    "id", "title", "tracks", "tags", "type", "position", "updatedAt", "isFavorite", "favoritedAt", "playbackStates", "lastPlayedTrackId",
    "lastPlaybackPosition", "schemaVersion", "collections", "unknown", "",
  ]

  func source(_ random: inout SeededRandom) -> FuzzSource {
    .document(&random, keys: Self.keys) { random in
      var nodes = LibraryNodes(random: random)
      defer { random = nodes.random }
      return nodes.library(version: nodes.random.pick([1, 2, 3, 3], otherwise: 3))
    } counts: { root in
      guard let collections = (root as? [String: Any])?["collections"] as? [Any] else { return nil }
      func count(_ key: String) -> Int { collections.reduce(0) { $0 + ((($1 as? [String: Any])?[key] as? [Any])?.count ?? 0) } }
      return ["collections": collections.count, "tracks": count("tracks"), "tags": count("tags")]
    }
  }
}

/// Small valid documents of every version and shape.
private struct LibraryNodes {
  var random: SeededRandom

  private static let dates = [
    "2025-11-03T02:10:05Z", "2025-11-05T11:41:22Z", "1999-12-31T23:59:59Z", "2025-11-05T11:41:22.125Z", "2025-11-05T13:41:22+02:00",
  ]

  mutating func library(version: Int) -> Node {
    var collections: [Node] = []
    for _ in 0..<Int.random(in: 0...3, using: &random) { collections.append(collection(version)) }
    return .object([("schemaVersion", .raw("\(version)")), ("collections", .array(collections))])
  }

  private mutating func id() -> Node { .string(random.worldID()) }
  private mutating func date() -> Node { .string(random.pick(Self.dates, otherwise: "")) }
  private mutating func title() -> Node { .string(random.pick(AudiobookTexts.titles, otherwise: "")) }
  private mutating func seconds() -> Node { .raw(random.pick(["0", "1832.48", "754.2", "1e3", "-1", "0.1", "-0.0"], otherwise: "0")) }

  private mutating func collection(_ version: Int) -> Node {
    var members: [(key: String, value: Node)] = [
      ("id", id()), ("title", title()), ("coverAsset", cover()), ("createdAt", date()), ("updatedAt", date()), ("source", source()),
    ]
    if random.chance(1, of: 2) { members.append(("author", title())) }
    if random.chance(1, of: 3) { members.append(("description", title())) }
    if random.chance(2, of: 3) {
      members.append(
        ("tags", .array((0..<Int.random(in: 0...3, using: &random)).map { _ in .string(random.pick(AudiobookTexts.tags, otherwise: "")) })))
    }
    var tracks: [Node] = []
    var ids: [Node] = []
    for number in 0..<Int.random(in: 0...4, using: &random) {
      let id = id()
      ids.append(id)
      tracks.append(track(id, number + 1, version))
    }
    if let last = ids.randomElement(using: &random), random.chance(2, of: 3) { members.append(("lastPlayedTrackId", last)) }
    if version == 1 {
      if random.chance(1, of: 2) { members.append(("lastPlaybackPosition", seconds())) }
    } else {
      members.append(("playbackStates", states(ids)))
    }
    members.append(("tracks", .array(tracks)))
    if random.chance(1, of: 2) { members.shuffle(using: &random) }
    return .object(members)
  }

  private mutating func states(_ ids: [Node]) -> Node {
    var flat: [Node] = []
    for id in ids where random.chance(1, of: 2) {
      var state: [(key: String, value: Node)] = [("position", seconds()), ("updatedAt", date())]
      if random.chance(1, of: 2) { state.append(("duration", seconds())) }
      flat += [id, .object(state)]
    }
    guard random.chance(1, of: 4) else { return .array(flat) }
    var members: [(key: String, value: Node)] = []
    for index in stride(from: 0, to: flat.count - 1, by: 2) {
      if case .string(let key) = flat[index] { members.append((key, flat[index + 1])) }
    }
    return .object(members)
  }

  private mutating func track(_ id: Node, _ number: Int, _ version: Int) -> Node {
    var members: [(key: String, value: Node)] = [
      ("id", id), ("displayName", title()), ("filename", .string("00\(number).mp3")), ("location", location()),
      ("fileSize", .raw("29360128")), ("trackNumber", .raw("\(number)")), ("metadata", metadata()),
    ]
    if random.chance(1, of: 2) { members.append(("duration", seconds())) }
    if random.chance(1, of: 3) { members.append(("checksum", .string("d41d8cd98f00b204e9800998ecf8427e"))) }
    if version == 3 {
      let isFavorite = random.chance(1, of: 2)
      members.append(("isFavorite", .raw(isFavorite ? "true" : "false")))
      if isFavorite { members.append(("favoritedAt", date())) }
    }
    return .object(members)
  }

  private mutating func metadata() -> Node { random.chance(1, of: 3) ? .object([("artist", title()), ("é", title())]) : .object([]) }

  private mutating func source() -> Node {
    random.pick(
      [
        .object([("type", .string("baiduNetdisk")), ("folderPath", .string("/有声书/三体")), ("tokenScope", .string("netdisk"))]),
        .object([("type", .string("local")), ("directoryBookmark", .string("Ym9va21hcms="))]),
        .object([("type", .string("external")), ("description", .string("a drive"))]),
        .object([("type", .string("ephemeralBaidu")), ("ephemeralPath", .string("/tmp"))]),
        .object([("b", .raw("1.50")), ("type", .string("webdav")), ("a", .array([.raw("1E2"), .raw("null")]))]),
      ], otherwise: .raw("null"))
  }

  private mutating func location() -> Node {
    random.pick(
      [
        .object([("type", .string("baidu")), ("fsId", .raw("112233445566778")), ("path", .string("/有声书/001.mp3"))]),
        .object([("type", .string("local")), ("urlBookmark", .string("Ym9va21hcms="))]),
        .object([("type", .string("external")), ("url", .string("https://example.com/1.mp3"))]),
        .object([("type", .string("sftp")), ("z", .raw("-0.0")), ("a", .string("\u{1F600}"))]),
      ], otherwise: .raw("null"))
  }

  private mutating func cover() -> Node {
    let kind: Node = random.pick(
      [
        .object([("type", .string("solid")), ("colorHex", .string("#5B8DEF"))]),
        .object([("type", .string("image")), ("relativePath", .string("covers/1.jpg"))]),
        .object([("type", .string("remote")), ("url", .string("https://example.com/1.jpg"))]),
        .object([("type", .string("gradient")), ("stops", .array([.raw("0"), .raw("1.0")]))]),
      ], otherwise: .raw("null"))
    return .object(random.chance(1, of: 2) ? [("kind", kind), ("dominantColorHex", .string("#5B8DEF"))] : [("kind", kind)])
  }
}
