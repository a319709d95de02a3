import Holdfast
import HoldfastServing
import HoldfastSyncServer
import Logging
import Testing

@testable import HoldfastPostgres

/// Several servers on one database.
@Suite(.timeLimit(.minutes(2))) struct NodesTests {
  @Test("a push at one server wakes a poll that waits at another one")
  func wakesElsewhere() async throws {
    let cluster = try await Cluster.ofThisProcess()
    let (first, database) = try await cluster.makeSpaces()
    let second = try await PostgresSpaces.open(cluster.address(database))
    let world = try await SpacesWorld(first)
    let (token, epoch) = (world.token, try await world.epoch)
    try await serve(first) { port in
      let pushing = Client(port: port, token: token)
      try await serve(second) { port in
        let polling = Client(port: port, token: token)
        let listening = "datname = '\(database)' AND query LIKE 'LISTEN%'"
        while try await cluster.run("SELECT count(*)::text FROM pg_stat_activity WHERE \(listening)", in: "postgres") != ["2"] {}
        async let waiting = polling.wait(after: "0")
        while try await !polling.send("GET", "/metrics").text.contains("holdfast_waiting_polls 1\n") {}
        #expect(try await pushing.push([book("a")], epoch: epoch).status == 200)
        // A poll that nobody wakes is answered with the head that it found first.
        let reply = try await waiting
        #expect(reply.status == 200 && reply.head("head") == "1")
      }
    }
    try await first.close()
    try await second.close()
  }

  private func serve(_ spaces: PostgresSpaces, _ body: @escaping @Sendable (_ port: Int) async throws -> Void) async throws {
    var options = ServingOptions()
    (options.now, options.patience) = ({ ServerWorld.now }, .seconds(20))
    try await ServerWorld.serve(Serving(spaces, options), Logger(label: "node") { _ in SwiftLogNoOpLogHandler() }, body)
  }

  @Test("the pushes of a moment share a notification, which names each space once, and at most 70")
  func coalesced() async throws {
    let cluster = try await Cluster.ofThisProcess()
    let address = cluster.address(try await cluster.makeDatabase())
    let live = PostgresLive(address)
    var listening = live.listen().makeAsyncIterator()
    #expect(await listening.next() == .some(nil))
    let (payloads, heard) = AsyncStream<String>.makeStream()
    let other = PostgresConnection(onNotification: { heard.yield($0) })
    try await other.connect(address)
    _ = try await other.run(PostgresStatement("LISTEN holdfast_sync"))
    var notifications = payloads.makeAsyncIterator()

    await Self.tell((0..<100).map { "space-\($0)" }, live)
    let first = await notifications.next()?.split(separator: " ") ?? []
    let second = await notifications.next()?.split(separator: " ") ?? []
    #expect([first.count, second.count] == [70, 30] && Set(first + second).count == 100)
    await Self.tell(Array(repeating: "anna", count: 100), live)
    #expect(await notifications.next() == "anna")
    await Self.tell(["bert"], live)
    #expect(await notifications.next() == "bert")
    await other.close()
    await live.close()
    _ = await listening.next()
  }

  /// Without a moment in between.
  private static func tell(_ names: [String], _ live: isolated PostgresLive) { for name in names { live.tell(name) } }

  @Test("tables that are migrated under the pushes of two servers have every push that was acknowledged, and no other")
  func migratedUnderPushes() async throws {
    let cluster = try await Cluster.ofThisProcess()
    let (first, database) = try await cluster.makeSpaces()
    let world = try await SpacesWorld(first)
    let other = SpacesWorld(try await PostgresSpaces.open(cluster.address(database)), token: world.token)
    let epoch = try await world.epoch
    let acknowledged = try await withThrowingTaskGroup(of: [String].self) { group in
      let (pushed, tell) = AsyncStream<Void>.makeStream()
      for (number, node) in [world, other, world, other].enumerated() {
        group.addTask {
          var keys: [String] = []
          defer { tell.finish() }
          // Until the new version refuses one.
          while try await node.ask(book("\(number)-\(keys.count)"), epoch: epoch).hasPrefix("200") {
            keys.append("\(number)-\(keys.count)")
            tell.yield()
          }
          return keys
        }
      }
      var count = 0
      for await _ in pushed {
        count += 1
        if count == 40 { break }
      }
      try await Self.migrate(cluster.address(database))
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(acknowledged.count >= 40)
    let stored = "SELECT convert_from(key, 'UTF8') FROM sync_row WHERE size = octet_length(body)"
    #expect(try await Set(cluster.run(stored, in: database)) == Set(acknowledged))
    // Each push has a number of its own, whichever server took it.
    let counts = "\(acknowledged.count) \(acknowledged.count)"
    #expect(try await cluster.run("SELECT head || ' ' || rows FROM sync_space", in: database) == [counts])
    #expect(try await world.pull().hasPrefix("200"))
  }

  /// As a later version would: a column that this one does not fill.
  private static func migrate(_ address: String) async throws {
    let connection = PostgresConnection()
    try await connection.connect(address)
    let statements = [
      "BEGIN", PostgresSchema.lock, "ALTER TABLE sync_row ADD COLUMN size bigint", "UPDATE sync_row SET size = octet_length(body)",
      "ALTER TABLE sync_row ALTER COLUMN size SET NOT NULL", "UPDATE sync_schema SET version = version + 1", "COMMIT",
    ]
    _ = try await connection.run(statements.map { PostgresStatement($0) })
    await connection.close()
  }

  @Test("each later version of the tables begins with the lock that lets no push write between its reading of the version and its commit")
  func migrationsLock() {
    for migration in PostgresSchema.migrations.dropFirst() { #expect(migration.first == PostgresSchema.lock) }
  }
}
