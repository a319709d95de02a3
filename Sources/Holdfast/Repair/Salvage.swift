import Foundation

/// Builds a new database of the rows that can be read in a damaged one.
///
/// The new file gets the old one's tables and indexes; then the rows, those of each table's own tree first; then search indexes and triggers. So what
/// comes in obeys every rule of the tables, and what does not is set aside.
struct Salvage {
  private let file: DamagedFile
  private let connection: RawConnection
  private let schema: SalvageSchema
  private let key: StoreKey?
  private let audits: [AuditedTable]
  /// A line of JSON for each row that was set aside.
  private let setAside: (String) throws -> Void
  private(set) var report = SalvageReport()
  private var tables: [SalvageTable] = []
  /// By name in lower case.
  private var madeIndexes: [String: SQLTable.Index] = [:]
  /// By table: the rowids of rows that were set aside, and how many more rows came in or were set aside without their own rowid.
  private var (asideRowids, withoutRowid): ([String: Set<Int64>], [String: Int]) = ([:], [:])

  /// `connection` is to an empty database. `key` is that of both files and of the backup.
  init(
    _ file: DamagedFile, _ schema: SalvageSchema, into connection: RawConnection, _ key: StoreKey?, audits: [AuditedTable],
    setAside: @escaping (String) throws -> Void
  ) {
    (self.file, self.schema, self.connection, self.key, self.audits, self.setAside) = (file, schema, connection, key, audits, setAside)
    (report.pages, report.pagesOfLog) = (file.pageCount, file.pagesOfLog)
  }

  /// `hints` are the first pages of tables in a sound file with the same schema. The rows of `backup`, a sound store, fill what is lost.
  mutating func run(hints: [String: Int], backup: URL? = nil, check: () throws -> Void) throws {
    if let backup { try connection.attach(backup.path, as: "backup", key) }
    try connection.run("PRAGMA page_size = \(file.pageBytes)")
    try connection.run("PRAGMA recursive_triggers = OFF")
    try connection.run("BEGIN")
    let shadows = schema.shadows
    for table in schema.made("table") where !shadows.contains(table.name) { try make(table) }
    // Before the rows: the shape of an index tells its pages from those of a table.
    for index in schema.made("index") { try make(index) }
    let names = schema.objects.filter { $0.type == "table" }.map(\.name)
    let virtual = Set(schema.virtual.map(\.name))
    let made = try SQLTable.all(connection.texts, inner: true)
    let known = Dictionary(made.map { ($0.name.lowercased(), $0) }) { first, _ in first }
    madeIndexes = Dictionary(made.flatMap(\.indexes).map { ($0.name.lowercased(), $0) }) { first, _ in first }
    tables = names.filter { !virtual.contains($0) }.compactMap { name in known[name.lowercased()].map { SalvageTable($0, named: name) } }
    let indexes = schema.objects.filter { $0.type == "index" }.compactMap { object in
      tables.first { $0.name == object.table }.flatMap { table in
        madeIndexes[object.name.lowercased()].map { SalvageTable($0, named: object.name, of: table) }
      }
    }
    let roots = Dictionary(schema.objects.filter { $0.root > 0 }.map { ($0.name, $0.root) }) { first, _ in first }
    let pages = SalvagedPages(file, tables: tables, indexes: indexes, roots: roots, hints: hints)
    report.unknownPages = pages.unknown
    for table in tables {
      guard let target = target(of: table, shadows) else { continue }
      var counts = SalvageReport.Table(table: target)
      let inserts = SalvageInserts(table, into: target, in: connection)
      for (isFound, numbers) in [(false, pages.pages[table.name]?.owned ?? []), (true, pages.pages[table.name]?.found ?? [])] {
        for number in numbers { try take(number, table, inserts, isFound: isFound, &counts, check) }
      }
      report.tables.append(counts)
    }
    try takeDoubtful(pages, check)
    try keepUnclear(pages)
    try check()
    try fill(pages, hasBackup: backup != nil, check)
    try keepOrphans()
    try countLost(pages)
    try raiseCounters()
    for view in schema.made("view") { try make(view) }
    for table in schema.virtual where !schema.objects.contains(where: { $0.name == table.name + "_content" }) { try rebuild(table.name) }
    for trigger in schema.made("trigger") { try make(trigger) }
    try connection.run("COMMIT")
    if backup != nil { try connection.run("DETACH backup") }
  }

