/// A list of rows in the order of an index, read in pages.
///
/// ```swift
/// let newest = Listing(columns: [("added_at", .number), ("id", .text)], isDescending: true)
/// let books = try reader.page(Book.self, newest, after: key, limit: 50)
/// let titles = try reader.page("id, title", from: "books", newest, after: nil, limit: 50) { row in (try row.id(), try row.text()) }
/// ```
public struct Listing: Sendable {
  /// The condition that selects the rows.
  public var condition: BoundSQL
  /// The columns of the order. None of them may be NULL in these rows, and no two rows may have equal values in all of them.
  public var columns: [(name: String, kind: PageKey.Part)]
  /// Whether all columns are ordered from the greatest value down.
  public var isDescending: Bool
  /// Whether rows with the same values in all columns become one row.
  public var isGrouped: Bool

  /// Makes a list of all rows, or of the rows that fulfil `condition`.
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

  /// A name that tells this list's keys from the keys of other lists, also of the same rows in another order.
  fileprivate func name(of source: BoundSQL) -> String {
    let values = (source.values + condition.values).map { PageKey($0).texts.joined() }
    return ([source.text, condition.text, order] + values).joined(separator: "; ")
  }

  /// The condition for rows after the row with these parts; empty for nil, which means all rows.
  fileprivate func rest(after parts: [SQLValue]?) throws -> BoundSQL {
    guard let parts else { return "" }
    let list = columns.map(\.name).joined(separator: ", ")
    return "AND (\(raw: list)) \(raw: isDescending ? "<" : ">") \(sql: try PageKey(parts).row(columns.map(\.kind)))"
  }
}

extension Reader {
  /// Reads a page of a list. `body` makes an item from the columns `selected`.
  ///
  /// - Parameters:
  ///   - source: the text after FROM.
  ///   - key: the last page's `next`; nil begins at the first.
  ///   - limit: the most items on the page; values below 1 count as 1.
  ///   - table: the table that a decoding error names; nil when the statement reads several tables.
  /// - Throws: `.misuse` for a key of another list, that is with another source, order, condition, or other bound values.
  public func page<Item>(
    _ selected: BoundSQL, from source: BoundSQL, _ listing: Listing, after key: PageKey?, limit: Int, of table: String? = nil,
    _ body: (inout StoredRow) throws -> Item
  ) throws -> Page<Item> {
    try page(selected, from: source, [listing], after: key, limit: limit, of: table, body)
  }

  /// Reads a page of records.
  public func page<Record: StoredRecord>(_ type: Record.Type, _ listing: Listing, after key: PageKey?, limit: Int) throws -> Page<Record> {
    try page("\(columns: type)", from: BoundSQL(raw: ColumnName.sql(type.table)), listing, after: key, limit: limit, of: type.table) {
      try Record(row: &$0)
    }
  }

  /// Reads a page of several lists, one list after the other.
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
