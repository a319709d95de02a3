import Foundation
import Holdfast
import HoldfastTransfer

/// One reading of a `library.sqlite`, table by table, parents before children. No join is needed, and rows without a parent are found.
struct LibrarySQLiteScan {
  let tables: SourceTables
  /// The last played tracks that can be imported, with their collections.
  let lastPlayed: Set<TrackPlace>
  var ids: TrackIDs

  /// The columns that may hold ids as 16 bytes.
  private static let ids: Set<String> = ["id", "collection_id", "track_id", "last_played_track_id"]

  private let shape = LibraryShape.sqlite
  private var collections = Parents<UUID, Void>("collection")
  /// The stored ids of the tracks, and their collections' ids as the source spells them.
  private var tracks: [TrackPlace: Parent] = [:]
  /// The tracks, each with the first collection that has it.
  private var homes = Parents<UUID, UUID>("track")

  private typealias Parent = (id: UUID, collection: Written<UUID>)

  /// The readable fields of a row of `tracks`.
  private struct Track {
    var members: SourceMembers
    let id: Written<UUID>?
    let collection: Written<UUID>?
    var said: SaidRow<TrackRow>
    /// The two columns of a favourite are a record of their own: an error in them is not an error of the track.
    let mark: JSONValue
    let favoritedAt: JSONValue
    /// Whether the track is a favourite or was one.
    var countsAsFavorite: Bool { RecordField.isFavorite(mark) != false || favoritedAt != .null }

    init(_ row: SQLiteRow) {
      members = SourceMembers(row, json: ["metadata_json"], ids: LibrarySQLiteScan.ids, isStrict: true)
      id = members.id("id")
      collection = members.id("collection_id")
      members.check("location_type", "location_payload", TrackLocation.self)
      mark = members.remove("is_favorite")
      favoritedAt = members.remove("favorited_at")
      said = members.read(LibraryShape.sqlite.tracks.fields, into: .blank(id))
    }
  }

  init(tables: SourceTables, lastPlayed: Set<TrackPlace>, ids: TrackIDs) {
    (self.tables, self.lastPlayed, self.ids) = (tables, lastPlayed, ids)
  }

  /// Reads ahead which last played tracks can be imported, because collections are read before their tracks.
  static func lastPlayed(_ source: SQLiteSource) throws -> Set<TrackPlace> {
    var wanted: Set<UUID> = []
    try source.rows(of: "collections", only: ["last_played_track_id"]) { row in
      if let id = parsedID(row, "last_played_track_id") { wanted.insert(id) }
    }
    var spelled: Set<SQLValue> = []
    guard !wanted.isEmpty else { return [] }
    try source.rows(of: "tracks", only: ["id"]) { row in
      if let value = row.value("id"), let id = parsedID(row, "id"), wanted.contains(id) { spelled.insert(value) }
    }
    var found: Set<TrackPlace> = []
    for value in spelled {
      try source.rows(of: "tracks", where: ("id", value)) { row in
        let track = Track(row)
        guard track.members.problem == nil, let id = track.id, let collection = track.collection else { return }
        found.insert(TrackPlace(id: id.value, collectionID: collection.value))
      }
    }
    return found
  }

  private static func parsedID(_ row: SQLiteRow, _ column: String) -> UUID? {
    SourceMembers(row, ids: ids).text(column).flatMap(IDCodec.parse)
  }

  mutating func run(_ reader: Reader, _ visit: LibraryRecord.Visit) throws {
    let byCollection = SQLiteSource.Order.ignoringCase("collection_id")
    try tables.rows(of: "collections") { try collection($0, reader, visit) }
    try tables.rows(of: "tags", orderedBy: [byCollection]) { try tag($0, visit) }
    collections.restartPlaces()
    try tables.rows(of: "tracks", orderedBy: [byCollection, .column("track_number")]) { try track($0, reader, visit) }
    try tables.rows(of: "playback_states", orderedBy: [byCollection]) { try state($0, visit) }
  }

  // MARK: Collections

  private mutating func collection(_ row: SQLiteRow, _ reader: Reader, _ visit: LibraryRecord.Visit) throws {
    var members = SourceMembers(row, ids: Self.ids, isStrict: true)
    let id = members.id("id")
    cover(&members, row)
    members.check("source_type", "source_payload", CollectionSource.self)
    members.leave("last_played_track_id", unless: .id)
    if let id, let last = members.text("last_played_track_id").flatMap(IDCodec.parse),
      !lastPlayed.contains(TrackPlace(id: last, collectionID: id.value))
    {
      members.leave("last_played_track_id", "there is no such track in the collection")
    }
    var said = members.read(shape.collections.fields, into: .blank(id))
    let isWhole = try members.finish(kind: "collections", row, visit)
    if let id { collections.add(id.value, isWhole ? () : nil) }
    guard isWhole, let id else { return }
    if let last = said.row.collection.lastPlayedTrackID {
      try said.place(lastPlayed: ids.id(of: last, in: id.value, reader), reader)
    }
    try visit(.record(shape.collections.record(said, ids: [id.text], path: row.path, original: row.original)), row.position)
  }

