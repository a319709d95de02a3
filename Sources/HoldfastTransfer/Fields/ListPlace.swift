public import Holdfast

/// Places in a source's list, as positions in the store: the place can be read back from the position.
public enum ListPlace {
  /// The position of the element with this index, with room for others between it and the next, as `SparseOrder` leaves it.
  public static func position(at index: Int) -> Int64 { (Int64(clamping: index) &+ 1) &* SparseOrder.stride }

  /// The index that a position was made of.
  public static func index(of position: Int64) -> Int64 { position / SparseOrder.stride - 1 }

  /// The place of a stored row, for verification.
  public static func field(of position: Int64) -> SourceField { SourceField("place", .integer(index(of: position)), isPlace: true) }
}

extension Writer {
  /// The first position from `position` on that no other row of a list has: in a list that the user changed since, another row may have
  /// the place of the source by now.
  ///
  /// - Parameter others: the other rows of the list: `collection_id = … AND id <> …`.
  public func freePosition(from position: Int64, in table: String, where others: BoundSQL) throws -> Int64 {
    var position = position
    while try count("SELECT count(*) FROM \(raw: table) WHERE position = \(position) AND (\(sql: others))") > 0 { position &+= 1 }
    return position
  }
}
