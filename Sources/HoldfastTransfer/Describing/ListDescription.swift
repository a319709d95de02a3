public import Holdfast

/// A list of a library: the fields of its lines, how many lines there are, and how they are read.
public struct ListDescription: Sendable {
  /// The name for `list`, and the member of the document.
  public let name: String
  /// The order, for people: `newest first`.
  public let order: String
  /// The members by which lines can be filtered.
  public let members: [String]
  private let count: @Sendable (Reader) throws -> Int
  private let each: @Sendable (Reader, Int, (Line) throws -> Bool) throws -> Void

  /// One item. Its values are read only when they are needed.
  private struct Line {
    var members: () -> [String: JSONValue]
    var cells: () -> [String]
    var columns: () -> [ShownColumn]
  }

  /// Makes a list that is read in pages.
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

  /// Lines of a list.
  public struct Lines: Sendable {
    /// The number of lines: of the whole list, or of the wanted lines.
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
  ///   - offset: how many of the wanted lines to skip first.
  ///   - isWanted: selects lines; then the whole list is read and counted. Nil wants every line.
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
