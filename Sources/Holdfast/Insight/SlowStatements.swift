/// The slow statements of a store, by their SQL text: at most 100, so that an app may make SQL texts without end.
struct SlowStatements: Sendable {
  /// How many statements `slowest` and `mostExpensive` have at most.
  static let told = 20
  static let kept = 100
  private static let longestText = 2_000

  private struct Entry {
    var statement: SlowStatement
    var isExplained = false
    /// The runs that `takeNew` has not told.
    var new: SlowStatement?
  }
  private var entries: [String: Entry] = [:]

  /// Counts one slow run. Returns whether the statement's plan is unknown.
  mutating func add(_ sql: String, nanoseconds: UInt64, rows: Int) -> Bool {
    let text = Self.cut(sql)
    if entries[text] == nil { makeRoom() }
    var entry = entries[text] ?? Entry(statement: SlowStatement(sql: text))
    let run = SlowStatement(sql: text, nanoseconds: Int64(clamping: nanoseconds), rows: rows)
    entry.statement.add(run)
    entry.new = entry.new ?? SlowStatement(sql: text)
    entry.new?.add(run)
    entries[text] = entry
    return !entry.isExplained
  }

  /// The slow runs since the last call. Those whose plan is still to be read come with a later one.
  mutating func takeNew() -> [SlowStatement] {
    var taken: [SlowStatement] = []
    for (text, entry) in entries where entry.isExplained {
      guard var new = entry.new else { continue }
      (new.plan, new.advice) = (entry.statement.plan, entry.statement.advice)
      taken.append(new)
      entries[text]?.new = nil
    }
    return taken
  }

  /// - Parameter plan: nil when it could not be read. Then it is not tried again.
  mutating func explain(_ sql: String, _ plan: StatementPlan?) {
    let text = Self.cut(sql)
    entries[text]?.isExplained = true
    guard let plan else { return }
    entries[text]?.statement.plan = plan.lines
    entries[text]?.statement.advice = plan.advice
  }

  /// Those with the longest run, the longest first.
  var slowest: [SlowStatement] { first { $0.longestNanoseconds } }

  /// Those with the largest sum, the largest first.
  var mostExpensive: [SlowStatement] { first { $0.totalNanoseconds } }

  private func first(by time: (SlowStatement) -> Int64) -> [SlowStatement] {
    let all = entries.values.map(\.statement)
    return Array(all.sorted { (time($0), $1.sql) > (time($1), $0.sql) }.prefix(Self.told))
  }

  /// Forgets the statement with the smallest sum, but none of the slowest.
  private mutating func makeRoom() {
    guard entries.count >= Self.kept else { return }
    let slow = Set(slowest.map(\.sql))
    let others = entries.values.lazy.map(\.statement).filter { !slow.contains($0.sql) }
    if let least = others.min(by: { $0.totalNanoseconds < $1.totalNanoseconds }) { entries[least.sql] = nil }
  }

  private static func cut(_ sql: String) -> String {
    sql.utf8.count <= longestText ? sql : String(sql.prefix(longestText))
  }
}
