import Foundation
import Holdfast
import HoldfastTransfer

/// A record of the SDK's databases on its way into the store.
struct LegacyRecord: Sendable {
  let write: @Sendable (Writer) throws -> Void
  let readBack: @Sendable (Reader) throws -> StoredShape?
}

/// How one kind of record of one form is read, and where its rows are.
struct LegacyTable<Row: Sendable>: Sendable {
  let kind: String
  let fields: FieldTable<Row>
  /// The column that says which row it is, of a table whose rows are sent; nil of any other.
  let idColumn: String?
  /// The value of that column, and the key that the kit knows the record by.
  let key: @Sendable (Row) -> String
  /// What tells parts of one record apart. Nil: there is one.
  var place: @Sendable (Row) -> Int64? = { _ in nil }
  /// What a merge compares; nil when the source has no such time.
  var updatedAt: @Sendable (Row) -> Date? = { _ in nil }
  /// Whether it may be sent at all.
  var mayWait: @Sendable (Row) -> Bool = { _ in true }
  /// What the report says of a row that comes in.
  var note: String?
  let find: @Sendable (Row, Reader) throws -> Row?
  let put: @Sendable (Row, Writer) throws -> Void

  /// Tells of one record, after the fields that it comes without.
  ///
  /// - Parameter row: with the private defaults.
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

  /// What comes in waits to be sent, unless it is never sent: the SDK's word for what a server has is not believed.
  private func write(_ said: SaidRow<Row>, _ isNeverSent: Bool, in tx: Writer) throws {
    let row = said.row
    let stored = try find(row, tx)
    // It takes a question, and there are many rows.
    let wasPending = try isNeverSent && stored != nil && isPending(row, in: tx)
    try put(stored.map { fields.merged(said, into: $0) } ?? row, tx)
    guard let idColumn else { return }
    let condition: BoundSQL = "\(raw: idColumn) = \(key(row))"
    // What a new row is made of is its first revision.
    if stored == nil { try tx.execute("UPDATE \(raw: kind) SET revision = 1 WHERE \(sql: condition)") }
    // One that the store has waits under a consent that was given here, or was sent, or does not wait already.
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
