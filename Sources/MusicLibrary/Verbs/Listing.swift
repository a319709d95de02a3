import Holdfast

/// Rows in an order that an index has, read in pages.
struct Listing {
  /// What rows there are.
  var condition: SQL = "true"
  /// What they are ordered by; no column is ever NULL, and together they tell rows apart.
  var columns: [(name: String, kind: PageKey.Part)]
  /// Of all columns.
  var isDescending = false
  /// Rows with the same values are one.
  var isGrouped = false
}

extension Reader {
  /// A page of `listing`: `body` makes an item of the columns `selected`.
  ///
  /// - Parameter table: the table that a decoding error is about; nil when the statement reads several.
  func page<Item>(
    _ selected: SQL, from source: SQL, _ listing: Listing, after key: PageKey?, limit: Int, of table: String? = nil,
    _ body: (inout Row) throws -> Item
  ) throws -> Page<Item> {
    let limit = max(1, limit)
    let names = listing.columns.map(\.name)
    let list = names.joined(separator: ", ")
    let order = names.map { listing.isDescending ? $0 + " DESC" : $0 }.joined(separator: ", ")
    let group = listing.isGrouped ? "GROUP BY \(list)" : ""
    var rest: SQL = ""
    if let key {
      rest = "AND (\(raw: list)) \(raw: listing.isDescending ? "<" : ">") \(sql: try key.row(listing.columns.map(\.kind)))"
    }
    var page = Page<Item>(items: [], next: nil)
    try rows(
      """
      SELECT \(sql: selected), \(raw: list) FROM \(sql: source)
      WHERE \(sql: listing.condition) \(sql: rest) \(raw: group) ORDER BY \(raw: order) LIMIT \(limit)
      """, of: table
    ) { row in
      page.items.append(try body(&row))
      if page.items.count == limit { page.next = PageKey(try names.map { _ in try row.value() }) }
    }
    return page
  }
}
