import Foundation
import Holdfast

/// A schema that a seed makes, with rows to fit: no rule of the salvage can have been made for it. Without what `.recover` cannot do; see
/// `OddLibrary`.
struct RandomLibrary: Sendable {
  private enum Kind: Sendable { case integer, real, text, blob, date, flag, any }

  private struct Column: Sendable {
    var name: String
    var type: String
    var kind: Kind
    var mayBeNull: Bool
    /// The rest of its definition.
    var rule = ""
  }

  private struct Table: Sendable {
    var name: String
    var isStrict: Bool
    var hasRowid: Bool
    /// The first is the key, or its first part; nil: the table has none.
    var key: Column?
    /// Whether a whole number is the key's second part.
    var hasSecondPart = false
    var columns: [Column]
    /// A column that the second migration adds.
    var later: Column?
    /// The table that each row points at. Its own place: an earlier row.
    var parent: Int?
    var isParentNeeded = false
    var indexes: [String] = []
    var rowsPerPart: Int
    /// Between the keys of two rows, where these are numbers.
    var stride: Int
  }

  private let seed: UInt64
  private var tables: [Table] = []

  private static let types: [(String, Kind)] = [
    ("INTEGER", .integer), ("INT", .integer), ("BIGINT", .integer), ("TEXT", .text), ("VARCHAR(80)", .text), ("CLOB", .text),
    ("BLOB", .blob),
    ("REAL", .real), ("DOUBLE PRECISION", .real), ("NUMERIC", .real), ("DATE", .date), ("BOOLEAN", .flag), ("", .any),
  ]
  private static let strictTypes: [(String, Kind)] = [
    ("INTEGER", .integer), ("INT", .integer), ("TEXT", .text), ("BLOB", .blob), ("REAL", .real), ("ANY", .any),
  ]

  init(seed: UInt64) {
    self.seed = seed
    var random = Chance(seed &* 6_364_136_223_846_793_005 &+ 11)
    for place in 0..<3 + random.below(4) { tables.append(table(place, &random)) }
  }

  // MARK: The schema

  private func table(_ place: Int, _ random: inout Chance) -> Table {
    let isStrict = random.percent(35)
    let hasRowid = random.percent(65)
    let name = Self.name(place, &random)
    var key: Column?
    if !hasRowid || random.percent(75) {
      let isText = random.percent(hasRowid ? 30 : 60)
      key = Column(
        name: Self.name(0, &random), type: isText ? "TEXT" : "INTEGER", kind: isText ? .text : .integer, mayBeNull: false)
    }
    var columns: [Column] = []
    for number in 0..<1 + random.below(7) {
      let known = isStrict ? Self.strictTypes : Self.types
      let (type, kind) = known[random.below(known.count)]
      var column = Column(name: Self.name(number + 1, &random), type: type, kind: kind, mayBeNull: random.percent(60))
      if random.percent(20), let value = Self.default(kind) { column.rule = " DEFAULT \(value)" }
      if random.percent(10), kind == .text { column.rule += " COLLATE NOCASE" }
      if random.percent(10), kind == .integer { column.rule += " CHECK (\(Self.quoted(column.name)) > -100000000)" }
      columns.append(column)
    }
    var table = Table(
      name: name, isStrict: isStrict, hasRowid: hasRowid, key: key, hasSecondPart: key != nil && random.percent(hasRowid ? 10 : 40),
      columns: columns, rowsPerPart: 6 + random.below(40), stride: [1, 1, 1, -3, 7, 1_000_003][random.below(6)])
    // A key of one column can be pointed at.
    let parents = (0..<place).filter { tables[$0].key != nil && !tables[$0].hasSecondPart }
    if random.percent(60), let parent = parents.randomElement(using: &random) {
      (table.parent, table.isParentNeeded) = (parent, random.percent(50))
    } else if key != nil, !table.hasSecondPart, random.percent(20) {
      table.parent = place
    }
    if random.percent(35) {
      let (type, kind) = [("INTEGER", Kind.integer), ("TEXT", .text), ("REAL", .real)][random.below(3)]
      let rule = Self.default(kind).map { " DEFAULT \($0)" } ?? ""
      table.later = Column(name: Self.name(99, &random), type: type, kind: kind, mayBeNull: random.percent(40), rule: rule)
    }
    for number in 0..<random.below(4) {
      if let index = Self.index("index \(place)-\(number)", table, &random) { table.indexes.append(index) }
    }
    return table
  }

  private static func index(_ name: String, _ table: Table, _ random: inout Chance) -> String? {
    let names = table.columns.map(\.name)
    guard let column = table.columns.randomElement(using: &random), let other = names.randomElement(using: &random) else { return nil }
    let (on, one) = ("\(quoted(name)) ON \(quoted(table.name))", quoted(column.name))
    switch random.below(6) {
    case 0 where other != column.name: return "CREATE INDEX \(on) (\(one), \(quoted(other)) DESC)"
    case 1: return "CREATE INDEX \(on) (\(one)) WHERE \(one) IS NOT NULL"
    case 2: return "CREATE INDEX \(on) (length(\(one)))"
    case 3 where column.kind == .text: return "CREATE INDEX \(on) (\(one) COLLATE NOCASE)"
    // With the key behind it each entry is there once.
    case 4: return table.key.map { "CREATE UNIQUE INDEX \(on) (\(one), \(quoted($0.name))\(table.hasSecondPart ? ", part" : ""))" }
    default: return "CREATE INDEX \(on) (\(one) DESC)"
    }
  }

