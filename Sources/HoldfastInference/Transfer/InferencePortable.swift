import Holdfast
import HoldfastTransfer

/// The documented export of a store whose rows are sent. Each store counts its own revisions. A new row only keeps whether the
/// server has it, and a row that the file changed waits to be sent.
///
/// A new configuration always waits: its parts come after it, and each changes it. It keeps the API key of this store, if there
/// is one: exports contain no secrets.
struct InferencePortable: PortableFormat {
  let base: PortableImport

  /// Whether a column keeps this store's value, whatever the file says.
  private static func isOwn(_ column: String, of kind: String) -> Bool {
    ["revision", "acknowledged_revision", "set_aside_revision"].contains(column)
      || (kind == ConfigurationRow.table && column == "api_key_reference")
  }

  func scan(_ reader: Reader, _ visit: (Scanned<PortableImport.Row>, Int) throws -> Void) throws {
    var times: [String: Int64] = [:]
    try base.scan(reader) { scanned, position in
      guard case .record(var record) = scanned else { return try visit(scanned, position) }
      if record.kind == ConfigurationRow.table {
        times[record.key] = record.modifiedAt
        record.note = try FurtherRoutings.note(on: record.key, in: reader)
      } else if record.kind == RoutingRow.table, let id = record.parent?.key, try base.readBack(record, in: reader) == nil,
        let reason = try FurtherRoutings.absence(of: id, times[id], in: reader)
      {
        return try visit(.skipped(kind: record.kind, path: record.path, reason: reason), position)
      }
      record.fields.removeAll { Self.isOwn($0.name, of: record.kind) }
      try visit(.record(record), position)
    }
  }

  func write(_ record: SourceRecord<PortableImport.Row>, in tx: Writer) throws {
    guard let table = Outbox(rawValue: record.kind) else { return try base.write(record, in: tx) }
    let condition: BoundSQL = "\(raw: table.key) = \(record.key)"
    let before = try tx.value(
      "SELECT revision, acknowledged_revision, set_aside_revision FROM \(raw: record.kind) WHERE \(sql: condition)"
    ) { row in (revision: try row.int64(), acknowledged: try row.int64(), setAside: try row.int64()) }
    let isConfiguration = record.kind == ConfigurationRow.table
    let reference = try isConfiguration ? InferenceStore.apiKeyReference(of: record.key, in: tx) : nil
    try base.write(record, in: tx)
    if isConfiguration {
      try FurtherRoutings.remove(of: record.key, in: tx)
      try tx.execute("UPDATE configuration SET api_key_reference = \(reference) WHERE \(sql: condition)")
    }
    guard let before else {
      // The export does not say why a server refused a row, so the row is tried again.
      let never = InferenceStore.neverSent
      try tx.execute(
        """
        UPDATE \(raw: record.kind) SET acknowledged_revision = revision <= acknowledged_revision,
          set_aside_revision = iif(set_aside_revision = \(never), \(never), 0), revision = 1
        WHERE \(sql: condition)
        """)
      return
    }
    try tx.execute(
      """
      UPDATE \(raw: record.kind) SET revision = \(before.revision &+ 1), acknowledged_revision = \(before.acknowledged),
        set_aside_revision = \(before.setAside) WHERE \(sql: condition)
      """)
  }

  func readBack(_ record: SourceRecord<PortableImport.Row>, in reader: Reader) throws -> StoredShape? {
    var shape = try base.readBack(record, in: reader)
    shape?.fields.removeAll { Self.isOwn($0.name, of: record.kind) }
    return shape
  }
}