  /// Takes the rows of lost pages from the backup, and from the audit, which tells what became of them since.
  private mutating func fill(_ pages: SalvagedPages, hasBackup: Bool, _ check: () throws -> Void) throws {
    let shadows = schema.shadows
    let sequence = counters().first { $0.table == "holdfast_audit" }?.last
    // The audit last: only what the damaged file has of it is sure to be of this store's time.
    for table in tables.filter({ $0.name != "holdfast_audit" }) + tables.filter({ $0.name == "holdfast_audit" }) {
      guard let lost = pages.lost[table.name], !lost.isEmpty, !shadows.contains(table.name),
        let place = report.tables.firstIndex(where: { $0.table == table.name })
      else { continue }
      do {
        let told = try audits.first { $0.name == table.name }.flatMap {
          try AuditedRows($0, of: table, in: connection, sequence: sequence, check: check)
        }
        var filled = 0
        if hasBackup { filled = try SalvageFill(table: table, connection: connection).run(lost) }
        if let told {
          let result = try told.run(lost, referenced: columnsReferenced(of: table), hasBackup: hasBackup, check: check)
          filled += result.filled
          report.tables[place].audited = result.audited
          withoutRowid[table.name] = result.renumbered + result.setAside.count
          for (values, reason) in result.setAside {
            report.tables[place].setAside += 1
            try setAside(Self.line(table.name, reason, values))
          }
        }
        report.tables[place].filled = filled
        report.tables[place].rows += filled
      } catch let error as StoreError where [.constraint, .misuse, .decoding].contains(error.code) {
        report.findings.append("rows of \(table.name) could not be filled: \(error.message)")
      }
    }
  }

  /// The columns of `table` that other tables point at, in lower case.
  private func columnsReferenced(of table: SalvageTable) -> Set<String> {
    let keys = tables.flatMap(\.references).filter { $0.parent.lowercased() == table.name.lowercased() }.map(\.to)
    return Set(keys.flatMap { $0.isEmpty ? table.key : $0 }.map { $0.lowercased() })
  }

  /// Compares the rows with what an index of the table names.
  private mutating func countLost(_ pages: SalvagedPages) throws {
    for table in tables {
      guard pages.lost[table.name]?.isEmpty == false, let target = target(of: table, schema.shadows),
        let place = report.tables.firstIndex(where: { $0.table == target })
      else { continue }
      let counts = report.tables[place]
      report.tables[place].lost = nil
      if !pages.hasPlace(table.name) { report.unplaced.append(target) }
      guard target == table.name, let named = pages.counted[table.name] else { continue }
      guard var rowids = named.rowids else {
        report.tables[place].lost = max(0, named.entries - counts.rows - counts.setAside)
        continue
      }
      let rowid = table.stored.contains { $0.name.lowercased() == "rowid" } ? "_rowid_" : "rowid"
      try connection.rows(BoundSQL(raw: "SELECT \(rowid) FROM \(quoted(table.name))")) { rowids.remove(try $0.int64()) }
      let aside = asideRowids[table.name] ?? []
      report.tables[place].lost = max(0, rowids.subtracting(aside).count - (withoutRowid[table.name] ?? 0))
    }
  }

  /// An object that cannot be made is a finding: the rows matter more.
  private mutating func make(_ object: SalvageSchema.Object) throws {
    do {
      try connection.run(object.sql)
    } catch let error as StoreError where [.misuse, .constraint].contains(error.code) {
      if let otherwise = object.otherwise {
        return try make(SalvageSchema.Object(type: object.type, name: object.name, table: object.table, root: 0, sql: otherwise))
      }
      report.findings.append("the \(object.type) \(object.name) cannot be made: \(error.message)")
    }
  }

  private mutating func rebuild(_ name: String) throws {
    do {
      try connection.run("INSERT INTO \(quoted(name)) (\(quoted(name))) VALUES ('rebuild')")
    } catch let error as StoreError where [.misuse, .constraint, .damaged].contains(error.code) {
      report.findings.append("the search index \(name) cannot be made again: \(error.message)")
    }
  }

