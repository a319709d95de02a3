import Foundation
internal import GRDBSQLite

/// Finds what kind of value each column of a record holds. A derived record knows it. One that is written by hand tells: it reads values of
/// the wrong type, and each error names the kind that the record takes the column for; a sample of that kind then takes the value's place.
enum KindProbe {
  /// - Parameter sql: the table's CREATE statement, whose literals are the words of closed enums.
  /// - Returns: the kinds in the order of the columns; nil where the record does not tell, or its meaning depends on another column.
  static func kinds<Record: StoredRecord>(of type: Record.Type, declaredAs sql: String, _ connection: Connection) throws -> [ColumnKind?] {
    let columns = type.columns
    if let derived = DerivedColumns.found(of: type), derived.names == columns { return derived.kinds }
    if let known = found.withLock({ $0[ObjectIdentifier(type)] }) { return known }
    let statement = Prepared("SELECT " + columns.indices.map { "?\($0 + 1)" }.joined(separator: ", "))
    defer { statement.finalize() }
    let kinds = try probe(type, columns.count, sql) { values in
      try connection.with(statement) { statement in
        var bound = Values(copyingInto: statement)
        for value in values { try bound.value(value) }
        // Stepped by hand: it reads bound values back, and no table.
        guard sqlite3_step(statement) == SQLITE_ROW else { throw connection.failure(sqlite3_errcode(connection.handle)) }
        var row = StoredRow(statement)
        do { _ = try Record(row: &row) } catch { return (row.columnsRead - 1, (error as? StoreError)?.columnKind) }
        return nil
      }
    }
    found.withLock { $0[ObjectIdentifier(type)] = kinds }
    return kinds
  }

  private static let found = Found()

  private final class Found: @unchecked Sendable {
    private var kinds: [ObjectIdentifier: [ColumnKind?]] = [:]
    private let lock = NSLock()
    func withLock<T>(_ body: (inout [ObjectIdentifier: [ColumnKind?]]) -> T) -> T { lock.withLock { body(&kinds) } }
  }

  /// `refused` reads a row of these values, and returns the column where the record stopped, with the kind that it wanted; nil: it read all.
  private static func probe<Record>(
    _: Record.Type, _ count: Int, _ sql: String, _ refused: ([SQLValue]) throws -> (column: Int, kind: ColumnKind?)?
  ) throws -> [ColumnKind?] {
    let words = literals(of: sql)
    var kinds = [ColumnKind?](repeating: nil, count: count)
    var values = [SQLValue](repeating: .blob(Data([0])), count: count)
    var samples = [[SQLValue]](repeating: [], count: count)
    while let (column, kind) = try refused(values), kinds.indices.contains(column) {
      if kinds[column] == nil, let kind { (kinds[column], samples[column]) = (kind, Self.samples(kind, words)) }
      guard !samples[column].isEmpty else { break }
      values[column] = samples[column].removeFirst()
    }
    // What takes bytes takes nothing else.
    for column in kinds.indices where kinds[column] == nil {
      var others = values
      others[column] = .integer(1)
      if let (stopped, kind) = try refused(others), stopped == column { kinds[column] = kind }
    }
    // A column that is read in another way after another word has no kind.
    for column in kinds.indices where kinds[column] == .text {
      for word in words {
        var others = values
        others[column] = .text(word)
        if let (stopped, kind) = try refused(others), stopped > column, kinds.indices.contains(stopped), kind != kinds[stopped], kind != nil
        {
          kinds[stopped] = nil
        }
      }
    }
    return kinds
  }

  private static func samples(_ kind: ColumnKind, _ words: [String]) -> [SQLValue] {
    switch kind {
    case .id: [.text("00000000-0000-4000-8000-000000000001")]
    case .date: [.integer(0)]
    case .seconds: [.real(1)]
    case .flag: [.integer(1), .integer(0)]
    case .json: ["{}", "[]", "null", "0", "\"\""].map(SQLValue.text)
    case .bytes: []
    case .text: (words + ["a", "", "2000-01-01", "1"]).map(SQLValue.text)
    case .number: [.integer(1), .integer(0)]
    }
  }

  /// The texts in single quotes, each once.
  private static func literals(of sql: String) -> [String] {
    let parts = sql.split(separator: "'", omittingEmptySubsequences: false)
    var words: [String] = []
    for place in stride(from: 1, to: parts.count, by: 2) where words.count < 100 {
      let word = String(parts[place])
      if !words.contains(word) { words.append(word) }
    }
    return words
  }
}
