public import Foundation

/// A piece of a list, and where the next one begins.
public struct Page<Item: Sendable>: Sendable {
  public var items: [Item]
  /// To be passed for the next page; nil when this is the last.
  public var next: PageKey?

  public init(items: [Item], next: PageKey?) {
    self.items = items
    self.next = next
  }
}

/// The place of a row in a list that is ordered by a time and an id: it stays right when rows are added or removed.
public struct PageKey: Sendable, Hashable, Codable {
  /// Milliseconds since 1970.
  public var milliseconds: Int64
  public var id: UUID

  public init(milliseconds: Int64, id: UUID) {
    self.milliseconds = milliseconds
    self.id = id
  }
}
