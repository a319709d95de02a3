import Foundation

/// What a query plan says about whole tables, and the indexes that may serve instead. A guess: `StatementPlan` lets SQLite prove each.
struct PlanAdvice: Equatable {
  /// The tables that are read row by row, without an index.
  private(set) var scanned: [String] = []
  /// Each may serve beside the others.
  private(set) var candidates: [Candidate] = []
  /// One of these may serve: the first that SQLite uses is the best.
  private(set) var choices: [Candidate] = []

  /// An index that may serve.
  struct Candidate: Equatable {
    let table: String
    /// The columns of the index that equal a value.
    let equal: [String]
    /// The column behind them that is compared with < or >.
    var range: String?
    /// The columns behind these, for the order of the rows.
    var order: [String] = []
    /// Whether the rows must come in their order, without being sorted.
    var sorts = false

    var columns: [String] { equal + [range].compactMap { $0 } + order }
    var name: String { "\(table)_by_\(columns.joined(separator: "_and_"))" }

    var sql: String {
      "CREATE INDEX \(Self.word(name)) ON \(Self.word(table)) (\(columns.map(Self.word).joined(separator: ", ")))"
    }

    /// Whether a plan finds rows by the columns of this index, and by nothing else, and sorts them only where it may.
    func isUsed(in plan: [String]) -> Bool {
      if sorts, plan.contains(where: PlanAdvice.sortsRows) { return false }
      let terms = equal.map { "\($0)=?" }
      func found(_ terms: [String]) -> String { "INDEX \(name) (\(terms.joined(separator: " AND "))" }
      return plan.contains { line in
        if let range { return [">?", "<?"].contains { line.contains(found(terms + [range + $0])) } }
        return terms.isEmpty ? line.hasSuffix(" INDEX \(name)") : line.contains(found(terms) + ")")
      }
    }