  /// The table into which the rows of `table` go; nil for tables that SQLite fills by itself.
  private func target(of table: SalvageTable, _ shadows: Set<String>) -> String? {
    guard shadows.contains(table.name) else { return table.name.hasPrefix("sqlite_") ? nil : table.name }
    return table.name.hasSuffix("_content") ? String(table.name.dropLast("_content".count)) : nil
  }

  private mutating func take(
    _ number: Int, _ table: SalvageTable, _ inserts: SalvageInserts, isFound: Bool, _ counts: inout SalvageReport.Table,
    _ check: () throws -> Void
  ) throws {
    try check()
    guard let page = RawPage(number, of: file) else { return }
    let (rows, unreadable) = page.rows(of: file)
    report.unreadableRows += unreadable
    for row in rows {
      guard table.fit(row) != nil else {
        counts.setAside += 1
        try keep(row, table.name, page: number, "its values are not those of the table")
        continue
      }
      if row.hasEmptyPage {
        counts.setAside += 1
        try keep(row, table.name, page: number, "a page of its content holds only zeros")
        continue
      }
      if try inserts.insert(row) {
        counts.rows += 1
        if isFound { counts.found += 1 }
      } else if try !inserts.isThere(row) {
        counts.setAside += 1
        try keep(row, table.name, page: number, "it breaks a rule of the table, or another row has its key")
      }
    }
  }

  /// Pages without rowids that fit a table and an index: they are an index when rows that they name have these values. Few need to be there
  /// still: what a table's row says is rarely so of a row of another table, too.
  private mutating func takeDoubtful(_ pages: SalvagedPages, _ check: () throws -> Void) throws {
    for (numbers, name, indexes) in pages.doubtful {
      guard let table = tables.first(where: { $0.name == name }), let place = report.tables.firstIndex(where: { $0.table == name }) else {
        continue
      }
      if try indexes.contains(where: { try isIndex(numbers, $0) }) { continue }
      let inserts = SalvageInserts(table, into: name, in: connection)
      var counts = report.tables[place]
      for number in numbers { try take(number, table, inserts, isFound: true, &counts, check) }
      report.tables[place] = counts
    }
  }

  private func isIndex(_ numbers: [Int], _ index: String) throws -> Bool {
    guard let object = schema.objects.first(where: { $0.name == index }), let table = tables.first(where: { $0.name == object.table })
    else { return false }
    let columns = madeIndexes[index.lowercased()].map { $0.key + $0.rest } ?? []
    let rowid = table.rowidColumn.map { table.stored[$0].name } ?? "rowid"
    // Of an expression the table's row says nothing. What names the row is always there: its rowid or its key.
    let known = columns.enumerated().compactMap { place, column in (column.column == -1 ? rowid : column.name).map { (place, $0) } }
    var (rows, hits) = (0, 0)
    for row in numbers.prefix(8).flatMap({ RawPage($0, of: file)?.rows(of: file).rows.prefix(50) ?? [] }) {
      guard row.values.count == columns.count else { continue }
      rows += 1
      let condition = BoundSQL(raw: known.map { "\(quoted($1)) IS ?" }.joined(separator: " AND "), known.map { row.values[$0.0] })
      try connection.rows("SELECT 1 FROM \(sql: BoundSQL(raw: quoted(table.name))) WHERE \(sql: condition) LIMIT 1") { _ in hits += 1 }
    }
    return rows > 0 && hits * 8 >= rows
  }

  private mutating func keepUnclear(_ pages: SalvagedPages) throws {
    let shadows = schema.shadows
    for (number, names) in pages.unclear where !names.allSatisfy(shadows.contains) {
      guard let page = RawPage(number, of: file) else { continue }
      let (rows, unreadable) = page.rows(of: file)
      report.unreadableRows += unreadable
      for row in rows {
        if let place = report.tables.firstIndex(where: { $0.table == names.first }) { report.tables[place].setAside += 1 }
        try keep(row, names.first ?? "", page: number, "it may be of any of these tables: \(names.joined(separator: ", "))")
      }
    }
  }

