import Foundation

/// Finds what kind of value each column of a record holds. A derived record knows it. One that is written by hand tells: it reads values of
/// the wrong type, and each error names the kind that the record takes the column for; a sample of that kind then takes the value's place.
enum KindProbe {
  /// - Parameter sql: the table's CREATE statement, whose literals are the words of closed enums.
  /// - Returns: the kinds in the order of the columns; nil where the record does not tell, or its meaning depends on another column.
  static func kinds<Record: StoredRecord>(of type: Record.Type, declaredAs sql: String) throws -> [ColumnKind?] {
    let columns = type.columns
    if let derived = DerivedColumns.found(of: type), derived.names == columns { return derived.kinds }
    let key = ObjectIdentifier(type)
    if let known = found.with({ $0[key] }) { return known }
    let kinds = try probe(RecordBench<Record>(), columns.count, literals(of: sql))
    found.with { $0[key] = kinds }
    return kinds
  }

  private static let found = Locked<[ObjectIdentifier: [ColumnKind?]]>([:])

  private static func probe<Record: StoredRecord>(_ bench: RecordBench<Record>, _ count: Int, _ words: [String]) throws -> [ColumnKind?] {
    var kinds = [ColumnKind?](repeating: nil, count: count)
    var values = [SQLValue](repeating: .blob(Data([0])), count: count)
    var samples = [[SQLValue]](repeating: [], count: count)
    while let (column, kind) = try bench.refusal(of: values), kinds.indices.contains(column) {
      if kinds[column] == nil, let kind { (kinds[column], samples[column]) = (kind, Self.samples(kind, words)) }
      guard !samples[column].isEmpty else { break }
      values[column] = samples[column].removeFirst()
    }
    // What takes bytes takes nothing else.
    for column in kinds.indices where kinds[column] == nil {
      var others = values
      others[column] = .integer(1)
      if let (stopped, kind) = try bench.refusal(of: others), stopped == column { kinds[column] = kind }
    }
    // A column that is read in another way after another word has no kind.
    for column in kinds.indices where kinds[column] == .text {
      for word in words {
        var others = values
        others[column] = .text(word)
        if let (stopped, kind) = try bench.refusal(of: others), stopped > column, kinds.indices.contains(stopped), kind != kinds[stopped],
          kind != nil
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
