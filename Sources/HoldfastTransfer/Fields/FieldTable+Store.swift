public import Foundation
public import Holdfast

/// What a record of a source says: how it is written, and how it is read back.
public struct SaidContent: Sendable {
  let write: @Sendable (Writer) throws -> Void
  let readBack: @Sendable (Reader) throws -> StoredShape?
}

/// What the complete importers share: a record is found again by its id.
extension FieldTable where Row: StoredRecord & Identifiable & Sendable, Row.ID == UUID {
  /// The record of a source. Saved is the stored row with the fields that the source has, or a new row.
  func record(
    _ said: SaidRow<Row>, kind: String, path: SourcePath, original: SourceBytes, modifiedAt: @escaping @Sendable (Row) -> Date?,
    save: @escaping @Sendable (Row, Writer) throws -> Void
  ) -> SourceRecord<SaidContent> {
    let content = SaidContent { tx in
      try save(tx.find(Row.self, id: said.row.id).map { merged(said, into: $0) } ?? said.row, tx)
    } readBack: { reader in
      try reader.find(Row.self, id: said.row.id).map { stored in
        StoredShape(fields: shape(of: stored, as: said), modifiedAt: modifiedAt(stored).flatMap(DateCodec.milliseconds))
      }
    }
    return SourceRecord(
      kind: kind, key: IDCodec.lowercase(said.row.id), path: path, fields: said.fields,
      modifiedAt: modifiedAt(said.row).flatMap(DateCodec.milliseconds), content: content, original: original)
  }
}
