import Foundation
import Holdfast
import HoldfastTransfer

/// The player's own file: `{"tracks": [ … ], "collections": [ … ]}`, and later the same with `"version": 1`.
///
/// URLs are text, pictures are base64 inside their tracks, ids come in either case, and there are no dates. When the player
/// removed a track, its id stayed in the playlists. Legacy mode adds some fields that the player does not know.
struct MusicJSON: LegacyFormat {
  static let newestVersion = 1
  static let form = LegacyDocument.Form(
    "the player's library", versionKey: "version", versions: 0...newestVersion, refusesOlder: true, lists: ["tracks", "collections"])

  let name = "music-json"
  let kinds = MusicRecord.kinds
  let laterIndexes = MusicRecord.laterIndexes
  let document: LegacyDocument

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
