// snippet: own-library
public import Holdfast

/// The books that somebody has read, or wants to.
public struct ReadingList: Library {
  public let store: Store
  public init(_ store: Store) { self.store = store }
}
// end
