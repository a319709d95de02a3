/// The connections of one program, used by one task at a time each.
///
/// A connection that has ended is replaced when it is needed. After a connection could not be made, others fail at once for a second: requests
/// must not queue up behind a database that is away.
actor PostgresPool {
  private let address: PostgresAddress
  private let size: Int
  private var idle: [PostgresConnection] = []
  /// Those that `with` has handed out.
  private var taken: [PostgresConnection] = []
  private var used = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var isClosed = false
  private var failure: (error: PostgresError, at: ContinuousClock.Instant)?

  /// - Parameters:
  ///   - url: as of `PostgresConnection.connect(_:)`.
  ///   - size: the most connections at one time.
  init(_ url: String, size: Int) { (address, self.size) = (PostgresAddress(url), size) }

  /// Runs `body` with a connection, which is outside a transaction.
  ///
  /// What `body` leaves open is rolled back soon, and the caller does not wait for that.
  ///
  /// - Throws: `PostgresError`; the error of `body`.
  func with<T: Sendable>(_ body: @Sendable (PostgresConnection) async throws -> T) async throws -> T {
    if used >= size { await withCheckedContinuation { waiting.append($0) } } else { used += 1 }
    let connection: PostgresConnection
    do { connection = try await open() } catch {
      leave()
      throw error
    }
    taken.append(connection)
    if isClosed { await connection.close() }
    do {
      let value = try await body(connection)
      await giveBack(connection)
      return value
    } catch {
      await giveBack(connection)
      throw error
    }
  }

  /// Closes the connections, and makes no others. What uses one fails.
  func close() async {
    isClosed = true
    let closed = idle + taken
    idle = []
    for connection in closed { await connection.close() }
  }

  private func open() async throws -> PostgresConnection {
    if isClosed { throw PostgresError(.unavailable, "the store was closed") }
    while let connection = idle.popLast() {
      if await connection.isOpen { return connection }
    }
    if let failure, failure.at + .seconds(1) > .now { throw failure.error }
    let connection = PostgresConnection()
    do {
      try await connection.connect(address)
      failure = nil
      return connection
    } catch let error as PostgresError {
      failure = (error, .now)
      throw error
    }
  }

  private func giveBack(_ connection: PostgresConnection) async {
    guard await connection.isInTransaction else { return await putBack(connection) }
    // A task of its own: the answer to a push that changes nothing is ready, and the caller's task may be cancelled.
    Task {
      if (try? await connection.run(.rollback)) == nil { await connection.close() }
      await putBack(connection)
    }
  }

  private func putBack(_ connection: PostgresConnection) async {
    if await connection.isOpen, !isClosed { idle.append(connection) }
    taken.removeAll { $0 === connection }
    leave()
  }

  private func leave() { if waiting.isEmpty { used -= 1 } else { waiting.removeFirst().resume() } }
}
