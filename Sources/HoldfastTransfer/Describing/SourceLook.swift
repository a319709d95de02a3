public import Foundation
import Holdfast

/// A source as far as it takes to see what it is: its first bytes, or a database's tables.
public struct SourceLook {
  /// The file, or what a crash in the middle of a save left of it.
  public let url: URL
  /// A member of the JSON object that a source is.
  public struct Member {
    /// Its name.
    public var key: String
    /// Those of the object that its value is, or of the first element of the array that it is.
    public var keys: Set<String>
  }

  /// Of a database; nil for anything else.
  public let tables: Set<String>?
  /// Of a JSON object, in their order, as far as they begin in the first bytes.
  public let members: [Member]
  /// Those of the first object in the array that the whole JSON is.
  public let elementKeys: Set<String>
  /// The first ASCII characters, without a byte order mark and the zeros of wider encodings.
  public let beginning: String
  /// In lower case.
  public let fileExtension: String
  /// Nothing stands in it.
  public let isEmpty: Bool
  /// Whether it begins as text does, in whatever encoding.
  public let looksLikeText: Bool

  private static let length = 1_048_576

  /// - Throws: `.notFound`, `.permissionDenied`, `.invalidSource` for what is no file, or a database that is damaged.
  public init(_ source: URL) throws {
    // What a crash in the middle of a save leaves is read in its place.
    let left = URL(fileURLWithPath: source.path + ".tmp")
    let files = FileManager.default
    url = !files.fileExists(atPath: source.path) && files.fileExists(atPath: left.path) ? left : source
    guard let start = Self.start(of: url) else {
      // Says why.
      _ = try ImportSource(url)
      throw StoreError(.inputOutput, "\(url.path) cannot be read")
    }
    isEmpty = start.isEmpty
    tables = SQLiteSource.isDatabase(url) ? Set(try SQLiteSource(ImportSource(url)).tables.map { $0.lowercased() }) : nil
    members = tables == nil ? Self.members(start) : []
    elementKeys = tables == nil && members.isEmpty ? Self.elementKeys(start) : []
    let text = start.prefix(4096).filter { $0 > 0 && $0 < 0x7F }
    looksLikeText = tables == nil && text.prefix(64).allSatisfy { $0 >= 0x20 || (0x09...0x0D).contains($0) }
    beginning = String(decoding: text.drop { $0 <= 0x20 }, as: UTF8.self)
    fileExtension = source.pathExtension.lowercased()
  }

  /// The schemas that a documented export holds; nil for anything else.
  public var exportedSchemas: Set<String>? {
    guard members.contains(where: { $0.key == "holdfast_export" }) else { return nil }
    return members.first { $0.key == "schemas" }?.keys ?? []
  }

  /// The member of this name.
  public func member(_ key: String) -> Member? { members.first { $0.key == key } }

  /// Nil for what is not a file, or may not be read.
  private static func start(of url: URL) -> [UInt8]? {
    var status = stat()
    // Opening a pipe would wait for somebody who writes to it.
    guard stat(url.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, let file = FileHandle(forReadingAtPath: url.path) else {
      return nil
    }
    defer { try? file.close() }
    // At the end of the file there is nothing, which is no error.
    do { return Array(try file.read(upToCount: length) ?? Data()) } catch { return nil }
  }

  private static func elementKeys(_ start: [UInt8]) -> Set<String> {
    var keys: Set<String> = []
    var scanner = JSONScanner(JSONDocument(start))
    try? scanner.array { index, element in
      guard index == 0, try element.peek() == .object else { return }
      try element.object { key, _ in keys.insert(key.string) }
    }
    return keys
  }

  /// What is cut off, or no JSON at all, gives the members before that.
  private static func members(_ start: [UInt8]) -> [Member] {
    var members: [Member] = []
    var scanner = JSONScanner(JSONDocument(start))
    try? scanner.object { key, value in
      members.append(Member(key: key.string, keys: []))
      let place = members.count - 1
      switch try value.peek() {
      case .object: try value.object { inner, _ in members[place].keys.insert(inner.string) }
      case .array:
        try value.array { index, element in
          guard index == 0, try element.peek() == .object else { return }
          try element.object { inner, _ in members[place].keys.insert(inner.string) }
        }
      default: break
      }
    }
    return members
  }
}
