import Foundation
internal import GRDB

/// The kit's state for each SQLite connection of a store.
final class ConnectionTable: @unchecked Sendable {
  // Guarded by `lock`; each `Connection` is used only on its own connection's queue.
  // A store has a handful: they are found faster one by one than by a hash.
  private var connections: [(database: ObjectIdentifier, connection: Connection)] = []
  private let lock = NSLock()
  private let recorder: MetricsRecorder?
  private let slowStatementThreshold: Duration?
  let isClosed = Flag()

  init(_ recorder: MetricsRecorder?, slowStatementThreshold: Duration?) {
    self.recorder = recorder
    self.slowStatementThreshold = slowStatementThreshold
  }

  func connection(of db: Database) throws -> Connection {
    lock.lock()
    defer { lock.unlock() }
    let key = ObjectIdentifier(db)
    guard !isClosed.isRaised, let handle = db.sqliteConnection else { throw StoreError(.closed, "the store is closed") }
    // A new object may have the identifier of a freed one, so the handle is compared, too.
    for known in connections where known.database == key && known.connection.handle == handle { return known.connection }
    connections.removeAll { $0.database == key }
    let connection = Connection(handle, StatementWatch(recorder, threshold: slowStatementThreshold))
    connection.checkpoints.recorder = recorder
    connections.append((key, connection))
    return connection
  }

  /// - Throws: `.closed` after the store was closed.
  func checkOpen(_ path: String) throws {
    guard !isClosed.isRaised else { throw StoreError(.closed, "\(path) is closed") }
  }

  /// Finalizes all statements. Later calls prepare new ones. Call while no other thread uses a connection.
  func finalize() {
    lock.withLock { for (_, connection) in connections { connection.finalize() } }
  }

  /// Ends a store's connections. Call on the writer's queue.
  func end(_ db: Database, _ archiver: Archiver?, checkpoints: Bool) {
    lock.withLock {
      for (_, connection) in connections { connection.finalize() }
      // The connection is closed already when it has no handle.
      if checkpoints, let handle = db.sqliteConnection {
        let known = connections.first { $0.database == ObjectIdentifier(db) }?.connection.checkpoints
        let checkpoints = known ?? CheckpointDoor(handle)
        checkpoints.archiver = archiver
        checkpoints.atClosing()
      } else {
        _ = archiver?.close()
      }
      connections.removeAll()
    }
  }
}
