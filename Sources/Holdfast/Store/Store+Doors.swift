import Foundation
internal import GRDB
internal import GRDBSQLite
import Logging

extension Store {
  /// Reads one consistent view of the store; blocks the caller. Does not wait for writers.
  ///
  /// - Parameter verb: the name of the call in metrics, logs and errors. Default: the function that calls `read`. Where one function calls
  ///   `read` for many others, let them pass their names on: `as verb: StaticString = #function`.
  /// - Throws: the errors of `body`; `.closed`; `.misuse` inside the closure of another call on this store: use the reader of that closure.
  public func read<T>(as verb: StaticString = #function, _ body: (Reader) throws -> T) throws -> T {
    try counting(Call(verb, recorder)) { call in
      try OpenDoor.check(self)
      return try passing { keep in
        if let readers {
          try readers.read { db in keep(try reading(db, &call, body)) }
        } else {
          try writer.read { db in keep(try reading(db, &call, body)) }
        }
      }
    }
  }

  /// Reads one consistent view of the store without blocking the caller. When the task is cancelled, the read ends with `.cancelled`.
  ///
  /// When a reader is free, `body` runs at once on the task's thread, never on the main actor; otherwise on another thread. Async reads of
  /// all stores together always leave one task thread free.
  public func read<T: Sendable>(
    as verb: StaticString = #function, _ body: @escaping @Sendable (Reader) throws -> T
  ) async throws -> T {
    let begun = Call(verb, recorder)
    let cancellation = Flag()
    return try await withTaskCancellationHandler {
      var result: T?
      let wasFree = try readers?.readOnTasksThread { db in
        let value: T = try counting(begun) { call in try reading(db, &call, until: cancellation, body) }
        result = value
      }
      if wasFree == true, let result { return result }
      return try await withCheckedThrowingContinuation { continuation in
        let answer: @Sendable (Result<Database, any Error>) -> Void = { [self] database in
          continuation.resume(
            with: Result { try counting(begun) { call in try reading(database.get(), &call, until: cancellation, body) } })
        }
        if let readers { readers.asyncRead(answer) } else { writer.readLater(answer) }
      }
    } onCancel: {
      cancellation.raise()
    }
  }

  /// Runs `body` in one transaction; blocks the caller. When it returns, everything is committed. When it throws, nothing has changed.
  /// `body` never runs twice. With `.durable` it returns when the commit is on the disk; other writers do not wait for that.
  ///
  /// - Parameter verb: the name of the call in metrics, logs and errors; see `read`.
  /// - Throws: the errors of `body`; `.busy` when another connection holds the write lock for longer than the busy timeout; `.readOnly`;
  ///   `.closed`; `.diskFull` and `.inputOutput` with the store unchanged; `.misuse` inside the closure of another call on this store. With
  ///   `.durable` also `.inputOutput` when the commit could not be flushed: its message says that the change is stored, and that power loss
  ///   may undo it. The store then writes nothing more until it is closed and opened again.
  public func write<T>(as verb: StaticString = #function, _ body: (Writer) throws -> T) throws -> T {
    try counting(Call(verb, recorder, writes: true)) { call in
      try OpenDoor.check(self)
      try checkWritable()
      var commit: Int?
      logFlush?.expect()
      let result: T = try passing { keep in
        try writer.run { db in
          let (result, number) = try committing(db, &call, body)
          commit = number
          keep(result)
        }
      }
      // Outside the writer's queue: the next writer may commit meanwhile, and share the flush.
      if let commit { try logFlush?.wait(for: commit) }
      return result
    }
  }

