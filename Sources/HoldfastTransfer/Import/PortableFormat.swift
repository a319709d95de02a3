public import Holdfast

/// The documented export, whose rows a library imports by some rules of its own. What it does not say is as in `PortableImport`.
public protocol PortableFormat: ImportFormat where Content == PortableImport.Row {
  /// Reads the export.
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
