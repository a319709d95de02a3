import Foundation
package import Holdfast

extension ShownTable {
  /// In numbers: how many rows each table has, its bytes with its indexes, and the latest of all times in it, where the file tells that a
  /// column holds times.
  package static func stats(of tables: [ShownTable], in reader: Reader) throws -> Shown {
    let (description, sizes) = (try reader.description(), try reader.tableBytes())
    var (rows, bytes, newest) = ([String: JSONValue](), [String: JSONValue](), [String: JSONValue]())
    var lines: [[String]] = []
    for table in tables {
      let times = table.columns.filter { description.kind(of: $0, in: table.name) == .date }
      let (count, latest) = try table.measured(times, in: reader)
      let (size, time) = (ShownValue.size(sizes[table.name] ?? 0), ShownValue.time(latest))
      (rows[table.name], bytes[table.name]) = (.integer(Int64(count)), size.json)
      if !times.isEmpty { newest[table.name] = time.json }
      lines.append([table.name, String(count), size.words, time.words])
    }
    return Shown(
      ["rows": .object(rows), "bytes": .object(bytes), "newest": .object(newest)],
      [.table([.text("TABLE"), .number("ROWS"), .number("SIZE"), .text("NEWEST")], lines)])
  }

  /// The number of rows, and the latest time in these columns; nil where no row has one.
  private func measured(_ times: [String], in reader: Reader) throws -> (rows: Int, latest: Date?) {
    let latest = times.map { column -> BoundSQL in
      let column = BoundSQL.names([column])
      return ", max(CASE WHEN typeof(\(sql: column)) = 'integer' THEN \(sql: column) END)"
    }
    return try reader.value("SELECT count(*)\(sql: .joined(latest, separator: "")) FROM \(sql: .names([name]))") { row in
      let rows = try row.int()
      let found = try times.compactMap { _ -> Date? in
        guard case .integer(let number) = try row.value() else { return nil }
        return DateCodec.date(milliseconds: number)
      }
      return (rows, found.max())
    } ?? (0, nil)
  }
}
