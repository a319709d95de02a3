public import Holdfast

/// The rule of a record's place among others: how it is compared, and which position its row gets.
public struct RecordPlace<Row: Sendable>: Sendable {
  @usableFromInline let field: @Sendable (Row) -> SourceField
  /// Gives a row the place of the source's row. The other arguments: whether that is known to be free, and the table.
  @usableFromInline let put: @Sendable (inout Row, Row, Bool, String, Writer) throws -> Void

  @inlinable
  init(
    field: @escaping @Sendable (Row) -> SourceField,
    put: @escaping @Sendable (inout Row, Row, Bool, String, Writer) throws -> Void = { _, _, _, _, _ in }
  ) {
    (self.field, self.put) = (field, put)
  }

  /// The place in a list with gaps, compared as the index that `ListPlace` makes of it. A row gets the source's position, or the next
  /// free one if another row of its list has it.
  ///
  /// - Parameters:
  ///   - path: the property with the position, which the column `position` has.
  ///   - others: a condition for the other rows of a row's list: `collection_id = … AND id <> …`.
  @inlinable
  public static func list(
    _ path: any WritableKeyPath<Row, Int64> & Sendable, among others: @escaping @Sendable (Row) -> BoundSQL
  ) -> RecordPlace {
    RecordPlace {
      ListPlace.field(of: $0[keyPath: path])
    } put: { row, said, isFree, table, tx in
      var position = said[keyPath: path]
      if !isFree {
        let isOther = others(row)
        // Another row may have taken the source's position, because the user has changed the list.
        while try tx.count("SELECT count(*) FROM \(raw: table) WHERE position = \(position) AND (\(sql: isOther))") > 0 { position &+= 1 }
      }
      row[keyPath: path] = position
    }
  }

  /// A number that belongs to the record's key, compared as it is.
  @inlinable
  public static func number(_ number: @escaping @Sendable (Row) -> Int64) -> RecordPlace {
    RecordPlace(field: { SourceField("place", .integer(number($0)), isPlace: true) })
  }
}
