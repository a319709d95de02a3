import Foundation
import GRDBSQLite

/// The rows of a file's tables, by SQLite alone: a hash of all columns of each row, with how often it is there. Without tables that only say
/// what the file is, and without what search indexes keep for themselves.
struct SalvageRows {
  private(set) var tables: [String: [UInt64: Int]] = [:]
  /// The first pages of these tables.
  private(set) var roots: [Int] = []
  /// What SQLite's own checks say, beside `ok`.
  private(set) var problems: [String] = []
  /// Rows that `.recover` could place in no table.
  private(set) var lostAndFound = 0

  var count: Int { tables.values.reduce(0) { $0 + $1.values.reduce(0, +) } }

  init(_ tables: [String: [UInt64: Int]]) { self.tables = tables }

  /// - Parameters:
  ///   - known: only these tables; nil: all.
  ///   - right: removes all other rows before it reads, and then those whose parents are gone.
  init(_ path: String, tables known: Set<String>? = nil, checks: Bool = false, only right: SalvageRows? = nil) throws {
    let handle = try Oracle.open(path)
    defer { sqlite3_close(handle) }
    if checks {
      problems = try Oracle.texts(handle, "PRAGMA integrity_check(3)").compactMap(\.first).filter { $0 != "ok" }
      if try !Oracle.texts(handle, "PRAGMA foreign_key_check").isEmpty { problems.append("foreign_key_check finds rows") }
    }
    if let right {
      try right.removeOthers(handle)
      try Self.removeOrphans(handle)
    }
    let names = try Oracle.texts(handle, "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'").map { $0[0] }
    for name in names {
      if name.hasPrefix("lost_and_found") {
        lostAndFound += try Oracle.texts(handle, "SELECT count(*) FROM \(name)").first.flatMap { Int($0[0]) } ?? 0
      }
      guard !name.hasPrefix("sqlite_"), !["holdfast_schemas", "holdfast_migrations", "holdfast_store"].contains(name),
        known?.contains(name) ?? true
      else { continue }
      tables[name] = Dictionary(try Self.hashes(handle, "SELECT * FROM \(Self.quoted(name))").map { ($0, 1) }, uniquingKeysWith: +)
      let text = name.replacingOccurrences(of: "'", with: "''")
      roots += try Oracle.texts(handle, "SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = '\(text)'").compactMap {
        Int($0[0])
      }
    }
  }

  /// How many rows of `others` are rows of these, and how many are neither that nor rows of an earlier moment.
  func compare(_ others: SalvageRows, earlier: [SalvageRows]) -> (right: Int, wrong: Int) {
    var (right, wrong) = (0, 0)
    for (name, rows) in others.tables {
      for (hash, count) in rows {
        let there = tables[name]?[hash] ?? 0
        right += min(count, there)
        wrong += max(0, count - max(there, earlier.map { $0.tables[name]?[hash] ?? 0 }.max() ?? 0))
      }
    }
    return (right, wrong)
  }

  /// These rows with others that count as well.
  func adding(_ others: [String: [UInt64: Int]]) -> SalvageRows {
    var sum = self
    for (name, rows) in others { sum.tables[name, default: [:]].merge(rows, uniquingKeysWith: +) }
    return sum
  }

  private static func removeOrphans(_ handle: OpaquePointer) throws {
    let keys = try Oracle.texts(
      handle,
      """
      SELECT t.name, f."table", f."from", coalesce(f."to", (SELECT name FROM pragma_table_info(f."table") WHERE pk = 1))
      FROM pragma_table_list AS t, pragma_foreign_key_list(t.name) AS f WHERE t.schema = 'main' AND t.type = 'table'
      """)
    var hasMore = true
    while hasMore {
      hasMore = false
      // Every foreign key of these stores has one column.
      for key in keys {
        let (child, column) = (quoted(key[0]), quoted(key[2]))
        let sql = """
          DELETE FROM \(child) WHERE \(column) IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM \(quoted(key[1])) AS parent WHERE parent.\(quoted(key[3])) = \(child).\(column))
          """
        guard sqlite3_exec(handle, "PRAGMA foreign_keys = OFF; DROP TRIGGER IF EXISTS lines_deleted; \(sql)", nil, nil, nil) == SQLITE_OK
        else { continue }
        if sqlite3_changes(handle) > 0 { hasMore = true }
      }
    }
  }

  /// A hash of each row of the answer, in its order.
  static func hashes(_ handle: OpaquePointer, _ sql: String) throws -> [UInt64] {
    var prepared: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &prepared, nil) == SQLITE_OK else {
      throw Oracle.Failure(message: "\(sql): \(String(cString: sqlite3_errmsg(handle)))")
    }
    defer { sqlite3_finalize(prepared) }
    var hashes: [UInt64] = []
    while true {
      switch sqlite3_step(prepared) {
      case SQLITE_ROW: hashes.append(hash((0..<sqlite3_column_count(prepared)).map { sqlite3_column_value(prepared, $0) }))
      case SQLITE_DONE: return hashes
      default: throw Oracle.Failure(message: "\(sql): \(String(cString: sqlite3_errmsg(handle)))")
      }
    }
  }

  /// The rows that are not these.
  private func removeOthers(_ handle: OpaquePointer) throws {
    final class Known {
      let hashes: Set<UInt64>
      init(_ hashes: Set<UInt64>) { self.hashes = hashes }
    }
    for (name, rows) in tables {
      let known = Known(Set(rows.keys))
      let text = name.replacingOccurrences(of: "'", with: "''")
      let columns = try Oracle.texts(handle, "SELECT '\"' || replace(name, '\"', '\"\"') || '\"' FROM pragma_table_info('\(text)')").map {
        $0[0]
      }
      sqlite3_create_function_v2(
        handle, "is_known", Int32(columns.count), SQLITE_UTF8, Unmanaged.passUnretained(known).toOpaque(),
        { context, count, values in
          guard let own = sqlite3_user_data(context) else { return }
          let hash = SalvageRows.hash((0..<Int(count)).map { values?[$0] })
          sqlite3_result_int(context, Unmanaged<Known>.fromOpaque(own).takeUnretainedValue().hashes.contains(hash) ? 1 : 0)
        }, nil, nil, nil)
      sqlite3_exec(
        handle, "DELETE FROM \(Self.quoted(name)) WHERE NOT is_known(\(columns.joined(separator: ", ")))", nil, nil, nil)
      withExtendedLifetime(known) {}
    }
  }

  static func quoted(_ name: String) -> String { "\"\(name.replacingOccurrences(of: "\"", with: "\"\""))\"" }

  private static func hash(_ values: [OpaquePointer?]) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ value: UInt64) {
      hash = (hash ^ value) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash >> 29
    }
    for value in values {
      let type = sqlite3_value_type(value)
      add(UInt64(type))
      switch type {
      case SQLITE_INTEGER: add(UInt64(bitPattern: sqlite3_value_int64(value)))
      case SQLITE_FLOAT: add(sqlite3_value_double(value).bitPattern)
      case SQLITE_NULL: break
      default:
        let bytes = UnsafeRawBufferPointer(start: sqlite3_value_blob(value), count: Int(sqlite3_value_bytes(value)))
        add(UInt64(bytes.count))
        for place in stride(from: 0, to: bytes.count - bytes.count % 8, by: 8) {
          add(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        }
        for byte in bytes.suffix(bytes.count % 8) { add(UInt64(byte)) }
      }
    }
    return hash
  }
}
