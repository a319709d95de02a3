import Foundation
import Holdfast
import HoldfastTransfer

/// M3U and M3U8: one path or URL a line, with the facts of `#EXTINF:seconds,Artist - Title` in the line before.
///
/// Some programs, iTunes among them, write `Title - Artist`. If one half is the file's name in the path, that half is the
/// title. Lines that their paths do not decide follow most of those that are decided, and then a folder above the album with the name
/// of one half, which is the artist's. An empty half is ignored.
///
/// Text that is valid UTF-8 is read as UTF-8, with or without a byte order mark. Other text is read as Windows-1252, and the
/// report says so. A named encoding is used unless there is a byte order mark.
/// A path with the escapes of a URL, `a%20b.mp3`, means the file `a b.mp3`, unless a file has the name as it stands.
/// `#EXTALB`, `#EXTART` and `#EXTGENRE` hold for all entries until the next of the kind; an empty one ends it. Other lines
/// that begin with `#` are comments; but after `#EXTINF`, one that ends like a music file is the file.
enum M3U {
  /// - Throws: `.invalidSource` for a file that is not text, not in the named encoding, or text of another kind.
  static func list(_ content: Data, of url: URL, encoding: String.Encoding? = nil) throws -> FileList {
    let (text, isGuessed) = try decoded(content, url, encoding)
    var reading = Reading(folder: url.standardizedFileURL.deletingLastPathComponent().path)
    for (number, line) in lines(text).enumerated() { reading.take(line, number: number + 1) }
    reading.finish()
    if isGuessed { reading.list.notes.append(guess(content, text)) }
    return reading.list
  }

  /// The report's note, with the first line that is not UTF-8.
  private static func guess(_ content: Data, _ text: String) -> (text: String, path: String) {
    let bytes = content.starts(with: [0xEF, 0xBB, 0xBF]) ? content.dropFirst(3) : content
    var same = 0
    for (decoded, byte) in zip(text.utf8, bytes) {
      guard decoded == byte else { break }
      same += 1
    }
    let number = lines(String(decoding: text.utf8.prefix(same), as: UTF8.self)).count
    return ("lines that are not UTF-8 were read as Windows-1252", "line \(number)")
  }

  /// Whether a file holds such a list: its first line says so, or it has the extension and lines that look like paths.
  static func recognises(_ source: ImportSource) -> Bool {
    guard let start = try? source.peek(4_096) else { return false }
    let text = String(decoding: start, as: UTF8.self)
    if text.drop(while: { $0 == "\u{FEFF}" }).hasPrefix("#EXTM3U") { return true }
    guard ["m3u", "m3u8"].contains(source.url.pathExtension.lowercased()) else { return false }
    // One of the two lengths does not cut a UTF-16 pair.
    return [2_048, 2_046].map { start.prefix($0) }.contains { (try? decoded($0, source.url)) != nil }
  }

  private static func lines(_ text: String) -> [Substring] {
    // A line break of Windows is one Character.
    text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
  }

  // MARK: Text

  private static func decoded(_ content: Data, _ url: URL, _ encoding: String.Encoding? = nil) throws -> (text: String, isGuessed: Bool) {
    if content.starts(with: [0xFF, 0xFE]) || content.starts(with: [0xFE, 0xFF]) {
      guard let text = String(data: content, encoding: .utf16) else { throw refused(url, "its UTF-16 is damaged") }
      return (String(text.drop { $0 == "\u{FEFF}" }), false)
    }
    if let place = content.firstIndex(of: 0) {
      var error = refused(url, "it is not text: byte \(place - content.startIndex) is 0")
      error.offset = place - content.startIndex
      throw error
    }
    let hasMark = content.starts(with: [0xEF, 0xBB, 0xBF])
    let bytes = hasMark ? content.dropFirst(3) : content
    let text = String(decoding: bytes, as: UTF8.self)
    let isUTF8 = text.utf8.elementsEqual(bytes)
    let said = hasMark ? nil : encoding
    let decoded = try said.map { try read(bytes, as: $0, url) } ?? (isUTF8 ? text : readByLine(bytes))
    let first = decoded.first { !$0.isWhitespace }
    if let first, "{[<".contains(first) && !beginsAsName(decoded) || decoded.hasPrefix("bplist") || decoded.hasPrefix("%PDF") {
      throw refused(url, "it begins with \(first), as no playlist does")
    }
    if lines(decoded).contains(where: { $0.hasPrefix("#EXT-X-") }) { throw refused(url, "it is a stream in pieces") }
    return (decoded, said == nil && !isUTF8)
  }

  private static func read(_ bytes: Data, as encoding: String.Encoding, _ url: URL) throws -> String {
    if encoding == .windowsCP1252 { return Windows1252.text(bytes) }
    guard let text = String(data: bytes, encoding: encoding) else { throw refused(url, "its text is not in the encoding that was named") }
    return text
  }

  /// Lists that several programs wrote to may mix lines in both encodings.
  private static func readByLine(_ bytes: Data) -> String {
    var out = String.UnicodeScalarView()
    var rest = bytes
    while !rest.isEmpty {
      let line = rest.prefix { $0 != 0x0A && $0 != 0x0D }
      rest = rest.dropFirst(line.count)
      let text = String(decoding: line, as: UTF8.self)
      out.append(contentsOf: (text.utf8.elementsEqual(line) ? text : Windows1252.text(line)).unicodeScalars)
      if let end = rest.popFirst() { out.append(Unicode.Scalar(end)) }
    }
    return String(out)
  }

