import Foundation
import Holdfast

/// One reading of the collections of a `library.json`.
///
/// A collection's members come in any order, and what hangs on it may stand before its id: it is read once for its own
/// fields, and its lists are gone back to.
struct LibraryJSONScan {
  typealias Visit = (Scanned<LibraryRecord>, Int) throws -> Void

  let document: JSONDocument
  var ids: TrackIDs

  /// A collection's own fields, and where its lists stand.
  private struct Header {
    var fields = JSONFields()
    var row: CollectionRow?
    var tags: JSONScanner?
    var tracks: JSONScanner?
    var states: JSONScanner?
    var lastPlayed: UUID?
    var lastPlayedPlace: (path: String, bytes: SourceBytes)?
    var lastPosition: (seconds: Double, path: String, bytes: SourceBytes)?
    var unknown: [(key: String, path: String, bytes: SourceBytes)] = []
    /// Where each track begins, by the id that it has in the source.
    var places: [UUID: JSONScanner] = [:]
  }

  /// `at` stands at one element of the array of collections.
  mutating func collection(_ at: JSONScanner, _ reader: Reader, _ visit: Visit) throws {
    var end = at
    let range = try end.skip()
    let original = SourceBytes.document(document, range)
    guard try kind(of: at) == .object else {
      return try visit(.damaged(kind: "collections", path: at.path, reason: "a collection should be an object", original: original), range.upperBound)
    }
    var header = try self.header(at)
    let position = range.lowerBound
    guard var row = header.row, header.fields.problem == nil else {
      try visit(.damaged(kind: "collections", path: at.path, reason: header.fields.problem ?? "it cannot be read", original: original), position)
      return try children(&header, of: nil, reader, visit)
    }
    if let original = header.lastPlayed {
      if try isTrack(header.places[original]) {
        row.lastPlayedTrackID = try ids.id(of: original, in: row.id, reader)
      } else {
        header.lastPlayed = nil
        if let place = header.lastPlayedPlace {
          try visit(
            .damagedField(
              kind: "collections", field: "lastPlayedTrackId", path: place.path, reason: "there is no such track in the collection",
              original: place.bytes), position)
        }
      }
    }
    for unknown in header.unknown {
      try visit(
        .damagedField(
          kind: "collections", field: unknown.key, path: unknown.path, reason: "this field is not known", original: unknown.bytes), position)
    }
    try visit(
      .record(
        SourceRecord(
          kind: "collections", key: IDCodec.lowercase(row.id), path: at.path,
          fields: LibraryJSONShape.fields(of: row, lastPlayed: header.lastPlayed), modifiedAt: DateCodec.milliseconds(row.updatedAt),
          content: .collection(row), original: original)), position)
    try children(&header, of: row, reader, visit)
  }

  private func header(_ at: JSONScanner) throws -> Header {
    var header = Header()
    var id: UUID?
    var title = ""
    var author: String?
    var description: String?
    var cover = CollectionCover.standard
    var created = Date(timeIntervalSince1970: 0)
    var updated = created
    var source: Tagged<CollectionSource>?
    var scanner = at
    try scanner.object { key, value in
      let name = key.string
      header.fields.note(name)
      let start = value
      switch key {
      case "id": id = try header.fields.id(name, &value)
      case "title": title = try header.fields.text(name, &value)
      case "author": author = try header.fields.textOrNil(name, &value)
      case "description": description = try header.fields.textOrNil(name, &value)
      case "createdAt": created = try header.fields.date(name, &value)
      case "updatedAt": updated = try header.fields.date(name, &value)
      case "coverAsset": cover = try self.cover(&value, &header.fields)
      case "source":
        source = try header.fields.tagged(name, &value, known: CollectionSource.knownTypes, in: document)
      case "lastPlayedTrackId":
        header.lastPlayed = try header.fields.idOrNil(name, &value)
        header.lastPlayedPlace = (start.path, try bytes(start))
      case "lastPlaybackPosition":
        if let seconds = try header.fields.doubleOrNil(name, &value) {
          header.lastPosition = (seconds, start.path, try bytes(start))
        }
      case "tags": header.tags = try list(name, value, .array, &header.fields)
      case "tracks":
        header.tracks = try list(name, value, .array, &header.fields)
        if let tracks = header.tracks { header.places = try places(tracks) }
      case "playbackStates":
        header.states = try kind(of: value) == .object ? value : list(name, value, .array, &header.fields)
      default: header.unknown.append((name, start.path, try bytes(start)))
      }
    }
    header.fields.require("id", "title", "coverAsset", "createdAt", "updatedAt", "source", "tracks")
    if let id, let source {
      header.row = CollectionRow(
        id: id, title: title, author: author, description: description, cover: cover, createdAt: created, updatedAt: updated,
        source: source, lastPlayedTrackID: nil)
    }
    return header
  }

