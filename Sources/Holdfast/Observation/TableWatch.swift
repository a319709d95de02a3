import Foundation
package import GRDB

/// Counts the commits that change some tables, as long as it lives. Commits of other processes are not seen.
package final class TableWatch: TransactionObserver, @unchecked Sendable {
  /// One element after changes, however many; ends when the store is closed.
  let changes: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation
  private let isClosed: Flag
  private let closing: Int
  // Used on the writer's queue only.
  private var isTouched = false
  private var tables: Set<String> = []
  // Guarded by `lock`.
  private var counted = 0
  private let lock = NSLock()

  package init(_ store: Store, _ tables: Set<String>) {
    let (changes, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.changes = changes
    self.continuation = continuation
    isClosed = store.connections.isClosed
    closing = isClosed.whenRaised { continuation.finish() }
    // Without waiting for the writer. What it commits before the watch begins is counted as one change.
    store.writer.asyncWriteWithoutTransaction { [weak self, isClosed, connections = store.connections] db in
      // GRDB would touch a connection in memory that was closed.
      guard let self, !isClosed.isRaised else { return }
      // Events name tables as they were declared.
      let declared = (try? String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'")) ?? []
      let wanted = Set(tables.map { $0.lowercased() })
      self.tables = tables.union(declared.filter { wanted.contains($0.lowercased()) })
      db.add(transactionObserver: self, extent: .observerLifetime)
      try? connections.connection(of: db).forgetExecuted()
      add()
    }
  }

  deinit { isClosed.forget(closing) }

  /// How many such commits there were, and one for the moment at which the watch began.
  package var count: Int { lock.withLock { counted } }

  private func add() {
    lock.withLock { counted += 1 }
    continuation.yield()
  }

  package func observes(eventsOfKind kind: DatabaseEventKind) -> Bool { tables.contains(kind.tableName) }

  package func databaseDidChange() { isTouched = true }

  package func databaseDidChange(with event: DatabaseEvent) {
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