  /// Runs `body` in one transaction without blocking the caller.
  ///
  /// When no other write runs, `body` runs at once on the task's thread, never on the main actor; otherwise on another thread. Async reads
  /// and writes of all stores together always leave one task thread free.
  ///
  /// Cancelling the task before the transaction has begun throws `.cancelled` and changes nothing. A transaction that has begun runs to its
  /// end, and its result is returned: a commit is never reported as a cancellation. Throws the same errors as the blocking form.
  public func write<T: Sendable>(
    as verb: StaticString = #function, _ body: @escaping @Sendable (Writer) throws -> T
  ) async throws -> T {
    let begun = Call(verb, recorder, writes: true)
    do { try checkWritable() } catch { throw counted(begun, error) }
    let cancellation = Flag()
    return try await withTaskCancellationHandler {
      if let written = try writeOnTasksThread(begun, cancellation, body) {
        guard let commit = written.commit else { return written.result }
        return try await withCheckedThrowingContinuation { flushed(written, commit, $0) }
      }
      return try await withCheckedThrowingContinuation { continuation in
        logFlush?.expect()
        writer.runLater { [self] db in
          var call = begun
          do {
            // Other writers may have gone first. Now nothing has begun yet, so this is the last moment to cancel.
            do { try Self.check(cancellation) } catch {
              logFlush?.arrive()
              throw error
            }
            let (result, commit) = try committing(db, &call, body)
            if let commit { return flushed((result, commit, call), commit, continuation) }
            recorder?.count(call)
            continuation.resume(returning: result)
          } catch {
            continuation.resume(throwing: counted(call, error))
          }
        }
      }
    } onCancel: {
      cancellation.raise()
    }
  }

  private static func check(_ cancellation: Flag) throws {
    if cancellation.isRaised { throw StoreError(.cancelled, "the task was cancelled before it wrote anything") }
  }

  private typealias Written<T> = (result: T, commit: Int?, call: Call)

  /// Resumes when the commit is on the disk.
  private func flushed<T: Sendable>(_ written: Written<T>, _ commit: Int, _ continuation: CheckedContinuation<T, any Error>) {
    let (result, call) = (written.result, written.call)
    logFlush?.whenFlushed(commit) { [self] flushed in
      continuation.resume(
        with: Result {
          try counting(call) { _ in
            try flushed.get()
            return result
          }
        })
    }
  }

  /// Writes on the task's own thread. Nil, and nothing has happened, when that would block the thread: another writer of this store is at
  /// work, or another connection holds the write lock.
  private func writeOnTasksThread<T: Sendable>(
    _ begun: Call, _ cancellation: Flag, _ body: @Sendable (Writer) throws -> T
  ) throws -> Written<T>? {
    var call = begun
    var written: Written<T>?
    do {
      let ran = try writer.runOnTasksThread { db in
        try Self.check(cancellation)
        logFlush?.expect()
        let (result, commit) = try committing(db, &call, waits: false, body)
        written = (result, commit, call)
      }
      guard ran, let written else { return nil }
      if written.commit == nil { recorder?.count(call) }
      return written
    } catch is WouldWait {
      return nil
    } catch {
      throw counted(call, error)
    }
  }

  /// The write lock is not free, and the thread may not wait for it.
  private struct WouldWait: Error {}

  /// Runs `body`, and counts it when it has ended.
  @inline(__always)
  private func counting<T>(_ begun: Call, _ body: (inout Call) throws -> T) throws -> T {
    var call = begun
    do {
      let result = try body(&call)
      recorder?.count(call)
      return result
    } catch {
      throw counted(call, error)
    }
  }

  /// Counts a call that failed. Returns the error that it throws.
  private func counted(_ call: Call, _ error: any Error) -> any Error {
    let told = thrown(error)
    guard var failure = told as? StoreError else {
      recorder?.count(call, error: "app")
      return told
    }
    recorder?.count(call, error: failure.code.rawValue)
    if failure.verb == nil { failure.verb = "\(call.verb)" }
    return failure
  }

  /// Returns the value that `body` passes to its closure. GRDB's calls are generic, and slow for every type but `Void`, because their
  /// metadata is looked up at each call.
  @inline(__always)
  private func passing<T>(_ body: ((T) -> Void) throws -> Void) throws -> T {
    var result: T?
    try body { result = $0 }
    guard let result else { throw StoreError(.closed, "\(path) is closed") }
    return result
  }

