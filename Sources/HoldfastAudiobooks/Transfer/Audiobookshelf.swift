import Foundation
import Holdfast
import HoldfastTransfer

// What both sources of an Audiobookshelf server share: its API's JSON, and its database. The database's rows are first put together as the
// API writes an item, so that one mapping serves both, and importing the one after the other adds nothing.

extension LibraryShape {
  /// Audiobookshelf. A source without listening positions does not say which track is the last played, so that field keeps the store's.
  static let shelf = LibraryShape(
    collections: [
      .required("title", \.collection.title, .text),
      .optional("author", \.collection.author, .text),
      .init("description", \.collection.description, .filledText, .empties),
      .required("addedAt", \.collection.createdAt, .shelf),
      .required("updatedAt", \.collection.updatedAt, .shelf),
      .init(
        "path", "a text", .fails,
        get: { if case .external(let path) = $0.collection.source.kind { .string(path) } else { .null } },
        take: { json, row in
          guard case .string(let path) = json else { return nil }
          row.collection.source = Tagged(.external(description: path))
          return json
        }),
      .optional("lastPlayed", \.collection.lastPlayedTrackID, .id, .keeps),
    ],
    tracks: [
      .required("name", \.track.displayName, .text),
      .required("filename", \.track.filename, .text),
      .init(
        "path", "a path", .fails,
        get: { if case .external(let url) = $0.track.location.kind { .string(url) } else { .null } },
        take: { json, row in
          guard case .string(let path) = json, !path.isEmpty else { return nil }
          let url = path.hasPrefix("file://") ? path : Audiobookshelf.url(ofFile: path)
          row.track.location = Tagged(.external(url: url))
          return .string(url)
        }),
      .kept("size", \.track.fileSize, .int64),
      .optional("duration", \.track.duration, .length),
      .required("index", \.track.trackNumber, .int),
      .init("metaTags", \.track.metadata, .textMap.otherwise(.empty), .empties),
    ],
    states: [
      .required("position", \.state.position, .double),
      .optional("duration", \.state.duration, .length),
      .required("lastUpdate", \.state.updatedAt, .shelf),
    ], replacesCollections: false)
}

extension ValueForm<Double> {
  fileprivate static var length: ValueForm { double.only("a number of seconds that is not less than 0") { $0 >= 0 } }
}

extension ValueForm<Date> {
  /// The API's milliseconds since 1970, or the database's `2025-11-05 11:41:22.123 +00:00`. Compared as milliseconds.
  static var shelf: ValueForm {
    ValueForm("a time") {
      DateCodec.milliseconds($0).map(JSONValue.integer) ?? .null
    } read: { json in
      var milliseconds = json.wholeNumber
      let utc = " +00:00"
      if case .string(let text) = json {
        milliseconds = DateCodec.parseSQLText(text.hasSuffix(utc) ? text.dropLast(utc.count) : text[...])
      }
      guard let milliseconds, let date = DateCodec.date(milliseconds: milliseconds) else { return nil }
      return Written(value: date, text: .integer(milliseconds))
    }
  }
}

/// Names, ids and places of an Audiobookshelf server.
enum Audiobookshelf {
  /// The identity of its files. An item's id is of one server alone, and each backup has another file name.
  static let origin = "audiobookshelf"

  /// The id of an item; derived where the server is older than its UUIDs.
  static func id(_ text: String) -> UUID { IDCodec.parse(text) ?? NewID.derived(from: "\(origin) \(text)") }

  /// The id of a file, which has none on the server: from its path inside its book.
  static func id(ofFile path: String, in book: UUID) -> UUID { NewID.derived(from: "\(origin) \(IDCodec.lowercase(book)) \(path)") }

  /// The path on the server as a URL.
  static func url(ofFile path: String) -> String {
    "file://" + (path.hasPrefix("/") ? "" : "/") + (path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path)
  }

