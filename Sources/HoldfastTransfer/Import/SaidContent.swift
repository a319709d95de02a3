public import Holdfast

/// How one record is written, and how it is read back: the content of the records that a `RecordKind` makes.
public struct SaidContent: Sendable {
  private let record: any WritableRecord

  @usableFromInline
  init(_ record: any WritableRecord) { self.record = record }

  /// Inserts or updates the record's row.
  public func write(in tx: Writer) throws { try record.write(in: tx) }

  /// The record's stored row in the source's form; nil when there is none.
  public func readBack(in reader: Reader) throws -> StoredShape? { try record.readBack(in: reader) }
}

extension ImportFormat where Content == SaidContent {
  /// Saves the record as its kind says.
  public func write(_ record: SourceRecord<SaidContent>, in tx: Writer) throws { try record.content.write(in: tx) }

  /// The stored record in the source's form.
  public func readBack(_ record: SourceRecord<SaidContent>, in reader: Reader) throws -> StoredShape? {
    try record.content.readBack(in: reader)
  }
}

/// A class, because there is one for each record, and it is passed on many times.
@usableFromInline
protocol WritableRecord: AnyObject, Sendable {
  func write(in tx: Writer) throws
  func readBack(in reader: Reader) throws -> StoredShape?
}

/// What a source says of one record, and its kind.
@usableFromInline
final class SaidRecord<Row: Sendable>: WritableRecord {
  @usableFromInline let kind: RecordKind<Row>
  @usableFromInline let said: SaidRow<Row>
  @usableFromInline let isPlaceFree: Bool
  @usableFromInline let first: SaidContent?

  @inlinable
  init(_ kind: RecordKind<Row>, _ said: SaidRow<Row>, _ isPlaceFree: Bool, _ first: SaidContent?) {
    (self.kind, self.said, self.isPlaceFree, self.first) = (kind, said, isPlaceFree, first)
  }

  @usableFromInline
  func write(in tx: Writer) throws {
    try first?.write(in: tx)
    try kind.write(self, tx)
  }

  @usableFromInline func readBack(in reader: Reader) throws -> StoredShape? { try kind.readBack(self, reader) }
}
