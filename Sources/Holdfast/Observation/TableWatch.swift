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
  /// The watched columns by table name; nil: all columns. Events spell a table's name as its declaration does.
  private var watched: [String: Set<String>?] = [:]
  // Guarded by `lock`.
  private var counted = 0
  private var begun = false
  private let lock = NSLock()

  package init(_ store: Store, _ tables: [WatchedTable]) {
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.changes = changes
    self.continuation = continuation
    isClosed = store.connections.isClosed
    closing = isClosed.whenRaised { continuation.finish() }
    let committed = store.watches.add(self)
    // Does not wait for the writer. All commits before the watch begins are counted as one change.
    store.writer.asyncWriteWithoutTransaction { [weak self, isClosed, connections = store.connections, watches = store.watches] db in
      // GRDB would use the closed connection of a store in memory.
      guard let self, !isClosed.isRaised else { return }
      let declared = (try? String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")) ?? []
      let virtual =
        (try? String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%'")) ?? []
      for table in tables {
        for name in declared + [table.name] where name.lowercased() == table.name.lowercased() {
          watched.updateValue(table.columns.flatMap { try? Self.heard($0, of: name, db) }, forKey: name)
          // SQLite tells changes of a virtual table by the tables that keep its content.
          guard virtual.contains(name) else { continue }
          for part in declared where part.hasPrefix(name + "_") { watched.updateValue(nil, forKey: part) }
        }
      }
      db.add(transactionObserver: self, extent: .observerLifetime)
      try? connections.connection(of: db).forgetExecuted()
      if watches.commits != committed { add() }
      lock.withLock { begun = true }
    }
  }

  deinit { isClosed.forget(closing) }

  /// Whether every commit is now counted on its own.
  package var hasBegun: Bool { lock.withLock { begun } }

  /// The number of counted changes. The commits between the making of the watch and its beginning count as one.
  package var count: Int { lock.withLock { counted } }

  /// Counts a change, whichever tables are watched: all content was replaced.
  func wake() { add() }

  private func add() {
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

/// A table that a read uses, and its columns.
package struct WatchedTable: Sendable {
  let name: String
  /// Column names in lower case; nil: all columns.
  let columns: Set<String>?

  package init(_ name: String, columns: [String]? = nil) {
    self.name = name
    self.columns = columns.map { Set($0.map { $0.lowercased() }) }
  }
}
