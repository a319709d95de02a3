import Foundation
import Holdfast
import HoldfastTransfer

/// The app's own `library.json`, versions 1 to 3.
///
/// `{"schemaVersion": 3, "collections": [ … ]}`. Version 1 has one `lastPlaybackPosition` per collection. Version 2 has
/// `playbackStates`, as a flat array of ids and states or as an object. Version 3 adds `isFavorite` and `favoritedAt`. A member
/// that an older version lacks may be missing in any version; ids come in either case; dates are ISO 8601.
struct LibraryJSON: LegacyFormat {
  static let newestVersion = 3
  static let form = LegacyDocument.Form(
    "the app's library", versionKey: "schemaVersion", versions: 1...newestVersion, lists: ["collections"])

  let name = "library-json"
  let kinds = LibraryRecord.kinds
  let laterIndexes = LibraryRecord.laterIndexes
  let document: LegacyDocument
  private let memory = ImportMemory()

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
