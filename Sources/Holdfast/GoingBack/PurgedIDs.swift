import Foundation
internal import GRDB

/// The ids of rows that are purged, to find where the kit's own tables name them.
struct PurgedIDs {
  var ids: Set<UUID>

  /// Whether the bytes contain one of the ids: as text in either case, as its 16 bytes, as these in base64, as the quarantine keeps a
  /// blob of another database, or as their hexadecimal digits, as sync keeps the key of a BLOB.
  func areNamed(in bytes: Data) -> Bool {
    bytes.withUnsafeBytes { (all: UnsafeRawBufferPointer) -> Bool in
      guard let start = all.baseAddress else { return false }
      return (0..<all.count).contains { place in
        let (here, left) = (start + place, all.count - place)
        if left >= 16, ids.contains(UUID(uuid: here.loadUnaligned(as: uuid_t.self))) { return true }
        if left >= 24, here.load(fromByteOffset: 23, as: UInt8.self) == UInt8(ascii: "="),
          let blob = Data(base64Encoded: Data(bytes: here, count: 24)), let id = Self.id(.blob(blob)), ids.contains(id)
        {
          return true
        }
        if left >= Self.digitCount, let id = Self.id(ofDigits: .init(start: here, count: Self.digitCount)), ids.contains(id) { return true }
        if left >= IDCodec.byteCount, let id = IDCodec.parse(here, count: IDCodec.byteCount) { return ids.contains(id) }
        return false
      }
    }
  }

  /// The hexadecimal digits of 16 bytes.
  private static let digitCount = 32

  /// The id of `digitCount` hexadecimal digits in either case; nil for other bytes.
  private static func id(ofDigits digits: UnsafeRawBufferPointer) -> UUID? {
    // Looking at the bytes first costs less than a string at every place of a text.
    guard digits.allSatisfy({ JSONStringToken.hexDigit($0) != nil }) else { return nil }
    return id(SHA256Hex.data(hex: String(decoding: digits, as: UTF8.self)).map(SQLValue.blob))
  }

  static func id(_ value: SQLValue?) -> UUID? {
    switch value {
    case .text(let text)?: IDCodec.parse(text)
    case .blob(let bytes)? where bytes.count == 16: UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    default: nil
    }
  }
}

extension PurgedIDs {
  /// Rows of a table, in lower case, that have these values.
  private struct Rows: Hashable {
    let table: String
    let columns: [String]
    let values: [ExactValue]
  }

  /// Finds the rows that will go with the row that has the id in `column`: those that point at it by a foreign key with ON DELETE CASCADE,
  /// and so on from those. Call it before the deletion.
  init(_ id: UUID, in table: String, _ column: String, _ reader: Reader) throws {
    let shapes = try TableShape.all(reader.database.texts)
    var found: Set<UUID> = [id]
    // Rows may point at each other in a circle.
    var reached: Set<Rows> = []
    var waiting = [Rows(table: table.lowercased(), columns: [column], values: [ExactValue(.id(id))])]
    while let rows = waiting.popLast() {
      guard let shape = shapes[rows.table], reached.insert(rows).inserted else { continue }
      let children = shapes.flatMap { name, child in
        child.references.filter { $0.cascades && $0.table == rows.table }.map { (table: name, reference: $0) }
      }
      // A key that is a foreign key is the id of another row, which may stay.
      let key = shape.key.count == 1 && !shape.references.contains { $0.from == shape.key } ? shape.key : []
      let names = key + children.flatMap { $0.reference.to }
      guard !names.isEmpty else { continue }
      let match = BoundSQL.match(rows.columns, rows.values.map(\.value))
      try reader.rows("SELECT \(sql: .names(names)) FROM \(sql: .names([shape.name])) WHERE \(sql: match)") { row in
        let values = try row.values(of: names)
        if let name = key.first, let id = Self.id(values[name]) { found.insert(id) }
        for (table, reference) in children {
          let parent = reference.to.compactMap { values[$0] }
          guard parent.count == reference.from.count, !parent.contains(.null) else { continue }
          waiting.append(Rows(table: table, columns: reference.from, values: parent.map(ExactValue.init)))
        }
      }
    }
    ids = found
  }
}

extension Reader {
  /// What `body` makes of the rows whose next value, a BLOB, contains one of the ids.
  func values<T>(naming ids: PurgedIDs, _ sql: BoundSQL, _ body: (inout StoredRow) throws -> T) throws -> [T] {
    var found: [T] = []
    try rows(sql) { row in
      let value = try body(&row)
      if ids.areNamed(in: try row.data()) { found.append(value) }
    }
    return found
  }
}

extension Writer {
  /// Removes the ids from the ledger of imports, and what sync, the quarantine and the reports of imports tell of them. Returns the number of
  /// quarantined records and fields that were removed.
  func forget(_ ids: PurgedIDs) throws -> Int {
    let imported = try values(naming: ids, "SELECT kind, key, CAST(key AS BLOB) FROM holdfast_imported") { row in
      (kind: try row.text(), key: try row.text())
    }
    for entry in imported { try execute("DELETE FROM holdfast_imported WHERE kind = \(entry.kind) AND key = \(entry.key)") }
    // Nothing can be found in a damaged report, and it may tell of a purged row.
    try execute("UPDATE holdfast_imports SET report = '{}' WHERE NOT json_valid(report)")
    // The last problem of a report first: the places of those before it stay.
    let problems = try values(
      naming: ids,
      """
      SELECT i.id, p.fullkey, CAST(p.value AS BLOB) FROM holdfast_imports AS i CROSS JOIN json_each(i.report, '$.problems') AS p
      ORDER BY i.id, p.key DESC
      """
    ) { row in (report: try row.text(), place: try row.text()) }
    for problem in problems {
      try execute("UPDATE holdfast_imports SET report = json_remove(report, \(problem.place)) WHERE id = \(problem.report)")
    }
    var quarantined: [Int64] = []
    try rows("SELECT id, path, reason, original FROM holdfast_quarantine") { row in
      let id = try row.int64()
      let texts = [try row.text(), try row.text()]
      let original = try row.data()
      if ids.areNamed(in: original) || texts.contains(where: { ids.areNamed(in: Data($0.utf8)) }) { quarantined.append(id) }
    }
    try purgeSynced(ids)
    return try execute("DELETE FROM holdfast_quarantine WHERE id IN \(quarantined)")
  }

  /// Removes what sync keeps of the rows beside those that wait. What only mentions an id and is of a table or a column that this version does
  /// not know stays: other devices have it.
  private func purgeSynced(_ ids: PurgedIDs) throws {
    guard try !tables(named: SyncTables.state).isEmpty else { return }
    for (table, key, searched) in [("lost", "id", "key || body || winner"), ("extra", "tbl || '/' || key", "key")] {
      let query: BoundSQL = "SELECT CAST(\(raw: key) AS TEXT), CAST(\(raw: searched) AS BLOB) FROM holdfast_sync_\(raw: table)"
      let found = try values(naming: ids, query) { try $0.text() }
      for entry in found { try execute("DELETE FROM holdfast_sync_\(raw: table) WHERE CAST(\(raw: key) AS TEXT) = \(entry)") }
    }
  }
}
