import Foundation
import Holdfast

/// A record of the SDK's databases on its way into the store.
struct LegacyRecord: Sendable {
  let write: @Sendable (Transaction) throws -> Void
  let readBack: @Sendable (Reader) throws -> StoredShape?
}

/// How one kind of record of one form is read, and where its rows are.
struct LegacyTable<Row: Sendable>: Sendable {
  /// The table with the revision of a row, and the column that says which row it is.
  struct Revision: Sendable {
    var table: String
    var column = "id"
    /// False for the part of a record: what is pending is the whole.
    var isOwn = true
    /// False where the source's word for what was sent is not believed.
    var isTold = true
  }

  /// What becomes of a row that is written.
  private enum Sending {
    /// The server does not have it, or nobody knows.
    case waits
    case isThere
    /// It is kept, and waits for nothing, whatever changes.
    case isNeverSent
  }

  let kind: String
  let fields: [LegacyField<Row>]
  let revision: Revision?
  /// The value of the revision's column, and the key that the kit knows the record by.
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
  let put: @Sendable (Row, Transaction) throws -> Void

  /// Tells of one record, after the fields that it comes without.
  ///
  /// - Parameters:
  ///   - row: with the private defaults.
  ///   - isPending: whether the server does not have it yet.
  /// - Returns: the row, unless the record goes into quarantine.
  func visit(
    _ members: inout LegacyMembers, into row: Row, isPending: Bool, in parent: SourceRecord<LegacyRecord>.Parent? = nil, path: SourcePath,
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
    let (read, table) = (row, self)
    let sending: Sending = !mayWait(row) ? .isNeverSent : isPending || revision?.isTold == false ? .waits : .isThere
    try visit(
      .record(
        SourceRecord(
          kind: kind, key: place(row).map { "\(key(row))/\($0)" } ?? key(row), parent: parent, path: path,
          fields: shape(said, row, isPending), modifiedAt: updatedAt(row).flatMap(DateCodec.milliseconds),
          content: LegacyRecord(
            write: { try table.write(read, carries, sending, in: $0) }, readBack: { try table.readBack(read, carries, isPending, in: $0) }),
          original: original, note: sending == .isNeverSent ? "nobody has agreed that it is sent: it is kept, and waits for nothing" : note)
      ),
      position)
    return row
  }

  private func shape(_ said: [SourceField], _ row: Row, _ isPending: Bool) -> [SourceField] {
    var fields = said
    if let revision, revision.isOwn, revision.isTold { fields.append(SourceField("sync_pending", .bool(isPending))) }
    if let place = place(row) { fields.append(SourceField("place", .integer(place), isPlace: true)) }
    return fields
  }

  /// Null for what the source does not say: whatever the store has for it is no difference.
  /// That a row waits here which the server had for the source is none either: it was changed here.
  private func readBack(_ row: Row, _ carries: UInt64, _ isPendingThere: Bool, in reader: Reader) throws -> StoredShape? {
    guard let stored = try find(row, reader) else { return nil }
    let said = fields.enumerated().map { number, field in
      SourceField(field.name, carries & 1 << UInt64(number) != 0 ? field.get(stored) : .null)
    }
    let shape = shape(said, stored, try isPendingThere && isPending(row, in: reader))
    return StoredShape(fields: shape, modifiedAt: updatedAt(stored).flatMap(DateCodec.milliseconds))
  }

  private func isPending(_ row: Row, in reader: Reader) throws -> Bool {
    guard let revision else { return false }
    return try reader.count(
      """
      SELECT count(*) FROM \(raw: revision.table) WHERE \(raw: revision.column) = \(key(row)) AND revision > acknowledged_revision
      """) > 0
  }

  /// What the server has is acknowledged; what it does not have, or nobody knows, is pending.
  private func write(_ row: Row, _ carries: UInt64, _ sending: Sending, in tx: Transaction) throws {
    let stored = try find(row, tx)
    // It takes a question, and there are many rows.
    let wasPending = try sending != .waits && stored != nil && isPending(row, in: tx)
    var merged = stored ?? row
    if stored != nil {
      for (number, field) in fields.enumerated() where carries & 1 << UInt64(number) != 0 { field.copy(row, &merged) }
    }
    try put(merged, tx)
    guard let revision else { return }
    let condition: SQL = "\(raw: revision.column) = \(key(row))"
    // What a new row is made of is its first revision.
    if stored == nil, revision.isOwn { try tx.execute("UPDATE \(raw: revision.table) SET revision = 1 WHERE \(sql: condition)") }
    switch sending {
    case .waits where revision.isOwn:
      // The store may have taken for sent what the source does not, and nothing else may have changed.
      try tx.execute(
        "UPDATE \(raw: revision.table) SET acknowledged_revision = revision - 1 WHERE \(sql: condition) AND acknowledged_revision >= revision"
      )
    case .waits: break
    // What was changed here the server does not have, whatever it has of the source.
    case .isThere where wasPending: break
    case .isThere: try tx.execute("UPDATE \(raw: revision.table) SET acknowledged_revision = revision WHERE \(sql: condition)")
    // One that the store has waits under a consent that was given here, or was sent, or does not wait already.
    case .isNeverSent where wasPending: break
    case .isNeverSent where stored != nil:
      try tx.execute("UPDATE \(raw: revision.table) SET acknowledged_revision = revision WHERE \(sql: condition)")
    case .isNeverSent:
      try tx.execute("UPDATE \(raw: revision.table) SET set_aside_revision = \(InferenceStore.neverSent) WHERE \(sql: condition)")
    }
  }
}
