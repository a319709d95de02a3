import Foundation
import Holdfast
import HoldfastTransfer

/// A list of files from an M3U or XSPF, in the order of its entries.
struct FileList {
  /// The list's own title; nil when it has none.
  var title: String?
  var entries: [Entry] = []
  /// Remarks for the report, and their places in the list.
  var notes: [(text: String, path: String)] = []
  /// Facts of the list that a playlist has no field for.
  var leftOut: [(name: String, path: String)] = []

  static func leftOut(_ name: String, of list: String) -> String { "a playlist has no place for \(name): \"\(list)\"" }

  /// One file, with the facts that the list gives about it.
  struct Entry {
    /// The entry's place in the source, for people: `line 12`.
    var path: String
    /// The entry's original text.
    var original: String
    /// Nil if the entry cannot be imported; `problem` says why.
    var location: Location?
    /// The location with URL escapes decoded, which some programs write into paths. Used when no file has the name as it stands.
    var unescaped: Location?
    var problem: String?
    /// The facts that the list gives, by the names of `FileListImport.fields`. The duration is in the format's unit.
    var members: [String: JSONValue] = [:]
    var metadata: [String: String] = [:]
    /// The fields that its track is imported without.
    private(set) var damaged: [Scanned<SaidContent>] = []

    mutating func take(_ halves: (artist: String?, title: String?)) {
      members["creator"] = halves.artist.map(JSONValue.string)
      members["title"] = halves.title.map(JSONValue.string)
    }

    mutating func damage(_ field: String, _ reason: String, line: Int, _ original: String) {
      damaged.append(
        .damagedField(
          kind: "tracks", field: field, path: .text("line \(line)"), reason: reason, original: .bytes(Array(original.utf8))))
    }
  }

  /// The place of a file, as stored and as the source writes it.
  struct Location {
    var stored: FileLocation
    /// The value that verification compares: the path or URL that the source means, before it was converted.
    var meant: String
    var isPath: Bool

    /// From a path: absolute, of Windows, or relative to `folder`.
    init?(path written: String, in folder: String) {
      let path = Self.withoutLongPrefix(written)
      let slashed = path.replacingOccurrences(of: "\\", with: "/")
      if let windows = FileLocation(windowsPath: path) {
        self.init(windows, meant: slashed)
      } else if path.hasPrefix("/") {
        self.init(FileLocation(path: path), meant: path)
      } else {
        // Only Windows separates folders with backslashes.
        let resolved = Self.resolved(path.contains("/") ? path : slashed, in: folder)
        self.init(FileLocation(windowsPath: resolved) ?? FileLocation(path: resolved), meant: resolved)
      }
    }

    /// Windows begins a long path with `\\?\`, and a long path on a server with `\\?\UNC\`.
    private static func withoutLongPrefix(_ path: String) -> String {
      guard path.hasPrefix("\\\\?\\") else { return path }
      let rest = path.dropFirst(4)
      return rest.uppercased().hasPrefix("UNC\\") ? "\\\\" + rest.dropFirst(4) : String(rest)
    }

    private init?(_ location: FileLocation, meant: String) {
      // If the path does not come back the same, the location would be another file.
      guard let back = location.path, back.utf8.elementsEqual(meant.utf8) else { return nil }
      (stored, self.meant, isPath) = (location, meant, true)
    }

    /// From a URL, or a reference relative to `base`, the text of a URL up to its last slash.
    init?(url text: String, base: String) {
      if Self.hasScheme(text) {
        self.init(url: FileLocation(text: text))
      } else if let windows = FileLocation(windowsPath: text) {
        self.init(windows, meant: text.replacingOccurrences(of: "\\", with: "/"))
      } else if text.hasPrefix("/") {
        self.init(FileLocation(text: "file://" + text), reference: text, meant: Self.withoutDriveSlash)
      } else {
        let location = FileLocation(text: Self.resolved(text, in: base))
        guard let folder = FileLocation(text: base).path else {
          self.init(url: location)
          return
        }
        // The "./" keeps a colon in the reference from being read as a scheme.
        self.init(location, reference: "./" + text) { Self.resolved($0, in: folder) }
      }
    }

    private init(url location: FileLocation) { (stored, meant, isPath) = (location, location.text, false) }

    /// - Parameter meant: makes the path from the decoded reference. If the escapes are not valid text, only the URL is kept.
    private init?(_ location: FileLocation, reference: String, meant: (String) -> String) {
      guard let path = FileLocation(text: reference).path else {
        self.init(url: location)
        return
      }
      self.init(location, meant: meant(path))
    }

    /// `/C:/a` means `C:/a`.
    private static func withoutDriveSlash(_ path: String) -> String {
      let rest = path.dropFirst()
      return FileLocation(windowsPath: "\(rest.prefix(2))/") != nil && "/".hasPrefix(rest.dropFirst(2).prefix(1)) ? String(rest) : path
    }

    /// The stored value, to be compared with `meant`.
    func written(_ location: FileLocation?) -> JSONValue { .text(isPath ? location?.path : location?.text) }

    /// Not a scheme: a single letter before a colon is a drive, and a colon before a space is part of a name.
    static func hasScheme(_ text: String) -> Bool {
      guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
      let scheme = text.utf8[..<colon]
      let next = text.utf8[colon...].dropFirst().first
      return scheme.count > 1 && next != nil && next != UInt8(ascii: " ")
        && scheme.allSatisfy { $0 < 0x80 && (Character(Unicode.Scalar($0)).isLetter || "0123456789+-.".utf8.contains($0)) }
    }

    /// Resolves `.` and `..`; the root has no parent.
    private static func resolved(_ relative: String, in folder: String) -> String {
      let root = folder.hasPrefix("file://") ? "file://" : ""
      var parts = folder.dropFirst(root.count).split(separator: "/", omittingEmptySubsequences: false)
      if parts.last?.isEmpty == true { parts.removeLast() }
      for part in relative.split(separator: "/", omittingEmptySubsequences: false) {
        switch part {
        case ".": break
        case "..": if parts.count > 1 { parts.removeLast() }
        default: parts.append(part)
        }
      }
      return root + parts.joined(separator: "/")
    }
  }
}