  /// `cover_data` is JSON like the other payloads, or, for a known kind, the plain colour, path or address.
  private func cover(_ members: inout SourceMembers, _ row: SQLiteRow) {
    guard let kind = members.text("cover_kind") else { return }
    let text = members.text("cover_data")
    var image: Tagged<CollectionCover.Kind>?
    if text != nil || members.value("cover_data") == .null { image = Tagged(kind, column: text) }
    if image == nil, let text, !text.isEmpty, [String: JSONValue](json: text) == nil {
      switch kind {
      case "solid": image = Tagged(.solid(colorHex: text))
      case "image": image = Tagged(.image(relativePath: text))
      case "remote": image = Tagged(.remote(url: text))
      default: break
      }
    }
    if image == nil { members.tell("cover_data", "cover_data cannot be read as a cover of the kind \(kind)", row.original("cover_data")) }
    let cover = image ?? CollectionCover.standard.image
    members.set("cover_kind", .string(cover.type))
    members.set("cover_data", .string(cover.payload))
  }

  // MARK: Tags, tracks and favourites

  private mutating func tag(_ row: SQLiteRow, _ visit: LibraryRecord.Visit) throws {
    var members = SourceMembers(row, ids: Self.ids)
    let collection = members.id("collection_id")
    let tag = members.text("tag")
    if tag == nil { members.fail(members.value("tag") == .null ? "tag is missing" : "tag should be a text") }
    members.remove("tag")
    let place = collections.nextPlace(in: collection?.value)
    collections.find(collection?.value, for: &members)
    guard try members.finish(kind: "tags", row, visit), let collection, let tag else { return }
    let stored = TagRow(collectionID: collection.value, tag: tag, position: ListPlace.position(at: place))
    try visit(.record(LibraryShape.tag(stored, in: collection.text, path: row.path, original: row.original)), row.position)
  }

  private mutating func track(_ row: SQLiteRow, _ reader: Reader, _ visit: LibraryRecord.Visit) throws {
    var track = Track(row)
    let place = collections.nextPlace(in: track.collection?.value)
    let isWhole = track.members.problem == nil
    collections.find(track.collection?.value, for: &track.members)
    guard try track.members.finish(kind: "tracks", row, visit), let original = track.id, let collection = track.collection else {
      if let id = track.id { homes.add(id.value, nil) }
      guard track.countsAsFavorite else { return }
      let reason = isWhole ? track.members.problem : "its track is quarantined"
      return try visit(.damaged(kind: "favorites", path: row.path, reason: reason ?? "", original: row.original), row.position)
    }
    let id = try ids.id(of: original.value, in: collection.value, reader)
    track.said.row.place(id, of: original.value, in: collection.value, at: place)
    tracks[TrackPlace(id: original.value, collectionID: collection.value)] = (id, collection)
    homes.add(original.value, collection.value)
    try visit(
      .record(
        shape.tracks.record(
          track.said, ids: [original.text, collection.text], isPlaceFree: ids.isPlaceFree(track.said.row), path: row.path,
          original: row.original)), row.position)
    if track.countsAsFavorite { try favorite(track, of: id, in: collection, row, visit) }
  }

  private func favorite(_ track: Track, of id: UUID, in collection: Written<UUID>, _ row: SQLiteRow, _ visit: LibraryRecord.Visit) throws {
    guard RecordField.isFavorite(track.mark) != false else {
      return try visit(.skipped(kind: "favorites", path: row.path, reason: "no longer a favourite"), row.position)
    }
    var members = SourceMembers(["is_favorite": track.mark, "favorited_at": track.favoritedAt], isStrict: true)
    members.leave("favorited_at", unless: .sqlText, row.original("favorited_at"))
    let said = members.read(shape.favorites.fields, into: FavoriteRow(trackID: id, collectionID: collection.value))
    guard try members.finish(kind: "favorites", row, visit) else { return }
    try visit(.record(shape.favorites.record(said, ids: [collection.text], path: row.path, original: row.original)), row.position)
  }

  // MARK: Playback states

  private func state(_ row: SQLiteRow, _ visit: LibraryRecord.Visit) throws {
    var members = SourceMembers(row, ids: Self.ids, isStrict: true)
    let track = members.id("track_id")
    let collection = members.text("collection_id").flatMap(IDCodec.parse)
    let parent = track.flatMap { self.parent(of: $0.value, in: collection, &members) }
    members.leave("collection_id", unless: .id)
    if let parent, collection != parent.collection.value {
      members.leave("collection_id", "its track belongs to another collection")
    }
    members.remove("collection_id")
    let said = members.read(shape.states.fields, into: .blank(of: parent?.id ?? .zero, in: parent?.collection.value ?? .zero))
    guard try members.finish(kind: "playback_states", row, visit), let parent else { return }
    try visit(.record(shape.states.record(said, ids: [parent.collection.text], path: row.path, original: row.original)), row.position)
  }

  /// A state belongs to its track. Its collection only distinguishes two tracks with the same id.
  private func parent(of track: UUID, in collection: UUID?, _ members: inout SourceMembers) -> Parent? {
    if let collection, let found = tracks[TrackPlace(id: track, collectionID: collection)] { return found }
    return homes.find(track, for: &members).flatMap { tracks[TrackPlace(id: track, collectionID: $0)] }
  }
}
