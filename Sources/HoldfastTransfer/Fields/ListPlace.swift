import Holdfast

/// Converts places in a source's list to positions in the store, and back.
public enum ListPlace {
  /// The position of the element with this index, with the same gaps as `SparseOrder`.
  public static func position(at index: Int) -> Int64 { (Int64(clamping: index) &+ 1) &* SparseOrder.stride }

  /// The index from which a position was made.
  public static func index(of position: Int64) -> Int64 { position / SparseOrder.stride - 1 }

  /// The place of a stored row, as a field for verification.
  public static func field(of position: Int64) -> SourceField { SourceField("place", .integer(index(of: position)), isPlace: true) }
}
