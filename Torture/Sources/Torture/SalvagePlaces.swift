import Foundation
import GRDBSQLite

/// The pages on which each row of a sound file stands, by SQLite alone: `dbstat` tells the pages of a table's tree with the number of their
/// cells, and a scan of the table gives the rows in the order of the cells.
struct SalvagePlaces {
  private struct Row {
    var hash: UInt64
    /// The page with its cell, and those with the rest of its content.
    var pages: [Int]
  }

  private static let pageBytes = 4_096
  private var tables: [String: [Row]] = [:]
  private let bytes: [UInt8]

  /// - Parameter path: a file that needs no log.
  init(_ path: String, tables names: some Sequence<String>) throws {
    let handle = try Oracle.open(path)
    defer { sqlite3_close(handle) }
    bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    for name in names {
      let tree = try Tree(handle, name)
      let (hashes, pages) = (try SalvageRows.hashes(handle, "SELECT * FROM \(SalvageRows.quoted(name)) \(tree.order)"), tree.places)
      guard pages.count == hashes.count else {
        throw Oracle.Failure(message: "\(name) has \(hashes.count) rows and cells for \(pages.count)")
      }
      tables[name] = zip(hashes, pages).map { Row(hash: $0, pages: $1) }
    }
  }

  /// The rows of which no page was changed.
  func intact(in damaged: [UInt8]) -> [String: [UInt64: Int]] {
    let size = Self.pageBytes
    let same = (0..<bytes.count / size).map { page in
      (page + 1) * size <= damaged.count
        && damaged[page * size..<(page + 1) * size].elementsEqual(bytes[page * size..<(page + 1) * size])
    }
    return tables.mapValues { rows in
      var hashes: [UInt64: Int] = [:]
      for row in rows where row.pages.allSatisfy({ same[$0 - 1] }) { hashes[row.hash, default: 0] += 1 }
      return hashes
    }
  }

  /// The tree of a table. `/` is its first page, `/01c/` the page below the cell 1c of that, and `/01c/000+000000` the first page with the rest
  /// of the content of a cell.
  private struct Tree {
    private var pages: [String: (number: Int, isLeaf: Bool, cells: Int)] = [:]
    private var overflow: [String: [Int]] = [:]
    /// Whether only leaves have rows.
    private let hasRowids: Bool
    /// The pages of each row, in order.
    private(set) var places: [[Int]] = []
    /// What gives the rows the order of the tree: an index may give another one.
    let order: String

    init(_ handle: OpaquePointer, _ table: String) throws {
      let text = table.replacingOccurrences(of: "'", with: "''")
      hasRowids = try Oracle.texts(handle, "SELECT wr FROM pragma_table_list('\(text)') WHERE schema = 'main'").first?[0] == "0"
      let key = try Oracle.texts(
        handle,
        """
        SELECT '"' || replace(column.name, '"', '""') || '" COLLATE ' || column.coll || iif(column.desc, ' DESC', '')
        FROM pragma_index_list('\(text)') AS list, pragma_index_xinfo(list.name) AS column
        WHERE list.origin = 'pk' AND column.key ORDER BY column.seqno
        """
      ).map { $0[0] }
      order = hasRowids ? "NOT INDEXED" : "ORDER BY " + key.joined(separator: ", ")
      for row in try Oracle.texts(handle, "SELECT path, pageno, pagetype, ncell FROM dbstat WHERE name = '\(text)' ORDER BY path") {
        guard let number = Int(row[1]), let cells = Int(row[3]) else { continue }
        if row[2] == "overflow" {
          overflow[String(row[0].prefix { $0 != "+" }), default: []].append(number)
        } else {
          pages[row[0]] = (number, row[2] == "leaf", cells)
        }
      }
      walk("/")
    }

    private mutating func walk(_ path: String) {
      guard let page = pages[path] else { return }
      for cell in 0..<page.cells {
        let cell = path + Self.hexadecimal(cell)
        if !page.isLeaf { walk(cell + "/") }
        if page.isLeaf || !hasRowids { places.append([page.number] + (overflow[cell] ?? [])) }
      }
      if !page.isLeaf { walk(path + Self.hexadecimal(page.cells) + "/") }
    }

    private static func hexadecimal(_ cell: Int) -> String {
      let digits = String(cell, radix: 16)
      return String(repeating: "0", count: max(0, 3 - digits.count)) + digits
    }
  }
}
