import Foundation
import Holdfast
import HoldfastTransfer

// snippet: moved-tables
/// The importer of another program's SQLite database: each row of each of its tables becomes one record. Parents come first.
struct TablesImport: ImportFormat {
  /// What becomes of one row.
  struct Content: Sendable {
    let write: @Sendable (Writer) throws -> Void
    let readBack: @Sendable (Reader) throws -> StoredShape?
  }

  struct Table {
    let name: String
    let kind: (name: String, table: String)
    let scan: (SQLiteSource, (Scanned<Content>, Int) throws -> Void) throws -> Void

    /// - Parameters:
    ///   - name: of the table in the source.
    ///   - fields: every column that is read, the one of the id among them.
    ///   - blank: what a new record has where the source says nothing.
    ///   - bytes: the columns in which GRDB stored a UUID as its 16 bytes.
    init<Row: StoredRecord & Identifiable>(_ name: String, _ fields: FieldTable<Row>, blank: Row, bytes: [String] = [])
    where Row.ID == UUID {
      self.name = name
      kind = (name: Row.table, table: Row.table)
      scan = { source, visit in
        var number = 0
        try source.rows(of: name) { row in
          number += 1
          var members = SourceMembers(row)
          for column in bytes { members.readUUID(column, of: row) }
          let said = members.read(fields, into: blank)
          guard try members.finish(kind: Row.table, path: row.path, original: row.original, at: number, visit) else { return }
          let id = said.row.id
          let content = Content(
            write: { tx in try tx.upsert(tx.find(Row.self, id: id).map { fields.merged(said, into: $0) } ?? said.row) },
            readBack: { reader in
              try reader.find(Row.self, id: id).map { StoredShape(fields: fields.shape(of: $0, as: said)) }
            })
          let record = SourceRecord(
            kind: Row.table, key: IDCodec.lowercase(id), path: row.path, fields: said.fields, content: content, original: row.original)
          try visit(.record(record), number)
        }
      }
    }
  }

  let name: String
  let version = 1
  let total: Int
  private let source: SQLiteSource
  private let tables: [Table]

  /// - Throws: `.invalidSource` when one of the tables is not there.
  init(_ name: String, _ source: SQLiteSource, _ tables: [Table]) throws {
    for table in tables where !source.tables.contains(table.name) {
      throw StoreError(.invalidSource, "this database has no table \(table.name)")
    }
    (self.name, self.source, self.tables) = (name, source, tables)
    total = try tables.reduce(0) { try $0 + source.count(of: $1.name) }
  }

  var kinds: [(name: String, table: String)] { tables.map(\.kind) }

  func scan(_ reader: Reader, _ visit: (Scanned<Content>, Int) throws -> Void) throws {
    var done = 0
    for table in tables {
      try table.scan(source) { scanned, number in try visit(scanned, done + number) }
      done += try source.count(of: table.name)
    }
  }

  func write(_ record: SourceRecord<Content>, in tx: Writer) throws { try record.content.write(tx) }

  func readBack(_ record: SourceRecord<Content>, in reader: Reader) throws -> StoredShape? { try record.content.readBack(reader) }
}

extension SourceMembers {
  /// Lets a field read a UUID that is stored as its 16 bytes as the text of that id.
  mutating func readUUID(_ column: String, of row: SQLiteRow) {
    guard case .blob(let bytes)? = row.value(column), bytes.count == 16,
      let uuid = bytes.withUnsafeBytes({ $0.bindMemory(to: uuid_t.self).first })
    else { return }
    set(column, .id(UUID(uuid: uuid)))
  }
}
// end
