import Foundation
import Holdfast
import HoldfastTransfer

/// The app's first database, `library.sqlite`.
///
/// Tables `collections`, `tracks`, `playback_states`, `tags`; favourites are two columns of `tracks`. Ids are text in upper
/// case, times are text in UTC. The content of a kind is JSON, and its type has a column of its own. Columns were added and removed over
/// time, and foreign keys were switched off for a while, so only the two tables that identify the database are certain.
struct LibrarySQLite: ImportFormat {
  let name = "library-sqlite"
  let version = 1
  let kinds = LibraryRecord.kinds
  let laterIndexes = LibraryRecord.laterIndexes
  var total: Int { tables.total }
  private let tables: SourceTables
  private let lastPlayed: Set<TrackPlace>
  private let memory = ImportMemory()

  /// - Throws: `.wrongKind` for a store of ours; `.invalidSource` for another program's database; `.newerSource`.
  init(_ source: SQLiteSource, named path: String) throws {
    try source.refuseStore()
    guard try source.lowercasedColumns(of: "collections").isSuperset(of: ["id", "title"]),
      try source.lowercasedColumns(of: "tracks").isSuperset(of: ["id", "collection_id"])
    else {
      throw StoreError(.invalidSource, "\(path) is not the player's library: it \(source.found)")
    }
    try source.rows(of: "schema_state") { row in
      guard case .integer(let version)? = row.value("version"), version > 1 else { return }
      throw StoreError(
        .newerSource, "\(path) has version \(version), which is newer than 1, the newest that can be read; nothing was changed")
    }
    tables = try SourceTables(
      source, own: ["collections", "tags", "tracks", "playback_states"],
      bookkeeping: ["schema_state", "grdb_migrations", "android_metadata"])
    lastPlayed = try LibrarySQLiteScan.lastPlayed(source)
  }

  func scan(_ reader: Reader, _ visit: (Scanned<SaidContent>, Int) throws -> Void) throws {
    var scan = LibrarySQLiteScan(tables: tables, lastPlayed: lastPlayed, ids: try memory.ids(reader))
    try scan.run(reader, visit)
    try tables.skipOthers("library", visit)
  }
}

/// A track of the source: the same id may stand in two collections.
struct TrackPlace: Hashable {
  let id: UUID
  let collectionID: UUID
}
