import Holdfast

/// Places in a source's list, as positions in the store: the place can be read back from the position.
public enum ListPlace {
  /// The position of the element with this index, with room for others between it and the next, as `SparseOrder` leaves it.
  public static func position(at index: Int) -> Int64 { (Int64(clamping: index) &+ 1) &* SparseOrder.stride }

  /// The index that a position was made of.
  public static func index(of position: Int64) -> Int64 { position / SparseOrder.stride - 1 }
}