  /// Whether a bracket at the beginning belongs to a name, `[1999] MusicAlbum/a.mp3`: it is closed in the same line, and more follows.
  private static func beginsAsName(_ text: String) -> Bool {
    let line = text.drop { $0.isWhitespace }.prefix { !$0.isNewline }
    let closing: [Character: Character] = ["[": "]", "{": "}"]
    guard let close = line.first.flatMap({ closing[$0] }), let end = line.firstIndex(of: close),
      let inner = line.dropFirst().first(where: { !$0.isWhitespace }), !"\"[{".contains(inner)
    else { return false }
    return line[end...].contains { !$0.isWhitespace && !",]}".contains($0) }
  }

  private static func refused(_ url: URL, _ reason: String) -> StoreError {
    StoreError(.invalidSource, "\(url.path) is no list of music files: \(reason)")
  }

  // MARK: Lines

  private struct Reading {
    let folder: String
    var list = FileList()
    /// The facts of all entries until another line changes them.
    private var lasting: [String: JSONValue] = [:]
    /// The name from `#EXTINF`; the path decides which half is the title.
    private var name = ""
    /// By entry, the names with two halves, and which one is the title; nil where the path does not tell.
    private var names: [Int: (text: String, path: String, isTitleFirst: Bool?)] = [:]
    /// The facts from the lines before an entry.
    private var next = FileList.Entry(path: "", original: "")

    private static let lastingNames = ["#EXTALB:": "album", "#EXTART:": "album artist", "#EXTGENRE:": "genre"]

    init(folder: String) { self.folder = folder }

    /// `a%20b` as `a b`; nil when there are no escapes, or decoding them would change the folders.
    private static func unescaped(_ path: String) -> String? {
      guard path.utf8.contains(UInt8(ascii: "%")), let plain = path.removingPercentEncoding, plain != path,
        !plain.unicodeScalars.contains(where: { $0.value < 0x20 })
      else { return nil }
      func slashes(_ text: String) -> Int { text.utf8.count { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") } }
      return slashes(plain) == slashes(path) ? plain : nil
    }

    mutating func take(_ line: Substring, number: Int) {
      // Concatenated lists have byte order marks in the middle.
      let line = line.drop { $0 == "\u{FEFF}" }
      guard line.contains(where: { !$0.isWhitespace }) else { return }
      guard line.hasPrefix("#") else { return entry(line, number) }
      func value(_ name: String) -> String? {
        guard line.hasPrefix(name) else { return nil }
        return String(line.dropFirst(name.count))
      }
      if let text = value("#EXTINF:") {
        // An earlier #EXTINF without a path is not about this file.
        (next, name) = (FileList.Entry(path: "", original: "\(line)\n"), "")
        info(text, line, number)
      } else if let text = value("#PLAYLIST:") {
        if !text.isEmpty { list.title = text }
      } else if let (mark, fact) = Self.lastingNames.first(where: { line.hasPrefix($0.key) }) {
        lasting[fact] = value(mark).flatMap { $0.isEmpty ? nil : JSONValue.string($0) }
      } else if !line.hasPrefix("#EXT"), FolderListing.audioExtensions.contains(ScannedFile.ending(line)) {
        // The name of a file may begin with the sign of a comment.
        if !next.original.isEmpty { return entry(line, number) }
        list.notes.append(("lines that begin with # and end like a music file were taken for comments", "line \(number)"))
      }
    }

    /// Decides the names that their own paths leave open.
    mutating func finish() {
      let firsts = list.entries.indices.compactMap { names[$0]?.isTitleFirst }
      let titles = firsts.count { $0 }
      let most: Bool? = titles * 2 == firsts.count ? nil : titles * 2 > firsts.count
      for (place, name) in names where name.isTitleFirst == nil {
        list.entries[place].take(M3UName.read(name.text, of: name.path, isTitleFirst: most).halves)
      }
    }

    /// `123 key="value, too",MusicArtist - Title`. Negative seconds mean that the length is unknown.
    private mutating func info(_ text: String, _ line: Substring, _ number: Int) {
      var isQuoted = false
      let comma = text.firstIndex { character in
        if character == "\"" { isQuoted.toggle() }
        return character == "," && !isQuoted
      }
      let seconds = text.prefix { $0 != "," && !$0.isWhitespace }
      if let duration = Double(seconds), duration.isFinite {
        next.members["duration"] = duration < 0 ? nil : .double(duration)
      } else {
        next.damage("duration", "#EXTINF should begin with seconds", line: number, String(line))
      }
      guard let comma else { return }
      name = String(text[text.index(after: comma)...])
    }

    private mutating func entry(_ line: Substring, _ number: Int) {
      var entry = next
      let read = M3UName.read(name, of: line)
      entry.take(read.halves)
      if read.hasHalves { names[list.entries.count] = (name, String(line), read.isTitleFirst) }
      (next, name) = (FileList.Entry(path: "", original: ""), "")
      entry.path = "line \(number)"
      entry.original += line
      entry.members.merge(lasting) { own, _ in own }
      let text = String(line)
      if text.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" }) {
        entry.problem = "a path should not have control characters"
      } else if FileList.Location.hasScheme(text) {
        entry.location = FileList.Location(url: text, base: "")
      } else if text.hasPrefix("\\"), !text.hasPrefix("\\\\"), !text.contains("/") {
        entry.problem = "this path begins at the root of a drive that the list does not name"
      } else {
        entry.location = FileList.Location(path: text, in: folder)
        entry.unescaped = Self.unescaped(text).flatMap { FileList.Location(path: $0, in: folder) }
        entry.problem = "this path cannot be kept as it is"
      }
      list.entries.append(entry)
    }
  }
}
