import Foundation
import Holdfast
import HoldfastTransfer

/// One reading of a `library.db`: table by table, tracks first, so that rows without their track or playlist show by themselves.
struct MusicSQLiteScan {
  private let source: SQLiteSource
  private let shape: MusicShape
  private var scan: MusicScan
  /// How many rows were read.
  var position = 0
  /// Playlists by id: false for one that is there and cannot be imported.
  private var playlists: [UUID: Bool] = [:]
  /// Of the playlist that is being read: how many entries it has so far, and how many of each track.
  private var current: (id: UUID, place: Int, numbers: [UUID: Int])?

  init(source: SQLiteSource, shape: MusicShape) {
    self.source = source
    self.shape = shape
    scan = MusicScan(shape: shape)
  }

  mutating func run(_ reader: Reader, _ visit: MusicScan.Visit) throws {
    try source.rows(of: "tracks") { row in
      position += 1
      try scan.take(MusicSQLiteTrack(row, shape).parsed, path: row.path, original: row.original, at: position, visit)
    }
    try source.rows(of: "collections") { try playlist($0, visit) }
    let order: [SQLiteSource.Order] = [.ignoringCase(shape.name("collectionId").lowercased()), .column("position")]
    try source.rows(of: "collection_tracks", orderedBy: order) { try entry($0, reader, visit) }
  }

  private mutating func playlist(_ row: SQLiteRow, _ visit: MusicScan.Visit) throws {
    position += 1
    var fields = SQLiteFields(row)
    let id = fields.id("id")
    let name = fields.text("name")
    MusicSQLiteTrack.refuseZeroBytes(["id", "name"], &fields)
    guard let id, fields.problem == nil else {
      if let id { playlists[id.value] = playlists[id.value] ?? false }
      return try visit(damaged("collections", row, fields.problem), position)
    }
    playlists[id.value] = true
    for column in fields.unknown(besides: ["id", "name"]) { try visit(unknown(column, of: "collections", row), position) }
    let stored = PlaylistRow(MusicPlaylist(id: id.value, name: name), at: 0)
    try visit(
      .record(
        SourceRecord(
          kind: "collections", key: IDCodec.lowercase(id.value), path: row.path, fields: shape.fields(of: stored, id: id.text),
          content: .playlist(SourcePlaylist(row: stored, carries: [])), original: row.original)), position)
  }

  private mutating func entry(_ row: SQLiteRow, _ reader: Reader, _ visit: MusicScan.Visit) throws {
    position += 1
    let (collectionID, trackID) = (shape.name("collectionId"), shape.name("trackId"))
    var fields = SQLiteFields(row)
    let playlist = fields.id(collectionID)
    let track = fields.id(trackID)
    let place = playlist.map { next(in: $0.value) } ?? 0
    if let playlist {
      switch playlists[playlist.value] {
      case true?: break
      case false?: fields.fail("its playlist is quarantined")
      case nil: fields.fail("there is no such playlist")
      }
    }
    guard let playlist, let track, fields.problem == nil else {
      return try visit(damaged("collection_tracks", row, fields.problem), position)
    }
    // The order of the rows is SQLite's, whatever stands there.
    var order = SQLiteFields(row)
    _ = order.int64("position")
    if let problem = order.problem { try visit(field("position", of: "collection_tracks", row, problem), position) }
    for column in fields.unknown(besides: [collectionID.lowercased(), trackID.lowercased(), "position"]) {
      try visit(unknown(column, of: "collection_tracks", row), position)
    }
    let number = current?.numbers[track.value, default: 0] ?? 0
    current?.numbers[track.value] = number + 1
    let stored = EntryRow(
      id: MusicRecord.entryID(of: track.value, number: number, in: playlist.value), of: track.value, in: playlist.value,
      at: ListPlace.position(at: place))
    try visit(
      scan.entry(stored, collection: playlist.text, track: track.text, path: row.path, original: row.original, reader), position)
  }

  /// The place of the next entry.
  private mutating func next(in playlist: UUID) -> Int {
    if current?.id != playlist { current = (playlist, 0, [:]) }
    let place = current?.place ?? 0
    current?.place = place + 1
    return place
  }

  // MARK: Small pieces

  private func damaged(_ kind: String, _ row: SQLiteRow, _ reason: String?) -> Scanned<MusicRecord> {
    .damaged(kind: kind, path: row.path, reason: reason ?? "it cannot be read", original: row.original)
  }

  private func unknown(_ column: String, of kind: String, _ row: SQLiteRow) -> Scanned<MusicRecord> {
    field(column, of: kind, row, "this field is not known")
  }

  private func field(_ column: String, of kind: String, _ row: SQLiteRow, _ reason: String) -> Scanned<MusicRecord> {
    .damagedField(kind: kind, field: column, path: row.path, reason: reason, original: row.original(column))
  }
}
