import Foundation
import Holdfast
import HoldfastTransfer

/// How records of one form are read.
struct LegacyTable<Row: Sendable>: Sendable {
  let kind: RecordKind<Row>
  /// The kind of a row that may never be sent. Default: every row may be sent, or its table is not sent.
  var unsent: @Sendable (Row) -> RecordKind<Row>? = { _ in nil }
  /// The report's note for an imported row.
  var note: String?

  /// Visits one record, after the fields that it is imported without.
  ///
  /// - Parameter blank: the row with the private defaults.
  /// - Returns: the row, unless the record goes into quarantine.
  func visit(
    _ members: inout SourceMembers, of row: SQLiteRow, into blank: Row, _ visit: InferenceDatabase.Visit
  ) throws -> Row? {
    let said = members.read(kind.fields, into: blank)
    guard try members.finish(kind: kind.name, path: row.path, original: row.original, at: row.position, visit) else { return nil }
    let unsent = unsent(said.row)
    let note = unsent == nil ? note : "imported without consent to send it; it is never sent"
    try visit(.record((unsent ?? kind).record(said, path: row.path, original: row.original, note: note)), row.position)
    return said.row
  }
}

extension RecordKind {
  /// A kind whose rows wait to be sent, or never are. The SDK's mark of sending is not trusted.
  ///
  /// - Parameters:
  ///   - idColumn: the column that identifies a row.
  ///   - key: the value of that column.
  static func sent(
    _ table: String, _ fields: FieldTable<Row>, idColumn: String = "id", key: @escaping @Sendable (Row) -> String,
    parent: @escaping @Sendable (Row) -> Parent? = { _ in nil }, updatedAt: @escaping @Sendable (Row) -> Date? = { _ in nil },
    isNeverSent: Bool = false, find: @escaping @Sendable (SaidRow<Row>, Reader) throws -> Row?,
    check: @escaping @Sendable (Row, Row) throws -> Void = { _, _ in }, put: @escaping @Sendable (Row, Writer) throws -> Void
  ) -> RecordKind {
    RecordKind(table, table: table, fields, key: key, parent: parent, modifiedAt: updatedAt, find: find, check: check) { row, stored, tx in
      let condition: BoundSQL = "\(raw: idColumn) = \(key(row))"
      // Asked only when needed: it takes a query, and there are many rows.
      let wasPending =
        try isNeverSent && stored != nil
        && tx.count("SELECT count(*) FROM \(raw: table) WHERE \(sql: condition) AND revision > acknowledged_revision") > 0
      try put(row, tx)
      // Everything in a new row is its first revision.
      if stored == nil { try tx.execute("UPDATE \(raw: table) SET revision = 1 WHERE \(sql: condition)") }
      // A stored row that waits keeps waiting: it was recorded here with consent. A sent row stays sent.
      guard isNeverSent, !wasPending else { return }
      if stored == nil {
        try tx.execute("UPDATE \(raw: table) SET set_aside_revision = \(InferenceStore.neverSent) WHERE \(sql: condition)")
      } else {
        try tx.execute("UPDATE \(raw: table) SET acknowledged_revision = revision WHERE \(sql: condition)")
      }
    }
  }
}

extension Date {
  /// Stands for a time while a record is read field by field, before its own time is known.
  static let unset = Date(timeIntervalSince1970: 0)
}
