/// One page of a table or an index, read without SQLite.
/// Format: https://www.sqlite.org/fileformat2.html#b_tree_pages
struct RawPage {
  enum Kind: Int {
    case indexInterior = 2
    case tableInterior = 5
    case indexLeaf = 10
    case tableLeaf = 13

    /// Whether its tree has rowids. No tree has pages of both kinds.
    var hasRowids: Bool { self == .tableInterior || self == .tableLeaf }
  }

  struct Row {
    /// Nil in an index, and in a table without rowid.
    var rowid: Int64?
    var values: [SQLValue]
    /// Whether a page of its content is only zeros, as a disk leaves a page that it lost.
    var hasEmptyPage = false

    /// Whether it says of itself that it is a row of `sqlite_schema`.
    var isOfSchema: Bool {
      guard rowid != nil, values.count == 5, case .text(let type) = values[0], case .text = values[1], case .text = values[2],
        ["table", "index", "view", "trigger"].contains(type)
      else { return false }
      if case .text(let sql) = values[4] { return sql.hasPrefix("CREATE ") }
      return type == "index" && values[4] == .null
    }
  }

  let kind: Kind
  private let page: PageBytes
  /// The offsets of the cells.
  private let cells: [Int]
  /// The pages below it, as it names them: some need not be there.
  let named: [Int]
  /// Those of them that the file has.
  let children: [Int]

  /// The pages below a page of a table with rowids, each with the highest rowid in it.
  var branches: [(page: Int, upTo: Int64)] {
    guard kind == .tableInterior else { return [] }
    let highest = cells.map { cell in
      var place = cell + 4
      return page.varint(&place) ?? .max
    }
    return Array(zip(named, highest + [.max]))
  }
  /// Whether all places of its cells are within the page.
  let isWhole: Bool

  /// Nil where the page is none of a tree.
  init?(_ number: Int, of file: DamagedFile) {
    let start = number == 1 ? 100 : 0
    guard let page = file.page(number), let kind = page.int(start, 1).flatMap({ Kind(rawValue: $0) }), let count = page.int(start + 3, 2)
    else {
      return nil
    }
    let isInterior = kind == .indexInterior || kind == .tableInterior
    let first = start + (isInterior ? 12 : 8)
    guard first + count * 2 <= file.usableBytes else { return nil }
    (self.kind, self.page) = (kind, page)
    cells = (0..<count).compactMap { page.int(first + $0 * 2, 2) }.filter { $0 >= first + count * 2 && $0 < file.usableBytes }
    isWhole = cells.count == count
    named = isInterior ? (cells + [start + 8]).map { page.int($0, 4) ?? 0 } : []
    children = named.filter { $0 > 1 && $0 <= file.pageCount }
  }

  /// The rows that can be read, and how many cannot.
  func rows(of file: DamagedFile) -> (rows: [Row], unreadable: Int) {
    guard kind != .tableInterior else { return ([], 0) }
    var rows: [Row] = []
    for cell in cells { if let row = row(cell, of: file) { rows.append(row) } }
    return (rows, cells.count - rows.count)
  }

  private func row(_ cell: Int, of file: DamagedFile) -> Row? {
    var place = kind == .indexInterior ? cell + 4 : cell
    guard let length = page.varint(&place).flatMap({ Int(exactly: $0) }), length > 0 else { return nil }
    var rowid: Int64?
    if kind == .tableLeaf {
      guard let id = page.varint(&place) else { return nil }
      rowid = id
    }
    guard let (payload, hasEmptyPage) = payload(length, at: place, of: file), let values = payload.record else { return nil }
    return Row(rowid: rowid, values: values, hasEmptyPage: hasEmptyPage)
  }

  /// The bytes of a cell: those in the page, and those in a chain of pages behind it.
  private func payload(_ length: Int, at place: Int, of file: DamagedFile) -> (bytes: PageBytes, hasEmptyPage: Bool)? {
    let usable = file.usableBytes
    let most = kind == .tableLeaf ? usable - 35 : (usable - 12) * 64 / 255 - 23
    guard length > most else { return page.slice(place, length).map { (PageBytes(Array($0)), false) } }
    guard length <= file.bytes else { return nil }
    let least = (usable - 12) * 32 / 255 - 23
    let fitting = least + (length - least) % (usable - 4)
    let local = fitting <= most ? fitting : least
    guard let start = page.slice(place, local), var next = page.int(place + local, 4) else { return nil }
    var bytes = Array(start)
    bytes.reserveCapacity(length)
    var hasEmptyPage = false
    var seen: Set<Int> = []
    while bytes.count < length {
      guard next > 1, seen.insert(next).inserted, let more = file.page(next),
        let content = more.slice(4, min(usable - 4, length - bytes.count))
      else { return nil }
      bytes += content
      hasEmptyPage = hasEmptyPage || !more.bytes.contains { $0 != 0 }
      next = more.int(0, 4) ?? 0
    }
    return (PageBytes(bytes), hasEmptyPage)
  }
}
