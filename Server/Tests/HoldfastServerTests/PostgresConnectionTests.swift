import Foundation
import Testing

@testable import HoldfastPostgres

/// libpq behind an actor.
@Suite struct PostgresConnectionTests {
  private static func connected(onNotification: (@Sendable (String) -> Void)? = nil) async throws -> PostgresConnection {
    let connection = PostgresConnection(onNotification: onNotification)
    try await connection.connect(Cluster.ofThisProcess().address())
    return connection
  }

  @Test("parameters come back as they were: texts, bytes with NUL, numbers, lists, and NULL, which is no empty text")
  func values() async throws {
    let connection = try await Self.connected()
    let row = try await connection.run(
      PostgresStatement("SELECT $1::text, $2::bytea, $3::bigint, $4::text, ''::text", .text("é"), .bytes([97, 0]), .number(.min), .null)
    ).rows[0]
    #expect(try row.text(0) == "é" && row.bytes(1, { Array($0) }) == [97, 0] && row.number(2) == .min && row.isNull(3))
    #expect(try row.text(4).isEmpty && row.optionalText(3) == nil)
    #expect(throws: PostgresError.self) { try row.number(0) }
    #expect(throws: PostgresError.self) { try row.text(3) }
    #expect(throws: PostgresError.self) { try row.text(9) }
    let lists = PostgresStatement(
      "SELECT * FROM unnest($1::text[], $2::bytea[], $3::bigint[])", .texts(["", "ü"]), .byteStrings([[0], []]), .numbers([-1, .max]))
    let rows = try await connection.run(lists).rows
    #expect(try rows.map { try $0.text(0) } == ["", "ü"] && rows.map { try $0.number(2) } == [-1, .max])
    #expect(try await connection.run(PostgresStatement("SELECT unnest($1::text[])", .texts([]))).count == 0)
    await connection.close()
  }

  @Test("many tasks share a connection, and long texts go both ways")
  func manyTasks() async throws {
    let connection = try await Self.connected()
    let long = String(repeating: "x", count: 5_000_000)
    #expect(try await connection.run(PostgresStatement("SELECT $1::text", .text(long))).rows[0].text(0) == long)
    let right = try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<200 as Range<Int64> {
        group.addTask { try await connection.run(PostgresStatement("SELECT $1::bigint", .number(number))).rows[0].number(0) == number }
      }
      return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(right == 200)
    await connection.close()
  }

  @Test("a batch ends at its first error, whose code it throws; its transaction is then rolled back")
  func errors() async throws {
    let connection = try await Self.connected()
    let state: String?
    do {
      _ = try await connection.run([
        PostgresStatement("BEGIN"), PostgresStatement("CREATE TEMP TABLE t (a int)"), PostgresStatement("SELECT 1 / 0"), .commit,
      ])
      state = nil
    } catch let error as PostgresError { state = error.state }
    #expect(state == "22012")
    #expect(await connection.isInTransaction)
    await #expect(throws: PostgresError.self) { try await connection.run(.commit) }
    #expect(await !connection.isInTransaction)
    #expect(await connection.isOpen)
    await connection.close()
    await #expect(throws: PostgresError.self) { try await connection.run(.rollback) }
  }

  @Test("a task that is cancelled cancels its statement and closes the connection, so that the next statement is not cancelled instead")
  func cancelled() async throws {
    let connection = try await Self.connected()
    let task = Task { try await connection.run(PostgresStatement("SELECT pg_sleep(16)")) }
    let other = try await Self.connected()
    let sleeping = PostgresStatement("SELECT 1 FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(16)' AND state = 'active'")
    while try await other.run(sleeping).count == 0 {}
    let begun = ContinuousClock.now
    task.cancel()
    #expect(await task.result.isFailure)
    #expect(await !connection.isOpen)
    while try await other.run(sleeping).count > 0 {}
    #expect(ContinuousClock.now - begun < .seconds(10))
    await other.close()
  }

  @Test("a statement that takes longer than its time closes the connection")
  func timeOut() async throws {
    let connection = try await Self.connected()
    await #expect(throws: PostgresError.self) { try await connection.run([PostgresStatement("SELECT pg_sleep(15)")], seconds: 0) }
    #expect(await !connection.isOpen)
  }

  @Test("a connection that takes the socket's number of one that has just ended gets its answers")
  func sameNumber() async throws {
    let other = try await Self.connected()
    for _ in 0..<20 {
      let old = try await Self.connected()
      let number = try await old.run(PostgresStatement("SELECT pg_backend_pid()::bigint")).rows[0].number(0)
      _ = try await other.run(PostgresStatement("SELECT pg_terminate_backend($1::bigint::int)::text", .number(number)))
      while await old.isOpen { await Task.yield() }
      let new = try await Self.connected()
      #expect(try await new.run([PostgresStatement("SELECT 1")], seconds: 5).count == 1)
      await new.close()
    }
    await other.close()
  }

