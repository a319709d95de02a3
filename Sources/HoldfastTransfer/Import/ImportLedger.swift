import Foundation
public import Holdfast

/// A record was refused after a part of it was written. The import then starts again, with a savepoint for each record.
struct HalfWrittenRecord: Error {}

/// An entry of the import ledger: a record that was imported once, with the fingerprint of its fields.
struct ImportedKey: StoredRecord {
  static let table = "holdfast_imported"
  static let columns = ["kind", "key", "fingerprint"]
  static let key = ["kind", "key"]
  var kind: String
  var key: String
  var fingerprint: Int64

  func encode(into values: inout Values) throws {
    try values.text(kind)
    try values.text(key)
    try values.int64(fingerprint)
  }

  static func fingerprint(_ kind: String, _ key: String, _ reader: Reader) throws -> Int64? {
    try reader.value("SELECT fingerprint FROM holdfast_imported WHERE kind = \(kind) AND key = \(key)") { row in try row.int64() }
  }
}

extension ImportedKey {
  init(row: inout StoredRow) throws { self.init(kind: try row.text(), key: try row.text(), fingerprint: try row.int64()) }
}

extension Writer {
  /// Removes records with the chosen keys from the import ledger, as if they had never been imported. The records themselves stay.
  public func forgetImported(kind: String, where isForgotten: (String) -> Bool) throws {
    let keys = try values("SELECT key FROM holdfast_imported WHERE kind = \(kind)") { row in try row.text() }
    for key in keys where isForgotten(key) {
      try execute("DELETE FROM holdfast_imported WHERE kind = \(kind) AND key = \(key)")
    }
  }
}

extension Reader {
  /// The keys of records that were imported once and are no longer in the store. `table` has the keys in its column `id`.
  public func deletedSinceImport(kind: String, table: String) throws -> Set<String> {
    Set(
      try values(
        "SELECT key FROM holdfast_imported WHERE kind = \(kind) AND NOT EXISTS (SELECT 1 FROM \(sql: .names([table])) t WHERE t.id = key)"
      ) { row in try row.text() })
  }

  /// The name of the time zone in which the newest import of a format read its local times. Imports from which nothing came in do not
  /// count. Empty: that import did not record it. Nil: there was no import.
  public func timeZone(ofImports format: String) throws -> String? {
    try value(
      """
      SELECT coalesce(json_extract(report, '$.time_zone'), '') FROM holdfast_imports
      WHERE format = \(format) AND EXISTS (
        SELECT 1 FROM json_each(report, '$.counts') WHERE json_extract(value, '$.imported') + json_extract(value, '$.merged') > 0)
      ORDER BY imported_at DESC, id DESC LIMIT 1
      """
    ) { row in try row.text() }
  }

  /// Whether a record of this kind and key was imported once. It may have been deleted since.
  public func wasImported(kind: String, key: String) throws -> Bool { try ImportedKey.fingerprint(kind, key, self) != nil }
}
