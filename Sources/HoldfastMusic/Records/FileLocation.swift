public import Foundation

/// Where a file is: a URL as text, kept word for word.
///
/// The text is not checked: libraries hold URLs that no parser accepts, and they must be kept too. Two spellings of one place
/// are not equal; ``key`` is the same for both.
public struct FileLocation: Sendable, Hashable {
  /// The URL as it was written, for example `file:///Music/a%20b.mp3`.
  public let text: String

  /// Takes a URL's text as it is.
  public init(text: String) { self.text = text }

  /// The absolute text of a URL.
  public init(_ url: URL) { text = url.absoluteString }

  /// The URL of a file by its path: ``path`` gives the same text back.
  ///
  /// - Parameter path: a POSIX path; one that is not absolute becomes a relative reference.
  public init(path: String) {
    text = (path.utf8.first == UInt8(ascii: "/") ? "file://" : "") + Self.escaped(path)
  }

  /// The URL of a file by a path of Windows: `C:\Music\a.mp3` or `\\server\share\a.mp3`. Nil for any other text.
  public init?(windowsPath: String) {
    let bytes = Array(windowsPath.utf8)
    func isSlash(_ index: Int) -> Bool { index < bytes.count && (bytes[index] == UInt8(ascii: "\\") || bytes[index] == UInt8(ascii: "/")) }
    let slashed = windowsPath.replacingOccurrences(of: "\\", with: "/")
    if bytes.count > 2, bytes[1] == UInt8(ascii: ":"), isSlash(2), Self.isLetter(bytes[0]) {
      text = "file:///" + Self.escaped(slashed, colonInFirstPart: true)
    } else if isSlash(0), isSlash(1), !isSlash(2), bytes.count > 2, bytes[0] == UInt8(ascii: "\\") {
      text = "file:" + Self.escaped(slashed)
    } else {
      return nil
    }
  }

  /// Nil when Foundation does not accept the text as a URL.
  public var url: URL? { URL(string: text) }

  /// The path of a file URL or of a relative reference, unescaped: `/Music/a b.mp3`, `C:/Music/a.mp3` or
  /// `//server/share/a.mp3`. Nil for other URLs, and for escapes that are not UTF-8.
  public var path: String? {
    guard let rest = Self.afterFileScheme(text) else {
      return Self.hasScheme(text) ? nil : Self.unescaped(Array(text.utf8)[...])
    }
    guard rest.starts(with: [UInt8(ascii: "/"), UInt8(ascii: "/")]) else { return Self.withoutDriveSlash(Self.unescaped(rest)) }
    let authority = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
    let isHere = authority.isEmpty || String(decoding: authority, as: UTF8.self).lowercased() == "localhost"
    return Self.withoutDriveSlash(Self.unescaped(isHere ? rest.dropFirst(2 + authority.count) : rest))
  }

  /// The same for every spelling of one file's place: its path with composed accents, because some systems write accents as
  /// separate characters. Nil when there is no path.
  public var key: String? { path?.composed }

  // MARK: Escapes

  private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) }

  /// RFC 3986: bytes that need no escape in a path. A colon does, because the text before it would be read as a scheme.
  private static func isPlain(_ byte: UInt8) -> Bool {
    isLetter(byte) || (0x30...0x39).contains(byte) || "-._~!$&'()*+,;=@/".utf8.contains(byte)
  }

  private static func escaped(_ path: String, colonInFirstPart: Bool = false) -> String {
    var out: [UInt8] = []
    out.reserveCapacity(path.utf8.count + 16)
    for (index, byte) in path.utf8.enumerated() {
      if isPlain(byte) || colonInFirstPart && index == 1 {
        out.append(byte)
      } else {
        out.append(UInt8(ascii: "%"))
        out.append(contentsOf: [byte >> 4, byte & 15].map { $0 < 10 ? 0x30 + $0 : 0x37 + $0 })
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// A percent sign that begins no escape is kept: many players write locations without escapes.
  private static func unescaped(_ text: ArraySlice<UInt8>) -> String? {
    var out: [UInt8] = []
    out.reserveCapacity(text.count)
    var rest = text
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let high = rest.first.flatMap(hex), let low = rest.dropFirst().first.flatMap(hex) {
        out.append(high << 4 | low)
        rest = rest.dropFirst(2)
      } else {
        out.append(byte)
      }
    }
    let string = String(decoding: out, as: UTF8.self)
    return string.utf8.elementsEqual(out) ? string : nil
  }

  private static func hex(_ byte: UInt8) -> UInt8? { Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) } }

  private static func afterFileScheme(_ text: String) -> ArraySlice<UInt8>? {
    let bytes = Array(text.utf8)
    guard String(decoding: bytes.prefix(5), as: UTF8.self).lowercased() == "file:" else { return nil }
    return bytes[5...]
  }

  /// A single letter before a colon is a drive, not a scheme.
  private static func hasScheme(_ text: String) -> Bool {
    let scheme = text.utf8.prefix { isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) }
    return scheme.count > 1 && scheme.first.map(isLetter) == true && text.utf8.dropFirst(scheme.count).first == UInt8(ascii: ":")
  }

  private static func withoutDriveSlash(_ path: String?) -> String? {
    guard let path else { return nil }
    let start = Array(path.utf8.prefix(4))
    let isDrive =
      start.count >= 3 && start[0] == UInt8(ascii: "/") && isLetter(start[1]) && start[2] == UInt8(ascii: ":")
      && (start.count == 3 || start[3] == UInt8(ascii: "/"))
    return isDrive ? String(path.dropFirst()) : path
  }
}
