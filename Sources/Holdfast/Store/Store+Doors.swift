import Foundation
internal import GRDB
import Logging
internal import GRDBSQLite

extension Store {
  /// Reads one consistent view of the store, and blocks the caller meanwhile. Does not wait for writers.
  ///
  /// - Throws: what `body` throws; `.closed`.
  public func read<T>(_ body: (Reader) throws -> T) throws -> T {
    do {
      return try writer.unsafeRead { db in try reading(db, body) }
    } catch {
      throw failure(error)
    }
  }

  /// Reads one consistent view of the store without blocking the caller. Cancelling the task ends the read with `.cancelled`.
  public func read<T: Sendable>(_ body: @escaping @Sendable (Reader) throws -> T) async throws -> T {
    do {
      return try await writer.unsafeRead { db in try self.reading(db, body) }
    } catch {
      throw failure(error)
    }
  }

  /// Runs `body` in one transaction and blocks the caller meanwhile: when it returns, everything is committed; when it
  /// throws, nothing is changed. `body` never runs twice. Not to be called inside another `write`.
  ///
  /// - Throws: what `body` throws; `.busy` when another connection holds the write lock for longer than the busy
  ///   timeout; `.readOnly`; `.closed`; `.diskFull` and `.inputOutput` with the store as before.
  public func write<T>(_ body: (Transaction) throws -> T) throws -> T {
    try checkWritable()
    do {
      return try writer.writeWithoutTransaction { db in try writing(db, body) }
    } catch {
      throw failure(error)
    }
  }

  /// Runs `body` in one transaction without blocking the caller.
  ///
  /// Cancelling the task before the transaction has begun throws `.cancelled` and changes nothing; once it has begun it
  /// runs to its end and its result is returned: a commit is never reported as a cancellation.
  public func write<T: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> T) async throws -> T {
    try checkWritable()
    if Task.isCancelled { throw StoreError(.cancelled, "the task was cancelled before it wrote anything") }
    do {
      return try await withCheckedThrowingContinuation { continuation in
        writer.asyncWriteWithoutTransaction { db in
          continuation.resume(with: Result { try self.writing(db, body) })
        }
      }
    } catch {
      throw failure(error)
    }
  }

  func checkWritable() throws {
    if case .readOnly(let reason) = access {
      throw StoreError(.readOnly, "\(path) is open read-only: \(reason)")
    }
  }

  private func reading<T>(_ db: Database, _ body: (Reader) throws -> T) throws -> T {
    let connection = try connections.connection(of: db)
    let reader = Reader(db, connection)
    defer { reader.isOpen = false }
    try connection.step("BEGIN DEFERRED")
    do {
      let result = try body(reader)
      try connection.step("COMMIT")
      return result
    } catch {
      // Nothing was written: ending the read cannot lose anything, and the first error is the one that matters.
      if sqlite3_get_autocommit(connection.handle) == 0 { try? connection.step("ROLLBACK") }
      throw error
    }
  }

  func writing<T>(_ db: Database, _ body: (Transaction) throws -> T) throws -> T {
    let connection = try connections.connection(of: db)
    let transaction = Transaction(db, connection, now: options.now, newID: options.newID)
    defer { transaction.isOpen = false }
    // Waits for the lock here, and only here: body runs once, with the lock held.
    try connection.observed("BEGIN IMMEDIATE", db).execute()
    do {
      let result = try body(transaction)
      guard sqlite3_get_autocommit(connection.handle) == 0 else {
        throw StoreError(.misuse, "the transaction was ended inside its closure; nothing more can be committed")
      }
      if transaction.rollsBack {
        try connection.observed("ROLLBACK", db).execute()
        return result
      }
      try commitHook.run(transaction)
      try connection.observed("COMMIT", db).execute()
      return result
    } catch {
      if sqlite3_get_autocommit(connection.handle) == 0 {
        do {
          try connection.observed("ROLLBACK", db).execute()
        } catch let rollback {
          logger.error("rolling back failed", metadata: ["error": "\(rollback)"])
        }
      }
      throw error
    }
  }
}

extension Connection {
  /// Runs a statement without values or rows, unseen by observers.
  func step(_ sql: String) throws {
    try with(sql) { statement in
      let code = sqlite3_step(statement)
      guard code == SQLITE_DONE || code == SQLITE_ROW else { throw failure(code) }
    }
  }
}
