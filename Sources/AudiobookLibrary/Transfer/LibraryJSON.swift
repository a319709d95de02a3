import Foundation
import Holdfast

/// The app's own `library.json`, versions 1 to 3.
///
/// `{"schemaVersion": 3, "collections": [ … ]}`. Version 1 has one `lastPlaybackPosition` per collection, version 2 has
/// `playbackStates` as a flat array of ids and states (as an object, too), version 3 adds `isFavorite` and `favoritedAt`.
/// What a version lacks may be missing in any; ids come in either case; dates are ISO 8601.
struct LibraryJSON: ImportFormat {
  static let newestVersion = 3

  let name = "library-json"
  let version: Int
  let kinds = LibraryRecord.kinds
  let total: Int
  /// At the array of collections.
  private let collections: JSONScanner
  private let document: JSONDocument
  /// Members beside the two that are known.
  private let unknown: [(key: String, at: JSONScanner)]
  /// What legacy mode could not read of an earlier file, kept in this one. Nil: legacy mode did not write this file.
  private let unread: JSONScanner?
  /// Whether the document ends before its collections do.
  private let isDamaged: Bool
  private let memory = Memory()

  /// What must be the same at both readings of the source, in one transaction.
  private final class Memory: @unchecked Sendable {
    weak var transaction: Reader?
    var storeHadTracks = false
    var taken = TakenPlaces()
  }

  /// Reads the whole document once: one that is cut off is refused before anything is written.
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
          // Reading only one of two lists would lose the other.
          guard collections == nil else { throw Self.twice("collections", at: value.offset) }
          guard try value.peek() == .array else {
            // Throws, and says what stands there instead.
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
      throw Self.invalid(error)
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

  /// What can be read of a document that is damaged or cut off, or of a newer version: the collections before the damage.
  /// What comes after is one damaged record. Nil when there are none.
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

  private static func twice(_ key: String, at offset: Int) -> StoreError {
    var error = StoreError(
      .invalidSource, "\"\(key)\" stands twice, the second time at byte \(offset): which of the two is meant cannot be known")
    error.offset = offset
    return error
  }

  /// A damaged document as an error for people: where, and what was expected.
  static func invalid(_ error: any Error) -> StoreError {
    guard let error = error as? JSONScanError else { return StoreError(error) }
    var failure = StoreError(
      .invalidSource,
      "the JSON stops making sense at byte \(error.offset) (\(error.path)): expected \(error.expected), found \(error.found)",
      cause: error)
    failure.offset = error.offset
    return failure
  }

  func scan(_ reader: Reader, _ visit: (Scanned<LibraryRecord>, Int) throws -> Void) throws {
    if memory.transaction !== reader {
      memory.storeHadTracks = try reader.count("SELECT count(*) FROM (SELECT 1 FROM tracks LIMIT 1)") > 0
      memory.transaction = reader
      memory.taken = TakenPlaces()
    }
    var scan = LibraryJSONScan(document: document, ids: TrackIDs(storeHadTracks: memory.storeHadTracks))
    for unknown in unknown {
      try visit(LibraryJSONScan.unknown("collections", unknown, in: .json(.root)), unknown.at.offset)
    }
    var scanner = collections
    var begun = collections.offset
    do {
      try scanner.array { _, element in
        begun = element.offset
        try scan.collection(&element, reader, visit)
        begun = element.offset
      }
      if let unread { try scan.unread(unread, visit) }
    } catch let error as JSONScanError {
      guard isDamaged else { throw Self.invalid(error) }
      let rest = SourceBytes.bytes(document.bytes(begun..<document.count))
      try visit(
        .damaged(kind: "collections", path: .text(error.path), reason: Self.invalid(error).message, original: rest), document.count)
    }
  }

  /// Whether legacy mode wrote this file: then everything in it can be written again.
  var isWrittenBack: Bool { unread != nil && !isDamaged }

  func write(_ record: SourceRecord<LibraryRecord>, in tx: Transaction) throws {
    // The store has not changed but by this run, which began with `scan`.
    if case .track(let row) = record.content, memory.transaction === tx, !memory.storeHadTracks {
      return try record.content.write(in: tx, hasFreePlace: memory.taken.take(row.position, in: row.collectionID))
    }
    try record.content.write(in: tx)
  }

  func readBack(_ record: SourceRecord<LibraryRecord>, in reader: Reader) throws -> StoredShape? {
    guard let stored = try record.content.stored(in: reader) else { return nil }
    return StoredShape(fields: try LibraryJSONShape.fields(of: stored, in: reader), modifiedAt: stored.modifiedAt)
  }
}

/// Stored rows in the shape of `library.json`, for verification.
enum LibraryJSONShape {
  static func fields(of record: LibraryRecord, in reader: Reader) throws -> [SourceField] {
    switch record {
    case .collection(let row):
      var lastPlayed = row.lastPlayedTrackID
      if let id = lastPlayed, let track = try reader.find(TrackRow.self, id: id)?.track { lastPlayed = track.originalID ?? id }
      return fields(of: row, lastPlayed: lastPlayed.map(id) ?? .null)
    case .track(let row): return fields(of: row)
    case .playback(let row): return fields(of: row)
    case .favorite(let row): return fields(of: row)
    case .tag(let row): return fields(of: row)
    }
  }