  /// What the server keeps about its own files, or derives from other members. Not told.
  static let bookkeeping: Set<String> = [
    "id", "ino", "libraryId", "libraryItemId", "oldLibraryItemId", "folderId", "relPath", "isFile", "mtimeMs", "ctimeMs", "birthtimeMs",
    "lastScan", "scanVersion", "libraryFiles", "numFiles", "size", "duration", "tracks", "numTracks", "numAudioFiles", "numChapters",
    "titleIgnorePrefix", "authorName", "authorNameLF", "narratorName", "seriesName", "descriptionPlain", "createdAt", "updatedAt",
  ]
  /// The members of an item, its book and the book's metadata that are imported.
  static let imported: Set<String> = [
    "path", "mediaType", "media", "addedAt", "userMediaProgress", "metadata", "tags", "audioFiles", "title", "authors", "description",
    "genres",
  ]

  /// Whether a value says something: not null, false, 0, or empty.
  static func says(_ value: JSONValue) -> Bool {
    switch value {
    case .null, .bool(false), .integer(0), .string(""): false
    case .array(let elements): !elements.isEmpty
    case .object(let members): !members.isEmpty
    default: true
    }
  }
}

/// How far one user has come in a book, as the server knows it: in seconds from the book's beginning.
struct ShelfProgress {
  let members: [String: JSONValue]
  let place: SourcePath
  let original: SourceBytes

  enum Heard {
    /// By track, up to the one to continue with, which is the last.
    case states([(track: UUID, state: PlaybackState)])
    case skipped(String)
    case damaged(String)
  }

  /// The states of the book's files, in their order: heard to the end before the position, and all of a finished book.
  ///
  /// - Parameter files: the id of one that cannot be imported is nil.
  func heard(of files: [(id: UUID?, duration: Double?)]) -> Heard {
    guard let seconds = members["currentTime"]?.finiteNumber,
      let time = members["lastUpdate"].flatMap({ ValueForm<Date>.shelf.read($0)?.value })
    else { return .damaged("a position needs a currentTime and a time") }
    let isFinished = members["isFinished"].map(Audiobookshelf.says) ?? false
    guard isFinished || seconds > 0 else { return .skipped("not begun") }
    var (start, states) = (0.0, [(track: UUID, state: PlaybackState)]())
    for (place, file) in files.enumerated() {
      guard let track = file.id else { return .damaged("a file of its book is quarantined") }
      guard let duration = file.duration else { return .damaged("the length of a file is not known, so the position has no place") }
      let isHeard = isFinished || seconds - start >= duration && place < files.count - 1
      let position = isHeard ? duration : min(seconds - start, duration)
      states.append((track, PlaybackState(position: position, duration: duration, updatedAt: time)))
      if !isHeard { break }
      start += duration
    }
    return states.isEmpty ? .skipped("its book has no audio files") : .states(states)
  }

  /// - Parameter book: the id of the collection.
  func scan(_ heard: Heard, of book: UUID, at position: Int, _ reader: Reader, _ visit: LibraryRecord.Visit) throws {
    switch heard {
    case .skipped(let reason): try visit(.skipped(kind: "playback_states", path: place, reason: reason), position)
    case .damaged(let reason): try visit(.damaged(kind: "playback_states", path: place, reason: reason, original: original), position)
    case .states(let states):
      let shape = LibraryShape.shelf
      for (track, state) in states {
        // Another backup may be older than the one that came in before.
        let newer: BoundSQL = "SELECT count(*) FROM playback_states WHERE track_id = \(track) AND updated_at > \(state.updatedAt)"
        guard try reader.count(newer) == 0 else {
          try visit(.skipped(kind: "playback_states", path: place, reason: ImportReport.Newer.reason), position)
          continue
        }
        let said = shape.states.fields.said(PlaybackRow(state, of: track, in: book))
        try visit(.record(shape.states.record(said, ids: [.id(book)], path: place, original: original)), position)
      }
    }
  }
}