  private func cover(_ value: inout JSONScanner, _ fields: inout JSONFields) throws -> CollectionCover {
    guard try value.peek() == .object else {
      fields.fail("coverAsset should be an object")
      return .standard
    }
    var cover = CollectionCover.standard
    var hasKind = false
    try value.object { key, value in
      switch key {
      case "kind":
        cover.image = try fields.tagged("coverAsset.kind", &value, known: CollectionCover.Kind.knownTypes, in: document)
        hasKind = true
      case "dominantColorHex": cover.dominantColorHex = try fields.textOrNil("coverAsset.dominantColorHex", &value)
      default: break
      }
    }
    if !hasKind { fields.fail("coverAsset.kind is missing") }
    return cover
  }

  // MARK: What hangs on a collection

  private mutating func children(_ header: inout Header, of row: CollectionRow?, _ reader: Reader, _ visit: Visit) throws {
    if let tags = header.tags { try self.tags(tags, of: row, visit) }
    var present: [UUID: UUID] = [:]
    if var tracks = header.tracks {
      try tracks.array { index, element in
        try track(element, at: index, of: row, &present, reader, visit)
        _ = try element.skip()
      }
    }
    var played: Set<UUID> = []
    if let states = header.states {
      try self.states(states) { id, at, key, problem in
        if let original = id { played.insert(original) }
        try state(at, key, of: row, track: id, problem: problem, present, visit)
      }
    }
    guard let old = header.lastPosition else { return }
    try lastPosition(old, header.lastPlayed, of: row, played, present, visit)
  }

  /// Version 1: one position per collection, which belongs to the last played track.
  private func lastPosition(
    _ old: (seconds: Double, path: String, bytes: SourceBytes), _ lastPlayed: UUID?, of row: CollectionRow?, _ played: Set<UUID>,
    _ present: [UUID: UUID], _ visit: Visit
  ) throws {
    let kind = "playback_states"
    guard let row else { return try visit(.damaged(kind: kind, path: old.path, reason: Self.lost, original: old.bytes), 0) }
    guard let original = lastPlayed, let id = present[original] else {
      return try visit(
        .damaged(kind: kind, path: old.path, reason: "a position without a last played track", original: old.bytes), 0)
    }
    guard !played.contains(original) else {
      return try visit(.skipped(kind: kind, path: old.path, reason: "the track has a playback state of its own"), 0)
    }
    let state = PlaybackRow(PlaybackState(position: old.seconds, updatedAt: row.updatedAt), of: id, in: row.id)
    try visit(record(state, at: old.path, old.bytes), 0)
  }

  private func tags(_ at: JSONScanner, of row: CollectionRow?, _ visit: Visit) throws {
    var scanner = at
    try scanner.array { index, element in
      let start = element
      let original = try bytes(start)
      guard let row else {
        _ = try element.skip()
        return try visit(.damaged(kind: "tags", path: start.path, reason: Self.lost, original: original), start.offset)
      }
      guard try element.peek() == .string else {
        _ = try element.skip()
        return try visit(.damaged(kind: "tags", path: start.path, reason: "a tag should be a text", original: original), start.offset)
      }
      let tag = TagRow(try element.string(), of: row.id, at: ListPlace.position(at: index))
      try visit(
        .record(
          SourceRecord(
            kind: "tags", key: "\(IDCodec.lowercase(row.id))/\(tag.tag)", parent: parent(row), path: start.path,
            fields: LibraryJSONShape.fields(of: tag), content: .tag(tag), original: original)), start.offset)
    }
  }

