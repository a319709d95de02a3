package import Foundation
package import Holdfast

extension Store {
  /// Loads a source into this store without a copy of it, without verification, and without an entry in the ledger of sources. For a store
  /// in memory that mirrors the source. Records that cannot be loaded go into quarantine, as in an import.
  ///
  /// - Throws: `.invalidSource`, and the errors of writing; the store is then unchanged.
  @discardableResult
  package func loading<Format: ImportFormat>(_ format: Format, from source: ImportSource) throws -> ImportReport {
    var options = ImportOptions()
    // A cancelled load would leave a library without its data.
    options.isCancelled = { false }
    return try write { tx in
      var run = try ImportRun(format, source: source, options: options, importID: IDCodec.lowercase(tx.makeID()))
      run.verifies = false
      return try run.run(in: tx)
    }
  }

  /// The content of the quarantine, in the order of arrival. `field` is nil for a whole record.
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
  /// Makes a source from bytes that came from no file, with a name for errors.
  package init(_ bytes: Data, named name: String) {
    url = URL(fileURLWithPath: name)
    hashes = SourceHashes(ofFile: SHA256Hex.of(bytes))
    self.bytes = Int64(bytes.count)
    modifiedAt = nil
    isBeginning = false
  }
}
