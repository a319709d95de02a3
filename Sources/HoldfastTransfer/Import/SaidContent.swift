public import Holdfast

/// How one record is written, and how it is read back: the content of the records that a `RecordKind` makes.
public struct SaidContent: Sendable {
  private let record: any WritableRecord

  @usableFromInline
  init(_ record: any WritableRecord) { self.record = record }

  /// Makes the content of a record that has no `RecordKind`, or of which another row is written, too.
  ///
  /// - Parameters:
  ///   - write: inserts or updates the row. A `.constraint` or `.invalidValue` error sends the record into quarantine.
  ///   - readBack: the stored row, with the fields in the order of the record's; nil when there is none.
  public init(
    write: @escaping @Sendable (Writer) throws -> Void, readBack: @escaping @Sendable (Reader) throws -> StoredShape?
  ) {
    record = OtherRecord(write, readBack)
  }

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
  /// The values of the key, where `RecordMaker` found them out; otherwise empty.
  @usableFromInline let key: [SQLValue]

  @inlinable
  init(_ kind: RecordKind<Row>, _ said: SaidRow<Row>, isPlaceFree: Bool = false, key: [SQLValue] = []) {
    (self.kind, self.said, self.isPlaceFree, self.key) = (kind, said, isPlaceFree, key)
  }

  @usableFromInline func write(in tx: Writer) throws { try kind.write(self, tx) }
  @usableFromInline func readBack(in reader: Reader) throws -> StoredShape? { try kind.readBack(self, reader) }
}

private final class OtherRecord: WritableRecord {
  private let written: @Sendable (Writer) throws -> Void
  private let read: @Sendable (Reader) throws -> StoredShape?

  init(_ write: @escaping @Sendable (Writer) throws -> Void, _ readBack: @escaping @Sendable (Reader) throws -> StoredShape?) {
    (written, read) = (write, readBack)
  }

  func write(in tx: Writer) throws { try written(tx) }
  func readBack(in reader: Reader) throws -> StoredShape? { try read(reader) }
}
