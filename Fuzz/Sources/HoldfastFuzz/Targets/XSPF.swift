import Foundation
import Holdfast

/// A playlist in XSPF.
struct XSPF: MusicTarget {
  let name = "xspf"
  let file = "list.xspf"

  private static let names = [
    "playlist", "trackList", "track", "location", "title", "creator", "album", "trackNum", "duration", "image", "info", "annotation",
    "meta", "link", "extension", "x:track", "a",
  ]

  func source(_ random: inout SeededRandom) -> FuzzSource {
    var seeds = ListNodes(random: random)
    var (list, files) = seeds.list()
    let encoding = seeds.random.pick(Markup.Encoding.allCases, otherwise: .utf8)
    let newline = seeds.random.pick(["\n", "\n", "\r\n", "\n\t", ""], otherwise: "\n")
    let earlier = seeds.random.chance(1, of: 3) ? list.document(encoding, newline: newline) : nil
    var mutation = Mutation(seeds.random)
    let isSpoilt = mutation.nodes(of: &list, names: Self.names)
    var bytes = list.document(encoding, newline: newline)
    mutation.bytes(&bytes, marks: "<>&;/\"'=!-[]?\u{0}")
    random = mutation.random
    var counts = ["collections": 1, "collection_tracks": Self.tracks(in: list)]
    // The number of different files is known only for an undamaged list.
    if !isSpoilt { counts["tracks"] = files }
    return FuzzSource(earlier: earlier, bytes: bytes, counts: mutation.isCountable ? counts : nil)
  }

  private static func tracks(in list: Markup) -> Int {
    func local(_ node: Markup) -> Substring? { node.name?.split(separator: ":").last }
    return list.children.filter { local($0) == "trackList" }.flatMap(\.children).filter { local($0) == "track" }.count
  }
}

/// Small valid lists.
private struct ListNodes {
  var random: SeededRandom

  /// Makes a list. `files` is the number of different files in it.
  mutating func list() -> (Markup, files: Int) {
    let prefix = random.chance(1, of: 6) ? "x:" : ""
    var files: Set<Int> = []
    var tracks: [Markup] = []
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      let file = Int.random(in: 0..<24, using: &random)
      files.insert(file)
      tracks.append(track(file, prefix))
    }
    var attributes = [(name: "version", value: "1")]
    if !prefix.isEmpty || random.chance(3, of: 4) {
      attributes.append((prefix.isEmpty ? "xmlns" : "xmlns:x", "http://xspf.org/ns/0/"))
    }
    if random.chance(1, of: 6) { attributes.append(("xml:base", "file:///Music/")) }
    var children: [Markup] = []
    if random.chance(1, of: 2) { children.append(.element(prefix + "title", random.musicName())) }
    if random.chance(1, of: 5) { children.append(.element(prefix + "creator", random.musicName())) }
    children.append(.element(prefix + "trackList", tracks))
    return (.element(prefix + "playlist", attributes, children), files.count)
  }

  private mutating func track(_ file: Int, _ prefix: String) -> Markup {
    var children = [Markup.element(prefix + "location", location(file))]
    func add(_ name: String, _ text: String) { children.append(.element(prefix + name, text)) }
    if random.chance(2, of: 3) { add("title", random.musicName()) }
    if random.chance(1, of: 2) { add("creator", random.musicName()) }
    if random.chance(1, of: 2) { add("album", random.musicName()) }
    if random.chance(1, of: 2) { add("trackNum", "\(file)") }
    if random.chance(1, of: 2) { add("duration", random.pick(["201500", "0", "187999"], otherwise: "0")) }
    if random.chance(1, of: 5) { add("image", "file:///Music/cover.jpg") }
    if random.chance(1, of: 5) { children.append(.element(prefix + "meta", [("rel", "http://example.com/mood")], [.text("calm")])) }
    if random.chance(1, of: 8) { children.append(.element(prefix + "extension", [("application", "a")], [.element("b", "c")])) }
    if random.chance(1, of: 4) { children.shuffle(using: &random) }
    return .element(prefix + "track", children)
  }

  /// A path of the file with this number, in a random spelling.
  private mutating func location(_ file: Int) -> String {
    switch file % 4 {
    case 0: random.pick(["file:///Music/ä \(file).mp3", "file:///Music/%C3%A4%20\(file).mp3", "/Music/ä \(file).mp3"], otherwise: "")
    case 1: random.pick(["C:\\Music\\\(file).mp3", "file:///C:/Music/\(file).mp3", "file://localhost/C:/Music/\(file).mp3"], otherwise: "")
    case 2: random.pick(["here/\(file).mp3", "./here/\(file).mp3", "here/there/../\(file).mp3"], otherwise: "")
    default: "http://radio.example/\(file)?a=1&b=2"
    }
  }
}
