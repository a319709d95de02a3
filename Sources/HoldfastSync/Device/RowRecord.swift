package import Holdfast

/// The record type of a synced table: it refuses rows that it cannot read, and computes the derived columns.
package struct RowRecord {
  /// In the order in which the record binds them.
  package let columns: [String]
  /// The values of a row, as the record binds them after it has read them.
  package let rebound: ([SQLValue]) throws -> [SQLValue]
  /// Only reads them.
  let check: ([SQLValue]) throws -> Void
}

extension RowRecord {
  package init(_ type: any StoredRecord.Type) throws { self = try Self.made(type) }

  private static func made<Record: StoredRecord>(_ type: Record.Type) throws -> RowRecord {
    let bench = try RecordBench<Record>()
    return RowRecord(
      columns: Record.columns, rebound: { try bench.values(of: bench.record(of: $0)) }, check: { _ = try bench.record(of: $0) })
  }
}
