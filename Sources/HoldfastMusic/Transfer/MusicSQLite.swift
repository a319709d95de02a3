import Foundation
import Holdfast
import HoldfastTransfer

/// The player's first databases, all called `library.db`.
///
/// The first one has snake_case columns and paths of files. The next ones have camelCase columns and URLs, and the last of them
/// counts plays. The columns tell them apart. The player gave SQLite texts without keeping them alive, so a row may hold
/// anything: if one text of a row is not valid text, the other texts are not trusted either.
struct MusicSQLite: ImportFormat {
  let name = "music-sqlite"
  /// 1 to 3, in the order in which the player used them.
  let version: Int
  let kinds = MusicRecord.kinds
  let laterIndexes = MusicRecord.laterIndexes
  var total: Int { tables.total }
  private let tables: SourceTables
  private let shape: MusicShape

  /// - Throws: `.wrongKind` for a store of ours; `.newerSource` for a database of a later version of the player;
  ///   `.invalidSource` for another program's database.
  init(_ source: SQLiteSource, named path: String) throws {
    try source.refuseStore()
    shape = try Self.shape(of: source, path)
    version = shape.hasPaths ? 1 : try source.lowercasedColumns(of: "tracks").contains("playcount") ? 3 : 2
    tables = try SourceTables(source, own: ["tracks", "collections", "collection_tracks"])
    if shape.hasPaths, source.userVersion > 1 {
      throw Self.later(path, "which called it version \(source.userVersion); 1 is the newest of this form that can be read")
    }
    // A database without other tables has a known form, whatever its migrations.
    guard !tables.others.isEmpty else { return }
    try source.refuseMigrations(except: ["v1", "v2"]) { Self.later(path, "which migrated it by \($0); that cannot be read") }
  }

  private static func shape(of source: SQLiteSource, _ path: String) throws -> MusicShape {
    let columns = try source.lowercasedColumns(of: "tracks")
    if columns.isSuperset(of: ["id", "title", "artist", "album", "duration"]) {
      if columns.contains("file_url") { return .paths }
      if columns.contains("fileurl") { return .urls }
    }
    let later = source.tables.filter { ["digital_files", "local_track", "library_track", "release_groups"].contains($0) }
    guard later.isEmpty else {
      throw Self.later(path, "which kept its tracks in \(later.joined(separator: " and ")); these cannot be read")
    }
    throw StoreError(.invalidSource, "\(path) is not the player's library: it \(source.found)")
  }

  private static func later(_ path: String, _ what: String) -> StoreError {
    StoreError(
      .newerSource, "\(path) was written by a later version of the player, \(what), and nothing was changed",
      suggestion: "Import the library.json or the library.json.backup that stands beside it.")
  }

  func scan(_ reader: Reader, _ visit: (Scanned<SaidContent>, Int) throws -> Void) throws {
    var scan = MusicSQLiteScan(tables: tables, shape: shape)
    try scan.run(reader, visit)
    try tables.skipOthers("library", visit)
  }
}