  @Test("a host that is silent costs its own time only: the next host is tried, and from then on it is the first")
  func silentHost() async throws {
    let silent = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(silent) }
    var name = sockaddr_in()
    (name.sin_family, name.sin_addr.s_addr) = (sa_family_t(AF_INET), UInt32(0x7F00_0001).bigEndian)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    try withUnsafeMutablePointer(to: &name) { name in
      try name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        try #require(bind(silent, name, length) == 0 && listen(silent, 5) == 0 && getsockname(silent, name, &length) == 0)
      }
    }
    let here = "127.0.0.1:\(UInt16(bigEndian: name.sin_port)),"
    let address = PostgresAddress(try await Cluster.ofThisProcess().address().replacing("@", with: "@\(here)") + "?connect_timeout=5")
    #expect(address.hosts.map { $0["host"]?.first } == ["1", "/"] && address.seconds == 5)
    for _ in 0..<2 {
      let connection = PostgresConnection()
      try await connection.connect(address)
      await connection.close()
    }
    _ = fcntl(silent, F_SETFL, O_NONBLOCK)
    #expect([0, 1].map { _ in accept(silent, nil, nil) >= 0 } == [true, false])
  }

  @Test("hosts have one port, or each its own; lists that do not fit are libpq's to refuse")
  func hosts() {
    func hosts(_ url: String) -> [String] {
      PostgresAddress(url).hosts.map { $0.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ") }
    }
    #expect(hosts("postgres://a:1,b:2/d") == ["host=a port=1", "host=b port=2"])
    #expect(hosts("postgres://a,b/d?connect_timeout=0") == ["host=a port=5432", "host=b port=5432"])
    #expect(hosts("host=a,b port=7 dbname=d") == ["host=a port=7", "host=b port=7"])
    #expect(hosts("host=a,b port=7,8,9") == [""] && hosts("postgres:///d") == [""] && hosts("postgres://a/d") == [""])
    #expect(PostgresAddress("postgres://a,b/d?connect_timeout=0").seconds == nil)
  }

  @Test(
    "an address is shown without its password",
    arguments: [
      ("postgres://anna:p?w:x@h/db", "postgres://anna@h/db"),
      ("postgres://anna:p%40w@h:7,i/db?sslmode=require", "postgres://anna@h:7,i:5432/db"),
      ("postgres://h/db?password=secret", "postgres://h/db"), ("postgres://anna:secret@%2Frun%2Fpg/db", "postgres://anna@/run/pg/db"),
      ("postgres://anna:p@ss@h/db", "postgres://anna@h/db"), ("postgres://[", "postgres:///"),
    ])
  func shown(_ address: String, _ shown: String) {
    #expect(PostgresSpaces.shown(address) == shown)
    if PostgresAddress.parts(of: address).isEmpty { #expect(shown == "postgres:///") }
  }

  @Test(
    "PostgreSQL's codes say whether to try again, and a person what to do",
    arguments: [
      ("57014", "failed"), ("57P01", "unavailable"), ("53100", "failed room"), ("53300", "unavailable"), ("25006", "unavailable"),
      ("28P01", "refused"), ("42501", "refused GRANT"), ("42P01", "wrongSchema"), ("23505", "failed"),
    ])
  func codes(_ state: String, _ told: String) {
    let error = PostgresError(state: state, "no")
    let word = ["room", "GRANT"].first { error.suggestion?.contains($0) ?? false }
    #expect((["\(error.kind)"] + [word].compactMap(\.self)).joined(separator: " ") == told)
  }

  @Test("a session never acknowledges what is only in memory")
  func synchronous() async throws {
    let cluster = try await Cluster.ofThisProcess()
    let database = try await cluster.makeDatabase()
    try await cluster.run("ALTER DATABASE \(database) SET synchronous_commit = off", in: "postgres")
    #expect(try await cluster.run("SELECT current_setting('synchronous_commit')", in: database) == ["on"])
  }

  @Test("after a pool's body ended within a transaction, the next one finds none")
  func rolledBack() async throws {
    let cluster = try await Cluster.ofThisProcess()
    let pool = PostgresPool(cluster.address(try await cluster.makeDatabase()), size: 1)
    struct Failed: Error {}
    await #expect(throws: Failed.self) {
      try await pool.with { connection in
        _ = try await connection.run([PostgresStatement("BEGIN"), PostgresStatement("CREATE TABLE t (a int)")])
        throw Failed()
      }
    }
    #expect(try await pool.with { try await $0.run(PostgresStatement("SELECT to_regclass('t')::text")).rows[0].isNull(0) })
    await pool.close()
  }

  @Test("a pool that is closed ends the calls under way, and takes no other")
  func closed() async throws {
    let pool = PostgresPool(try await Cluster.ofThisProcess().address(), size: 2)
    let (begun, begin) = AsyncStream<Void>.makeStream()
    let call = Task {
      // Also where there is no connection.
      defer { begin.finish() }
      return try await pool.with { connection in
        begin.finish()
        return try await connection.run(PostgresStatement("SELECT pg_sleep(15)")).count
      }
    }
    for await _ in begun {}
    await pool.close()
    #expect(await call.result.isFailure)
    await #expect(throws: PostgresError.self) { try await pool.with { try await $0.run(PostgresStatement("SELECT 1")).count } }
  }
}

extension Result {
  fileprivate var isFailure: Bool { if case .failure = self { true } else { false } }
}
