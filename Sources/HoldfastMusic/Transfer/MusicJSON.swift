import Foundation
import Holdfast
import HoldfastTransfer

/// The player's own file: `{"tracks": [ … ], "collections": [ … ]}`, and later the same with `"version": 1`.
///
/// URLs are text, pictures are base64 inside their tracks, ids come in either case, and there are no dates. When the player
/// removed a track, its id stayed in the playlists. Legacy mode adds some fields that the player does not know.
struct MusicJSON: LegacyFormat {
  static let versionKey = "version"
  static let newestVersion = 1
  private static let form = LegacyDocument.Form(
    "the player's library", versionKey: versionKey, versions: 0...newestVersion, refusesOlder: true, lists: ["tracks", "collections"])

  let name = "music-json"
  let kinds = MusicRecord.kinds
  let laterIndexes = MusicRecord.laterIndexes
  var version: Int { document.version }
  var total: Int { document.total }
  var isWrittenBack: Bool { document.isWrittenBack }
  private let document: LegacyDocument

  /// - Throws: `.invalidSource` with the byte offset; `.newerSource`.
  init(_ document: JSONDocument) throws { self.document = try LegacyDocument(document, as: Self.form) }

  init?(asFarAsReadable document: JSONDocument) {
    guard let readable = LegacyDocument(asFarAsReadable: document, as: Self.form) else { return nil }
    self.document = readable
  }

  func scan(_ reader: Reader, _ visit: (Scanned<SaidContent>, Int) throws -> Void) throws {
    var scan = MusicJSONScan()
    try document.scan(kinds, visit) { list, element in
      if list == "tracks" { try scan.track(&element, visit) } else { try scan.playlist(&element, reader, visit) }
    }
  }

  static func written(in tx: Writer, unread: [UnreadRecord], for path: String) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return try encoder.encode(PlayerMusicJSON(tx, unread: unread, for: path))
  }
}
