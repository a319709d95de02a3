import Foundation
import HoldfastTesting

/// A table of a database that a mutation can damage. A value need not have the type of its column.
struct Sheet: Sendable {
  var name: String
  /// Each with its type, for example `title TEXT`.
  var columns: [(name: String, type: String)]
  /// The values of each row, as SQL literals.
  var rows: [[String]]

  init(_ name: String, _ columns: [String], rows: [[String]] = []) {
    self.name = name
    self.columns = columns.map { column in
      let words = column.split(separator: " ", maxSplits: 1).map(String.init)
      return (words.first ?? "", words.count > 1 ? words[1] : "")
    }
    self.rows = rows
  }

  /// Any text as an SQL literal.
  static func quoted(_ text: String) -> String {
    guard text.utf8.contains(0) else { return "'" + text.replacingOccurrences(of: "'", with: "''") + "'" }
    return "CAST(\(blob(Array(text.utf8))) AS TEXT)"
  }

  /// Bytes as an SQL literal.
  static func blob(_ bytes: [UInt8]) -> String { "x'" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'" }

  /// The bytes of a database with these tables; every first column has an index.
  static func database(_ sheets: [Sheet], pageSize: Int) throws -> [UInt8] {
    let url = Bench.folder.appendingPathComponent("holdfast-fuzz-\(UUID().uuidString).sqlite")
    defer { try? FileManager.default.removeItem(at: url) }
    var sql = "PRAGMA page_size = \(pageSize); PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;"
    for sheet in sheets {
      let columns = sheet.columns.map { "\"\($0.name)\" \($0.type)" }
      sql += "CREATE TABLE \"\(sheet.name)\" (\(columns.joined(separator: ", ")));"
      if let first = sheet.columns.first { sql += "CREATE INDEX \"\(sheet.name)_\(first.name)\" ON \"\(sheet.name)\" (\"\(first.name)\");" }
      for row in sheet.rows { sql += "INSERT INTO \"\(sheet.name)\" VALUES (\(row.joined(separator: ", ")));" }
    }
    try RawDatabase.with(url, creating: true) { try $0.execute(sql + "COMMIT;") }
    return Array(try Data(contentsOf: url))
  }
}
