/// Random damage to the tables, columns, rows and values of a database.
extension Mutation {
  private static let values = [
    "NULL", "0", "1", "-1", "2", "3.5", "1e3", "9e999", "-9e999", "-0.0", "9223372036854775807", "-9223372036854775808", "1e300", "''",
    "'x'", "'0'", "'3.5'", "'NaN'", "x''", "x'00FF'", "CAST(x'FF' AS TEXT)", "CAST(x'EDA080' AS TEXT)",
    "CAST(x'610062' AS TEXT)", "'\u{FEFF}\u{202E}'", "'7C9E6679-7425-40DE-944B-AAAAAAAAAAA1'", "'7c9e6679-7425-40de-944b-aaaaaaaaaaaa2'",
    "'{7C9E6679-7425-40DE-944B-AAAAAAAAAAA1}'", "x'7C9E6679742540DE944BAAAAAAAAAAA1'", "'0001-01-01 00:00:00'",
    "'9999-12-31 23:59:59.999'", "'0000-00-00 00:00:00'", "'2025-02-30'", "'1500-03-01 00:00+00:00'", "'2025-11-05T11:41:22.123456789Z'",
    "'1969-12-31 23:59:59.9995'", "'now'", "1762342882", "1762342882.123", "2460985.5", "'{}'", "'[]'", "'null'", "'{'", "'{\"a\":1}'",
    "'{\"a\":1,\"a\":2}'", "'{\"type\":\"solid\"}'", "'{\"a\":\"\\ud800\"}'", "zeroblob(5000)",
    "'\(String(repeating: "long ", count: 900))'",
    "'\(String(repeating: "[", count: 600))'",
  ]
  private static let types = ["", "TEXT", "INTEGER", "REAL", "BLOB", "DATETIME", "TEXT NOT NULL DEFAULT ''", "TEXT COLLATE NOCASE"]

  mutating func cells(of sheets: inout [Sheet]) {
    for _ in 0..<random.pick([0, 1, 1, 2, 3, 8], otherwise: 1) {
      guard let chosen = sheets.indices.randomElement(using: &random) else { return }
      switch Int.random(in: 0..<40, using: &random) {
      case 0: sheets.remove(at: chosen)
      case 1: sheets[chosen].name = freeName(sheets[chosen].name, among: sheets.map(\.name))
      case 2:
        var other = sheets[chosen]
        other.name = freeName("copy", among: sheets.map(\.name))
        sheets.append(other)
      case 3...7: spoil(columns: &sheets[chosen])
      case 8...15: spoil(rows: &sheets[chosen])
      default: spoil(cell: &sheets[chosen])
      }
    }
  }

  private mutating func spoil(columns sheet: inout Sheet) {
    guard let chosen = sheet.columns.indices.randomElement(using: &random) else { return }
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      guard sheet.columns.count > 1 else { return }
      sheet.columns.remove(at: chosen)
      for row in sheet.rows.indices { sheet.rows[row].remove(at: chosen) }
    case 1: sheet.columns[chosen].name = freeName(sheet.columns[chosen].name, among: sheet.columns.map(\.name))
    case 2:
      let value = random.pick(Self.values, otherwise: "NULL")
      sheet.columns.append((freeName("extra", among: sheet.columns.map(\.name)), ""))
      for row in sheet.rows.indices { sheet.rows[row].append(random.chance(1, of: 2) ? value : "NULL") }
    case 3: for column in sheet.columns.indices { sheet.columns[column].type = "" }
    case 4:
      // Another order of the columns.
      sheet.columns.append(sheet.columns.remove(at: chosen))
      for row in sheet.rows.indices { sheet.rows[row].append(sheet.rows[row].remove(at: chosen)) }
    default: sheet.columns[chosen].type = random.pick(Self.types.filter { !$0.contains("NOT NULL") }, otherwise: "")
    }
  }

  private mutating func spoil(rows sheet: inout Sheet) {
    guard let chosen = sheet.rows.indices.randomElement(using: &random) else {
      return sheet.rows.append(sheet.columns.map { _ in random.pick(Self.values, otherwise: "NULL") })
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: sheet.rows.remove(at: chosen)
    case 1: sheet.rows.append(sheet.rows[chosen])
    case 2: sheet.rows.shuffle(using: &random)
    default: sheet.rows[chosen] = sheet.rows[chosen].map { _ in random.pick(Self.values, otherwise: "NULL") }
    }
  }

  private mutating func spoil(cell sheet: inout Sheet) {
    guard let row = sheet.rows.indices.randomElement(using: &random), let column = sheet.columns.indices.randomElement(using: &random)
    else { return }
    let other = sheet.rows.randomElement(using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: if let other { sheet.rows[row][column] = other[column] }
    case 1: if let value = sheet.rows[row].randomElement(using: &random) { sheet.rows[row][column] = value }
    default: sheet.rows[row][column] = random.pick(Self.values, otherwise: "NULL")
    }
  }

  /// The same name in upper case, or a name that is not taken.
  private mutating func freeName(_ name: String, among taken: [String]) -> String {
    if random.chance(1, of: 3), taken.contains(name) { return name.uppercased() }
    let others = [name + "_2", "unknown", "TÄG", "sync log", "created_at"]
    return others.first { other in !taken.contains { $0.lowercased() == other.lowercased() } } ?? name
  }
}
