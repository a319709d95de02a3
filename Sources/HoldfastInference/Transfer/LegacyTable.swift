import Foundation
import Holdfast
import HoldfastTransfer

/// A record of the SDK's databases on its way into the store.
struct LegacyRecord: Sendable {
  let write: @Sendable (Writer) throws -> Void
  let readBack: @Sendable (Reader) throws -> StoredShape?
}

/// How records of one kind and form are read, and where they are stored.
struct LegacyTable<Row: Sendable>: Sendable {
  let kind: String
  let fields: FieldTable<Row>
  /// The column that identifies a row, in a table whose rows are sent; nil for other tables.
  let idColumn: String?
  /// The value of that column, and the record's key for the kit.
  let key: @Sendable (Row) -> String
  /// The place among several parts of one record; nil for a single part.
  var place: @Sendable (Row) -> Int64? = { _ in nil }
  /// The time that a merge compares; nil when the source has none.
  var updatedAt: @Sendable (Row) -> Date? = { _ in nil }
  /// Whether the row may ever be sent.
  var mayWait: @Sendable (Row) -> Bool = { _ in true }
  /// The report's note for an imported row.
  var note: String?
  let find: @Sendable (Row, Reader) throws -> Row?
  let put: @Sendable (Row, Writer) throws -> Void

  /// Visits one record, after the fields that it is imported without.
  ///
  /// - Parameter row: the row with the private defaults.
  /// - Returns: the row, unless the record goes into quarantine.
  func visit(
    _ members: inout SourceMembers, into row: Row, in parent: SourceRecord<LegacyRecord>.Parent? = nil, path: SourcePath,
    original: SourceBytes, at position: Int, _ visit: (Scanned<LegacyRecord>, Int) throws -> Void
  ) throws -> Row? {
    let said = members.read(fields, into: row)
    guard try members.finish(kind: kind, path: path, original: original, at: position, visit) else { return nil }
    let (row, table, isNeverSent) = (said.row, self, !mayWait(said.row))
    try visit(
      .record(
        SourceRecord(
          kind: kind, key: place(row).map { "\(key(row))/\($0)" } ?? key(row), parent: parent, path: path,
          fields: shape(said.fields, row), modifiedAt: updatedAt(row).flatMap(DateCodec.milliseconds),
          content: LegacyRecord(
            write: { try table.write(said, isNeverSent, in: $0) }, readBack: { try table.readBack(said, in: $0) }),
          original: original, note: isNeverSent ? "imported without consent to send it; it is never sent" : note)
      ),
      position)
    return row
  }

  private func shape(_ said: [SourceField], _ row: Row) -> [SourceField] {
    said + (place(row).map { [SourceField("place", .integer($0), isPlace: true)] } ?? [])
  }

  private func readBack(_ said: SaidRow<Row>, in reader: Reader) throws -> StoredShape? {
    guard let stored = try find(said.row, reader) else { return nil }
    return StoredShape(
      fields: shape(fields.shape(of: stored, as: said), stored), modifiedAt: updatedAt(stored).flatMap(DateCodec.milliseconds))
  }

  /// Writes the row, which then waits to be sent, or never is. The SDK's mark of sending is not trusted.
  private func write(_ said: SaidRow<Row>, _ isNeverSent: Bool, in tx: Writer) throws {
    let row = said.row
    let stored = try find(row, tx)
    // Asked only when needed: it takes a query, and there are many rows.
    let wasPending = try isNeverSent && stored != nil && isPending(row, in: tx)
    try put(stored.map { fields.merged(said, into: $0) } ?? row, tx)
    guard let idColumn else { return }
    let condition: BoundSQL = "\(raw: idColumn) = \(key(row))"
    // Everything in a new row is its first revision.
    if stored == nil { try tx.execute("UPDATE \(raw: kind) SET revision = 1 WHERE \(sql: condition)") }
    // A stored row that waits keeps waiting: it was recorded here with consent. A sent row stays sent.
    guard isNeverSent, !wasPending else { return }
    if stored == nil {
      try tx.execute("UPDATE \(raw: kind) SET set_aside_revision = \(InferenceStore.neverSent) WHERE \(sql: condition)")
    } else {
      try tx.execute("UPDATE \(raw: kind) SET acknowledged_revision = revision WHERE \(sql: condition)")
    }
  }

  private func isPending(_ row: Row, in reader: Reader) throws -> Bool {
    guard let idColumn else { return false }
    return try reader.count("SELECT count(*) FROM \(raw: kind) WHERE \(raw: idColumn) = \(key(row)) AND revision > acknowledged_revision")
      > 0
  }
}

extension UUID {
  /// Stands for an id while a record is read field by field, before its own id is known. No record has this id.
  static let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
