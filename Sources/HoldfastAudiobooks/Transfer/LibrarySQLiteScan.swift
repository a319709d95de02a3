import Foundation
import Holdfast
import HoldfastTransfer

/// One reading of a `library.sqlite`: table by table, parents before their children, so that nothing has to be joined and
/// rows without a parent show by themselves.
struct LibrarySQLiteScan {
  typealias Visit = (Scanned<LibraryRecord>, Int) throws -> Void

  let source: SQLiteSource
  /// Last played tracks that can be imported, in their collections.
  let lastPlayed: Set<TrackPlace>
  var ids: TrackIDs
  /// How many rows were read.
  var position = 0

  /// Collections by id: nil for one that is there and cannot be imported.
  private var collections: [UUID: Parent?] = [:]
  private var tracks: [TrackPlace: Parent] = [:]
  /// The collection that a track was found in first; nil for a track that is there and cannot be imported.
  private var homes: [UUID: UUID?] = [:]

  /// What hangs on a record needs of it: the stored id, and the collection's id as the source writes it.
  private struct Parent {
    let id: UUID
    let collectionID: UUID
    let collectionText: JSONValue
  }

  private static let collectionColumns: Set<String> = [
    "id", "title", "author", "description", "cover_kind", "cover_data", "cover_dominant_color", "created_at", "updated_at",
    "source_type", "source_payload", "last_played_track_id",
  ]

  init(source: SQLiteSource, lastPlayed: Set<TrackPlace>, ids: TrackIDs) {
    self.source = source
    self.lastPlayed = lastPlayed
    self.ids = ids
  }

  /// Reads ahead which of the last played tracks can be imported: collections come before their tracks.
  static func lastPlayed(_ source: SQLiteSource) throws -> Set<TrackPlace> {
    var wanted: Set<UUID> = []
    try source.rows(of: "collections", only: ["last_played_track_id"]) { row in
      if case .text(let text)? = row.value("last_played_track_id"), let id = IDCodec.parse(text) { wanted.insert(id) }
    }
    var spelled: Set<String> = []
    guard !wanted.isEmpty else { return [] }
    try source.rows(of: "tracks", only: ["id"]) { row in
      if case .text(let text)? = row.value("id"), let id = IDCodec.parse(text), wanted.contains(id) { spelled.insert(text) }
    }
    var found: Set<TrackPlace> = []
    for text in spelled {
      try source.rows(of: "tracks", where: ("id", text)) { row in
        let parsed = LibrarySQLiteTrack(row)
        if parsed.track != nil, let id = parsed.id, let collection = parsed.collection {
          found.insert(TrackPlace(id: id.value, collectionID: collection.value))
        }
      }
    }
    return found
  }

  mutating func run(_ reader: Reader, _ visit: Visit) throws {
    try source.rows(of: "collections") { try collection($0, reader, visit) }
    var places: [UUID: Int] = [:]
    try source.rows(of: "tags", orderedBy: [.ignoringCase("collection_id")]) { try tag($0, &places, visit) }
    places = [:]
    let order: [SQLiteSource.Order] = [.ignoringCase("collection_id"), .column("track_number")]
    try source.rows(of: "tracks", orderedBy: order) { try track($0, &places, reader, visit) }
    try source.rows(of: "playback_states", orderedBy: [.ignoringCase("collection_id")]) { try state($0, visit) }
  }

  // MARK: Collections

  private mutating func collection(_ row: SQLiteRow, _ reader: Reader, _ visit: Visit) throws {
    position += 1
    var fields = SQLiteFields(row)
    let id = fields.id("id")
    let title = fields.text("title")
    let author = fields.textOrNil("author")
    let description = fields.textOrNil("description")
    let kind = fields.text("cover_kind")
    let color = fields.textOrNil("cover_dominant_color")
    let created = fields.date("created_at")
    let updated = fields.date("updated_at")
    let from: Tagged<CollectionSource> = fields.tagged("source_type", "source_payload")
    guard let id, let created, let updated, fields.problem == nil else {
      if let id, collections[id.value] == nil { collections[id.value] = .some(nil) }
      return try visit(damaged("collections", row, fields.problem), position)
    }
    if collections[id.value]?.flatMap({ $0 }) == nil {
      collections[id.value] = Parent(id: id.value, collectionID: id.value, collectionText: id.text)
    }
    let image = cover(kind, row)
    if image == nil {
      try visit(field("cover_data", of: "collections", row, "it cannot be read as a cover of the kind \(kind)"), position)
    }
    var last = SQLiteFields(row)
    var played = last.idOrNil("last_played_track_id")
    if let track = played, !lastPlayed.contains(TrackPlace(id: track.value, collectionID: id.value)) {
      played = nil
      last.fail("there is no such track in the collection")
    }
    if let problem = last.problem { try visit(field("last_played_track_id", of: "collections", row, problem), position) }
    try unknown(fields.unknown(besides: Self.collectionColumns), "collections", row, visit)
    var playedID = try played.map { try ids.id(of: $0.value, in: id.value, reader) }
    if let track = playedID, try LibraryRecord.wasDeleted(track: track, reader) { playedID = nil }
    let stored = CollectionRow(
      id: id.value, title: title, author: author, description: description,
      cover: CollectionCover(image: image ?? CollectionCover.standard.image, dominantColorHex: color), createdAt: created.value,
      updatedAt: updated.value, source: from, lastPlayedTrackID: playedID)
    try visit(
      .record(
        SourceRecord(
          kind: "collections", key: IDCodec.lowercase(id.value), path: row.path,
          fields: LibraryShape.sqlite.fields(
            of: stored, lastPlayed: playedID == nil ? .null : played?.text ?? .null, id: id.text, createdAt: created.text,
            updatedAt: updated.text),
          modifiedAt: DateCodec.milliseconds(updated.value), content: .collection(stored), original: row.original)), position)
  }

