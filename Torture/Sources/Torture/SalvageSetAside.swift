import Foundation
import GRDBSQLite
import Holdfast

/// The rows that a salvage has set aside, by their values: a hash of all columns of each, as `SalvageRows` has them.
struct SalvageSetAside {
  private(set) var tables: [String: [UInt64: Int]] = [:]

  /// A line of the file: its values in the order of a record, and the tables that they may be of.
  private struct Line {
    var values: [Int: JSONValue]
    var rowid: JSONValue?
    var names: [String]
  }

  /// - Parameters:
  ///   - store: the new store, which tells the tables.
  ///   - truth: where a row may be of several tables, it counts for the first of them that had it.
  init(beside store: String, truth: SalvageRows) throws {
    let file = URL(fileURLWithPath: store + ".set-aside.jsonl")
    guard let content = try? Data(contentsOf: file) else { return }
    let handle = try Oracle.open(store)
    defer { sqlite3_close(handle) }
    var (shapes, lines): ([String: Shape], [Line]) = ([:], [])
    for name in truth.tables.keys { shapes[name] = try Shape(name, handle) }
    for text in content.split(separator: 0x0A) {
      guard let line = try Self.line(String(decoding: text, as: UTF8.self), shapes) else { continue }
      lines.append(line)
    }
    // By line: the tables with the hash that the row has there.
    var hashes: [[(name: String, hash: UInt64)]] = Array(repeating: [], count: lines.count)
    for (name, shape) in shapes {
      let places = lines.indices.filter { lines[$0].names.contains(name) }
      for (place, hash) in zip(places, try shape.hashes(places.map { (lines[$0].values, lines[$0].rowid) }, handle)) {
        hashes[place].append((name, hash))
      }
    }
    for (line, found) in zip(lines, hashes) {
      let sorted = line.names.compactMap { name in found.first { $0.name == name } }
      guard let chosen = sorted.first(where: { truth.tables[$0.name]?[$0.hash] ?? 0 > 0 }) ?? sorted.first else { continue }
      tables[chosen.name, default: [:]][chosen.hash, default: 0] += 1
    }
  }

  private static func line(_ text: String, _ shapes: [String: Shape]) throws -> Line? {
    guard case .object(let members)? = JSONValue(json: text), case .string(let table)? = members["table"],
      case .object(let columns)? = members["columns"], case .string(let reason)? = members["reason"]
    else { throw Oracle.Failure(message: "no row: \(text.prefix(200))") }
    let record = shapes[table]?.record ?? []
    var values: [Int: JSONValue] = [:]
    for (name, value) in columns {
      if let place = record.firstIndex(of: name) { values[place] = value }
      if name.hasPrefix("column "), let number = Int(name.dropFirst(7)) { values[number - 1] = value }
    }
    let mark = "it may be of any of these tables: "
    let names = reason.hasPrefix(mark) ? reason.dropFirst(mark.count).components(separatedBy: ", ") : [table]
    return Line(values: values, rowid: members["rowid"], names: names.filter { shapes[$0] != nil })
  }

  /// How a table's columns stand in a record.
  private struct Shape {
    private let name: String
    private let columns: [String]
    /// The columns as they stand in a record: the key first where there is no rowid.
    let record: [String]
    /// The column that is the rowid.
    private let rowid: String?
    /// What a row from before a column was added has there, in SQL.
    private let defaults: [String: String]

    init(_ name: String, _ handle: OpaquePointer) throws {
      self.name = name
      let text = name.replacingOccurrences(of: "'", with: "''")
      let rows = try Oracle.texts(
        handle, "SELECT name, upper(type), pk, coalesce(dflt_value, '') FROM pragma_table_info('\(text)') ORDER BY cid")
      let index = try Oracle.texts(handle, "SELECT name FROM pragma_index_list('\(text)') WHERE origin = 'pk'").first?[0]
      let hasRowids = try Oracle.texts(handle, "SELECT wr FROM pragma_table_list('\(text)') WHERE schema = 'main'").first?[0] == "0"
      columns = rows.map { $0[0] }
      defaults = Dictionary(uniqueKeysWithValues: rows.filter { !$0[3].isEmpty }.map { ($0[0], $0[3]) })
      let keys = rows.filter { $0[2] != "0" }
      rowid = hasRowids && index == nil && keys.count == 1 && keys[0][1] == "INTEGER" ? keys[0][0] : nil
      guard !hasRowids, let index = index?.replacingOccurrences(of: "'", with: "''") else {
        record = columns
        return
      }
      record = try Oracle.texts(handle, "SELECT name FROM pragma_index_xinfo('\(index)') ORDER BY seqno").map { $0[0] }
    }

