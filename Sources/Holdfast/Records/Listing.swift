/// Rows in an order that an index has, read in pages.
///
/// ```swift
/// let newest = Listing(columns: [("added_at", .number), ("id", .text)], isDescending: true)
/// let page = try reader.page("id, title", from: "books", newest, after: key, limit: 50) { row in (try row.id(), try row.text()) }
/// ```
public struct Listing: Sendable {
  /// What rows there are.
  public var condition: BoundSQL
  /// What they are ordered by; no column is ever NULL in these rows, and together they tell rows apart.
  public var columns: [(name: String, kind: PageKey.Part)]
  /// Of all columns.
  public var isDescending: Bool
  /// Rows with the same values are one.
  public var isGrouped: Bool

  /// All rows, or those of `condition`.
  public init(
    condition: BoundSQL = "true", columns: [(name: String, kind: PageKey.Part)], isDescending: Bool = false, isGrouped: Bool = false
  ) {
    self.condition = condition
    self.columns = columns
    self.isDescending = isDescending
    self.isGrouped = isGrouped
  }

  fileprivate var order: String {
    columns.map { isDescending ? $0.name + " DESC" : $0.name }.joined(separator: ", ")
  }

  /// Tells its keys from those of every other list, of the same rows in another order as well as of other rows in the same order.
  fileprivate func name(of source: BoundSQL) -> String {
    let values = (source.values + condition.values).map { PageKey($0).texts.joined() }
    return ([source.text, condition.text, order] + values).joined(separator: "; ")
  }

  /// What comes after the row with these parts; nil is all.
  fileprivate func rest(after parts: [SQLValue]?) throws -> BoundSQL {
    guard let parts else { return "" }
    let list = columns.map(\.name).joined(separator: ", ")
    return "AND (\(raw: list)) \(raw: isDescending ? "<" : ">") \(sql: try PageKey(parts).row(columns.map(\.kind)))"
  }
}

extension Reader {
  /// A page of a list: `body` makes an item of the columns `selected`.
  ///
  /// - Parameters:
  ///   - source: what follows FROM.
  ///   - key: the last page's `next`; nil begins at the first.
  ///   - limit: how many; values below 1 count as 1.
  ///   - table: the table that a decoding error is about; nil when the statement reads several.
  /// - Throws: `.misuse` for a key of another list: of another source, order or condition, or of one with other values.
  public func page<Item>(
    _ selected: BoundSQL, from source: BoundSQL, _ listing: Listing, after key: PageKey?, limit: Int, of table: String? = nil,
    _ body: (inout StoredRow) throws -> Item
  ) throws -> Page<Item> {
    try page(selected, from: source, [listing], after: key, limit: limit, of: table, body)
  }

  /// A page of several lists, one after the other.
  public func page<Item>(
    _ selected: BoundSQL, from source: BoundSQL, _ listings: [Listing], after key: PageKey?, limit: Int, of table: String? = nil,
    _ body: (inout StoredRow) throws -> Item
  ) throws -> Page<Item> {
    let limit = max(1, limit)
    var first = 0
    if let key {
      guard let place = listings.firstIndex(where: { key.parts.first == .text($0.name(of: source)) }) else { throw PageKey.foreign }
      first = place
    }
    var parts = key.map { Array($0.parts.dropFirst()) }
    var page = Page<Item>(items: [], next: nil)
    for listing in listings.dropFirst(first) where page.items.count < limit {
      let list = listing.columns.map(\.name).joined(separator: ", ")
      let group = listing.isGrouped ? "GROUP BY \(list)" : ""
      try rows(
        """
        SELECT \(sql: selected), \(raw: list) FROM \(sql: source) WHERE \(sql: listing.condition) \(sql: listing.rest(after: parts))
        \(raw: group) ORDER BY \(raw: listing.order) LIMIT \(limit - page.items.count)
        """, of: table
      ) { row in
        page.items.append(try body(&row))
        if page.items.count == limit {
          page.next = PageKey([.text(listing.name(of: source))] + (try listing.columns.map { _ in try row.value() }))
        }
      }
      parts = nil
    }
    return page
  }
}
