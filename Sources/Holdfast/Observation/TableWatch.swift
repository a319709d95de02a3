import Foundation
package import GRDB

/// Counts the commits that change the watched tables, as long as it lives. Does not see commits of other processes.
package final class TableWatch: TransactionObserver, @unchecked Sendable {
  /// Yields one element after one or more changes. Ends when the store is closed.
  let changes: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let isClosed: Flag
  private let closing: Int
  // Used on the writer's queue only.
  private var isTouched = false
  private var isObserving = false
  /// The watched columns by table name; nil: all columns. Events spell a table's name as its declaration does.
  private var watched: [String: Set<String>?] = [:]
  // Guarded by `lock`.
  private var counted = 0
  private var wanted = 0
  private var begun = 0
  private let lock = NSLock()

  /// A watch of no tables. It hears only that all content was replaced.
  init(_ store: Store) {
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.changes = changes
    self.continuation = continuation
    isClosed = store.connections.isClosed
    closing = isClosed.whenRaised { continuation.finish() }
    store.watches.add(self)
  }

  /// A watch of these tables, with all their columns.
  package convenience init(_ store: Store, _ tables: [String]) {
    self.init(store)
    watch(Dictionary(tables.map { ($0, nil) }) { first, _ in first }, of: store, since: store.watches.commits)
  }

  /// Reads a value once, and watches what the read used.
  package static func reading<Value>(_ updates: Updates<Value>) throws -> (Value, TableWatch) {
    let watch = TableWatch(updates.store)
    let commit = updates.store.watches.commits
    let (value, tables) = try updates.store.read(updates.readOnce)
    watch.watch(tables, of: updates.store, since: commit)
    return (value, watch)
  }

  /// Watches these tables instead of those before. Does not wait for the writer: all commits between the store's `commit`, counted before the
  /// tables were read, and the beginning count as one change.
  func watch(_ tables: UsedTables, of store: Store, since commit: Int) {
    lock.withLock { wanted += 1 }
    store.writer.runLater { [weak self, isClosed, connections = store.connections, watches = store.watches] db in
      // GRDB would use the closed connection of a store in memory.
      guard let self, !isClosed.isRaised else { return }
      begin(tables, db)
      try? connections.connection(of: db).forgetExecuted()
      if watches.commits != commit { add() }
      lock.withLock { begun += 1 }
    }
  }

  private func begin(_ tables: UsedTables, _ db: Database) {
    watched = [:]
    let declared = (try? String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")) ?? []
    let virtual =
      (try? String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%'")) ?? []
    for (table, columns) in tables {
      watched.updateValue(columns.flatMap { try? Self.heard($0, of: table, db) }, forKey: table)
      // SQLite tells changes of a virtual table by the tables that keep its content.
      guard virtual.contains(table) else { continue }
      for part in declared where part.hasPrefix(table + "_") { watched.updateValue(nil, forKey: part) }
    }
    guard !isObserving else { return }
    db.add(transactionObserver: self, extent: .observerLifetime)
    isObserving = true
  }

  deinit { isClosed.forget(closing) }

  /// Whether every commit is now counted on its own.
  package var hasBegun: Bool { lock.withLock { begun > 0 && begun == wanted } }

  /// The number of counted changes. The commits between the making of the watch and its beginning count as one.
  package var count: Int { lock.withLock { counted } }

  /// Counts a change.
  func add() {
    lock.withLock { counted += 1 }
    continuation.yield()
  }

  package func observes(eventsOfKind kind: DatabaseEventKind) -> Bool {
    guard let columns = watched[kind.tableName] else { return false }
    guard let columns, case .update(_, let changed) = kind else { return true }
    // SQLite names the row id `ROWID` here, even when a column is declared for it.
    return changed.contains { columns.contains($0.lowercased()) || $0 == "ROWID" }
  }

  /// The columns whose updates may change the result of a read of `columns`; nil: any column. A needless read is better than a missed one.
  private static func heard(_ columns: Set<String>, of table: String, _ db: Database) throws -> Set<String>? {
    // UPDATE OR REPLACE deletes the row that already has the new key, and SQLite reports no deletion. So key columns count, too. NULL: the
    // key is an expression or a partial index, so every column counts.
    let keys = try Optional<String>.fetchAll(
      db,
      sql: """
        SELECT name FROM pragma_table_info(:table) WHERE pk > 0 UNION ALL
        SELECT CASE WHEN list.partial THEN NULL ELSE info.name END
        FROM pragma_index_list(:table) AS list, pragma_index_info(list.name) AS info WHERE list."unique"
        """, arguments: ["table": table])
    guard !keys.contains(nil) else { return nil }
    let heard = columns.union(keys.compactMap { $0?.lowercased() })
    // The column does not exist or is generated, so no update names it.
    let there = try String.fetchAll(db, sql: "SELECT name FROM pragma_table_info(?)", arguments: [table])
    return heard.isSubset(of: there.map { $0.lowercased() }) ? heard : nil
  }

  package func databaseDidChange() { isTouched = true }

  package func databaseDidChange(with event: DatabaseEvent) {
    // A statement that may change a watched table also tells what search indexes write, and a read then would be needless.
    guard watched[event.tableName] != nil else { return }
    isTouched = true
    stopObservingDatabaseChangesUntilNextTransaction()
  }

  package func databaseDidCommit(_ db: Database) {
    guard isTouched else { return }
    isTouched = false
    add()
  }

  package func databaseDidRollback(_ db: Database) { isTouched = false }
}
