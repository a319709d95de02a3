import Foundation
public import Holdfast

/// How SQLite finds the rows of one statement.
public struct QueryPlan: Sendable, Equatable {
  /// The statement.
  public var sql: String
  /// The lines of EXPLAIN QUERY PLAN, outermost first.
  public var steps: [String]

  /// The steps that read a whole table row by row. Walking a whole index, which gives an order, is not among them.
  public var tableScans: [String] {
    steps.filter { step in
      step.hasPrefix("SCAN ") && !step.hasSuffix("CONSTANT ROW") && !step.hasSuffix("CONSTANT ROWS") && !step.contains("(")
        && !step.contains(" USING ") && !step.contains(" VIRTUAL TABLE ")
    }
  }

  /// The steps that sort in memory what no index has in order.
  public var sorts: [String] { steps.filter { $0.hasPrefix("USE TEMP B-TREE") } }
}

/// Collects the text of every statement that a store runs, to read its plan afterwards.
///
/// ```swift
/// let log = StatementLog()
/// let store = try Store.temporary(schemas: [schema], options: log.options())
/// try log.recording { try library.collections() }
/// try log.checkNoTableScans(in: store)
/// ```
/// May be used from any thread.
public final class StatementLog: @unchecked Sendable {
  // Guarded by `lock`.
  private var texts: [String] = []
  private var isRecording = false
  private let lock = NSLock()

  /// Empty.
  public init() {}

  /// Options of which every statement comes here.
  public func options(_ base: StoreOptions = .testing) -> StoreOptions {
    var options = base
    options.trace = { [weak self] text in self?.add(text) }
    return options
  }

  /// Collects what runs meanwhile, on any thread.
  public func recording<T>(_ body: () throws -> T) rethrows -> T {
    lock.withLock { isRecording = true }
    defer { lock.withLock { isRecording = false } }
    return try body()
  }

  /// The statements that select or change rows, each once, in the order of their first use.
  public var statements: [String] { lock.withLock { texts } }

  /// The plan of each collected statement.
  public func plans(in store: Store) throws -> [QueryPlan] {
    let statements = statements
    return try store.read { reader in
      try statements.map { QueryPlan(sql: $0, steps: try reader.queryPlan($0)) }
    }
  }

  /// - Parameter tables: the names, or the aliases in the SQL, that may be scanned.
  /// - Throws: `.verificationFailed` naming the first statement that scans another table, and its plan; `.misuse` when
  ///   nothing was collected.
  public func checkNoTableScans(in store: Store, except tables: Set<String> = []) throws {
    let plans = try plans(in: store)
    guard !plans.isEmpty else { throw StoreError(.misuse, "no statement was collected: open the store with this log's options") }
    for plan in plans {
      let scans = plan.tableScans.filter { scan in !tables.contains(String(scan.dropFirst("SCAN ".count).prefix { $0 != " " })) }
      guard scans.isEmpty else {
        throw StoreError(.verificationFailed, "\(scans.joined(separator: ", ")) in: \(plan.sql)")
      }
    }
  }

  private func add(_ text: String) {
    // What a trigger runs arrives as a comment.
    let verbs = ["SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH"]
    guard let verb = text.split(whereSeparator: \.isWhitespace).first?.uppercased(), verbs.contains(verb) else { return }
    // The kit and GRDB look at the schema by themselves, and FTS5 at its shadow tables.
    if text.contains("FROM sqlite_master") || text.contains("FROM sqlite_schema") || text.contains("'main'.'") { return }
    lock.withLock {
      if isRecording, !texts.contains(text) { texts.append(text) }
    }
  }
}
