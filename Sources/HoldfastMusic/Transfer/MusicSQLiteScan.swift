import Foundation
import Holdfast
import HoldfastTransfer

/// One reading of a `library.db`, table by table, tracks first, so that rows without their track or playlist are found.
struct MusicSQLiteScan {
  private let source: SQLiteSource
  private var scan: MusicScan
  /// How many rows were read.
  var position = 0
  /// Playlists by id; false for a playlist that cannot be imported.
  private var playlists: [UUID: Bool] = [:]
  /// The number of entries read for the current playlist, in all and by track.
  private var current: (id: UUID, place: Int, numbers: [UUID: Int])?

  /// A `position` of any type is accepted: only SQLite's order of the rows counts.
  private static let order: FieldTable<Int64> = [.required("position", \.self, .int64).ifWrong(fails: false)]

  /// The columns that may hold ids as 16 bytes, in the spellings of all forms.
  private static let ids: Set<String> = ["id", "collection_id", "collectionid", "track_id", "trackid"]

  init(source: SQLiteSource, shape: MusicShape) {
    self.source = source
    scan = MusicScan(shape: shape)
  }

  mutating func run(_ reader: Reader, _ visit: MusicScan.Visit) throws {
    try source.rows(of: "tracks") { try track($0, visit) }
    try source.rows(of: "collections") { try playlist($0, visit) }
    let order: [SQLiteSource.Order] = [.ignoringCase(scan.shape.hasPaths ? "collection_id" : "collectionid"), .column("position")]
    try source.rows(of: "collection_tracks", orderedBy: order) { try entry($0, reader, visit) }
  }

  private mutating func track(_ row: SQLiteRow, _ visit: MusicScan.Visit) throws {
    var members = SourceMembers(row, ids: Self.ids)
    let column = scan.shape.hasPaths ? "artwork_data" : "artworkData"
    var data: Data?
    if case .blob(let blob)? = row.value(column), !row.isBrokenText(column) { data = blob }
    let picture = members.takePicture(column, data)
    if scan.shape.hasPaths { members.leaveLostPaths() }
    try scan.track(&members, picture, row.path, at: next(row), visit)
  }

  private mutating func playlist(_ row: SQLiteRow, _ visit: MusicScan.Visit) throws {
    var members = SourceMembers(row, ids: Self.ids)
    let (id, isWhole) = try scan.playlist(&members, index: nil, at: next(row), visit)
    if let id { playlists[id.value] = isWhole || playlists[id.value] ?? false }
  }

  private mutating func entry(_ row: SQLiteRow, _ reader: Reader, _ visit: MusicScan.Visit) throws {
    var members = SourceMembers(row, ids: Self.ids)
    let playlist = members.id("collectionId")
    let track = members.id("trackId")
    let index = playlist.map { next(in: $0.value) } ?? 0
    if let playlist {
      switch playlists[playlist.value] {
      case true?: break
      case false?: members.fail("its playlist is quarantined")
      case nil: members.fail("there is no such playlist")
      }
    }
    _ = members.read(Self.order, into: 0)
    let place = next(row)
    guard try members.finish(kind: "collection_tracks", path: place.path, original: place.original, at: position, visit),
      let playlist, let track
    else { return }
    let number = current?.numbers[track.value, default: 0] ?? 0
    current?.numbers[track.value] = number + 1
    try scan.entry(of: track, number: number, in: playlist, index: index, at: place, reader, visit)
  }

  private mutating func next(in playlist: UUID) -> Int {
    if current?.id != playlist { current = (playlist, 0, [:]) }
    let place = current?.place ?? 0
    current?.place = place + 1
    return place
  }

  private mutating func next(_ row: SQLiteRow) -> MusicScan.Place {
    position += 1
    return MusicScan.Place(path: row.path, original: row.original, position: position)
  }
}
