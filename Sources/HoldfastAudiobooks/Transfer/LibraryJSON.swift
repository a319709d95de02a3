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
  private static let form = LegacyDocument.Form(
    "the app's library", versionKey: versionKey, versions: 1...newestVersion, lists: ["collections"])

  let name = "library-json"
  let kinds = LibraryRecord.kinds
  let laterIndexes = LibraryRecord.laterIndexes
  var version: Int { document.version }
  var total: Int { document.total }
  var isWrittenBack: Bool { document.isWrittenBack }
  private let document: LegacyDocument
  private let memory = ImportMemory()

  /// - Throws: `.invalidSource` with the byte offset; `.newerSource`.
  init(_ document: JSONDocument) throws { self.document = try LegacyDocument(document, as: Self.form) }

  init?(asFarAsReadable document: JSONDocument) {
    guard let readable = LegacyDocument(asFarAsReadable: document, as: Self.form) else { return nil }
    self.document = readable
  }

  func scan(_ reader: Reader, _ visit: (Scanned<SaidContent>, Int) throws -> Void) throws {
    var scan = LibraryJSONScan(ids: try memory.ids(reader))
    try document.scan(kinds, visit) { _, element in try scan.collection(&element, reader, visit) }
  }

  static func written(in tx: Writer, unread: [UnreadRecord], for path: String) throws -> Data {
    var writer = PlayerJSONWriter(keepsUnknownKinds: true)
    var library = writer.library(try AudiobookLibrary.collections(in: tx))
    if let left = writer.leftOut.first {
      throw StoreError(.invalidValue, "\(left.kind) \(left.id) cannot be kept in \(path): \(left.reason)")
    }
    library.unread = unread
    return try PlayerJSON.encoder(pretty: true).encode(library)
  }
}
