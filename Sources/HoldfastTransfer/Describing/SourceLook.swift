public import Foundation
import Holdfast

/// A look at a source, to recognise its format: its first bytes, or a database's tables.
public struct SourceLook {
  /// The file, or the temporary file that a crash during a save has left.
  public let url: URL
  /// A member of a source that is a JSON object.
  public struct Member {
    /// Its name.
    public var key: String
    /// The keys of the member's object, or of the first object in its array.
    public var keys: Set<String>
  }

  /// The names of a database's tables, in lower case; nil for anything else.
  public let tables: Set<String>?
  /// The members of a JSON object that begin in the first bytes, in their order.
  public let members: [Member]
  /// The keys of the first object, when the JSON is an array.
  public let elementKeys: Set<String>
  /// The first ASCII characters, without a byte order mark and without the zero bytes of wider encodings.
  public let beginning: String
  /// The file extension, in lower case.
  public let fileExtension: String
  /// Whether the file has no bytes.
  public let isEmpty: Bool
  /// Whether the file begins like text, in any encoding.
  public let looksLikeText: Bool

  private static let length = 1_048_576

  /// - Throws: `.notFound`, `.permissionDenied`, `.invalidSource` when the source is not a file, is a damaged database, or can be read
  ///   only by its own program.
  public init(_ source: URL) throws {
    // When the file is missing, the temporary file that a crash during a save has left is read.
    let left = URL(fileURLWithPath: source.path + ".tmp")
    let files = FileManager.default
    url = !files.fileExists(atPath: source.path) && files.fileExists(atPath: left.path) ? left : source
    guard let start = Self.start(of: url) else {
      // Throws the reason.
      _ = try ImportSource(url)
      throw StoreError(.inputOutput, "\(url.path) cannot be read")
    }
    try ImportSource.refuseClosed(url, start)
    isEmpty = start.isEmpty
    tables = SQLiteSource.isDatabase(url) ? Set(try SQLiteSource(ImportSource(url)).tables.map { $0.lowercased() }) : nil
    members = tables == nil ? Self.members(start) : []
    elementKeys = tables == nil && members.isEmpty ? Self.elementKeys(start) : []
    let text = start.prefix(4096).filter { $0 > 0 && $0 < 0x7F }
    looksLikeText = tables == nil && text.prefix(64).allSatisfy { $0 >= 0x20 || (0x09...0x0D).contains($0) }
    beginning = String(decoding: text.drop { $0 <= 0x20 }, as: UTF8.self)
    fileExtension = source.pathExtension.lowercased()
  }

  /// The schemas in a documented export; nil for anything else.
  public var exportedSchemas: Set<String>? {
    guard members.contains(where: { $0.key == "holdfast_export" }) else { return nil }
    return members.first { $0.key == "schemas" }?.keys ?? []
  }

  /// The member with this name.
  public func member(_ key: String) -> Member? { members.first { $0.key == key } }

  /// The first bytes; nil when the path is not a file or may not be read. Read through SQLite: the app may have the file open.
  private static func start(of url: URL) -> [UInt8]? {
    guard let start = try? FileBytes(url).read(length) else { return nil }
    return Array(start)
  }

  private static func elementKeys(_ start: [UInt8]) -> Set<String> {
    var keys: Set<String> = []
    var scanner = JSONScanner(JSONDocument(start))
    try? take(&keys, ofFirstIn: &scanner)
    return keys
  }

  private static func take(_ keys: inout Set<String>, ofFirstIn array: inout JSONScanner) throws {
    try array.array { index, element in
      guard index == 0, try element.peek() == .object else { return }
      try element.object { key, _ in keys.insert(key.string) }
    }
  }

  /// For JSON that is cut off or invalid, returns the members before that place.
  private static func members(_ start: [UInt8]) -> [Member] {
    var members: [Member] = []
    var scanner = JSONScanner(JSONDocument(start))
    try? scanner.object { key, value in
      members.append(Member(key: key.string, keys: []))
      let place = members.count - 1
      switch try value.peek() {
      case .object: try value.object { inner, _ in members[place].keys.insert(inner.string) }
      case .array: try take(&members[place].keys, ofFirstIn: &value)
      default: break
      }
    }
    return members
  }
}