  /// Rows that point at a row that is gone.
  private mutating func keepOrphans() throws {
    // What is set aside may be what others point at.
    var hasMore = true
    while hasMore {
      hasMore = false
      for table in tables {
        for reference in table.references {
          guard let place = report.tables.firstIndex(where: { $0.table == table.name }), let condition = orphaned(reference) else {
            continue
          }
          let names = table.stored.map { quoted($0.name) }.joined(separator: ", ")
          let sql: BoundSQL = "SELECT \(raw: names) FROM \(raw: quoted(table.name)) AS child WHERE \(raw: condition)"
          let orphans: [RawPage.Row]
          do {
            orphans = try connection.values(sql) { row in RawPage.Row(values: try table.stored.map { _ in try row.value() }) }
          } catch let error as StoreError where error.code == .misuse {
            let finding = "what \(table.name) points at cannot be checked: \(error.message)"
            if !report.findings.contains(finding) { report.findings.append(finding) }
            continue
          }
          for row in orphans { try keep(row, table.name, page: nil, "a row of \(reference.parent) that it points at is gone") }
          guard !orphans.isEmpty else { continue }
          try connection.run("DELETE FROM \(quoted(table.name)) AS child WHERE \(condition)")
          report.tables[place].rows -= orphans.count
          report.tables[place].setAside += orphans.count
          hasMore = true
        }
      }
    }
  }

  /// The condition of the rows of `child` without their row of `parent`; nil where there is no such table.
  private func orphaned(_ reference: SQLTable.Reference) -> String? {
    guard let table = tables.first(where: { $0.name.lowercased() == reference.parent.lowercased() }) else { return nil }
    let key = !reference.to.isEmpty ? reference.to : table.key.isEmpty ? ["rowid"] : table.key
    guard key.count == reference.from.count else { return nil }
    let pairs = zip(reference.from.map(quoted), key.map(quoted))
    let known = pairs.map { child, _ in "child.\(child) IS NOT NULL" }.joined(separator: " AND ")
    let same = pairs.map { "parent.\($1) = child.\($0)" }.joined(separator: " AND ")
    return "\(known) AND NOT EXISTS (SELECT 1 FROM \(quoted(table.name)) AS parent WHERE \(same))"
  }

  /// Ids that were used once are not used again.
  private func raiseCounters() throws {
    for (name, last) in counters() {
      try connection.rows("UPDATE sqlite_sequence SET seq = max(seq, \(last)) WHERE name = \(name)") { _ in }
      try connection.rows(
        "INSERT INTO sqlite_sequence (name, seq) SELECT \(name), \(last) WHERE \(name) NOT IN (SELECT name FROM sqlite_sequence)"
      ) { _ in }
    }
  }

  /// The last ids that tables with AUTOINCREMENT have given.
  private func counters() -> [(table: String, last: Int64)] {
    guard let counters = tables.first(where: { $0.name == "sqlite_sequence" }), let root = schema.root(counters.name) else { return [] }
    return (RawPage(root, of: file)?.rows(of: file).rows ?? []).compactMap { row in
      guard row.values.count == 2, case .text(let name) = row.values[0], case .integer(let last) = row.values[1] else { return nil }
      return (name, last)
    }
  }

  private mutating func keep(_ row: RawPage.Row, _ table: String, page: Int?, _ reason: String) throws {
    let known = tables.first { $0.name == table }
    var members: [String: SQLValue] = [:]
    for (place, value) in row.values.enumerated() {
      members[known?.stored.indices.contains(place) == true ? known?.stored[place].name ?? "" : "column \(place + 1)"] = value
    }
    var rowid = row.rowid
    if rowid == nil, let place = known?.rowidColumn, case .integer(let number)? = row.values.dropFirst(place).first { rowid = number }
    if let rowid { asideRowids[table, default: []].insert(rowid) }
    try setAside(Self.line(table, reason, members, rowid: row.rowid, page: page))
  }

  private static func line(
    _ table: String, _ reason: String, _ values: [String: SQLValue], rowid: Int64? = nil, page: Int? = nil
  ) -> String {
    var line: [String: JSONValue] = [
      "table": .string(table), "reason": .string(reason), "columns": .object(values.mapValues(\.audited)),
    ]
    line["rowid"] = rowid.map { SQLValue.integer($0).audited }
    line["page"] = page.map { SQLValue.integer(Int64($0)).audited }
    return JSONValue.object(line).canonicalText()
  }
}
