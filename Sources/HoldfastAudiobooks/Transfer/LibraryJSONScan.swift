import Foundation
import Holdfast
import HoldfastTransfer

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
    var fields = JSONFields(keys: LibraryJSONScan.keys)
    var row: CollectionRow?
    var id: Written<UUID>?
    var createdAt: Written<Date>?
    var updatedAt: Written<Date>?
    var tags: JSONScanner?
    var tracks: JSONScanner?
    var states: JSONScanner?
    var lastPlayed: (id: Written<UUID>, at: JSONScanner)?
    var lastPosition: (seconds: Double, at: JSONScanner)?
    var unknown: [(key: String, at: JSONScanner)] = []
  }

  /// What hangs on a collection needs of it.
  private struct Parent {
    let id: UUID
    let text: JSONValue
    let updatedAt: Written<Date>
    var record: SourceRecord<LibraryRecord>.Parent { .init(kind: "collections", key: IDCodec.lowercase(id)) }
  }

  /// The first seven are required.
  private static let keys: [StaticString] = [
    "id", "title", "coverAsset", "createdAt", "updatedAt", "source", "tracks", "author", "description", "lastPlayedTrackId",
    "lastPlaybackPosition", "tags", "playbackStates",
  ]

  /// `at` stands at one element of the array of collections, and ends behind it.
  mutating func collection(_ at: inout JSONScanner, _ reader: Reader, _ visit: Visit) throws {
    let start = at
    let position = start.offset
    guard try at.peek() == .object else {
      return try visit(
        .damaged(kind: "collections", path: .json(start.location), reason: "a collection should be an object", original: .value(start)),
        position)
    }
    var header = try self.header(&at)
    guard var row = header.row, let id = header.id, let created = header.createdAt, let updated = header.updatedAt,
      header.fields.problem == nil
    else {
      try visit(
        .damaged(
          kind: "collections", path: .json(start.location), reason: header.fields.problem ?? "it cannot be read", original: .value(start)),
        position)
      return try children(&header, of: nil, reader, visit)
    }
    if let last = header.lastPlayed {
      if try isTrack(place(of: last.id.value, in: header.tracks)) {
        let id = try ids.id(of: last.id.value, in: row.id, reader)
        row.lastPlayedTrackID = try LibraryRecord.wasDeleted(track: id, reader) ? nil : id
      } else {
        header.lastPlayed = nil
        try visit(
          .damagedField(
            kind: "collections", field: "lastPlayedTrackId", path: .json(start.location),
            reason: "there is no such track in the collection", original: .value(last.at)), position)
      }
    }
    for unknown in header.unknown {
      try visit(Self.unknown("collections", unknown, in: .json(start.location)), position)
    }
    try visit(
      .record(
        SourceRecord(
          kind: "collections", key: IDCodec.lowercase(row.id), path: .json(start.location),
          fields: LibraryShape.json.fields(
            of: row, lastPlayed: row.lastPlayedTrackID == nil ? .null : header.lastPlayed?.id.text ?? .null, id: id.text,
            createdAt: created.text, updatedAt: updated.text),
          modifiedAt: DateCodec.milliseconds(row.updatedAt), content: .collection(row), original: .value(start))), position)
    try children(&header, of: Parent(id: row.id, text: id.text, updatedAt: updated), reader, visit)
  }

  private func header(_ at: inout JSONScanner) throws -> Header {
    var header = Header()
    var title = ""
    var author: String?
    var description: String?
    var cover = CollectionCover.standard
    var source: Tagged<CollectionSource>?
    try at.object { key, value in
      let start = value
      switch header.fields.number(of: key) {
      case 0: header.id = try header.fields.id("id", &value)
      case 1: title = try header.fields.text("title", &value)
      case 2: cover = try self.cover(&value, &header)
      case 3: header.createdAt = try header.fields.date("createdAt", &value)
      case 4: header.updatedAt = try header.fields.date("updatedAt", &value)
      case 5: source = try header.fields.tagged("source", &value, in: document)
      case 6:
        header.tracks = try list("tracks", value, &header.fields)
      case 7: author = try header.fields.textOrNil("author", &value)
      case 8: description = try header.fields.textOrNil("description", &value)
      case 9: header.lastPlayed = try header.fields.idOrNil("lastPlayedTrackId", &value).map { ($0, start) }
      case 10: header.lastPosition = try header.fields.doubleOrNil("lastPlaybackPosition", &value).map { ($0, start) }
      case 11: header.tags = try list("tags", value, &header.fields)
      case 12: header.states = try kind(of: value) == .object ? value : list("playbackStates", value, &header.fields)
      default: header.unknown.append((key.string, start))
      }
    }
    header.fields.requireFirst(7)
    if let id = header.id, let created = header.createdAt, let updated = header.updatedAt, let source {
      header.row = CollectionRow(
        id: id.value, title: title, author: author, description: description, cover: cover, createdAt: created.value,
        updatedAt: updated.value, source: source, lastPlayedTrackID: nil)
    }
    return header
  }

  private func cover(_ value: inout JSONScanner, _ header: inout Header) throws -> CollectionCover {
    guard try value.peek() == .object else {
      header.fields.fail("coverAsset should be an object")
      return .standard
    }
    var cover = CollectionCover.standard
    var fields = JSONFields(keys: ["kind", "dominantColorHex"])
    try value.object { key, value in
      switch fields.number(of: key) {
      case 0: cover.image = try fields.tagged("kind", &value, in: document)
      case 1: cover.dominantColorHex = try fields.textOrNil("dominantColorHex", &value)
      default: header.unknown.append(("coverAsset.\(key.string)", value))
      }
    }
    fields.requireFirst(1)
    if let problem = fields.problem { header.fields.fail("coverAsset.\(problem)") }
    return cover
  }

  // MARK: What hangs on a collection

  private mutating func children(_ header: inout Header, of parent: Parent?, _ reader: Reader, _ visit: Visit) throws {
    if var tags = header.tags { try self.tags(&tags, of: parent, visit) }
    var present: [UUID: UUID] = [:]
    if var tracks = header.tracks {
      try tracks.array { index, element in
        try track(&element, at: index, of: parent, &present, reader, visit)
      }
    }
    var played: Set<UUID> = []
    if var states = header.states {
      try self.states(&states) { id, at, problem in
        if let id { played.insert(id.value) }
        try state(at, of: parent, track: id, problem: problem, present, visit)
      }
    }
    if let old = header.lastPosition { try lastPosition(old, header.lastPlayed?.id.value, of: parent, played, present, visit) }
  }

  /// Version 1: one position per collection, which belongs to the last played track.
  private func lastPosition(
    _ old: (seconds: Double, at: JSONScanner), _ lastPlayed: UUID?, of parent: Parent?, _ played: Set<UUID>, _ present: [UUID: UUID],
    _ visit: Visit
  ) throws {
    let path = SourcePath.json(old.at.location)
    func damaged(_ reason: String) throws {
      try visit(.damaged(kind: "playback_states", path: path, reason: reason, original: .value(old.at)), old.at.offset)
    }
    guard let parent else { return try damaged(Self.lost) }
    guard let lastPlayed, let id = present[lastPlayed] else { return try damaged("a position without a last played track") }
    guard !played.contains(lastPlayed) else {
      return try visit(
        .skipped(kind: "playback_states", path: path, reason: "the track has a playback state of its own"), old.at.offset)
    }
    let row = PlaybackRow(PlaybackState(position: old.seconds, updatedAt: parent.updatedAt.value), of: id, in: parent.id)
    try visit(record(row, updatedAt: parent.updatedAt, of: parent, old.at), old.at.offset)
  }

  private func tags(_ scanner: inout JSONScanner, of parent: Parent?, _ visit: Visit) throws {
    try scanner.array { index, element in
      let start = element
      let isText = try element.peek() == .string
      guard let parent, isText else {
        let reason = parent == nil ? Self.lost : "a tag should be a text"
        return try visit(.damaged(kind: "tags", path: .json(start.location), reason: reason, original: .value(start)), start.offset)
      }
      let row = TagRow(try element.string(), of: parent.id, at: ListPlace.position(at: index))
      try visit(
        .record(
          SourceRecord(
            kind: "tags", key: "\(parent.record.key)/\(row.tag)", parent: parent.record, path: .json(start.location),
            fields: LibraryShape.json.fields(of: row, collection: parent.text), content: .tag(row), original: .value(start))),
        start.offset)
    }
  }

  private mutating func track(
    _ element: inout JSONScanner, at index: Int, of parent: Parent?, _ present: inout [UUID: UUID], _ reader: Reader, _ visit: Visit
  ) throws {
    let start = element
    let path = SourcePath.json(start.location)
    let parsed = try LibraryJSONTrack(&element, in: document)
    guard let parent, let sourceID = parsed.id, var track = parsed.track, parsed.fields.problem == nil else {
      let reason = parent == nil ? Self.lost : parsed.fields.problem ?? "it cannot be read"
      try visit(.damaged(kind: "tracks", path: path, reason: reason, original: .value(start)), start.offset)
      guard parsed.countsAsFavorite else { return }
      return try visit(
        .damaged(kind: "favorites", path: path, reason: parent == nil ? Self.lost : "its track is quarantined", original: .value(start)),
        start.offset)
    }
    let id = try ids.id(of: sourceID.value, in: parent.id, reader)
    if id != sourceID.value {
      track.id = id
      track.originalID = sourceID.value
    }
    present[sourceID.value] = id
    for unknown in parsed.unknown {
      try visit(Self.unknown("tracks", unknown, in: path), start.offset)
    }
    let row = TrackRow(track, in: parent.id, at: ListPlace.position(at: index))
    let key = IDCodec.lowercase(id)
    try visit(
      .record(
        SourceRecord(
          kind: "tracks", key: key, parent: parent.record, path: path,
          fields: LibraryShape.json.fields(of: row, id: sourceID.text, collection: parent.text), content: .track(row),
          original: .value(start))), start.offset)
    guard parsed.countsAsFavorite else { return }
    guard parsed.isFavorite else {
      return try visit(.skipped(kind: "favorites", path: path, reason: "no longer a favourite"), start.offset)
    }
    let favorite = FavoriteRow(Favorite(favoritedAt: parsed.favoritedAt?.value), of: id, in: parent.id)
    try visit(
      .record(
        SourceRecord(
          kind: "favorites", key: key, parent: .init(kind: "tracks", key: key), path: .json(start.location, member: ".isFavorite"),
          fields: LibraryShape.json.fields(of: favorite, collection: parent.text, favoritedAt: parsed.favoritedAt?.text ?? .null),
          content: .favorite(favorite), original: .value(start))), start.offset)
  }

  /// Both forms: `[id, state, id, state, …]` and `{id: state, …}`.
  private func states(_ scanner: inout JSONScanner, _ body: (Written<UUID>?, _ at: JSONScanner, _ problem: String?) throws -> Void) throws {
    func tell(_ text: String?, _ at: JSONScanner) throws {
      let id = text.flatMap { Written(id: $0) }
      try body(id, at, id == nil ? "\(text?.prefix(60) ?? "what stands in the place of its track's id") is not an id" : nil)
    }
    if try scanner.peek() == .object {
      return try scanner.object { key, value in try tell(key.string, value) }
    }
    var key: (at: JSONScanner, text: String?)?
    try scanner.array { _, element in
      let start = element
      if let text = key?.text {
        key = nil
        try tell(text, start)
      } else if key != nil {
        key = nil
        try tell(nil, start)
      } else {
        key = (start, try element.peek() == .string ? try element.string() : nil)
      }
    }
    if let key { try body(nil, key.at, "an id without a state") }
  }

  private func state(
    _ start: JSONScanner, of parent: Parent?, track original: Written<UUID>?, problem: String?, _ present: [UUID: UUID], _ visit: Visit
  ) throws {
    var fields = JSONFields(keys: ["position", "updatedAt", "duration"])
    var position = 0.0
    var duration: Double?
    var updated: Written<Date>?
    var unknown: [(key: String, at: JSONScanner)] = []
    if let problem { fields.fail(problem) }
    if parent == nil { fields.fail(Self.lost) }
    if let original, present[original.value] == nil { fields.fail("there is no such track in the collection") }
    if try kind(of: start) != .object { fields.fail("a playback state should be an object") }
    if fields.problem == nil {
      var scanner = start
      try scanner.object { key, value in
        switch fields.number(of: key) {
        case 0: position = try fields.double("position", &value)
        case 1: updated = try fields.date("updatedAt", &value)
        case 2: duration = try fields.doubleOrNil("duration", &value)
        default: unknown.append((key.string, value))
        }
      }
      fields.requireFirst(2)
    }
    guard let parent, let original, let id = present[original.value], let updated, fields.problem == nil else {
      return try visit(
        .damaged(
          kind: "playback_states", path: .json(start.location), reason: fields.problem ?? "it cannot be read", original: .value(start)),
        start.offset)
    }
    for unknown in unknown { try visit(Self.unknown("playback_states", unknown, in: .json(start.location)), start.offset) }
    let row = PlaybackRow(PlaybackState(position: position, duration: duration, updatedAt: updated.value), of: id, in: parent.id)
    try visit(record(row, updatedAt: updated, of: parent, start), start.offset)
  }

  // MARK: Small pieces

  private static let lost = "its collection is quarantined"

  static func unknown(_ kind: String, _ field: (key: String, at: JSONScanner), in path: SourcePath) -> Scanned<LibraryRecord> {
    .damagedField(kind: kind, field: field.key, path: path, reason: "this field is not known", original: .value(field.at))
  }

  private func record(_ row: PlaybackRow, updatedAt: Written<Date>, of parent: Parent, _ at: JSONScanner) -> Scanned<LibraryRecord> {
    let key = IDCodec.lowercase(row.trackID)
    return .record(
      SourceRecord(
        kind: "playback_states", key: key, parent: .init(kind: "tracks", key: key), path: .json(at.location),
        fields: LibraryShape.json.fields(of: row, collection: parent.text, updatedAt: updatedAt.text),
        modifiedAt: DateCodec.milliseconds(row.state.updatedAt), content: .playback(row), original: .value(at)))
  }

  private func kind(of scanner: JSONScanner) throws -> JSONKind {
    var scanner = scanner
    return try scanner.peek()
  }

  /// The place of a list; another value in its place is a problem of the record.
  private func list(_ key: String, _ value: JSONScanner, _ fields: inout JSONFields) throws -> JSONScanner? {
    if try kind(of: value) == .array { return value }
    fields.fail("\(key) should be a list")
    return nil
  }

  /// Where the first track with this id begins.
  private func place(of id: UUID, in tracks: JSONScanner?) throws -> JSONScanner? {
    guard var scanner = tracks else { return nil }
    var found: JSONScanner?
    try scanner.array { _, element in
      guard found == nil, try element.peek() == .object else { return }
      let start = element
      try element.object { key, value in
        if key == "id", try value.peek() == .string, IDCodec.parse(try value.string()) == id { found = start }
      }
    }
    return found
  }

  private func isTrack(_ at: JSONScanner?) throws -> Bool {
    guard var at else { return false }
    let parsed = try LibraryJSONTrack(&at, in: document)
    return parsed.fields.problem == nil && parsed.track != nil
  }
}
