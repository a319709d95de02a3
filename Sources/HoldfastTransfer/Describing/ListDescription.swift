public import Holdfast

/// A list of a library: what its lines say, how many there are, and how they are read.
public struct ListDescription: Sendable {
  /// What `list` is asked for, and the member of the document.
  public let name: String
  /// In which order, for people: `newest first`.
  public let order: String
  /// What a line can be filtered by.
  public let members: [String]
  private let count: @Sendable (Reader) throws -> Int
  private let each: @Sendable (Reader, Int, (Line) throws -> Bool) throws -> Void

  /// One item, read only as far as it is wanted.
  private struct Line {
    var members: () -> [String: JSONValue]
    var cells: () -> [String]
    var columns: () -> [ShownColumn]
  }

  /// A list that is read a page at a time.
  public init<Item>(
    _ name: String, _ order: String, _ fields: [ShownField<Item>], count: @escaping @Sendable (Reader) throws -> Int,
    page: @escaping @Sendable (Reader, PageKey?, Int) throws -> Page<Item>
  ) {
    (self.name, self.order, self.count) = (name, order, count)
    members = fields.compactMap(\.name)
    each = { reader, limit, body in
      var key: PageKey?
      repeat {
        let page = try page(reader, key, limit)
        for item in page.items {
          let line = Line {
            fields.members(of: item)
          } cells: {
            fields.cells(of: item)
          } columns: {
            fields.columns(of: item)
          }
          guard try body(line) else { return }
        }
        key = page.next
      } while key != nil
    }
  }

  /// A short list, which is read at once.
  public init<Item: Sendable>(
    _ name: String, _ order: String, _ fields: [ShownField<Item>], all: @escaping @Sendable (Reader) throws -> [Item]
  ) {
    self.init(name, order, fields) {
      try all($0).count
    } page: { reader, _, _ in
      Page(items: try all(reader), next: nil)
    }
  }

  /// Lines of a list.
  public struct Lines: Sendable {
    /// How many there are, in all or of those that were wanted.
    public var total = 0
    /// For programs.
    public var objects: [JSONValue] = []
    /// For people.
    public var table = ShownBlock.facts([])
  }

  /// Reads lines.
  ///
  /// - Parameters:
  ///   - limit: nil reads all.
  ///   - offset: so many of the wanted lines are passed over.
  ///   - isWanted: nil wants every line; otherwise the whole list is read, and counted.
  public func lines(
    limit: Int? = nil, offset: Int = 0, where isWanted: (([String: JSONValue]) -> Bool)? = nil, in reader: Reader
  ) throws -> Lines {
    var lines = Lines()
    var (columns, cells): ([ShownColumn], [[String]]) = ([], [])
    let end = limit.map { offset.addingReportingOverflow($0).partialValue } ?? .max
    var place = 0
    try each(reader, isWanted == nil ? min(100, max(1, end)) : 100) { line in
      if let isWanted, !isWanted(line.members()) { return true }
      if place >= offset, place < end {
        if cells.isEmpty { columns = line.columns() }
        lines.objects.append(.object(line.members()))
        cells.append(line.cells())
      }
      place += 1
      return isWanted != nil || place < end
    }
    lines.total = try isWanted == nil ? count(reader) : place
    lines.table = .table(columns, cells)
    return lines
  }
}