  /// `cover_data` is JSON like the other payloads; of a known kind also the plain value, a colour, path or address.
  private func cover(_ kind: String, _ row: SQLiteRow) -> Tagged<CollectionCover.Kind>? {
    var fields = SQLiteFields(row)
    let text = fields.textOrNil("cover_data")
    guard fields.problem == nil else { return nil }
    if let tagged = SQLiteFields.tagged(CollectionCover.Kind.self, kind, text) { return tagged }
    guard let text, !text.isEmpty, [String: JSONValue](json: text) == nil else { return nil }
    switch kind {
    case "solid": return Tagged(.solid(colorHex: text))
    case "image": return Tagged(.image(relativePath: text))
    case "remote": return Tagged(.remote(url: text))
    default: return nil
    }
  }

  // MARK: What hangs on a collection

  private mutating func tag(_ row: SQLiteRow, _ places: inout [UUID: Int], _ visit: Visit) throws {
    position += 1
    var fields = SQLiteFields(row)
    let collection = fields.id("collection_id")
    let tag = fields.text("tag")
    let place = Self.next(collection, &places)
    guard let parent = parent(collection, &fields), fields.problem == nil else {
      return try visit(damaged("tags", row, fields.problem), position)
    }
    try unknown(fields.unknown(besides: ["collection_id", "tag"]), "tags", row, visit)
    let key = IDCodec.lowercase(parent.id)
    let stored = TagRow(tag, of: parent.id, at: ListPlace.position(at: place))
    try visit(
      .record(
        SourceRecord(
          kind: "tags", key: "\(key)/\(tag)", parent: .init(kind: "collections", key: key), path: row.path,
          fields: LibraryShape.sqlite.fields(of: stored, collection: collection?.text), content: .tag(stored), original: row.original)),
      position)
  }

  private mutating func track(_ row: SQLiteRow, _ places: inout [UUID: Int], _ reader: Reader, _ visit: Visit) throws {
    position += 1
    let parsed = LibrarySQLiteTrack(row)
    var fields = parsed.fields
    let place = Self.next(parsed.collection, &places)
    guard let parent = parent(parsed.collection, &fields), let original = parsed.id, var track = parsed.track else {
      if let id = parsed.id, homes[id.value] == nil { homes[id.value] = .some(nil) }
      try visit(damaged("tracks", row, fields.problem), position)
      guard parsed.countsAsFavorite else { return }
      return try visit(damaged("favorites", row, parsed.track == nil ? "its track is quarantined" : fields.problem), position)
    }
    let id = try ids.id(of: original.value, in: parent.id, reader)
    if id != original.value {
      track.id = id
      track.originalID = original.value
    }
    tracks[TrackPlace(id: original.value, collectionID: parent.id)] = Parent(
      id: id, collectionID: parent.id, collectionText: parsed.collection?.text ?? .null)
    if homes[original.value]?.flatMap({ $0 }) == nil { homes[original.value] = parent.id }
    try unknown(fields.unknown(besides: LibrarySQLiteTrack.columns), "tracks", row, visit)
    let stored = TrackRow(track, in: parent.id, at: ListPlace.position(at: place))
    let key = IDCodec.lowercase(id)
    try visit(
      .record(
        SourceRecord(
          kind: "tracks", key: key, parent: .init(kind: "collections", key: IDCodec.lowercase(parent.id)), path: row.path,
          fields: LibraryShape.sqlite.fields(of: stored, id: original.text, collection: parsed.collection?.text), content: .track(stored),
          original: row.original)), position)
    if parsed.countsAsFavorite { try favorite(parsed, of: id, in: parent, row, visit) }
  }

