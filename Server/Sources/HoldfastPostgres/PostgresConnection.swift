internal import CPostgres
internal import Dispatch
internal import Foundation

// Invariants:
// - Every call of libpq is on the connection's own queue. Connecting blocks that queue, and nothing else does.
// - Batches are sent one after the other; the next one begins when the last one's answer is whole.
// - A connection that failed once is closed, and stays closed: its last statement may have been run or not.

/// One connection to PostgreSQL, through libpq.
actor PostgresConnection {
  /// A batch whose answer is awaited.
  private struct Batch {
    let number: Int
    let hasCommit: Bool
    let deadline: ContinuousClock.Instant
    let continuation: CheckedContinuation<[PostgresResult], any Error>
    var results: [PostgresResult] = []
    var error: PostgresError?
  }

  private nonisolated let executor = ConnectionQueue()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private var link: Link?
  private var batch: Batch?
  private var number = 0
  private var isBusy = false
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private let onNotification: (@Sendable (_ payload: String) -> Void)?
  private let onEnd: (@Sendable () -> Void)?

  /// - Parameters:
  ///   - onNotification: receives the payloads of notifications that other connections have sent.
  ///   - onEnd: called once, when an open connection ends.
  init(onNotification: (@Sendable (String) -> Void)? = nil, onEnd: (@Sendable () -> Void)? = nil) {
    (self.onNotification, self.onEnd) = (onNotification, onEnd)
  }

  /// Whether batches can be sent. The end of the other side is seen at once.
  var isOpen: Bool { link != nil }

  /// Whether a transaction is open, sound or failed.
  var isInTransaction: Bool { link.map { PQtransactionStatus($0.pointer) != PQTRANS_IDLE } ?? false }

  // MARK: Connecting

  /// Connects, and prepares the session. Each host has five seconds, or the address's `connect_timeout`.
  ///
  /// - Parameter session: libpq's `target_session_attrs`, whatever the URL says; nil: a server that can be written to, unless the URL says
  ///   otherwise.
  /// - Throws: `PostgresError`, kinds `.unavailable` and `.refused`.
  func connect(_ address: PostgresAddress, session: String? = nil) async throws {
    let connected = try address.first { host in try Self.connected(address.url, host, session, seconds: address.seconds ?? 5) }
    guard let link = Link(connected, on: executor.queue) else {
      throw PostgresError(.unavailable, "this process has too many files open")
    }
    self.link = link
    guard PQsetnonblocking(link.pointer, 1) == 0, PQenterPipelineMode(link.pointer) == 1 else { throw end(because: nil) }
    link.watch(
      receive: { [weak self] in self?.assumeIsolated { $0.receive() } }, flush: { [weak self] in self?.assumeIsolated { $0.flush() } },
      tick: { [weak self] in self?.assumeIsolated { $0.checkDeadline() } })
    _ = try await run(Self.session)
  }

  /// Connects, and prepares the session.
  ///
  /// - Parameter url: `postgres://…`, or `key=value` pairs. What it leaves out, libpq takes from the environment and from `~/.pgpass`.
  /// - Throws: `PostgresError`, kinds `.unavailable` and `.refused`.
  func connect(_ url: String) async throws { try await connect(PostgresAddress(url)) }

  /// A backend whose client is gone, or stands still, must not keep its locks; with 5 seconds in place of 20, a program that merely gets too
  /// little of the processor loses its transactions. A commit that PostgreSQL has not made durable is not acknowledged.
  private static let session = [
    PostgresStatement("SET statement_timeout = '20s'"),
    PostgresStatement("SET idle_in_transaction_session_timeout = '20s'"),
    // Pages come in the order of an index, at least by its beginning. Where PostgreSQL guesses that a space has few rows, as in a new
    // database, it would read and sort all of them for each page. Without JIT, because a sort that is needed all the same now looks so costly
    // that PostgreSQL would compile it.
    PostgresStatement("SET enable_sort = off"), PostgresStatement("SET enable_incremental_sort = on"), PostgresStatement("SET jit = off"),
    PostgresStatement(
      "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local')"),
  ]

  private static func connected(_ url: String, _ host: [String: String], _ session: String?, seconds: Int) throws -> OpaquePointer {
    // The URL counts more than what stands before it, and less than what stands behind it.
    let options =
      [
        ("target_session_attrs", "read-write"), ("application_name", "holdfast-server"), ("tcp_user_timeout", "20000"),
        ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"), ("dbname", url),
        ("client_encoding", "UTF8"),
      ] + host.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } + (session.map { [("target_session_attrs", $0)] } ?? [])
    guard let connection = withCStrings(options.map(\.0), { keys in withCStrings(options.map(\.1)) { PQconnectStartParams(keys, $0, 1) } })
    else { throw PostgresError(.unavailable, "memory is short") }
    // Otherwise the message has no code, and may be in any language.
    PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
    let deadline = ContinuousClock.now + .seconds(seconds)
    var state = PGRES_POLLING_WRITING
    while PQstatus(connection) != CONNECTION_BAD, state != PGRES_POLLING_OK, state != PGRES_POLLING_FAILED {
      let left = (deadline - .now) / .milliseconds(1)
      var descriptor = pollfd(fd: PQsocket(connection), events: Int16(state == PGRES_POLLING_READING ? POLLIN : POLLOUT), revents: 0)
      guard left > 0, poll(&descriptor, 1, Int32(left.rounded(.up))) > 0 else {
        PQfinish(connection)
        throw PostgresError(.unavailable, "the database did not answer within \(seconds) seconds")
      }
      state = PQconnectPoll(connection)
    }
    guard PQstatus(connection) == CONNECTION_OK, state == PGRES_POLLING_OK else {
      defer { PQfinish(connection) }
      throw refusal(of: connection)
    }
    return connection
  }

  private static func refusal(of connection: OpaquePointer) -> PostgresError {
    let message = String(cString: PQerrorMessage(connection))
    let first = String(message.split(separator: "\n").first ?? "no connection")
    // As in `FATAL:  28P01: password authentication failed`.
    if let match = message.firstMatch(of: #/:  ([0-9A-Z]{5}): ([^\n]*)/#) {
      return PostgresError(state: String(match.1), String(match.2))
    }
    return PostgresError(PQconnectionNeedsPassword(connection) == 1 ? .refused : .unavailable, first)
  }

  // MARK: Running

  /// Sends the statements in one go, and returns their results. Only what stands between `BEGIN` and `COMMIT` is one transaction.
  ///
  /// The first statement that fails ends the batch: those behind it are not run. Cancelling the task closes the connection, and cancels the
  /// statement that runs.
  /// - Parameter seconds: after this time, and at most a second and a half more, the connection is closed.
  /// - Throws: `PostgresError`. After an error of a batch with `COMMIT`, the transaction may have been committed nevertheless; also when it
  ///   was committed, but PostgreSQL warned that a replica may not have it.
  func run(_ statements: [PostgresStatement], seconds: Int = 25) async throws -> [PostgresResult] {
    if isBusy { await withCheckedContinuation { waiting.append($0) } } else { isBusy = true }
    defer { if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() } }
    guard let link else { throw PostgresError(.unavailable, "the connection to the database is closed") }
    try Task.checkCancellation()
    link.notices.warning = nil
    for statement in statements where !Self.send(statement, link.pointer) { throw end(because: nil) }
    guard PQpipelineSync(link.pointer) == 1 else { throw end(because: nil) }
    number += 1
    let number = number
    let hasCommit = statements.contains { $0.sql == PostgresStatement.commit.sql }
    let deadline = ContinuousClock.now + .seconds(seconds)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        batch = Batch(number: number, hasCommit: hasCommit, deadline: deadline, continuation: continuation)
        flush()
      }
    } onCancel: {
      Task { await cancel(number) }
    }
  }

  /// Runs one statement.
  func run(_ statement: PostgresStatement) async throws -> PostgresResult {
    guard let result = try await run([statement]).first else { throw PostgresError(.failed, "a statement had no result") }
    return result
  }

  private static func send(_ statement: PostgresStatement, _ connection: OpaquePointer) -> Bool {
    let values = statement.parameters.map(\.encoded)
    var bytes: [UInt8] = []
    var starts: [Int] = []
    for value in values {
      starts.append(bytes.count)
      bytes += value ?? []
    }
    // So that an empty text has an address, too: without one it would be NULL.
    bytes.append(0)
    let types = statement.parameters.map(\.type)
    let lengths = values.map { Int32(clamping: $0?.count ?? 0) }
    let formats = values.map { _ in Int32(1) }
    return bytes.withUnsafeBytes { buffer in
      let start = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
      let pointers = zip(values, starts).map { value, offset in value == nil ? nil : start?.advanced(by: offset) }
      return PQsendQueryParams(connection, statement.sql, Int32(clamping: values.count), types, pointers, lengths, formats, 1) == 1
    }
  }

  /// Cancels the batch of this number, if it still runs, and closes the connection: the word may arrive late, and would then cancel the next
  /// batch.
  private func cancel(_ number: Int) {
    guard batch?.number == number, let link else { return }
    Cancelling(link)?.send()
    fail("the request was cancelled")
  }

  private func checkDeadline() {
    if let batch, batch.deadline < .now { fail("the database did not answer in time") }
  }

  // MARK: Events of the socket

  private func flush() {
    guard let link else { return }
    let state = PQflush(link.pointer)
    if state < 0 { return fail(nil) }
    link.wantsToWrite(state > 0)
  }

  private func receive() {
    // All that there is: of the end of a local socket, a source tells once, perhaps together with the last bytes.
    repeat {
      guard let link else { return }
      consume(link)
    } while link?.isReadable ?? false
  }

  private func consume(_ link: Link) {
    let isAlive = PQconsumeInput(link.pointer) == 1
    while let notification = PQnotifies(link.pointer) {
      if notification.pointee.be_pid != PQbackendPID(link.pointer) { onNotification?(String(cString: notification.pointee.extra)) }
      PQfreemem(notification)
    }
    // A statement's results end with a nil, and a batch with a result of its own.
    var wasNil = false
    while batch != nil, PQisBusy(link.pointer) == 0 {
      guard let result = PQgetResult(link.pointer) else {
        if wasNil { break }
        wasNil = true
        continue
      }
      wasNil = false
      take(result)
    }
    if !isAlive || PQstatus(link.pointer) == CONNECTION_BAD { fail(nil) }
  }

  private func take(_ result: OpaquePointer) {
    switch PQresultStatus(result) {
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
      // Freed with the last use of its rows.
      batch?.results.append(PostgresResult(result))
      return
    case PGRES_PIPELINE_SYNC: finish()
    case PGRES_PIPELINE_ABORTED: break
    default: if batch?.error == nil { batch?.error = Self.error(of: result) }
    }
    PQclear(result)
  }

  private static func error(of result: OpaquePointer) -> PostgresError {
    func field(_ code: UnicodeScalar) -> String? { PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) } }
    let message = field("M") ?? String(cString: PQresultErrorMessage(result))
    // Without a code it is libpq that speaks: the connection is gone.
    return field("C").map { PostgresError(state: $0, message) } ?? PostgresError(.unavailable, message)
  }

  private func finish() {
    guard let done = batch else { return }
    batch = nil
    if let error = done.error { return done.continuation.resume(throwing: error) }
    if done.hasCommit {
      if let warning = link?.notices.warning {
        let message = "the commit is not certain: \(warning)"
        return done.continuation.resume(throwing: PostgresError(.unavailable, message))
      }
      guard done.results.contains(where: { $0.tag == "COMMIT" }) else {
        return done.continuation.resume(throwing: PostgresError(.failed, "the transaction was not committed"))
      }
    }
    done.continuation.resume(returning: done.results)
  }

  // MARK: The end

  /// Closes the connection. A batch under way fails.
  func close() { fail("the connection to the database was closed") }

  private func fail(_ reason: String?) {
    let error = end(because: reason)
    guard let failed = batch else { return }
    batch = nil
    failed.continuation.resume(throwing: failed.error ?? error)
  }

  /// Closes the connection, and returns the error for what was under way. `reason` nil: libpq's.
  private func end(because reason: String?) -> PostgresError {
    guard let link else { return PostgresError(.unavailable, reason ?? "the connection to the database is closed") }
    let told = String(cString: PQerrorMessage(link.pointer)).split(separator: "\n").first.map(String.init)
    self.link = nil
    onEnd?()
    return PostgresError(.unavailable, reason ?? told ?? "the connection to the database was lost")
  }
}
