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

  let name = "music-json"
  let version: Int
  let kinds = MusicRecord.kinds
  let total: Int
  private let document: JSONDocument
  private let lists: Lists
  /// Whether the document ends before its lists do.
  private let isDamaged: Bool

  /// The members of the document's one object.
  private struct Lists {
    var version: Int64 = 0
    var tracks: JSONScanner?
    var playlists: JSONScanner?
    /// The records that legacy mode could not read of an earlier file, kept in this one. Nil if legacy mode did not write this file.
    var unread: JSONScanner?
    var unknown: [(key: String, at: JSONScanner)] = []

    /// - Throws: `JSONScanError` for a damaged document; `.invalidSource` for a list that appears twice.
    mutating func read(_ scanner: inout JSONScanner) throws {
      try scanner.object { key, value in
        switch key {
        case "version": version = try value.int64()
        case "tracks": tracks = try Self.list("tracks", &value, after: tracks)
        case "collections": playlists = try Self.list("collections", &value, after: playlists)
        case "unread" where try value.peek() == .array: unread = value
        default: unknown.append((key.string, value))
        }
      }
    }

    private static func list(_ key: String, _ value: inout JSONScanner, after earlier: JSONScanner?) throws -> JSONScanner {
      guard earlier == nil else { throw StoreError.standsTwice(key, at: value.offset) }
      // Throws, and names the value that stands instead of a list.
      if try value.peek() != .array { try value.array { _, _ in } }
      return value
    }
  }

  /// Reads the whole document once: a document that is cut off is refused before anything is written.
  ///
  /// - Throws: `.invalidSource` with the byte offset; `.newerSource`.
  init(_ document: JSONDocument) throws {
    var scanner = JSONScanner(document)
    var lists = Lists()
    do {
      try lists.read(&scanner)
      try scanner.finish()
    } catch {
      throw StoreError.invalidJSON(error)
    }
    guard lists.version <= Int64(Self.newestVersion) else {
      throw StoreError(
        .newerSource,
        "this library has version \(lists.version), which is newer than \(Self.newestVersion), the newest that can be read; "
          + "nothing was changed")
    }
    guard lists.version >= 0 else {
      var error = StoreError(.invalidSource, "this library has version \(lists.version), which does not exist")
      error.offset = 0
      throw error
    }
    guard lists.tracks != nil else {
      var error = StoreError(.invalidSource, "this JSON has no \"tracks\": expected the player's library at byte 0")
      error.offset = 0
      throw error
    }
    self.init(document, lists, isDamaged: false)
  }

  /// The readable part of a document that is damaged, cut off or of a newer version: its lists up to the damage. The rest is
  /// one damaged record. Nil when there is no list of tracks and no list of playlists.
  init?(asFarAsReadable document: JSONDocument) {
    var scanner = JSONScanner(document)
    var lists = Lists()
    try? lists.read(&scanner)
    guard lists.tracks != nil || lists.playlists != nil else { return nil }
    self.init(document, lists, isDamaged: true)
  }

  private init(_ document: JSONDocument, _ lists: Lists, isDamaged: Bool) {
    self.document = document
    self.lists = lists
    self.isDamaged = isDamaged
    version = min(max(0, Int(clamping: lists.version)), Self.newestVersion)
    total = document.count
  }

  func scan(_ reader: Reader, _ visit: (Scanned<MusicRecord>, Int) throws -> Void) throws {
    var scan = MusicJSONScan()
    for (key, at) in lists.unknown {
      try visit(
        .damagedField(kind: "tracks", field: key, path: .json(.root), reason: "this field is not known", original: .value(at)), at.offset)
    }
    try each(lists.tracks, "tracks", visit) { try scan.track(&$0, visit) }
    try each(lists.playlists, "collections", visit) { try scan.playlist(&$0, reader, visit) }
    if let unread = lists.unread {
      try damage("tracks", from: unread.offset, visit) { _ in
        try UnreadRecord.scan(unread, kinds: ["tracks", "artwork", "collections", "collection_tracks"], visit)
      }
    }
  }

  private func each(
    _ list: JSONScanner?, _ kind: String, _ visit: (Scanned<MusicRecord>, Int) throws -> Void,
    _ body: (inout JSONScanner) throws -> Void
  ) throws {
    guard var list else { return }
    try damage(kind, from: list.offset, visit) { begun in
      try list.array { _, element in
        begun = element.offset
        try body(&element)
        begun = element.offset
      }
    }
  }

  /// In a damaged document, everything after the damage is one damaged record; `body` says how far it read.
  private func damage(
    _ kind: String, from start: Int, _ visit: (Scanned<MusicRecord>, Int) throws -> Void, _ body: (inout Int) throws -> Void
  ) throws {
    var begun = start
    do {
      try body(&begun)
    } catch let error as JSONScanError {
      guard isDamaged else { throw StoreError.invalidJSON(error) }
      let rest = SourceBytes.bytes(document.bytes(begun..<document.count))
      try visit(
        .damaged(kind: kind, path: .text(error.path), reason: StoreError.invalidJSON(error).message, original: rest), document.count)
    }
  }

  var isWrittenBack: Bool { lists.unread != nil && !isDamaged }

  static func written(in tx: Writer, unread: [UnreadRecord], for path: String) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return try encoder.encode(PlayerMusicJSON(tx, unread: unread, for: path))
  }

  func write(_ record: SourceRecord<MusicRecord>, in tx: Writer) throws { try record.content.write(in: tx) }

  func readBack(_ record: SourceRecord<MusicRecord>, in reader: Reader) throws -> StoredShape? {
    try record.content.readBack(in: reader)
  }
}