  /// One consistent view for the kit's own reads. GRDB's own reads would use a connection that was closed.
  func inspect<T>(as verb: StaticString = #function, _ body: (Database) throws -> T) throws -> T {
    try telling { try read(as: verb) { reader in try body(reader.database) } }
  }

  /// Runs `body` with the writer's connection, outside a transaction. Where the store is durable, SQLite flushes each commit of `body`.
  func onWriter<T>(_ body: (Database) throws -> T) throws -> T {
    try OpenDoor.check(self)
    return try writer.run { db in
      guard !connections.isClosed.isRaised, db.sqliteConnection != nil else { throw StoreError(.closed, "\(path) is closed") }
      return try db.telling(of: url?.path) { db in
        let connection = try connections.connection(of: db)
        try connection.settle(db)
        guard logFlush != nil else { return try body(db) }
        try beginDurableWork(connection, db)
        defer { try? endDurableWork(connection, db) }
        return try body(db)
      }
    }
  }

  /// Runs `body` while SQLite flushes each commit, whatever the store's durability. Power loss then cannot undo work that was reported as
  /// done. A commit that cannot be flushed is rolled back, so work that was reported as failed is not done.
  package func durably<T>(_ body: () throws -> T) throws -> T {
    guard files != nil else { return try body() }
    try logFlush?.check()
    try onWriter { db in try beginDurableWork(connections.connection(of: db), db) }
    defer { try? onWriter { db in try endDurableWork(connections.connection(of: db), db) } }
    return try body()
  }

  // Several calls may run at once. The last one to end stops the flushing.

  private func beginDurableWork(_ connection: Connection, _ db: Database) throws {
    if connection.durableWork == 0 { try ConnectionFactory(path, options).setFlushing(true, db) }
    connection.durableWork += 1
  }

  private func endDurableWork(_ connection: Connection, _ db: Database) throws {
    connection.durableWork -= 1
    if connection.durableWork == 0 { try ConnectionFactory(path, options).setFlushing(false, db) }
  }

  /// Runs `body` with the writer's connection, outside a transaction, while no reader is active.
  func alone<T>(_ body: (Database) throws -> T) throws -> T {
    try onWriter { db in try withReadersPaused { try body(db) } }
  }

  /// Call on the writer's queue.
  func withReadersPaused<T>(_ body: () throws -> T) throws -> T {
    guard let readers else { return try body() }
    return try readers.paused(body)
  }

  package func checkWritable() throws {
    guard case .readOnly(let reason) = access else { return }
    guard let openingError else { throw StoreError(.readOnly, "\(path) is open read-only: \(reason)") }
    throw StoreError(
      .readOnly, "\(path) is open read-only, because migrating it failed: \(reason)",
      suggestion: "Correct what failed, and open the store again; Store.openingError has the error.",
      recoveryOptions: openingError.recoveryOptions, cause: openingError)
  }

  /// The error that `read` and `write` throw: the kit's errors for failures of the store, and `body`'s own errors unchanged.
  private func thrown(_ error: any Error) -> any Error {
    guard error is StoreError || error is DatabaseError || error is CancellationError else { return error }
    let failure = failure(error)
    damageWatch?.met(failure)
    return failure
  }

  private func reading<T>(
    _ db: Database, _ call: inout Call, until cancellation: Flag? = nil, _ body: (Reader) throws -> T
  ) throws -> T {
    let connection = try connections.connection(of: db)
    defer { ended(&call, connection) }
    let reader = Reader(db, connection, until: cancellation)
    defer { reader.isOpen = false }
    try reader.check()
    try connection.settle(db)
    try connection.step(connection.begin)
    do {
      let result = try connection.interrupting(when: cancellation) { try OpenDoor.within(self) { try body(reader) } }
      try connection.step(connection.commit)
      if let unlocked { try files?.checkUnchanged(since: unlocked) }
      return result
    } catch {
      // Nothing was written, so ending the read cannot lose anything. The first error is the important one.
      if sqlite3_get_autocommit(connection.handle) == 0 { try? connection.step(connection.rollback) }
      // A file that was changed meanwhile may only look damaged.
      if let unlocked { try files?.checkUnchanged(since: unlocked) }
      throw error
    }
  }