  private mutating func track(
    _ at: JSONScanner, at index: Int, of row: CollectionRow?, _ present: inout [UUID: UUID], _ reader: Reader, _ visit: Visit
  ) throws {
    let path = at.path
    let original = try bytes(at)
    guard let row else {
      try visit(.damaged(kind: "tracks", path: path, reason: Self.lost, original: original), at.offset)
      if let parsed = try? LibraryJSONTrack(at, in: document), parsed.countsAsFavorite {
        try visit(.damaged(kind: "favorites", path: path, reason: Self.lost, original: original), at.offset)
      }
      return
    }
    let parsed = try LibraryJSONTrack(at, in: document)
    guard let sourceID = parsed.id, var track = parsed.track, parsed.fields.problem == nil else {
      try visit(.damaged(kind: "tracks", path: path, reason: parsed.fields.problem ?? "it cannot be read", original: original), at.offset)
      if parsed.countsAsFavorite {
        try visit(.damaged(kind: "favorites", path: path, reason: "its track is quarantined", original: original), at.offset)
      }
      return
    }
    let id = try ids.id(of: sourceID, in: row.id, reader)
    if id != sourceID {
      track.id = id
      track.originalID = sourceID
    }
    present[sourceID] = id
    for unknown in parsed.unknown {
      try visit(
        .damagedField(kind: "tracks", field: unknown.key, path: unknown.path, reason: "this field is not known", original: unknown.bytes),
        at.offset)
    }
    let stored = TrackRow(track, in: row.id, at: ListPlace.position(at: index))
    let key = IDCodec.lowercase(id)
    try visit(
      .record(
        SourceRecord(
          kind: "tracks", key: key, parent: parent(row), path: path, fields: LibraryJSONShape.fields(of: stored),
          content: .track(stored), original: original)), at.offset)
    guard parsed.countsAsFavorite else { return }
    guard parsed.isFavorite else {
      return try visit(.skipped(kind: "favorites", path: path, reason: "no longer a favourite"), at.offset)
    }
    let favorite = FavoriteRow(Favorite(favoritedAt: parsed.favoritedAt), of: id, in: row.id)
    try visit(
      .record(
        SourceRecord(
          kind: "favorites", key: key, parent: .init(kind: "tracks", key: key), path: path + ".isFavorite",
          fields: LibraryJSONShape.fields(of: favorite), content: .favorite(favorite), original: original)), at.offset)
  }

  /// Both forms: `[id, state, id, state, …]` and `{id: state, …}`.
  private func states(_ at: JSONScanner, _ body: (UUID?, _ state: JSONScanner?, _ key: JSONScanner?, _ problem: String?) throws -> Void) throws {
    var scanner = at
    if try kind(of: at) == .object {
      try scanner.object { key, value in
        let text = key.string
        let id = IDCodec.parse(text)
        try body(id, value, nil, id == nil ? "\(text.prefix(60)) is not an id" : nil)
        _ = try value.skip()
      }
      return
    }
    var key: (at: JSONScanner, text: String?)?
    try scanner.array { _, element in
      if let (keyAt, text) = key {
        let id = text.flatMap { IDCodec.parse($0) }
        try body(id, element, keyAt, id == nil ? "\(text?.prefix(60) ?? "the key") is not an id" : nil)
        key = nil
        _ = try element.skip()
      } else {
        let start = element
        if try element.peek() == .string {
          key = (start, try element.string())
        } else {
          key = (start, nil)
          _ = try element.skip()
        }
      }
    }
    if let (keyAt, _) = key { try body(nil, nil, keyAt, "an id without a state") }
  }

  private func state(
    _ at: JSONScanner?, _ key: JSONScanner?, of row: CollectionRow?, track original: UUID?, problem: String?, _ present: [UUID: UUID],
    _ visit: Visit
  ) throws {
    guard let start = at ?? key else { return }
    let kept = try bytes(start)
    var fields = JSONFields()
    var position = 0.0
    var duration: Double?
    var updated = Date(timeIntervalSince1970: 0)
    if let problem { fields.fail(problem) }
    if row == nil { fields.fail(Self.lost) }
    if problem == nil, let original, present[original] == nil { fields.fail("there is no such track in the collection") }
    if fields.problem == nil, try kind(of: start) != .object { fields.fail("a playback state should be an object") }
    if fields.problem == nil {
      var scanner = start
      try scanner.object { key, value in
        let name = key.string
        fields.note(name)
        switch key {
        case "position": position = try fields.double(name, &value)
        case "duration": duration = try fields.doubleOrNil(name, &value)
        case "updatedAt": updated = try fields.date(name, &value)
        default: break
        }
      }
      fields.require("position", "updatedAt")
    }
    guard let row, let original, let id = present[original], fields.problem == nil else {
      return try visit(
        .damaged(kind: "playback_states", path: start.path, reason: fields.problem ?? "it cannot be read", original: kept), start.offset)
    }
    let state = PlaybackRow(PlaybackState(position: position, duration: duration, updatedAt: updated), of: id, in: row.id)
    try visit(record(state, at: start.path, kept), start.offset)
  }

