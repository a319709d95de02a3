/// A piece of a list, and where the next one begins.
public struct Page<Item: Sendable>: Sendable {
  /// The items, in the order of the list; empty only when no items are left.
  public var items: [Item]
  /// The key to pass for the next page; nil on the last page.
  public var next: PageKey?

  /// Makes a page of a list.
  public init(items: [Item], next: PageKey?) {
    self.items = items
    self.next = next
  }
}
