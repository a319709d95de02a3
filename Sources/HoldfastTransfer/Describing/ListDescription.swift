public import Holdfast

/// A list of a library: the fields of its lines, how many lines there are, and how they are read.
public struct ListDescription: Sendable {
  /// The name for `list`, and the member of the document.
  public let name: String
  /// The order, for people: `newest first`.
  public let order: String
  /// The members by which lines can be filtered.
  public let members: [String]
  private let counting: @Sendable (Reader) throws -> Int
  /// Passes the lines behind the first `offset` until `body` returns false, or at least `limit` of them.
  private let passing: @Sendable (Reader, _ offset: Int, _ limit: Int?, (Line) throws -> Bool) throws -> Void

  /// One item. Its values are read only when they are needed.
  package struct Line {
    /// For programs: the values of the members, in the order of `members`.
    package let values: () -> [ShownValue]
    /// For people.
    package let cells: () -> [String]
    package let columns: () -> [ShownColumn]

    init<Item>(_ item: Item, _ fields: [ShownField<Item>]) {
      values = { fields.filter { $0.name != nil }.map { $0.value(item) } }
      cells = { fields.cells(of: item) }
      columns = { fields.columns(of: item) }
    }
  }

  /// Makes a list that is read in pages.
  public init<Item>(
    _ name: String, _ order: String, _ fields: [ShownField<Item>], count: @escaping @Sendable (Reader) throws -> Int,
    page: @escaping @Sendable (Reader, PageKey?, Int) throws -> Page<Item>
  ) {
    (self.name, self.order, counting) = (name, order, count)
    members = fields.compactMap(\.name)
    passing = { reader, offset, limit, body in
      var (key, left): (PageKey?, Int) = (nil, max(0, offset))
      let size = min(100, max(1, min(limit ?? 100, 100) + min(left, 100)))
      repeat {
        let page = try page(reader, key, size)
        for item in page.items {
          left -= 1
          guard try left >= 0 || body(Line(item, fields)) else { return }
        }
        key = page.next
      } while key != nil
    }
  }

  /// Makes a list whose rows need not be read to be skipped.
  ///
  /// - Parameter rows: passes the rows behind the first `offset`, and at most `limit` of them; nil: all.
  package init<Item>(
    _ name: String, _ order: String, _ fields: [ShownField<Item>], count: @escaping @Sendable (Reader) throws -> Int,
    rows: @escaping @Sendable (Reader, _ offset: Int, _ limit: Int?, (Item) throws -> Void) throws -> Void
  ) {
    (self.name, self.order, counting) = (name, order, count)
    members = fields.compactMap(\.name)
    passing = { reader, offset, limit, body in try rows(reader, offset, limit) { item in _ = try body(Line(item, fields)) } }
  }

  /// Makes a short list, which is read at once.
  public init<Item: Sendable>(
    _ name: String, _ order: String, _ fields: [ShownField<Item>], all: @escaping @Sendable (Reader) throws -> [Item]
  ) {
    self.init(name, order, fields) {
      try all($0).count
    } page: { reader, _, _ in
      Page(items: try all(reader), next: nil)
    }
  }

  /// Makes a list of records, of those that `listing` selects, in its order.
  public init<Record: StoredRecord>(_ name: String, _ order: String, _ fields: [ShownField<Record>], by listing: Listing) {
    self.init(name, order, fields) {
      try $0.count("SELECT count(*) FROM \(sql: .names([Record.table])) WHERE \(sql: listing.condition)")
    } page: {
      try $0.page(Record.self, listing, after: $1, limit: $2)
    }
  }

  /// Lines of a list.
  public struct Lines: Sendable {
    /// The number of lines of the whole list.
    public var total = 0
    /// The lines for programs.
    public var objects: [JSONValue] = []
    /// The lines for people.
    public var table = ShownBlock.facts([])
  }

  /// Reads lines.
  ///
  /// - Parameters:
  ///   - limit: the most lines to read; nil reads all.
  ///   - offset: how many lines to skip first.
  public func lines(limit: Int? = nil, offset: Int = 0, in reader: Reader) throws -> Lines {
    var lines = Lines(total: try count(in: reader))
    var (columns, cells): ([ShownColumn], [[String]]) = ([], [])
    try each(offset: offset, limit: limit, in: reader) { line in
      if cells.isEmpty { columns = line.columns() }
      lines.objects.append(.object(Dictionary(zip(members, line.values().map(\.json))) { _, last in last }))
      cells.append(line.cells())
    }
    lines.table = .table(columns, cells)
    return lines
  }

  /// The number of lines of the whole list.
  package func count(in reader: Reader) throws -> Int { try counting(reader) }

  /// Passes the lines behind the first `offset`, at most `limit` of them (nil: all), one after the other. Keeps none.
  package func each(offset: Int = 0, limit: Int? = nil, in reader: Reader, _ body: (Line) throws -> Void) throws {
    var left = limit ?? .max
    guard left > 0 else { return }
    try passing(reader, offset, limit) { line in
      guard left > 0 else { return false }
      left -= 1
      try body(line)
      return left > 0
    }
  }
}
