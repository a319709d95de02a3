import Foundation
import Holdfast

/// The library that iTunes exports.
struct ITunesXML: MusicTarget {
  let name = "itunes-xml"
  let file = "Library.xml"

  private static let names = ["dict", "array", "key", "string", "integer", "real", "date", "data", "true", "false", "plist", "a"]
  private static let keys = [
    "Track ID", "Name", "Persistent ID", "Rating", "Rating Computed", "Play Date", "Play Date UTC", "Play Count", "Location", "Total Time",
    "Compilation", "Size", "Year", "Tracks", "Playlists", "Playlist Items", "Playlist Persistent ID", "Parent Persistent ID", "Folder",
    "Master", "Visible", "Smart Info", "Major Version", "unknown",
  ]
  private static let doctype =
    #"<!DOCTYPE plist PUBLIC "-//Apple Computer//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">"#

  func source(_ random: inout SeededRandom) -> FuzzSource {
    var seeds = ITunesNodes(random: random)
    var library = seeds.library()
    let encoding = seeds.random.pick(Markup.Encoding.allCases, otherwise: .utf8)
    let newline = seeds.random.pick(["\n", "\r\n", "\n\t"], otherwise: "\n")
    let doctype = seeds.random.chance(3, of: 4) ? Self.doctype + newline : ""
    func written() -> [UInt8] { library.document(encoding, newline: newline, doctype: doctype) }
    let earlier = seeds.random.chance(1, of: 3) ? written() : nil
    var mutation = Mutation(seeds.random)
    _ = mutation.nodes(of: &library, names: Self.names, texts: Self.keys)
    var bytes = written()
    mutation.bytes(&bytes, marks: "<>&;/\"'=!-[]?\u{0}")
    random = mutation.random
    return FuzzSource(
      earlier: earlier, bytes: bytes, counts: mutation.isCountable && !Self.repeatsKeys(library) ? Self.counts(bytes) : nil)
  }

  /// Counts the records with Foundation's decoder.
  private static func counts(_ bytes: [UInt8]) -> [String: Int]? {
    guard let root = try? PropertyListSerialization.propertyList(from: Data(bytes), format: nil) as? [String: Any] else { return nil }
    let lists = root["Playlists"] as? [Any] ?? []
    let entries = lists.compactMap { $0 as? [String: Any] }.filter { !isLeftOut($0) }.reduce(0) {
      $0 + (($1["Playlist Items"] as? [Any])?.count ?? 0)
    }
    return ["tracks": (root["Tracks"] as? [String: Any])?.count ?? 0, "collections": lists.count, "collection_tracks": entries]
  }

  /// Whether the import leaves out this list and its entries, because iTunes made it, hides it or fills it by a rule.
  private static func isLeftOut(_ list: [String: Any]) -> Bool {
    if list["Master"] as? Bool == true || list["Distinguished Kind"] != nil { return true }
    guard list["Folder"] as? Bool != true else { return false }
    return list["Smart Info"] != nil || list["Smart Criteria"] != nil || list["Visible"] as? Bool == false
  }

  /// Whether a dict has a key twice: Foundation then keeps only one of the two members.
  private static func repeatsKeys(_ node: Markup) -> Bool {
    let keys = node.children.filter { $0.name == "key" }.map(\.content)
    return Set(keys).count < keys.count || node.children.contains(where: repeatsKeys)
  }
}

/// Small valid libraries.
private struct ITunesNodes {
  var random: SeededRandom

  private static func string(_ key: String, _ text: String) -> [Markup] { [.element("key", key), .element("string", text)] }
  private static func integer(_ key: String, _ number: Int) -> [Markup] { [.element("key", key), .element("integer", "\(number)")] }
  private static func date(_ key: String, _ text: String) -> [Markup] { [.element("key", key), .element("date", text)] }
  private static func yes(_ key: String) -> [Markup] { [.element("key", key), .element("true")] }

