import Foundation
import Holdfast

/// What the complete importers share: a record is found again by its id.
extension FieldTable where Row: StoredRecord & Identifiable, Row.ID == UUID {
  /// The row to save: the stored row with the fields that the source has, or a new row.
  func rowToSave(_ said: SaidRow<Row>, in reader: Reader) throws -> Row {
    try reader.find(Row.self, id: said.row.id).map { merged(said, into: $0) } ?? said.row
  }

  /// The stored row in the source's form; nil when there is none.
  func storedShape(as said: SaidRow<Row>, in reader: Reader, modifiedAt: (Row) -> Date?) throws -> StoredShape? {
    try reader.find(Row.self, id: said.row.id).map { stored in
      StoredShape(fields: shape(of: stored, as: said), modifiedAt: modifiedAt(stored).flatMap(DateCodec.milliseconds))
    }
  }
}
