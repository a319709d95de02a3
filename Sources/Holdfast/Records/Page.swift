public import Foundation

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

/// The place of a row in a list that is ordered by a time and an id: it stays right when rows are added or removed.
public struct PageKey: Sendable, Hashable, Codable {
  /// Milliseconds since 1970.
  public var milliseconds: Int64
  /// Decides between rows of the same millisecond.
  public var id: UUID

  /// A place that need not be that of a row that is still there.
  public init(milliseconds: Int64, id: UUID) {
    self.milliseconds = milliseconds
    self.id = id
  }
}