  /// Call on the connection's queue, after the transaction.
  @inline(__always)
  private func ended(_ call: inout Call, _ connection: Connection) {
    guard recorder != nil else { return }
    call.takeCacheCounts(connection.handle)
    connection.watch.explain(on: connection.handle)
  }

  /// Longer waits for the write lock are logged.
  private static let toldWait: Duration = .milliseconds(100)

  /// One transaction. Returns the number of its commit; nil when nothing waits for the disk: the store does not flush its commits itself,
  /// nothing was written, or SQLite has flushed it.
  ///
  /// - Throws: `WouldWait` without `waits`, before anything has begun.
  @inline(__always)
  private func committing<T>(
    _ db: Database, _ call: inout Call, waits: Bool = true, _ body: (Writer) throws -> T
  ) throws -> (result: T, commit: Int?) {
    // The whole transaction counts as inside the store, not only `body`. Otherwise a logger or observer that calls the store here would
    // wait for itself, and GRDB would end the process.
    guard let logFlush else { return (try OpenDoor.within(self) { try writingInside(db, &call, waits, body) }, nil) }
    defer { logFlush.arrive() }
    let connection = try connections.connection(of: db)
    try logFlush.prepare()
    let result = try OpenDoor.within(self) { try writingInside(db, &call, waits, body) }
    return (result, connection.durableWork > 0 || !connection.checkpoints.mayHaveWritten() ? nil : logFlush.countCommit())
  }

  private func writingInside<T>(_ db: Database, _ call: inout Call, _ waits: Bool, _ body: (Writer) throws -> T) throws -> T {
    let connection = try connections.connection(of: db)
    let transaction = WriteTransaction(db, connection, commitWork)
    let writer = Writer(db, transaction, now: options.now, newID: options.newID)
    defer { writer.isOpen = false }
    defer { ended(&call, connection) }
    // Waits for the lock only here, so `body` runs once, with the lock held.
    let asked = ContinuousClock.now
    do {
      defer { if recorder != nil { call.lockWait = SteadyTime.nanoseconds &- call.began } }
      if waits {
        try retries.run("beginning a transaction", since: asked) { try transaction.begin() }
      } else {
        try LockWait.never { try transaction.begin() }
      }
      let waited = ContinuousClock.now - asked
      if waited > Self.toldWait {
        logger.notice("waited for the write lock", metadata: ["seconds": "\(waited.inSeconds)", "verb": "\(call.verb)"])
      }
    } catch {
      let failure = failure(error)
      guard waits || !failure.mayPass else { throw WouldWait() }
      if failure.code == .busy { logger.warning("the write lock was not free", metadata: ["verb": "\(call.verb)"]) }
      throw failure
    }
    do {
      writer.audit = AuditedWrite(actor: call.actor, verb: call.verb)
      if isAudited { try writer.beginAudit() }
      let changesBefore = sqlite3_total_changes(connection.handle)
      let result = try body(writer)
      let changes = sqlite3_total_changes(connection.handle) &- changesBefore
      try transaction.check()
      if writer.rollsBack {
        if let failure = transaction.rollBack() { throw failure }
        return result
      }
      if changes != 0 { dayNotes?.take(in: transaction, db) }
      try transaction.commit(writer, movesLog: waits)
      if !waits, connection.checkpoints.wantsToMove {
        // A checkpoint may take long, and a task's thread may not.
        self.writer.runLater { [connections] db in (try? connections.connection(of: db))?.checkpoints.afterCommit() }
      }
      dayNotes?.committed()
      call.rowsWritten = Int(UInt32(bitPattern: changes))
      return result
    } catch {
      if let rollback = transaction.rollBack() {
        logger.error("rolling back failed", metadata: ["error": "\(rollback)", "verb": "\(call.verb)"])
      }
      throw thrown(error)
    }
  }
}
