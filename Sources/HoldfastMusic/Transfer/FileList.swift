import Foundation
import Holdfast

/// A list of files, as M3U and XSPF have it, in the order of its entries.
struct FileList {
  /// What it calls itself; nil when it does not.
  var title: String?
  var entries: [Entry] = []
  /// What cannot be read: the list is imported without it.
  var damaged: [DamagedField] = []
  /// What a playlist has no place for.
  var leftOut: [(name: String, path: String)] = []

  static func leftOut(_ name: String, of list: String) -> String { "a playlist has no place for \(name): \"\(list)\"" }

  struct DamagedField {
    var name: String
    var reason: String
    var path: String
    var original: String
  }

  /// One file, with what the list says of it.
  struct Entry {
    /// In the source, for people: `line 12`.
    var path: String
    /// As it stands there.
    var original: String
    /// Nil: it cannot be imported, for `problem`.
    var location: Location?
    /// The same without the escapes of a URL, which some programs write into paths: meant where there is no file of the name as it stands.
    var unescaped: Location?
    var problem: String?
    var title: String?
    var artist: String?
    var album: String?
    var albumArtist: String?
    var genre: String?
    var trackNumber: Int?
    var artworkURL: String?
    /// In the unit of the format.
    var duration: Double?
    var metadata: [String: String] = [:]
    var damaged: [DamagedField] = []
  }

  /// Where a file is, and how the source says it.
  struct Location {
    var stored: FileLocation
    /// What verification compares: the path or the URL that is meant, before it was made into the other.
    var meant: String
    var isPath: Bool

    /// A path: from the root, of Windows, or relative to `folder`.
    init?(path written: String, in folder: String) {
      let path = Self.withoutLongPrefix(written)
      let slashed = path.replacingOccurrences(of: "\\", with: "/")
      if let windows = FileLocation(windowsPath: path) {
        self.init(windows, meant: slashed)
      } else if path.hasPrefix("/") {
        self.init(FileLocation(path: path), meant: path)
      } else {
        // Only Windows parts folders with backslashes.
        let resolved = Self.resolved(path.contains("/") ? path : slashed, in: folder)
        self.init(FileLocation(windowsPath: resolved) ?? FileLocation(path: resolved), meant: resolved)
      }
    }

    /// Windows begins a long path with `\\?\`, and one of a server with `\\?\UNC\`.
    private static func withoutLongPrefix(_ path: String) -> String {
      guard path.hasPrefix("\\\\?\\") else { return path }
      let rest = path.dropFirst(4)
      return rest.uppercased().hasPrefix("UNC\\") ? "\\\\" + rest.dropFirst(4) : String(rest)
    }

    private init?(_ location: FileLocation, meant: String) {
      // What does not come back as it was would be another file.
      guard let back = location.path, back.utf8.elementsEqual(meant.utf8) else { return nil }
      (stored, self.meant, isPath) = (location, meant, true)
    }

    /// A URL, or a reference relative to `base`, which is the text of a URL up to its last slash.
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
        // Nothing before the first colon is a scheme.
        self.init(location, reference: "./" + text) { Self.resolved($0, in: folder) }
      }
    }

    private init(url location: FileLocation) { (stored, meant, isPath) = (location, location.text, false) }

    /// - Parameter meant: makes a path of the reference, once its escapes are gone. Where they are not those of a text, the URL
    ///   is all that there is.
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

    /// What the store has, to be compared with `meant`.
    func written(_ location: FileLocation?) -> JSONValue { .text(isPath ? location?.path : location?.text) }

    /// A single letter before a colon is a drive, and a colon before a space is part of a name.
    static func hasScheme(_ text: String) -> Bool {
      guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
      let scheme = text.utf8[..<colon]
      let next = text.utf8[colon...].dropFirst().first
      return scheme.count > 1 && next != nil && next != UInt8(ascii: " ")
        && scheme.allSatisfy { $0 < 0x80 && (Character(Unicode.Scalar($0)).isLetter || "0123456789+-.".utf8.contains($0)) }
    }

    /// `.` and `..` are followed; what is above the root is the root.
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
