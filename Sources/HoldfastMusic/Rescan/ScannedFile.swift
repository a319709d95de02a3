public import Foundation
import Holdfast

/// A file in a listing of folders.
public struct ScannedFile: Sendable, Hashable {
  /// Where it is.
  public let location: FileLocation
  /// In bytes.
  public let sizeBytes: Int64
  /// To the millisecond; nil when it is not known.
  public let modifiedAt: Date?
  /// A hash of the content, made by the same rule at every listing; nil when it is not known.
  public let contentHash: String?
  /// Whether the file may be a new track. Any other file is compared with existing tracks, and is never new.
  public let isAudio: Bool
  /// `FileLocation.key`.
  let key: String

  /// A file by its path, POSIX or Windows, word for word: `%` and `#` begin no escapes. A date that cannot be stored counts as unknown.
  ///
  /// - Parameter isAudio: default true; false for a file that matters only if a track already has it.
  public init(path: String, sizeBytes: Int64, modifiedAt: Date?, contentHash: String? = nil, isAudio: Bool = true) {
    location = FileLocation(windowsPath: path) ?? FileLocation(path: path)
    key = location.key ?? path
    self.sizeBytes = sizeBytes
    self.modifiedAt = modifiedAt.flatMap { DateCodec.milliseconds($0) }.flatMap { DateCodec.date(milliseconds: $0) }
    self.contentHash = contentHash
    self.isAudio = isAudio
  }

  /// The path as it was given, with forward slashes on Windows.
  public var path: String { location.path ?? key }

  /// The part after the last slash.
  var name: Substring { Self.name(key) }
  static func name(_ key: String) -> Substring { key.lastIndex(of: "/").map { key[key.index(after: $0)...] } ?? key[...] }

  /// The part of a name after the last dot, in lower case; empty when there is no dot.
  static func ending(_ name: Substring) -> String { name.lastIndex(of: ".").map { name.suffix(from: $0).dropFirst().lowercased() } ?? "" }
}

/// Folders by their paths, to ask whether they contain a file.
struct FolderKeys {
  private let folders: [String]

  init(_ paths: [String]) {
    folders = paths.map { path in
      let key = ScannedFile(path: path, sizeBytes: 0, modifiedAt: nil).key
      return String(key.reversed().drop { $0 == "/" }.reversed())
    }
  }

  /// Whether the key is one of the folders, or lies below one.
  /// - Parameter key: a `FileLocation.key`.
  func contain(_ key: String) -> Bool {
    folders.contains { folder in
      key.utf8.starts(with: folder.utf8)
        && (key.utf8.count == folder.utf8.count || key.utf8.dropFirst(folder.utf8.count).first == UInt8(ascii: "/"))
    }
  }
}
