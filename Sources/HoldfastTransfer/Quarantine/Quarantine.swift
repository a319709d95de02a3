public import Foundation
public import Holdfast

/// The records that imports could not bring into a store: to list, show, retry and discard.
///
///     for record in try store.quarantine.records().items { print(record.path, record.reason) }
///
/// To retry records, repair the source and import it with `ImportOptions.retries`. Imported records leave the quarantine.
public struct Quarantine: Sendable {
  let store: Store

  /// A page of the records, in the order of arrival.
  ///
  /// - Parameters:
  ///   - importID: only records of this import; nil: of all imports.
  ///   - kind: only records of this kind; nil: of all kinds.
  ///   - key: the last page's `next`; nil begins at the first.
  ///   - limit: the most records on the page; values below 1 count as 1.
  /// - Throws: `.misuse` for a key of another list.
  public func records(
    from importID: String? = nil, kind: String? = nil, after key: PageKey? = nil, limit: Int = 100
  ) throws -> Page<QuarantinedRecord> {
    let listing = Listing(condition: Self.condition(importID, kind), columns: [("q.id", .number)])
    return try store.read { reader in
      try reader.page(QuarantinedRecord.columns, from: QuarantinedRecord.tables, listing, after: key, limit: limit) { row in
        try QuarantinedRecord(row: &row)
      }
    }
  }

  /// The number of records.
  public func count(from importID: String? = nil, kind: String? = nil) throws -> Int {
    try store.read { try $0.count("SELECT count(*) FROM holdfast_quarantine q WHERE \(sql: Self.condition(importID, kind))") }
  }

  /// One record with its original bytes in the source; nil when it has left the quarantine. A row of a database is a JSON object.
  ///
  /// - Throws: `.verificationFailed` when the bytes have changed since they were kept.
  public func record(_ id: Int64) throws -> (record: QuarantinedRecord, original: Data)? {
    try store.read { reader in
      try reader.value(Self.withBytes(where: "q.id = \(id)")) { row in
        let record = try QuarantinedRecord(row: &row)
        let original = try row.data()
        guard SHA256Hex.of(original) == record.sha256 else {
          throw StoreError(
            .verificationFailed, "the bytes of \(record.path), number \(record.id) in the quarantine, have changed since they were kept")
        }
        return (record, original)
      }
    }
  }

  /// Writes all records to a file; returns their number. One JSON object per line, as `QuarantinedRecord` is coded, with `original` as a
  /// text, or as `{"base64": "…"}` for bytes that are not UTF-8, and with `damaged` for changed bytes. An old file is replaced at the end,
  /// or stays.
  ///
  /// - Throws: `.misuse` for the store's own file; `.diskFull`, `.cannotCreate`, `.permissionDenied`, `.inputOutput`.
  @discardableResult
  public func export(to url: URL, from importID: String? = nil, kind: String? = nil) throws -> Int {
    try ExportFile.replace(url, from: store) { file in
      var count = 0
      try store.read { reader in
        try reader.rows(Self.withBytes(where: Self.condition(importID, kind))) { row in
          let record = try QuarantinedRecord(row: &row)
          try file.line(record.document(try row.data()))
          count += 1
        }
      }
      return count
    }.result
  }

  /// Deletes records and their bytes for good. Returns how many records were deleted.
  ///
  /// - Throws: `.readOnly` and the errors of writing.
  @discardableResult
  public func discard(_ ids: [Int64]) throws -> Int {
    try store.write { tx in try tx.execute("DELETE FROM holdfast_quarantine WHERE id IN \(ids)") }
  }

  private static func withBytes(where condition: BoundSQL) -> BoundSQL {
    "SELECT \(sql: QuarantinedRecord.columns), q.original FROM \(sql: QuarantinedRecord.tables) WHERE \(sql: condition) ORDER BY q.id"
  }

  private static func condition(_ importID: String?, _ kind: String?) -> BoundSQL {
    var condition: BoundSQL = "true"
    if let importID { condition = "\(sql: condition) AND q.import_id = \(importID)" }
    if let kind { condition = "\(sql: condition) AND q.kind = \(kind)" }
    return condition
  }
}

extension Store {
  /// The records that imports could not bring into this store.
  public var quarantine: Quarantine { Quarantine(store: self) }
}

extension QuarantinedRecord {
  /// The record as a line of an export, and for programs.
  package func document(_ original: Data? = nil) -> JSONValue {
    var members: [String: JSONValue] = [
      "id": .integer(id), "import": .string(importID), "kind": .string(kind), "field": .text(field), "path": .string(path),
      "reason": .string(reason), "bytes": .integer(Int64(byteCount)), "sha256": .string(sha256), "source": .text(source),
      "format": .text(format), "quarantined_at": ShownValue.time(quarantinedAt).json,
    ]
    if let original {
      if SHA256Hex.of(original) != sha256 { members["damaged"] = .bool(true) }
      members["original"] =
        String(validUTF8: original).map(JSONValue.string) ?? .object(["base64": .string(original.base64EncodedString())])
    }
    return .object(members)
  }
}
