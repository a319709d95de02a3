/// Tells other servers of pushes, and hears of theirs: one connection, and never within a push's transaction.
///
/// A notification only wakes polls, which then read the head. One that is lost delays a poll by 25 seconds at most, and loses no row.
actor PostgresLive {
  private static let channel = "holdfast_sync"
  /// A notification has at most 8,000 bytes, and a name 100.
  private static let mostNames = 70

  private let address: PostgresAddress
  private var connection: PostgresConnection?
  private var isClosed = false
  private var untold: Set<String> = []
  private var isTelling = false

  init(_ url: String) { address = PostgresAddress(url) }

  /// The names that other servers tell, until the task that reads them ends.
  nonisolated func listen() -> AsyncStream<String?> {
    let (names, heard) = AsyncStream<String?>.makeStream(bufferingPolicy: .bufferingNewest(10_000))
    let task = Task { await listen(heard) }
    heard.onTermination = { _ in
      task.cancel()
      Task { await self.close() }
    }
    return names
  }

  private func listen(_ heard: AsyncStream<String?>.Continuation) async {
    while !Task.isCancelled, !isClosed {
      let (ended, end) = AsyncStream<Void>.makeStream()
      let connection = PostgresConnection(
        onNotification: { names in for name in names.split(separator: " ") { heard.yield(String(name)) } }, onEnd: { end.finish() })
      do {
        try await connection.connect(address)
        _ = try await connection.run(PostgresStatement("LISTEN \(Self.channel)"))
        guard !isClosed else { return await connection.close() }
        self.connection = connection
        heard.yield(nil)
        tellAll()
        for await _ in ended {}
      } catch {
        await connection.close()
      }
      self.connection = nil
      // A database that is away is not asked more often than this.
      try? await Task.sleep(for: .seconds(1))
    }
    heard.finish()
  }

  /// Tells the other servers soon that a space has a new head. Returns at once. Without `listen()` no server is told.
  func tell(_ space: String) {
    untold.insert(space)
    tellAll()
  }

  private func tellAll() {
    guard !isTelling, connection != nil else { return }
    isTelling = true
    Task {
      var failed: PostgresConnection?
      while let connection, !untold.isEmpty {
        let names = Array(untold.prefix(Self.mostNames))
        untold.subtract(names)
        let told = try? await connection.run(
          PostgresStatement("SELECT pg_notify('\(Self.channel)', $1)", .text(names.joined(separator: " "))))
        if told == nil {
          untold.formUnion(names)
          failed = connection
          break
        }
        // Many pushes share one notification: each is a commit of its own, and wakes every server.
        try? await Task.sleep(for: .milliseconds(50))
      }
      isTelling = false
      // Another connection may have been made meanwhile, and not have told because this task did.
      if let failed, connection !== failed { tellAll() }
    }
  }

  /// Ends listening.
  func close() async {
    isClosed = true
    await connection?.close()
    connection = nil
  }
}