  /// - Parameter isFirst: without the second migration.
  func schema(isFirst: Bool = false) -> LibrarySchema {
    let added = tables.compactMap { table in
      table.later.map { "ALTER TABLE \(Self.quoted(table.name)) ADD COLUMN \(Self.definition($0));" }
    }
    let migrations = [
      Migration("random/001", sql: tables.map(sql).joined(separator: "\n")),
      Migration("random/002", sql: added.joined(separator: "\n") + " CREATE TABLE later (id INTEGER PRIMARY KEY);"),
    ]
    return LibrarySchema("random", migrations: isFirst ? [migrations[0]] : migrations)
  }

  private static func definition(_ column: Column) -> String {
    "\(quoted(column.name)) \(column.type)\(column.mayBeNull ? "" : " NOT NULL")\(column.rule)"
  }

  private func sql(_ table: Table) -> String {
    var parts: [String] = []
    if let key = table.key {
      let isAlone = !table.hasSecondPart
      parts.append("\(Self.quoted(key.name)) \(key.type) NOT NULL\(isAlone ? " PRIMARY KEY" : "")")
      if !isAlone { parts.append("part INTEGER NOT NULL") }
    }
    parts += table.columns.map(Self.definition)
    if let parent = table.parent, let key = parent == tables.firstIndex(where: { $0.name == table.name }) ? table.key : tables[parent].key {
      let needed = table.isParentNeeded ? " NOT NULL" : ""
      parts.append("\"points at\" \(key.type)\(needed) REFERENCES \(Self.quoted(tables[parent].name))")
    }
    if table.hasSecondPart, let key = table.key { parts.append("PRIMARY KEY (\(Self.quoted(key.name)), part)") }
    let options = [table.isStrict ? "STRICT" : nil, table.hasRowid ? nil : "WITHOUT ROWID"].compactMap { $0 }.joined(separator: ", ")
    return (["CREATE TABLE \(Self.quoted(table.name)) (\(parts.joined(separator: ", "))) \(options)"] + table.indexes)
      .map { $0 + ";" }.joined(separator: "\n")
  }

  private static func `default`(_ kind: Kind) -> String? {
    switch kind {
    case .integer, .flag: "0"
    case .real: "1.5"
    case .text: "'none yet'"
    case .blob: "x'00ff'"
    case .date: "'2020-01-01'"
    case .any: nil
    }
  }

  private static func name(_ number: Int, _ random: inout Chance) -> String {
    let word = String(random.next() % 1_000_000, radix: 36)
    return ["c\(word)\(number)", "c\(word)\(number)", "the \(word) \(number)", "a \"\(word)\" \(number)"][random.below(4)]
  }

  private static func quoted(_ name: String) -> String { "\"\(name.replacingOccurrences(of: "\"", with: "\"\""))\"" }

  // MARK: The rows

  /// - Parameter isFirst: before the second migration.
  func fill(_ part: Int, seed: UInt64, isFirst: Bool, in tx: LibraryTransaction) throws {
    var random = Chance(self.seed &* 31 &+ seed &* 7_919 &+ UInt64(part))
    var keys: [[SQLValue]] = []
    for (place, table) in tables.enumerated() {
      keys.append([])
      for number in 0..<table.rowsPerPart {
        let key = table.key.map { Self.key($0, (part * table.rowsPerPart + number) * table.stride, &random) }
        var values = key.map { [$0] } ?? []
        if table.hasSecondPart { values.append(.integer(Int64(number % 7))) }
        values += table.columns.map { Self.value($0, number, &random) }
        if let parent = table.parent {
          // An earlier row of this part. A table that points at itself begins with rows that point at none.
          let known = keys[parent]
          let isNone = known.isEmpty || !table.isParentNeeded && random.percent(15)
          values.append(isNone ? .null : known[random.below(known.count)])
        }
        if !isFirst, let later = table.later { values.append(Self.value(later, number, &random)) }
        let marks = values.map { _ in "?" }.joined(separator: ", ")
        _ = try tx.execute("INSERT INTO \(raw: Self.quoted(table.name)) VALUES (\(raw: marks))") { bound in
          for value in values { try bound.value(value) }
        }
        if let key { keys[place].append(key) }
      }
    }
    // Pages and places that deleted rows leave behind.
    guard part % 5 == 4,
      let table = tables.indices.last(where: { place in
        tables[place].hasRowid && !tables.contains { $0.parent == place }
      })
    else { return }
    _ = try tx.execute("DELETE FROM \(raw: Self.quoted(tables[table].name)) WHERE rowid % 7 = 3")
  }

  private static func key(_ column: Column, _ number: Int, _ random: inout Chance) -> SQLValue {
    column.kind == .text ? .text(String(random.next(), radix: 36)) : .integer(Int64(number))
  }

  private static func value(_ column: Column, _ number: Int, _ random: inout Chance) -> SQLValue {
    if column.mayBeNull, random.percent(20) { return .null }
    switch column.kind {
    case .integer:
      let numbers: [Int64] = [Int64(random.below(10)), Int64(random.below(9_999_999)) - 5_000_000, Int64(random.next() >> 2)]
      return .integer(numbers[random.below(3)])
    case .real: return .real(Double(random.below(100_000)) / [1, 4, 16][random.below(3)])
    case .text:
      let count = number % 40 == 7 ? 300 + random.below(2_000) : 1 + random.below(12)
      return .text(random.words(count))
    case .blob:
      let count = number % 40 == 9 ? 500 + random.below(9_000) : random.below(80)
      return .blob(Data(random.bytes(count)))
    case .date: return .text("20\(10 + random.below(20))-0\(1 + random.below(9))-\(10 + random.below(18))")
    case .flag: return .integer(Int64(random.below(2)))
    case .any:
      let all: [SQLValue] = [
        .integer(Int64(random.below(1_000))), .real(Double(random.below(999)) / 8), .text(random.words(2)), .blob(Data(random.bytes(9))),
      ]
      return all[random.below(4)]
    }
  }
}