    /// A name as SQL, quoted where it has other characters. For a word of SQL, such as `order`, the proof fails: no index is advised.
    private static func word(_ name: String) -> String {
      let isPlain = name.unicodeScalars.allSatisfy {
        $0 == "_" || ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0)
      }
      return isPlain && name.first?.isNumber == false ? name : quoted(name)
    }
  }

  /// - Parameters:
  ///   - plan: the lines of `EXPLAIN QUERY PLAN`.
  ///   - columns: the columns of the tables that may get advice.
  init(plan: [String], sql: String, columns: [String: [String]]) {
    let words = SQLTokens.of(sql)
    let steps = plan.map { $0.drop { $0 == " " } }
    for step in steps {
      if let name = Self.nameScanned(step), let table = Self.table(called: name, words, columns), !scanned.contains(table) {
        scanned.append(table)
      }
      if let (name, keys) = Self.automatic(step), let table = Self.table(called: name, words, columns) {
        add(keys, table, columns)
      }
    }
    let reading = steps.filter { $0.hasPrefix("SCAN ") || $0.hasPrefix("SEARCH ") }
    if reading.count == 1, reading.first.flatMap(Self.nameScanned) != nil, let table = scanned.first {
      choose(table, words, isSorted: plan.contains(where: Self.sortsRows), columns)
    }
  }

  private mutating func choose(_ table: String, _ words: [String], isSorted: Bool, _ columns: [String: [String]]) {
    func known(_ keys: [String]) -> [String] { Self.known(keys, in: columns[table] ?? []) }
    let equal = known(Self.compared(words, by: ["="]))
    let ranges = known(Self.compared(words, by: ["<", ">", "between"])).filter { !equal.contains($0) }
    let ordered = isSorted ? Self.order(words) ?? [] : []
    let order = known(ordered).count == ordered.count ? known(ordered).filter { !equal.contains($0) } : []
    let sorted = ranges.filter { $0 == order.first }.map {
      Candidate(table: table, equal: equal, range: $0, order: Array(order.dropFirst()), sorts: true)
    }
    let ranged = ranges.map { Candidate(table: table, equal: equal, range: $0) }
    let others = [
      Candidate(table: table, equal: equal, sorts: true), Candidate(table: table, equal: equal, order: order, sorts: true),
      Candidate(table: table, equal: equal),
    ]
    choices = (sorted + ranged + others).filter { !$0.columns.isEmpty && !($0.sorts && !isSorted) }
  }

  private mutating func add(_ keys: [String], _ table: String, _ columns: [String: [String]]) {
    let candidate = Candidate(table: table, equal: Self.known(keys, in: columns[table] ?? []))
    if !candidate.equal.isEmpty, !candidates.contains(candidate) { candidates.append(candidate) }
  }

  /// The columns with these names, each once.
  private static func known(_ keys: [String], in columns: [String]) -> [String] {
    keys.reduce(into: []) { found, key in
      if let column = columns.first(where: { $0.lowercased() == key }), !found.contains(column) { found.append(column) }
    }
  }

  /// Whether a step of a plan sorts rows for ORDER BY.
  private static func sortsRows(_ step: String) -> Bool { step.contains("USE TEMP B-TREE FOR") && step.hasSuffix("ORDER BY") }

  /// The table or alias of `SCAN books`. Any further word tells of an index, of a virtual table, or of rows that are no table's.
  private static func nameScanned(_ step: Substring) -> Substring? {
    guard step.hasPrefix("SCAN ") else { return nil }
    let name = step.dropFirst(5)
    return name.contains(" ") ? nil : name
  }

  /// The table or alias, and the columns, of `SEARCH books USING AUTOMATIC COVERING INDEX (author=?)`.
  private static func automatic(_ step: Substring) -> (name: Substring, columns: [String])? {
    guard step.hasPrefix("SEARCH "), let using = step.range(of: " USING AUTOMATIC "),
      let open = step[using.upperBound...].firstIndex(of: "("), let close = step.lastIndex(of: ")"), open < close
    else { return nil }
    let terms = step[step.index(after: open)..<close].components(separatedBy: " AND ")
    guard terms.allSatisfy({ $0.hasSuffix("=?") }) else { return nil }
    return (step[..<using.lowerBound].dropFirst(7), terms.map { $0.dropLast(2).lowercased() })
  }

  /// The table that the plan calls `name`, which may be one that the SQL gave it. Nil where the name may be another's, as a subquery's.
  private static func table(called name: Substring, _ words: [String], _ columns: [String: [String]]) -> String? {
    let name = name.lowercased()
    var found = Set(columns.keys.filter { $0.lowercased() == name })
    let named = words.enumerated().filter { $0.element == name }.map(\.offset)
    for place in named {
      let next = words[(place + 1)...].prefix(2)
      // `name (…) AS` and `name AS (…)` are common table expressions.
      if next.first == "(" || next.first == "as" && ["(", "materialized", "not"].contains(next.last) { return nil }
      var before = words[..<place]
      if before.last == "as" { before.removeLast() }
      guard let first = before.last else { continue }
      // The end of a subquery.
      if first == ")" { return nil }
      found.formUnion(columns.keys.filter { $0.lowercased() == first })
    }
    return found.count == 1 ? found.first : nil
  }

  /// The names behind WHERE that are compared with a parameter, a number or a text: `author = ?`.
  private static func compared(_ words: [String], by signs: Set<String>) -> [String] {
    var found: [String] = []
    let terms = Array(words.drop { $0 != "where" }.dropFirst())
    for (place, word) in terms.enumerated() where signs.contains(word) && place > 0 {
      // `==` is the same as `=`.
      let value = terms.dropFirst(place + 1).first { $0 != "=" }
      guard terms.indices.contains(place - 1), let first = value?.unicodeScalars.first else { continue }
      if "?:@$'-".unicodeScalars.contains(first) || ("0"..."9").contains(first) { found.append(terms[place - 1]) }
    }
    return found
  }

  /// The names behind the last ORDER BY: `year DESC, title DESC`. Nil for anything but names in one direction.
  private static func order(_ words: [String]) -> [String]? {
    guard let start = words.lastIndex(of: "order"), words.dropFirst(start + 1).first == "by" else { return nil }
    let terms = words.dropFirst(start + 2).prefix { !["limit", ";"].contains($0) }.split(separator: ",", omittingEmptySubsequences: false)
    let directions = Set(terms.map { $0.last == "desc" })
    guard directions.count == 1 else { return nil }
    var names: [String] = []
    for term in terms {
      let name = ["asc", "desc"].contains(term.last) ? term.dropLast() : term
      guard let last = name.last, name.count == 1 || name.count == 3 && name.dropFirst().first == "." else { return nil }
      names.append(last)
    }
    return names
  }
}
