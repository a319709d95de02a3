public import Holdfast

/// The documented export, whose rows a library imports by some rules of its own: it says how they are scanned and written. Its name, version,
/// kinds and total are those of `base`, by which stored rows are read back, too.
public protocol PortableFormat: ImportFormat where Content == PortableImport.Row {
  /// The import of the export without those rules.
  var base: PortableImport { get }
}

extension PortableFormat {
  /// See `PortableImport`.
  public var name: String { base.name }
  /// See `PortableImport`.
  public var version: Int { base.version }
  /// See `PortableImport`.
  public var kinds: [(name: String, table: String)] { base.kinds }
  /// See `PortableImport`.
  public var total: Int { base.total }

  /// See `PortableImport`.
  public func readBack(_ record: SourceRecord<PortableImport.Row>, in reader: Reader) throws -> StoredShape? {
    try base.readBack(record, in: reader)
  }
}