  private func favorite(_ parsed: LibrarySQLiteTrack, of id: UUID, in parent: Parent, _ row: SQLiteRow, _ visit: Visit) throws {
    switch parsed.mark {
    case .no: return try visit(.skipped(kind: "favorites", path: row.path, reason: "no longer a favourite"), position)
    case .unreadable: return try visit(damaged("favorites", row, "is_favorite should be 0 or 1"), position)
    case .yes: break
    }
    if parsed.hasDamagedTime { try visit(field("favorited_at", of: "favorites", row, "it is not a date"), position) }
    let stored = FavoriteRow(Favorite(favoritedAt: parsed.favoritedAt?.value), of: id, in: parent.id)
    let key = IDCodec.lowercase(id)
    try visit(
      .record(
        SourceRecord(
          kind: "favorites", key: key, parent: .init(kind: "tracks", key: key), path: row.path,
          fields: LibraryShape.sqlite.fields(
            of: stored, collection: parsed.collection?.text, favoritedAt: parsed.favoritedAt?.text ?? .null), content: .favorite(stored),
          original: row.original)), position)
  }

  // MARK: Playback states

  private mutating func state(_ row: SQLiteRow, _ visit: Visit) throws {
    position += 1
    var fields = SQLiteFields(row)
    let track = fields.id("track_id")
    let seconds = fields.double("position")
    let duration = fields.doubleOrNil("duration")
    let updated = fields.date("updated_at")
    var second = SQLiteFields(row)
    let collection = second.id("collection_id")
    let parent = track.flatMap { self.parent(of: $0.value, in: collection?.value, &fields) }
    guard let parent, let updated, fields.problem == nil else {
      return try visit(damaged("playback_states", row, fields.problem), position)
    }
    if collection?.value != parent.collectionID {
      try visit(
        field("collection_id", of: "playback_states", row, second.problem ?? "its track belongs to another collection"), position)
    }
    try unknown(
      fields.unknown(besides: ["track_id", "collection_id", "position", "duration", "updated_at"]), "playback_states", row, visit)
    let state = PlaybackState(position: seconds, duration: duration, updatedAt: updated.value)
    let stored = PlaybackRow(state, of: parent.id, in: parent.collectionID)
    let key = IDCodec.lowercase(parent.id)
    try visit(
      .record(
        SourceRecord(
          kind: "playback_states", key: key, parent: .init(kind: "tracks", key: key), path: row.path,
          fields: LibraryShape.sqlite.fields(of: stored, collection: parent.collectionText, updatedAt: updated.text),
          modifiedAt: DateCodec.milliseconds(updated.value), content: .playback(stored), original: row.original)), position)
  }

  /// A position belongs to its track: the collection beside it only tells two tracks of the same id apart.
  private func parent(of track: UUID, in collection: UUID?, _ fields: inout SQLiteFields) -> Parent? {
    if let collection, let found = tracks[TrackPlace(id: track, collectionID: collection)] { return found }
    switch homes[track] {
    case .some(.some(let home)): return tracks[TrackPlace(id: track, collectionID: home)]
    case .some(.none): fields.fail("its track is quarantined")
    case .none: fields.fail("there is no such track")
    }
    return nil
  }

  // MARK: Small pieces

  private func parent(_ collection: Written<UUID>?, _ fields: inout SQLiteFields) -> Parent? {
    guard let collection else { return nil }
    switch collections[collection.value] {
    case .some(.some(let parent)): return parent
    case .some(.none): fields.fail("its collection is quarantined")
    case .none: fields.fail("there is no such collection")
    }
    return nil
  }

  private static func next(_ collection: Written<UUID>?, _ places: inout [UUID: Int]) -> Int {
    guard let collection else { return 0 }
    let place = places[collection.value, default: 0]
    places[collection.value] = place + 1
    return place
  }

  private func unknown(_ columns: [String], _ kind: String, _ row: SQLiteRow, _ visit: Visit) throws {
    for column in columns { try visit(field(column, of: kind, row, "this field is not known"), position) }
  }

  private func damaged(_ kind: String, _ row: SQLiteRow, _ reason: String?) -> Scanned<LibraryRecord> {
    .damaged(kind: kind, path: row.path, reason: reason ?? "it cannot be read", original: row.original)
  }

  private func field(_ column: String, of kind: String, _ row: SQLiteRow, _ reason: String) -> Scanned<LibraryRecord> {
    .damagedField(kind: kind, field: column, path: row.path, reason: reason, original: row.original(column))
  }
}
