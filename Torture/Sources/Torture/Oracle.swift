import Foundation
import GRDBSQLite
import Holdfast

/// What stands in a file by SQLite alone, without a line of the product.
struct Oracle {
  /// Batches 1 to this one are there, each whole.
  var batches: Int
  /// Of the schema.
  var version: Int
  var problems: [String]
  /// Rows that no note says have to be sent, and notes of rows that are not there. Nil: the file is connected to no space, or not to be read.
  private(set) var unnoted: [String]?
  private(set) var numbers: Set<Int> = []
  /// A checksum of all lines.
  private(set) var content = Batch.checksum([])
  /// Whether the numbers have to be 1, 2, 3 ….
  private let isLine: Bool

  init(_ path: String, readOnly: Bool = false, isLine: Bool = true, key: StoreKey? = nil) {
    (batches, version, problems) = (0, 0, [])
    self.isLine = isLine
    guard let handle = try? Self.open(path, readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) else {
      problems.append("SQLite cannot open it")
      return
    }
    defer { sqlite3_close(handle) }
    if let key, !Keys.give(key, to: handle) { problems.append("SQLite does not take the key") }
    sqlite3_busy_timeout(handle, 2_000)
    do {
      let check = try Self.texts(handle, "PRAGMA integrity_check(5)").compactMap(\.first)
      if check != ["ok"] { problems.append("integrity_check: \(check.joined(separator: "; "))") }
      if try !Self.texts(handle, "PRAGMA foreign_key_check").isEmpty { problems.append("foreign_key_check finds rows") }
      let tables = try Self.texts(handle, "SELECT name FROM sqlite_schema WHERE name = 'batches'")
      guard !tables.isEmpty else { return }
      version = try Self.texts(handle, "SELECT version FROM holdfast_schemas WHERE name = 'torture'").first?.first.flatMap { Int($0) } ?? 0
      try read(handle)
      guard try !Self.texts(handle, "SELECT name FROM sqlite_schema WHERE name = 'holdfast_sync_row'").isEmpty else { return }
      unnoted = try Self.texts(handle, Synced.differing).compactMap(\.first)
    } catch let failure as Failure {
      problems.append(failure.message)
    } catch {
      problems.append("\(error)")
    }
  }

  private mutating func read(_ handle: OpaquePointer) throws {
    var lines: [Int: [String]] = [:]
    let rows = try Self.texts(handle, "SELECT batch, content FROM lines ORDER BY batch, place")
    content = Batch.checksum(rows.map { $0[1] })
    for row in rows { lines[Int(row[0]) ?? -1, default: []].append(row[1]) }
    for row in try Self.texts(handle, "SELECT number, lines, checksum FROM batches ORDER BY number") {
      let number = Int(row[0]) ?? -1
      let content = lines.removeValue(forKey: number) ?? []
      if isLine, number != batches + 1 { problems.append("not a prefix: batch \(batches + 1) is missing and \(number) is there") }
      if String(content.count) != row[1] || String(Batch.checksum(content)) != row[2] { problems.append("batch \(number) is not whole") }
      batches = number
      numbers.insert(number)
    }
    if !lines.isEmpty { problems.append("lines of batches that are not there: \(lines.keys.sorted())") }
  }

  struct Failure: Error { var message: String }

  /// A connection, which the caller closes.
  static func open(_ path: String, _ flags: Int32 = SQLITE_OPEN_READWRITE) throws -> OpaquePointer {
    var opened: OpaquePointer?
    guard sqlite3_open_v2(path, &opened, flags, nil) == SQLITE_OK, let handle = opened else {
      sqlite3_close(opened)
      throw Failure(message: "SQLite cannot open \(path)")
    }
    return handle
  }

  static func texts(_ handle: OpaquePointer, _ sql: String) throws -> [[String]] {
    var prepared: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &prepared, nil) == SQLITE_OK else {
      throw Failure(message: "\(sql): \(String(cString: sqlite3_errmsg(handle)))")
    }
    defer { sqlite3_finalize(prepared) }
    var rows: [[String]] = []
    while true {
      switch sqlite3_step(prepared) {
      case SQLITE_ROW:
        rows.append((0..<sqlite3_column_count(prepared)).map { sqlite3_column_text(prepared, $0).map { String(cString: $0) } ?? "" })
      case SQLITE_DONE: return rows
      default: throw Failure(message: "\(sql): \(String(cString: sqlite3_errmsg(handle)))")
      }
    }
  }
}
