// snippet: own-library
public import Holdfast

/// The books that somebody has read, or wants to.
public struct ReadingList: Library {
  /// The file, or the memory, that holds the list; other tables may share it.
  public let store: Store

  /// A list in a store that was opened with `ReadingList.schema`.
  public init(_ store: Store) { self.store = store }
}
// end