  /// The arguments are the source's own texts at its reading, and are made from the row when it is read back.
  static func fields(
    of row: CollectionRow, lastPlayed: JSONValue, id: JSONValue? = nil, createdAt: JSONValue? = nil, updatedAt: JSONValue? = nil
  ) -> [SourceField] {
    [
      SourceField("id", id ?? Self.id(row.id)), SourceField("title", .string(row.title)), SourceField("author", text(row.author)),
      SourceField("description", text(row.description)), SourceField("coverAsset.kind.type", .string(row.cover.image.type)),
      SourceField("coverAsset.kind", .string(row.cover.image.payload)),
      SourceField("coverAsset.dominantColorHex", text(row.cover.dominantColorHex)),
      SourceField("createdAt", createdAt ?? date(row.createdAt)),
      SourceField("updatedAt", updatedAt ?? date(row.updatedAt)), SourceField("source.type", .string(row.source.type)),
      SourceField("source", .string(row.source.payload)), SourceField("lastPlayedTrackId", lastPlayed),
    ]
  }

  static func fields(of row: TrackRow, id: JSONValue? = nil, collection: JSONValue? = nil) -> [SourceField] {
    let track = row.track
    return [
      SourceField("id", id ?? Self.id(track.originalID ?? track.id)),
      SourceField("collection", collection ?? Self.id(row.collectionID)),
      SourceField("displayName", .string(track.displayName)), SourceField("filename", .string(track.filename)),
      SourceField("location.type", .string(track.location.type)), SourceField("location", .string(track.location.payload)),
      SourceField("fileSize", .integer(track.fileSize)), SourceField("duration", number(track.duration)),
      SourceField("trackNumber", .integer(Int64(track.trackNumber))), SourceField("checksum", text(track.checksum)),
      SourceField("metadata", .string(track.metadata.text)),
      SourceField("place", .integer(ListPlace.index(of: row.position)), isPlace: true),
    ]
  }

  static func fields(of row: PlaybackRow, collection: JSONValue? = nil, updatedAt: JSONValue? = nil) -> [SourceField] {
    [
      SourceField("collection", collection ?? id(row.collectionID)), SourceField("position", .double(row.state.position)),
      SourceField("duration", number(row.state.duration)), SourceField("updatedAt", updatedAt ?? date(row.state.updatedAt)),
    ]
  }

  static func fields(of row: FavoriteRow, collection: JSONValue? = nil, favoritedAt: JSONValue? = nil) -> [SourceField] {
    [
      SourceField("collection", collection ?? id(row.collectionID)),
      SourceField("favoritedAt", favoritedAt ?? row.favorite.favoritedAt.map(date) ?? .null),
    ]
  }

  static func fields(of row: TagRow, collection: JSONValue? = nil) -> [SourceField] {
    [
      SourceField("collection", collection ?? id(row.collectionID)), SourceField("tag", .string(row.tag)),
      SourceField("place", .integer(ListPlace.index(of: row.position)), isPlace: true),
    ]
  }

  static func id(_ id: UUID) -> JSONValue { .string(IDCodec.uppercase(id)) }
  static func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
  static func number(_ number: Double?) -> JSONValue { number.map(JSONValue.double) ?? .null }
  /// As the app wrote it: whole seconds without a fraction.
  static func date(_ date: Date) -> JSONValue {
    guard let milliseconds = DateCodec.milliseconds(date) else { return .null }
    return .string(DateCodec.iso8601(milliseconds, fraction: milliseconds % 1000 != 0))
  }
}
