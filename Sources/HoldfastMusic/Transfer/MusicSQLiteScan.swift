import Foundation
import Holdfast
import HoldfastTransfer

/// One reading of a `library.db`, table by table, tracks first, so that rows without their track or playlist are found.
struct MusicSQLiteScan {
  private let tables: SourceTables
  private var scan: MusicScan
  private var playlists = Parents<UUID, Void>("playlist")
  /// The playlist that is being read, with the number of its entries by track.
  private var current: (playlist: UUID, entries: [UUID: Int])?

  /// A `position` of any type is accepted: only SQLite's order of the rows counts.
  private static let order: FieldTable<Int64> = [.required("position", \.self, .int64).ifWrong(fails: false)]

  /// The columns that may hold ids as 16 bytes, in the spellings of all forms.
  private static let ids: Set<String> = ["id", "collection_id", "collectionid", "track_id", "trackid"]

  init(tables: SourceTables, shape: MusicShape) { (self.tables, scan) = (tables, MusicScan(shape: shape)) }

  mutating func run(_ reader: Reader, _ visit: MusicScan.Visit) throws {
    try tables.rows(of: "tracks") { try track($0, visit) }
    try tables.rows(of: "collections") { try playlist($0, visit) }
    let order: [SQLiteSource.Order] = [.ignoringCase(scan.shape.hasPaths ? "collection_id" : "collectionid"), .column("position")]
    try tables.rows(of: "collection_tracks", orderedBy: order) { try entry($0, reader, visit) }
  }

  private mutating func track(_ row: SQLiteRow, _ visit: MusicScan.Visit) throws {
    var members = SourceMembers(row, ids: Self.ids)
    let column = scan.shape.hasPaths ? "artwork_data" : "artworkData"
    var data: Data?
    if case .blob(let blob)? = row.value(column), !row.isBrokenText(column) { data = blob }
    let picture = members.takePicture(column, data)
    if scan.shape.hasPaths { members.leaveLostPaths() }
    try scan.track(&members, picture, row.path, at: .init(row), visit)
  }

  private mutating func playlist(_ row: SQLiteRow, _ visit: MusicScan.Visit) throws {
    var members = SourceMembers(row, ids: Self.ids)
    let (id, isWhole) = try scan.playlist(&members, index: nil, at: .init(row), visit)
    if let id { playlists.add(id.value, isWhole ? () : nil) }
  }

  private mutating func entry(_ row: SQLiteRow, _ reader: Reader, _ visit: MusicScan.Visit) throws {
    var members = SourceMembers(row, ids: Self.ids)
    let playlist = members.id("collectionId")
    let track = members.id("trackId")
    let index = playlists.nextPlace(in: playlist?.value)
    playlists.find(playlist?.value, for: &members)
    _ = members.read(Self.order, into: 0)
    guard try members.finish(kind: "collection_tracks", row, visit), let playlist, let track else { return }
    if current?.playlist != playlist.value { current = (playlist.value, [:]) }
    let number = current?.entries[track.value, default: 0] ?? 0
    current?.entries[track.value] = number + 1
    try scan.entry(of: track, number: number, in: playlist, index: index, at: .init(row), reader, visit)
  }
}

extension MusicScan.Place {
  fileprivate init(_ row: SQLiteRow) { self.init(path: row.path, original: row.original, position: row.position) }
}
