import Foundation

/// Resolves references relative to a web URL, as RFC 3986 says. Nothing is escaped or unescaped.
enum WebReference {
  /// The URL that a reference means. A text that is absolute, or whose base is not on the web, is returned unchanged.
  ///
  /// - Parameter base: a URL up to its last slash.
  static func resolved(_ text: String, in base: String) -> String {
    guard !FileList.Location.hasScheme(text), FileLocation(windowsPath: text) == nil, let root = root(of: base) else { return text }
    if text.hasPrefix("//") { return String(base.prefix { $0 != "/" }) + text }
    let end = text.firstIndex { $0 == "?" || $0 == "#" } ?? text.endIndex
    let path = text.hasPrefix("/") ? String(text[..<end]) : String(base.dropFirst(root.count)) + text[..<end]
    return root + withoutDots(path) + text[end...]
  }

  /// A base with a path: `http://host` becomes `http://host/`.
  static func base(_ text: String) -> String { root(of: text) == text ? text + "/" : text }

  /// The part `http://host:80` of a URL; nil for files.
  private static func root(of text: String) -> String? {
    guard FileList.Location.hasScheme(text), !text.lowercased().hasPrefix("file:"), let slashes = text.range(of: "://") else { return nil }
    return String(text[..<slashes.upperBound]) + text[slashes.upperBound...].prefix { $0 != "/" }
  }

  private static func withoutDots(_ path: String) -> String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    var kept: [Substring] = []
    for part in parts {
      switch part {
      case ".": break
      case "..": if kept.count > 1 { kept.removeLast() }
      default: kept.append(part)
      }
    }
    if parts.last == "." || parts.last == ".." { kept.append("") }
    return kept.joined(separator: "/")
  }
}
