/// How SQLite would run a statement: its plan, the tables that it reads row by row, and the indexes that would serve it.
package struct StatementPlan: Sendable, Equatable {
  /// The lines of `EXPLAIN QUERY PLAN`, indented by two spaces below the line to which they belong.
  package private(set) var lines: [String] = []
  /// The tables that are read row by row, without an index.
  package private(set) var scanned: [String] = []
  /// `CREATE INDEX` statements. With each, SQLite would use the new index where it now reads a whole table or makes an index for one run.
  package private(set) var indexes: [String] = []

  /// See `SlowStatement.advice`.
  package var advice: String? {
    if !indexes.isEmpty { return indexes.joined(separator: "; ") }
    guard !scanned.isEmpty else { return nil }
    return "\(scanned.joined(separator: ", ")): read row by row, without an index"
  }

  /// Runs nothing of the statement. The kit's own tables get no advice.
  ///
  /// - Throws: the errors of SQL that SQLite does not understand.
  init(_ sql: String, on handle: OpaquePointer) throws {
    lines = try Self.lines(sql, on: handle)
    // Most plans need no look at the schema.
    guard lines.contains(where: { $0.contains("SCAN ") || $0.contains(" AUTOMATIC ") }) else { return }
    let advice = PlanAdvice(plan: lines, sql: sql, columns: try Self.columns(on: handle))
    scanned = advice.scanned
    guard !advice.candidates.isEmpty || !advice.choices.isEmpty, let proof = try? Self.emptyCopy(of: handle),
      (try? Self.lines(sql, on: proof.handle)) == lines
    else { return }
    // Not where the schema has an index of that name.
    func isMade(_ candidate: PlanAdvice.Candidate) -> Bool { (try? proof.run(candidate.sql)) != nil }
    func isUsed(_ candidate: PlanAdvice.Candidate) -> Bool {
      guard let better = try? Self.lines(sql, on: proof.handle) else { return false }
      return candidate.isUsed(in: better)
    }
    let best = advice.choices.first { candidate in
      guard isMade(candidate) else { return false }
      if isUsed(candidate) { return true }
      // The next one is tried without it.
      try? proof.run("DROP INDEX \(quoted(candidate.name))")
      return false
    }
    indexes = (advice.candidates.filter { isMade($0) && isUsed($0) } + [best].compactMap { $0 }).map(\.sql)
  }

  /// The columns of the app's tables.
  static let columnsSQL = """
    SELECT m.name, c.name FROM sqlite_schema AS m CROSS JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table' \
    AND m.sql NOT LIKE 'CREATE VIRTUAL%' AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND m.name NOT LIKE 'holdfast\\_%' ESCAPE '\\'
    """
  /// Virtual tables first: they make tables of their own.
  static let schemaSQL = """
    SELECT sql FROM sqlite_schema WHERE sql LIKE 'CREATE %' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' \
    ORDER BY sql LIKE 'CREATE VIRTUAL%' DESC, rowid
    """

  private static func lines(_ sql: String, on handle: OpaquePointer) throws -> [String] {
    var depths: [String: Int] = [:]
    return try RawConnection.texts("EXPLAIN QUERY PLAN " + sql, on: handle).compactMap { row -> String? in
      guard row.count == 4, let step = row[0], let parent = row[1], let text = row[3] else { return nil }
      let depth = depths[parent].map { $0 + 1 } ?? 0
      depths[step] = depth
      return String(repeating: "  ", count: depth) + text
    }
  }

  private static func columns(on handle: OpaquePointer) throws -> [String: [String]] {
    var columns: [String: [String]] = [:]
    for row in try RawConnection.texts(columnsSQL, on: handle) {
      if row.count == 2, let table = row[0], let column = row[1] { columns[table, default: []].append(column) }
    }
    return columns
  }

  /// The same schema in memory, without rows. What cannot be made there, such as a table that needs a function of the app, is missing.
  private static func emptyCopy(of handle: OpaquePointer) throws -> RawConnection {
    let copy = try ConnectionFactory.probe()
    for row in try RawConnection.texts(schemaSQL, on: handle) {
      if let sql = row.first ?? nil { try? copy.run(sql) }
    }
    return copy
  }
}
