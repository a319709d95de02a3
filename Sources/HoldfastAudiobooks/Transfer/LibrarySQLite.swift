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
  let total: Int
  private let source: SQLiteSource
  /// The tables that this library does not import, with their numbers of rows.
  private let others: [(table: String, rows: Int)]
  private let lastPlayed: Set<TrackPlace>
  private let memory = ImportMemory()

  private static let own: Set<String> = ["collections", "tracks", "playback_states", "tags"]
  /// Tables about the file itself.
  private static let bookkeeping: Set<String> = ["schema_state", "grdb_migrations", "android_metadata"]

  /// - Throws: `.wrongKind` for a store of ours; `.invalidSource` for another program's database; `.newerSource`.
  init(_ source: SQLiteSource, named path: String) throws {
    let tables = source.tables
    try source.refuseStore()
    func has(_ table: String, _ columns: [String]) throws -> Bool {
      Set(try source.columns(of: table).map(SQLiteSource.lowercased)).isSuperset(of: columns)
    }
    guard try has("collections", ["id", "title"]), try has("tracks", ["id", "collection_id"]) else {
      throw StoreError(.invalidSource, "\(path) is not the player's library: it \(source.found)")
    }
    try source.rows(of: "schema_state") { row in
      guard case .integer(let version)? = row.value("version"), version > 1 else { return }
      throw StoreError(
        .newerSource, "\(path) has version \(version), which is newer than 1, the newest that can be read; nothing was changed")
    }
    self.source = source
    // SQLite ignores case in table names.
    let known = Self.own.union(Self.bookkeeping)
    others = try tables.filter { !known.contains(SQLiteSource.lowercased($0)) }.map { ($0, try source.count(of: $0)) }
    total = try Self.own.reduce(others.reduce(0) { $0 + $1.rows }) { try $0 + source.count(of: $1) }
    lastPlayed = try LibrarySQLiteScan.lastPlayed(source)
  }

  func scan(_ reader: Reader, _ visit: (Scanned<LibraryRecord>, Int) throws -> Void) throws {
    var scan = LibrarySQLiteScan(source: source, lastPlayed: lastPlayed, ids: try memory.ids(reader))
    try scan.run(reader, visit)
    for (table, rows) in others {
      for number in 0..<rows {
        let reason = "the table \(table) has no place in this library; it stays in the source and its copy"
        try visit(.skipped(kind: table, path: .text("\(table)[\(number)]"), reason: reason), scan.position + number)
      }
      scan.position += rows
    }
  }

  func write(_ record: SourceRecord<LibraryRecord>, in tx: Writer) throws {
    try memory.write(record.content, in: tx)
  }

  func readBack(_ record: SourceRecord<LibraryRecord>, in reader: Reader) throws -> StoredShape? {
    try LibraryShape.sqlite.readBack(record, in: reader)
  }
}

/// A track of the source: the same id may stand in two collections.
struct TrackPlace: Hashable {
  let id: UUID
  let collectionID: UUID
}
