import Foundation
import Holdfast
import HoldfastTransfer

/// The app's own `library.json`, versions 1 to 3.
///
/// `{"schemaVersion": 3, "collections": [ … ]}`. Version 1 has one `lastPlaybackPosition` per collection. Version 2 has
/// `playbackStates`, as a flat array of ids and states or as an object. Version 3 adds `isFavorite` and `favoritedAt`. A member
/// that an older version lacks may be missing in any version; ids come in either case; dates are ISO 8601.
struct LibraryJSON: LegacyFormat {
  static let versionKey = "schemaVersion"
  static let newestVersion = 3

  let name = "library-json"
  let version: Int
  let kinds = LibraryRecord.kinds
  let total: Int
  /// At the array of collections.
  private let collections: JSONScanner
  private let document: JSONDocument
  /// Members of the document that are not known.
  private let unknown: [(key: String, at: JSONScanner)]
  /// The records that legacy mode could not read of an earlier file, kept in this one. Nil if legacy mode did not write this file.
  private let unread: JSONScanner?
  /// Whether the document ends before its collections do.
  private let isDamaged: Bool
  private let memory = ImportMemory()

  /// Reads the whole document once: a document that is cut off is refused before anything is written.
  ///
  /// - Throws: `.invalidSource` with the byte offset; `.newerSource`.
  init(_ document: JSONDocument) throws {
    var scanner = JSONScanner(document)
    var version = 1
    var collections: JSONScanner?
    var unknown: [(key: String, at: JSONScanner)] = []
    var unread: JSONScanner?
    do {
      try scanner.object { key, value in
        switch key {
        case "schemaVersion": version = Int(clamping: try value.int64())
        case "collections":
          guard collections == nil else { throw StoreError.standsTwice("collections", at: value.offset) }
          guard try value.peek() == .array else {
            // Throws, and names the value that stands instead of an array.
            _ = try value.array { _, _ in }
            return
          }
          collections = value
          _ = try value.skip()
        case "unread" where try value.peek() == .array: unread = value
        default: unknown.append((key.string, value))
        }
      }
      try scanner.finish()
    } catch {
      throw StoreError.invalidJSON(error)
    }
    guard version <= Self.newestVersion else {
      throw StoreError(
        .newerSource,
        "this library has schemaVersion \(version), which is newer than \(Self.newestVersion), the newest that can be read; "
          + "nothing was changed")
    }
    guard let collections else {
      var error = StoreError(.invalidSource, "this JSON has no \"collections\": expected the app's library at byte 0")
      error.offset = 0
      throw error
    }
    self.version = max(1, version)
    self.collections = collections
    self.unknown = unknown
    self.unread = unread
    isDamaged = false
    self.document = document
    total = document.count
  }

  /// The readable part of a document that is damaged, cut off or of a newer version: the collections before the damage. The
  /// rest is one damaged record. Nil when there are no collections.
  init?(asFarAsReadable document: JSONDocument) {
    var scanner = JSONScanner(document)
    var found: JSONScanner?
    var unread: JSONScanner?
    try? scanner.object { key, value in
      switch key {
      case "collections" where try value.peek() == .array: found = found ?? value
      case "unread" where try value.peek() == .array: unread = value
      default: break
      }
    }
    guard let found else { return nil }
    version = Self.newestVersion
    collections = found
    unknown = []
    self.unread = unread
    isDamaged = true
    self.document = document
    total = document.count
  }

  func scan(_ reader: Reader, _ visit: (Scanned<LibraryRecord>, Int) throws -> Void) throws {
    var scan = LibraryJSONScan(ids: try memory.ids(reader))
    for unknown in unknown {
      try visit(
        .damagedField(
          kind: "collections", field: unknown.key, path: .json(.root), reason: "this field is not known", original: .value(unknown.at)),
        unknown.at.offset)
    }
    var scanner = collections
    var begun = collections.offset
    do {
      try scanner.array { _, element in
        begun = element.offset
        try scan.collection(&element, reader, visit)
        begun = element.offset
      }
      if let unread { try UnreadRecord.scan(unread, kinds: AudiobookLibrary.tables, visit) }
    } catch let error as JSONScanError {
      guard isDamaged else { throw StoreError.invalidJSON(error) }
      let rest = SourceBytes.bytes(document.bytes(begun..<document.count))
      try visit(
        .damaged(kind: "collections", path: .text(error.path), reason: StoreError.invalidJSON(error).message, original: rest),
        document.count)
    }
  }

  var isWrittenBack: Bool { unread != nil && !isDamaged }

  static func written(in tx: Writer, unread: [UnreadRecord], for path: String) throws -> Data {
    var writer = PlayerJSONWriter(keepsUnknownKinds: true)
    var library = writer.library(try AudiobookLibrary.collections(in: tx))
    if let left = writer.leftOut.first {
      throw StoreError(.invalidValue, "\(left.kind) \(left.id) cannot be kept in \(path): \(left.reason)")
    }
    library.unread = unread
    return try PlayerJSON.encoder(pretty: true).encode(library)
  }

  func write(_ record: SourceRecord<LibraryRecord>, in tx: Writer) throws {
    try memory.write(record.content, in: tx)
  }

  func readBack(_ record: SourceRecord<LibraryRecord>, in reader: Reader) throws -> StoredShape? {
    try LibraryShape.json.readBack(record, in: reader)
  }
}
