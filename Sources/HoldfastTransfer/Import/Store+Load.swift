public import Holdfast

extension Store {
  /// Loads the records of a format into this store without a copy of the source, without verification, and without an entry in the ledger
  /// of sources. For a store in memory that mirrors data which stay elsewhere: an app's old file, or a payload from a server.
  ///
  /// Records that cannot be loaded go into quarantine, as in an import. A cancelled task does not cancel the loading. The report names no
  /// source.
  /// - Throws: `.invalidSource`, and the errors of writing; the store is then unchanged.
  @discardableResult
  public func loading<Format: ImportFormat>(_ format: Format) throws -> ImportReport {
    var options = ImportOptions()
    // A cancelled load would leave a library without its data.
    options.isCancelled = { false }
    func run(isCareful: Bool) throws -> ImportReport {
      try write(as: "load") { tx in
        var run = try ImportRun(format, source: nil, options: options, importID: IDCodec.lowercase(tx.makeID()))
        run.verifies = false
        run.isCareful = isCareful
        return try run.run(in: tx)
      }
    }
    do { return try run(isCareful: false) } catch is HalfWrittenRecord { return try run(isCareful: true) }
  }
}