    /// The hashes that rows of these values have in the table. A copy without its rules gives each value the form that it has there.
    func hashes(_ rows: [(values: [Int: JSONValue], rowid: JSONValue?)], _ handle: OpaquePointer) throws -> [UInt64] {
      let copy = "temp." + SalvageRows.quoted("aside " + name)
      let marks = columns.map { _ in "?" }.joined(separator: ", ")
      var prepared: OpaquePointer?
      guard
        sqlite3_exec(handle, "CREATE TABLE \(copy) AS SELECT * FROM main.\(SalvageRows.quoted(name)) WHERE 0", nil, nil, nil) == SQLITE_OK,
        sqlite3_prepare_v2(handle, "INSERT INTO \(copy) VALUES (\(marks))", -1, &prepared, nil) == SQLITE_OK
      else { throw Oracle.Failure(message: String(cString: sqlite3_errmsg(handle))) }
      defer { sqlite3_finalize(prepared) }
      let absent = try defaults.mapValues { try Self.value(of: $0, handle) }
      defer { for value in absent.values { sqlite3_value_free(value) } }
      for row in rows {
        for (place, column) in columns.enumerated() {
          let said = record.firstIndex(of: column).flatMap { row.values[$0] }
          if said == nil, column != rowid, let value = absent[column] {
            sqlite3_bind_value(prepared, Int32(place + 1), value)
            continue
          }
          let stored = said ?? .null
          Self.bind(column == rowid ? row.rowid ?? stored : stored, prepared, Int32(place + 1))
        }
        guard sqlite3_step(prepared) == SQLITE_DONE else { throw Oracle.Failure(message: String(cString: sqlite3_errmsg(handle))) }
        sqlite3_reset(prepared)
      }
      return try SalvageRows.hashes(handle, "SELECT * FROM \(copy)")
    }

    private static func value(of sql: String, _ handle: OpaquePointer) throws -> OpaquePointer? {
      var prepared: OpaquePointer?
      defer { sqlite3_finalize(prepared) }
      guard sqlite3_prepare_v2(handle, "SELECT \(sql)", -1, &prepared, nil) == SQLITE_OK, sqlite3_step(prepared) == SQLITE_ROW else {
        throw Oracle.Failure(message: "the default \(sql) cannot be read")
      }
      return sqlite3_value_dup(sqlite3_column_value(prepared, 0))
    }

    private static func bind(_ value: JSONValue, _ statement: OpaquePointer?, _ place: Int32) {
      let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
      switch value {
      case .integer(let number): sqlite3_bind_int64(statement, place, number)
      case .double(let number): sqlite3_bind_double(statement, place, number)
      case .string(let text):
        let bytes = Array(text.utf8)
        sqlite3_bind_text(statement, place, bytes.map { CChar(bitPattern: $0) }, Int32(bytes.count), transient)
      case .object(let members):
        guard case .string(let digits)? = members["blob"] else {
          if case .string(let text)? = members["real"] { sqlite3_bind_double(statement, place, Double(text) ?? 0) }
          return
        }
        let bytes = stride(from: 0, to: digits.utf8.count, by: 2).map {
          UInt8(Array(digits.utf8)[$0...].prefix(2).map(nibble).reduce(0) { $0 << 4 | $1 })
        }
        sqlite3_bind_blob(statement, place, bytes, Int32(bytes.count), transient)
      default: sqlite3_bind_null(statement, place)
      }
    }

    private static func nibble(_ digit: UInt8) -> Int { Int(digit) - (digit < 0x3A ? 0x30 : 0x37) }
  }
}
