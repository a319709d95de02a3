import Foundation

/// A generator (SplitMix64): the same seed gives the same cases everywhere.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  /// The stream of one case of a run.
  init(seed: UInt64, number: Int) {
    state = seed &+ UInt64(truncatingIfNeeded: number) &* 0xD134_2543_DE82_EF95
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }

  mutating func chance(_ part: Int, of whole: Int) -> Bool { Int.random(in: 0..<whole, using: &self) < part }

  mutating func pick<T>(_ values: [T], otherwise: T) -> T { values.randomElement(using: &self) ?? otherwise }
}

/// Small valid sources of every version and shape, as the starting points of mutation.
struct Seeds {
  var random: SeededRandom

  private static let titles = [
    "三体", "Der Prozeß", "Café du Monde", "ノルウェイの森", "حكاية", "📚 Emoji", "a \"quoted\" \\ line\n2", "", "nul\u{0}byte", "e\u{301}",
  ]
  private static let dates = [
    "2025-11-03T02:10:05Z", "2025-11-05T11:41:22Z", "1999-12-31T23:59:59Z", "2025-11-05T11:41:22.125Z", "2025-11-05T13:41:22+02:00",
  ]
  private static let tags = ["sci-fi", "中文", "Kinder", "", "é", "long tag with spaces"]

  mutating func library(version: Int) -> Node {
    var collections: [Node] = []
    for _ in 0..<Int.random(in: 0...3, using: &random) { collections.append(collection(version)) }
    return .object([("schemaVersion", .raw("\(version)")), ("collections", .array(collections))])
  }

  private mutating func id() -> Node {
    // A small world: ids meet again in other collections and in other cases.
    let number = Int.random(in: 0..<40, using: &random)
    let text = String(number, radix: 16)
    let id = "7C9E6679-7425-40DE-944B-" + String(repeating: "A", count: 12 - text.count) + text.uppercased()
    return .string(random.chance(1, of: 4) ? id.lowercased() : id)
  }

  private mutating func date() -> Node { .string(random.pick(Self.dates, otherwise: "")) }
  private mutating func title() -> Node { .string(random.pick(Self.titles, otherwise: "")) }
  private mutating func seconds() -> Node { .raw(random.pick(["0", "1832.48", "754.2", "1e3", "-1", "0.1", "-0.0"], otherwise: "0")) }

  private mutating func collection(_ version: Int) -> Node {
    var members: [(key: String, value: Node)] = [
      ("id", id()), ("title", title()), ("coverAsset", cover()), ("createdAt", date()), ("updatedAt", date()), ("source", source()),
    ]
    if random.chance(1, of: 2) { members.append(("author", title())) }
    if random.chance(1, of: 3) { members.append(("description", title())) }
    if random.chance(2, of: 3) {
      members.append(
        ("tags", .array((0..<Int.random(in: 0...3, using: &random)).map { _ in .string(random.pick(Self.tags, otherwise: "")) })))
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
