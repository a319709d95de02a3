package import Foundation
package import Holdfast

extension Store {
  /// Takes a source into this store without keeping a copy of it, without verifying, and without an entry in the ledger of
  /// sources: for a store in memory that is a view of the source. What cannot be taken is in the quarantine, as after an import.
  ///
  /// - Throws: `.invalidSource`, and what the doors throw; the store is then as before.
  @discardableResult
  package func loading<Format: ImportFormat>(_ format: Format, from source: ImportSource) throws -> ImportReport {
    var options = ImportOptions()
    // The alternative is a library without its data.
    options.isCancelled = { false }
    return try write { tx in
      var run = ImportRun(format, source: source, options: options, importID: IDCodec.lowercase(tx.makeID()))
      run.verifies = false
      return try run.run(in: tx)
    }
  }

  /// What the quarantine holds, in the order in which it came in. `field` is nil for a whole record.
  package static func quarantined(
    in reader: Reader
  ) throws -> [(kind: String, field: String?, path: String, reason: String, original: Data)] {
    try reader.values("SELECT kind, field, path, reason, original FROM holdfast_quarantine ORDER BY id") { row in
      let kind = try row.text()
      let field = try row.text()
      return (kind, field.isEmpty ? nil : field, try row.text(), try row.text(), try row.data())
    }
  }
}

extension ImportSource {
  /// Bytes that came from no file, under a name for errors.
  package init(_ bytes: Data, named name: String) {
    url = URL(fileURLWithPath: name)
    sha256 = SHA256Hex.of(bytes)
    self.bytes = Int64(bytes.count)
    modifiedAt = nil
    isBeginning = false
  }
}