  // MARK: Small pieces

  private static let lost = "its collection is quarantined"

  private func record(_ row: PlaybackRow, at path: String, _ original: SourceBytes) -> Scanned<LibraryRecord> {
    let key = IDCodec.lowercase(row.trackID)
    return .record(
      SourceRecord(
        kind: "playback_states", key: key, parent: .init(kind: "tracks", key: key), path: path, fields: LibraryJSONShape.fields(of: row),
        modifiedAt: DateCodec.milliseconds(row.state.updatedAt), content: .playback(row), original: original))
  }

  private func parent(_ row: CollectionRow) -> SourceRecord<LibraryRecord>.Parent {
    .init(kind: "collections", key: IDCodec.lowercase(row.id))
  }

  private func kind(of scanner: JSONScanner) throws -> JSONKind {
    var scanner = scanner
    return try scanner.peek()
  }

  private func bytes(_ scanner: JSONScanner) throws -> SourceBytes {
    var scanner = scanner
    return .document(document, try scanner.skip())
  }

  /// The place of a list; another value in its place is a problem of the record.
  private func list(_ key: String, _ value: JSONScanner, _ wanted: JSONKind, _ fields: inout JSONFields) throws -> JSONScanner? {
    if try kind(of: value) == wanted { return value }
    fields.fail("\(key) should be a list")
    return nil
  }

  private func places(_ tracks: JSONScanner) throws -> [UUID: JSONScanner] {
    var places: [UUID: JSONScanner] = [:]
    var scanner = tracks
    try scanner.array { _, element in
      guard try element.peek() == .object else { return }
      let start = element
      try element.object { key, value in
        if key == "id", try value.peek() == .string, let id = IDCodec.parse(try value.string()), places[id] == nil { places[id] = start }
      }
    }
    return places
  }

  private func isTrack(_ at: JSONScanner?) throws -> Bool {
    guard let at else { return false }
    let parsed = try LibraryJSONTrack(at, in: document)
    return parsed.fields.problem == nil && parsed.track != nil
  }
}

/// One track of a `library.json`.
struct LibraryJSONTrack {
  var fields = JSONFields()
  var id: UUID?
  var track: AudiobookTrack?
  var isFavorite = false
  var favoritedAt: Date?
  var unknown: [(key: String, path: String, bytes: SourceBytes)] = []

  /// A favourite, or something that was one.
  var countsAsFavorite: Bool { isFavorite || favoritedAt != nil }

  init(_ at: JSONScanner, in document: JSONDocument) throws {
    var scanner = at
    guard try scanner.peek() == .object else {
      fields.fail("a track should be an object")
      return
    }
    var displayName = ""
    var filename = ""
    var location: Tagged<TrackLocation>?
    var fileSize: Int64 = 0
    var duration: Double?
    var trackNumber: Int64 = 0
    var checksum: String?
    var metadata = JSONColumn<[String: String]>.empty
    try scanner.object { key, value in
      let name = key.string
      fields.note(name)
      switch key {
      case "id": id = try fields.id(name, &value)
      case "displayName": displayName = try fields.text(name, &value)
      case "filename": filename = try fields.text(name, &value)
      case "location": location = try fields.tagged(name, &value, known: TrackLocation.knownTypes, in: document)
      case "fileSize": fileSize = try fields.int64(name, &value)
      case "duration": duration = try fields.doubleOrNil(name, &value)
      case "trackNumber": trackNumber = try fields.int64(name, &value)
      case "checksum": checksum = try fields.textOrNil(name, &value)
      case "metadata": metadata = try fields.textMap(name, &value)
      case "isFavorite": isFavorite = try fields.bool(name, &value)
      case "favoritedAt": favoritedAt = try fields.dateOrNil(name, &value)
      default:
        let start = value
        unknown.append((name, start.path, .document(document, try value.skip())))
      }
    }
    fields.require("id", "displayName", "filename", "location", "fileSize", "trackNumber")
    guard let id, let location else { return }
    var track = AudiobookTrack(
      id: id, displayName: displayName, filename: filename, location: .unknown(type: "", json: "{}"), fileSize: fileSize,
      duration: duration, trackNumber: Int(clamping: trackNumber), checksum: checksum, metadata: metadata)
    track.location = location
    self.track = track
  }
}
