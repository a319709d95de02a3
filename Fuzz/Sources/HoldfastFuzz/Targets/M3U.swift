import Foundation
import Holdfast

/// A playlist as M3U, in the encodings that it comes in.
struct M3U: MusicTarget {
  let name = "m3u"
  let file = "list.m3u"

  func source(_ random: inout SeededRandom) -> FuzzSource {
    var seeds = ListLines(random: random)
    let encoding = seeds.random.pick(ListLines.Encoding.allCases, otherwise: .utf8)
    var (lines, files) = seeds.list(encoding)
    let newline = seeds.random.pick(["\n", "\r\n", "\r"], otherwise: "\n")
    let end = seeds.random.chance(1, of: 2) ? newline : ""
    func text() -> String { lines.joined(separator: newline) + end }
    let earlier = seeds.random.chance(1, of: 3) ? encoding.bytes(text()) : nil
    var mutation = Mutation(seeds.random)
    let isSpoilt = mutation.lines(of: &lines)
    var bytes = encoding.bytes(text())
    mutation.bytes(&bytes, marks: "#:,\r\n\\/\"%-{<\u{0}")
    random = mutation.random
    var counts = ["collections": 1, "collection_tracks": Self.entries(encoding.readable(text()))]
    // The number of different files is known only for an undamaged list.
    if !isSpoilt { counts["tracks"] = files }
    return FuzzSource(earlier: earlier, bytes: bytes, counts: mutation.isCountable ? counts : nil)
  }

  private static func entries(_ text: String) -> Int {
    text.unicodeScalars.split { $0 == "\r" || $0 == "\n" }.map { $0.drop { $0 == "\u{FEFF}" } }.filter { line in
      line.first != "#" && !line.allSatisfy { $0.properties.isWhitespace }
    }.count
  }
}

/// Small valid lists.
private struct ListLines {
  enum Encoding: CaseIterable {
    case utf8, utf8WithMark, utf16, utf16BigEndian, windows

    func bytes(_ text: String) -> [UInt8] {
      switch self {
      case .utf8: Array(text.utf8)
      case .utf8WithMark: Markup.Encoding.utf8WithMark.bytes(text)
      case .utf16: Markup.Encoding.utf16.bytes(text)
      case .utf16BigEndian: Markup.Encoding.utf16BigEndian.bytes(text)
      case .windows: text.unicodeScalars.map(Self.byte)
      }
    }

    /// The text after encoding and decoding.
    func readable(_ text: String) -> String {
      self == .windows ? String(String.UnicodeScalarView(text.unicodeScalars.map { Self.byte($0) == UInt8(ascii: "?") ? "?" : $0 })) : text
    }

    /// The Windows-1252 byte of a character in `MusicTexts.western`.
    private static func byte(_ scalar: Unicode.Scalar) -> UInt8 {
      switch scalar {
      case "€": 0x80
      case "–": 0x96
      default: UInt8(exactly: scalar.value) ?? UInt8(ascii: "?")
      }
    }
  }

  var random: SeededRandom

  /// Makes a list. `files` is the number of different files in it.
  mutating func list(_ encoding: Encoding) -> ([String], files: Int) {
    let names = encoding == .windows ? MusicTexts.western : MusicTexts.names
    var lines = random.chance(4, of: 5) ? ["#EXTM3U"] : []
    var files: Set<Int> = []
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      let name = random.pick(names, otherwise: "")
      switch Int.random(in: 0..<12, using: &random) {
      case 0: lines.append("")
      case 1: lines.append("# \(name)")
      case 2: lines.append("#PLAYLIST:\(name)")
      case 3: lines.append(random.pick(["#EXTALB:", "#EXTART:", "#EXTGENRE:"], otherwise: "") + name)
      case 4...8: lines.append(information(name, random.pick(names, otherwise: "")))
      default: break
      }
      let file = Int.random(in: 0..<24, using: &random)
      files.insert(file)
      lines.append(path(file))
    }
    return (lines, files.count)
  }

  private mutating func information(_ artist: String, _ title: String) -> String {
    let seconds = random.pick(["201", "-1", "0", "187.5", "201 tvg-id=\"a, b\""], otherwise: "0")
    return "#EXTINF:\(seconds)," + (random.chance(2, of: 3) ? "\(artist) - \(title)" : title)
  }

  /// A path of the file with this number, in a random spelling.
  private mutating func path(_ file: Int) -> String {
    switch file % 5 {
    case 0: random.pick(["/Music/ä \(file).mp3", "file:///Music/%C3%A4%20\(file).mp3"], otherwise: "")
    case 1: random.pick(["C:\\Music\\\(file).mp3", "C:/Music/\(file).mp3", "file:///C:/Music/\(file).mp3"], otherwise: "")
    case 2: random.pick(["here/\(file).mp3", "./here/\(file).mp3", "here\\\(file).mp3"], otherwise: "")
    case 3: random.pick(["\\\\server\\share\\\(file).mp3", "file://server/share/\(file).mp3"], otherwise: "")
    default: "http://radio.example/\(file)?a=1&b=2"
    }
  }
}
