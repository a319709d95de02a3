/// A piece of a list, and where the next one begins.
public struct Page<Item: Sendable>: Sendable {
  /// In the order of the list; empty only for an empty rest.
  public var items: [Item]
  /// To be passed for the next page; nil when this is the last.
  public var next: PageKey?

  /// One piece of a list.
  public init(items: [Item], next: PageKey?) {
    self.items = items
    self.next = next
  }
}
