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
  let fields: [LegacyField<Row>]
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
    _ members: inout LegacyMembers, into row: Row, in parent: SourceRecord<LegacyRecord>.Parent? = nil, path: SourcePath,
    original: SourceBytes, at position: Int, _ visit: (Scanned<LegacyRecord>, Int) throws -> Void
  ) throws -> Row? {
    var row = row
    let (said, carries) = members.read(fields, into: &row)
    members.tellUnknown()
    if let problem = members.problem {
      try visit(.damaged(kind: kind, path: path, reason: problem, original: original), position)
      return nil
    }
    for field in members.damaged {
      try visit(
        .damagedField(kind: kind, field: field.name, path: path, reason: field.reason, original: field.original), position)
    }
    let (read, table, isNeverSent) = (row, self, !mayWait(row))
    try visit(
      .record(
        SourceRecord(
          kind: kind, key: place(row).map { "\(key(row))/\($0)" } ?? key(row), parent: parent, path: path,
          fields: shape(said, row), modifiedAt: updatedAt(row).flatMap(DateCodec.milliseconds),
          content: LegacyRecord(
            write: { try table.write(read, carries, isNeverSent, in: $0) }, readBack: { try table.readBack(read, carries, in: $0) }),
          original: original, note: isNeverSent ? "imported without consent to send it; it is never sent" : note)
      ),
      position)
    return row
  }

  private func shape(_ said: [SourceField], _ row: Row) -> [SourceField] {
    said + (place(row).map { [SourceField("place", .integer($0), isPlace: true)] } ?? [])
  }

  /// Null for what the source does not say: whatever the store has for it is no difference.
  private func readBack(_ row: Row, _ carries: UInt64, in reader: Reader) throws -> StoredShape? {
    guard let stored = try find(row, reader) else { return nil }
    let said = fields.enumerated().map { number, field in
      SourceField(field.name, carries & 1 << UInt64(number) != 0 ? field.get(stored) : .null)
    }
    return StoredShape(fields: shape(said, stored), modifiedAt: updatedAt(stored).flatMap(DateCodec.milliseconds))
  }

  /// What comes in waits to be sent, unless it is never sent: the SDK's word for what a server has is not believed.
  private func write(_ row: Row, _ carries: UInt64, _ isNeverSent: Bool, in tx: Writer) throws {
    let stored = try find(row, tx)
    // It takes a question, and there are many rows.
    let wasPending = try isNeverSent && stored != nil && isPending(row, in: tx)
    var merged = stored ?? row
    if stored != nil {
      for (number, field) in fields.enumerated() where carries & 1 << UInt64(number) != 0 { field.copy(row, &merged) }
    }
    try put(merged, tx)
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