  mutating func library() -> Markup {
    var trackIDs: [Int] = []
    var tracks: [Markup] = []
    for number in 0..<Int.random(in: 0...4, using: &random) {
      trackIDs.append(600 + 2 * number)
      tracks += [.element("key", "\(600 + 2 * number)"), track(600 + 2 * number)]
    }
    var lists: [Markup] = []
    var folders: [String] = []
    for _ in 0..<Int.random(in: 0...3, using: &random) { lists.append(playlist(of: trackIDs, &folders)) }
    // Parents may come after their children.
    if random.chance(1, of: 3) { lists.shuffle(using: &random) }
    var root = Self.integer("Major Version", 1) + Self.integer("Minor Version", 1)
    if random.chance(1, of: 2) { root += Self.date("Date", "2024-05-01T10:00:00Z") + Self.string("Application Version", "12.13") }
    if random.chance(1, of: 2) { root += Self.string("Music Folder", "file:///Music/") }
    let both: [[Markup]] = [
      [.element("key", "Tracks"), .element("dict", tracks)], [.element("key", "Playlists"), .element("array", lists)],
    ]
    root += (random.chance(1, of: 8) ? both.reversed() : both).flatMap { $0 }
    return .element("plist", [("version", "1.0")], [.element("dict", root)])
  }

  private mutating func id() -> String {
    let digits = String(Int.random(in: 0..<32, using: &random), radix: 16, uppercase: true)
    let id = "4E2A6B9C0D1F" + String(repeating: "0", count: 4 - digits.count) + digits
    return random.chance(1, of: 6) ? id.lowercased() : id
  }

  private mutating func track(_ trackID: Int) -> Markup {
    var members = [Self.integer("Track ID", trackID), Self.string("Persistent ID", id())]
    func maybe(_ member: [Markup]) { if random.chance(1, of: 2) { members.append(member) } }
    maybe(Self.string("Name", random.musicName()))
    maybe(Self.string("Artist", random.musicName()))
    maybe(Self.string("Album", random.musicName()))
    maybe(Self.string("Album Artist", random.musicName()))
    maybe(Self.string("Genre", random.musicName()))
    maybe(Self.integer("Total Time", 201_500))
    maybe(Self.integer("Size", 8_000_000_000))
    maybe(Self.integer("Year", 1971))
    maybe(Self.integer("Track Number", 3))
    maybe(Self.integer("Disc Number", 1))
    maybe(Self.integer("Play Count", 17))
    maybe(Self.integer("Play Date", random.pick([3_786_912_000, -508_055_296], otherwise: 0)))
    maybe(Self.date("Play Date UTC", "2024-01-01T00:00:00Z"))
    maybe(Self.integer("Rating", 80))
    if random.chance(1, of: 6) { members.append(Self.yes("Rating Computed")) }
    if random.chance(1, of: 6) { members.append(Self.yes("Compilation")) }
    maybe(Self.date("Date Added", "2020-01-02T03:04:05Z"))
    maybe(Self.date("Date Modified", "2020-01-02T03:04:05Z"))
    maybe(Self.string("Kind", "MPEG audio file"))
    maybe(
      Self.string(
        "Location",
        random.pick(
          [
            "file:///Music/a%20(b%20&%20c).mp3", "file://localhost/G:/Music/\(trackID).mp3", "http://radio.example/\(trackID)",
            "file:///Musik/ä.mp3",
          ], otherwise: "")))
    if random.chance(1, of: 4) { members.shuffle(using: &random) }
    return .element("dict", members.flatMap { $0 })
  }

  private mutating func playlist(of tracks: [Int], _ folders: inout [String]) -> Markup {
    let own = id()
    var members =
      Self.string("Name", random.musicName()) + Self.integer("Playlist ID", 9000) + Self.string("Playlist Persistent ID", own)
    if let folder = folders.randomElement(using: &random), random.chance(1, of: 2) {
      members += Self.string("Parent Persistent ID", folder)
    }
    switch Int.random(in: 0..<9, using: &random) {
    case 0: members += Self.yes("Master") + Self.yes("All Items")
    case 1: members += Self.integer("Distinguished Kind", 4)
    case 2: members += [.element("key", "Visible"), .element("false")]
    case 3: members += [.element("key", "Smart Info"), .element("data", "AQEAAwAAAAIAAAAZ")]
    case 4, 5:
      members += Self.yes("Folder")
      folders.append(own)
    default: break
    }
    var items: [Markup] = []
    for _ in 0..<Int.random(in: 0...5, using: &random) {
      items.append(.element("dict", Self.integer("Track ID", random.pick(tracks, otherwise: 1))))
    }
    if random.chance(5, of: 6) { members += [.element("key", "Playlist Items"), .element("array", items)] }
    return .element("dict", members)
  }
}
