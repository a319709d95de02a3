internal import Crypto
internal import Foundation
internal import Holdfast

/// A row as `Documentation/SyncProtocol.md` describes it, written here once more: what the harness compares must not come from the code that it
/// judges.
struct WireRow {
  let table: String
  let key: String
  let generation: Int
  /// The present values by column: of `v`, and of `x`.
  let current: [String: Any]

  init?(_ line: String) {
    guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], let table = object["t"] as? String,
      let key = object["k"] as? String, let generation = object["g"] as? Int
    else { return nil }
    var current = object["v"] as? [String: Any] ?? [:]
    for (group, list) in object["x"] as? [String: [Any]] ?? [:] {
      for (column, value) in zip(group.split(separator: ","), list.dropFirst()) { current[String(column)] = value }
    }
    (self.table, self.key, self.generation, self.current) = (table, key, generation, current)
  }

  /// The digest of a space with these rows.
  static func digest(of lines: [String]) -> Int64 {
    Int64(bitPattern: lines.reduce(UInt64(0)) { $0 &+ number(of: $1, bytes: 8) })
  }

  /// The first bytes of the text's SHA-256, as a number.
  private static func number(of text: String, bytes: Int) -> UInt64 {
    SHA256.hash(data: Data(text.utf8)).prefix(bytes).reduce(0) { $0 << 8 | UInt64($1) }
  }

  // MARK: A device's rows

  /// The lines of all rows that a device knows, in the server's order, from its tables and its registers.
  static func lines(in reader: Reader) throws -> [String] {
    try Notes.tables.sorted { $0.name < $1.name }.flatMap { name, columns in
      let number = Int64(self.number(of: name, bytes: 4))
      return try reader.values("SELECT key, generation, hlc, node FROM holdfast_sync_row WHERE tbl = \(number) ORDER BY key") { row in
        (key: try row.text(), generation: try row.int64(), birth: (time: try row.int64(), node: try row.int64()))
      }.compactMap { register in
        guard register.generation % 2 == 1 else { return "{\"g\":\(register.generation),\"k\":\"\(register.key)\",\"t\":\"\(name)\"}" }
        let stored = try reader.value(
          "SELECT \(raw: columns.joined(separator: ", ")) FROM \(raw: name) WHERE id = \(register.key)"
        ) { row in
          var values: [String: String] = [:]
          for column in columns { values[column] = json(try row.value()) }
          return values
        }
        guard let stored else {
          return try reader.value("SELECT body FROM holdfast_sync_parked WHERE tbl = \(number) AND key = \(register.key)") { row in
            try row.text()
          }
        }
        let groups = (columns.contains("pair_a") ? ["pair_a,pair_b"] : []) + columns.filter { $0 != "id" && !$0.hasPrefix("pair_") }
        var (values, exceptions) = (stored.filter { $0.value != "null" }, [String]())
        for group in groups.sorted() {
          let cell = try reader.value(
            """
            SELECT hlc, node FROM holdfast_sync_cell
            WHERE tbl = \(number) AND key = \(register.key) AND grp = \(Int64(self.number(of: group, bytes: 4)))
            """
          ) { row in (time: try row.int64(), node: try row.int64()) }
          guard let cell, cell > register.birth else { continue }
          let members = group.split(separator: ",").map(String.init)
          exceptions.append("\"\(group)\":[\"\(stamp(cell))\",\(members.map { stored[$0] ?? "null" }.joined(separator: ","))]")
          for column in members { values[column] = nil }
        }
        let body = values.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
        return "{\"g\":\(register.generation),\"h\":\"\(stamp(register.birth))\",\"k\":\"\(register.key)\",\"t\":\"\(name)\""
          + (body.isEmpty ? "" : ",\"v\":{\(body)}") + (exceptions.isEmpty ? "" : ",\"x\":{\(exceptions.joined(separator: ","))}") + "}"
      }
    }
  }

  /// The harness writes texts without characters that JSON escapes.
  private static func json(_ value: SQLValue) -> String {
    switch value {
    case .text(let text): "\"\(text)\""
    case .integer(let number): "\(number)"
    default: "null"
    }
  }

  private static func stamp(_ stamp: (time: Int64, node: Int64)) -> String {
    [(stamp.time, 13), (stamp.node, 8)].map { number, digits in
      let text = String(number, radix: 32, uppercase: true)
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }.joined()
  }
}
