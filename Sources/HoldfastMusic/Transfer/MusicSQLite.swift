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
  let total: Int
  private let source: SQLiteSource
  private let shape: MusicShape
  /// The tables that this library does not import, with their numbers of rows.
  private let others: [(table: String, rows: Int)]

  private static let own = ["tracks", "collections", "collection_tracks"]
  /// Tables about the file itself.
  private static let bookkeeping: Set<String> = ["grdb_migrations"]
  private static let migrations: Set<String> = ["v1", "v2"]

  /// - Throws: `.wrongKind` for a store of ours; `.newerSource` for a database of a later version of the player;
  ///   `.invalidSource` for another program's database.
  init(_ source: SQLiteSource, named path: String) throws {
    let tables = source.tables
    try source.refuseStore()
    shape = try Self.shape(of: source, path)
    version = shape.hasPaths ? 1 : try Self.columns(of: source).contains("playcount") ? 3 : 2
    self.source = source
    // SQLite ignores case in table names.
    let known = Self.bookkeeping.union(Self.own)
    others = try tables.filter { !known.contains(SQLiteSource.lowercased($0)) }.map { ($0, try source.count(of: $0)) }
    try Self.refuseLater(source, shape, hasOthers: !others.isEmpty, path)
    total = try Self.own.reduce(others.reduce(0) { $0 + $1.rows }) { try $0 + source.count(of: $1) }
  }

  private static func columns(of source: SQLiteSource) throws -> Set<String> {
    Set(try source.columns(of: "tracks").map(SQLiteSource.lowercased))
  }

  private static func shape(of source: SQLiteSource, _ path: String) throws -> MusicShape {
    let columns = try columns(of: source)
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

  /// Refuses a database that has the tables of a known form, but says that it is of a later form.
  private static func refuseLater(_ source: SQLiteSource, _ shape: MusicShape, hasOthers: Bool, _ path: String) throws {
    if shape.hasPaths, source.userVersion > 1 {
      throw later(path, "which called it version \(source.userVersion); 1 is the newest of this form that can be read")
    }
    // A database without other tables has a known form, whatever its migrations.
    guard hasOthers else { return }
    try source.rows(of: "grdb_migrations") { row in
      guard case .text(let name)? = row.value("identifier"), !migrations.contains(name) else { return }
      throw later(path, "which migrated it by \(name); that cannot be read")
    }
  }

  private static func later(_ path: String, _ what: String) -> StoreError {
    StoreError(
      .newerSource, "\(path) was written by a later version of the player, \(what), and nothing was changed",
      suggestion: "Import the library.json or the library.json.backup that stands beside it.")
  }

  func scan(_ reader: Reader, _ visit: (Scanned<MusicRecord>, Int) throws -> Void) throws {
    var scan = MusicSQLiteScan(source: source, shape: shape)
    try scan.run(reader, visit)
    for (table, rows) in others {
      for number in 0..<rows {
        let reason = "the table \(table) has no place in this library; it stays in the source and its copy"
        try visit(.skipped(kind: table, path: .text("\(table)[\(number)]"), reason: reason), scan.position + number)
      }
      scan.position += rows
    }
  }
}
