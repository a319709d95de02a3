import Foundation
import Holdfast
import HoldfastServing
import HoldfastSyncServer
import Logging
import Testing

@testable import HoldfastPostgres

/// What only a database can do, or do wrong.
@Suite struct PostgresTests {
  @Test("pushes of one space that wait at the same time share a transaction")
  func groupCommit() async throws {
    let cluster = try await Cluster.ofThisProcess()
    let (spaces, database) = try await cluster.makeSpaces()
    let world = try await SpacesWorld(spaces)
    let epoch = try await world.epoch
    let statuses = try await Self.together(60, cluster, spaces, database) { try await world.ask(book("\($0)"), epoch: epoch) }
    #expect(statuses == ["200": 60])
    #expect(try await cluster.run("SELECT count(DISTINCT xmin::text)::text FROM sync_row", in: database) == ["2"])
    #expect(try await spaces.space("anna").head == 60)
  }

  @Test("a server that stands still within a push loses the lock of its space after 20 seconds, here after one, and commits nothing of it")
  func standsStill() async throws {
    let cluster = try await Cluster.ofThisProcess()
    let (spaces, database) = try await cluster.makeSpaces()
    let world = try await SpacesWorld(spaces)
    let stopped = PostgresConnection()
    try await stopped.connect(cluster.address(database))
    let setting = "idle_in_transaction_session_timeout"
    #expect(try await stopped.run(PostgresStatement("SELECT current_setting('\(setting)')")).rows.map { try $0.text(0) } == ["20s"])
    _ = try await stopped.run(PostgresStatement("SET \(setting) = '1s'"))
    _ = try await stopped.run([PostgresStatement("BEGIN"), PostgresStatement("UPDATE sync_space SET head = 7 WHERE space = 'anna'")])
    #expect(try await world.push(book("a")) == "200 1a cursor 1")
    await #expect(throws: PostgresError.self) { try await stopped.run(.commit) }
    await stopped.close()
  }

  @Test("a push that the database refuses fails alone: the others of its transaction are applied")
  func oneFails() async throws {
    let cluster = try await Cluster.ofThisProcess()
    let (spaces, database) = try await cluster.makeSpaces()
    let world = try await SpacesWorld(spaces)
    try await cluster.run("ALTER TABLE sync_row ADD CHECK (key <> '13')", in: database)
    let failed = try await withThrowingTaskGroup(of: (Int, String).self) { group in
      for number in 0..<30 { group.addTask { (number, try await world.push(book("\(number)"), book("with \(number)"))) } }
      return try await group.reduce(into: [Int: String]()) { if !$1.1.hasPrefix("200") { $0[$1.0] = $1.1 } }
    }
    #expect(failed == [13: "503"])
    let space = try await spaces.space("anna")
    #expect(space.rows == 58 && space.head == 29)
    #expect(try await spaces.problems() == [])
  }

  @Test("a page reads the rows of its pushes, and not all of the space, also where PostgreSQL knows nothing of the table yet")
  func pageIsShort() async throws {
    let cluster = try await Cluster.ofThisProcess()
    let (_, database) = try await cluster.makeSpaces()
    let connection = PostgresConnection()
    try await connection.connect(cluster.address(database))
    let rows = "SELECT 'anna', 'books', int4send(n), 1 + n / 500, '{}' FROM generate_series(0, 9999) n"
    let page = LineRows.page(of: "anna", after: 3)
    let told = try await connection.run([
      // Before anything tells how many rows there are.
      PostgresStatement("ALTER TABLE sync_row SET (autovacuum_enabled = off)"), PostgresStatement("INSERT INTO sync_row \(rows)"),
      PostgresStatement("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) " + page.sql, page.parameters),
    ])
    let plan = try told[2].rows.map { try $0.text(0) }
    let read = plan.filter { $0.contains("Scan") && $0.contains("sync_row") }
    // Three pushes of 500 rows, because the third one has to be sorted, and the first row of the next.
    #expect(read.count == 1 && read[0].contains("rows=1501"), "\(plan.joined(separator: "\n"))")
    await connection.close()
  }

  @Test("pushes whose transaction took too long are not tried again one by one")
  func notTriedAgain() async throws {
    let cluster = try await Cluster.ofThisProcess()
    let (spaces, database) = try await cluster.makeSpaces()
    let world = try await SpacesWorld(spaces)
    let epoch = try await world.epoch
    try await cluster.run("CREATE SEQUENCE tries", in: database)
    try await cluster.run(
      """
      CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM nextval('tries'); RAISE EXCEPTION 'late' USING ERRCODE = '57014'; END $$
      """, in: database)
    try await cluster.run("CREATE TRIGGER late BEFORE INSERT ON sync_row FOR EACH STATEMENT EXECUTE FUNCTION late()", in: database)
    let statuses = try await Self.together(30, cluster, spaces, database) { try await world.ask(book("\($0)"), epoch: epoch) }
    #expect(statuses == ["503": 30])
    #expect(try await cluster.run("SELECT last_value::text FROM tries", in: database) == ["2"])
  }

  /// Makes so many pushes, of which all but the first wait at the same time; returns how often each answer came.
  private static func together(
    _ count: Int, _ cluster: Cluster, _ spaces: PostgresSpaces, _ database: String, _ push: @escaping @Sendable (Int) async throws -> String
  ) async throws -> [String: Int] {
    let holder = PostgresConnection()
    try await holder.connect(cluster.address(database))
    _ = try await holder.run([PostgresStatement("BEGIN"), PostgresStatement("SELECT space FROM sync_space FOR UPDATE")])
    let statuses = try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<count { group.addTask { String(try await push(number).prefix(3)) } }
      while await spaces.pushes.count(in: "anna") < count - 1 { await Task.yield() }
      _ = try await holder.run(.commit)
      return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
    await holder.close()
    return statuses
  }

  @Test("a row that is damaged in the database fails its pushes and pulls, and is found by the check")
  func damaged() async throws {
    let cluster = try await Cluster.ofThisProcess()
    let (spaces, database) = try await cluster.makeSpaces()
    let world = try await SpacesWorld(spaces)
    _ = try await world.push(book("a"), book("b"))
    try await cluster.run("UPDATE sync_row SET body = '{}' WHERE key = 'a'", in: database)
    #expect(try await world.push(book("a", at: ServerWorld.now + 1)) == "503")
    #expect(try await world.push(book("b", at: ServerWorld.now + 1), cursor: 1) == "200 2b cursor 2")
    #expect(try await world.pull() == "503")
    #expect(try await spaces.problems().map(\.row) == ["a", "anna", "anna"])
  }

  @Test("a commit with a warning is not acknowledged: a replica may not have it")
  func warning() async throws {
    let cluster = try await Cluster.ofThisProcess()
    let (spaces, database) = try await cluster.makeSpaces()
    let world = try await SpacesWorld(spaces)
    try await cluster.run(
      "CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'canceling wait'; RETURN NULL; END $$",
      in: database)
    try await cluster.run(
      "CREATE CONSTRAINT TRIGGER warns AFTER INSERT ON sync_row DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION warn()",
      in: database)
    #expect(try await world.push(book("a")) == "503")
    // Committed nevertheless; the device sends it again.
    #expect(try await world.push(book("a")) == "200 1a")
  }

  @Test("a database that goes away is 503 until it is back, and nothing is applied; then all goes on by itself")
  func away() async throws {
    let cluster = try await Cluster.ofThisProcess()
    let (spaces, database) = try await cluster.makeSpaces()
    let world = try await SpacesWorld(spaces)
    let epoch = try await world.epoch
    try await cluster.run("ALTER DATABASE \(database) ALLOW_CONNECTIONS false", in: "postgres")
    try await cluster.run("SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE datname = '\(database)'", in: "postgres")
    #expect(try await world.ask(book("a"), epoch: epoch) == "503")
    await #expect(throws: PostgresError.self) { try await spaces.look() }
    #expect(await spaces.head(of: "anna", token: world.token, now: 5).status == 503)
    try await cluster.run("ALTER DATABASE \(database) ALLOW_CONNECTIONS true", in: "postgres")
    // No connection is tried for a second after one failed.
    while try await world.ask(book("b"), epoch: epoch) == "503" { await Task.yield() }
    #expect(try await world.lines().count == 1)
  }

  @Test("a replica refuses requests until it takes over; then a new epoch begins where it ends, and the log says so once")
  func takeover() async throws {
    let cluster = try await Cluster.start()
    var (spaces, _) = try await cluster.makeSpaces()
    let log = LogLines()
    spaces.logger = Logger(label: "test") { _ in LineHandler(lines: log) }
    let world = try await SpacesWorld(spaces)
    let epoch = try await world.epoch
    #expect(try await world.push(book("a"), epoch: epoch) == "200 1a cursor 1")
    #expect(log.all == [] && spaces.epochsBegun == 0)
    try await cluster.makeReplica()
    try await cluster.control("-m fast restart")
    #expect(try await world.ask(book("b"), epoch: epoch) == "503")
    #expect(await spaces.head(of: "anna", token: world.token, now: 5).status == 503)
    try await cluster.control("promote")
    while await spaces.head(of: "anna", token: world.token, now: 5).status == 503 { await Task.yield() }
    #expect(try await world.ask(book("b"), epoch: epoch) == "409 fork 1")
    // What the device has seen of the old primary, the replica lacks.
    #expect(try await world.pull(epoch: epoch, cursor: 9) == "409 fork 1")
    let next = try await world.epoch
    #expect(
      epoch.contains("-00000001.") && next.contains("-00000002.") && epoch.split(separator: "-").first == next.split(separator: "-").first)
    #expect(try await world.push(book("b"), cursor: 1) == "200 2b cursor 2")
    #expect(log.all.count == 1 && spaces.epochsBegun == 1 && log.all[0].hasPrefix("warning another database has taken over"))
    #expect(log.all[0].contains(" epochs=2 head=1 ") && log.all[0].hasSuffix("-00000002") && !log.all[0].contains("anna"))
    try await spaces.close()
  }

  @Test("tables that another version has changed take no push, and keep answering pulls")
  func migratedMeanwhile() async throws {
    let cluster = try await Cluster.ofThisProcess()
    let (spaces, database) = try await cluster.makeSpaces()
    let world = try await SpacesWorld(spaces)
    _ = try await world.push(book("a"))
    try await cluster.run("UPDATE sync_schema SET version = 2", in: database)
    #expect(try await world.push(book("b"), cursor: 1) == "503")
    #expect(try await world.pull() == "200 1a cursor 1")
    await #expect(throws: PostgresError.self) { try await spaces.makeSpace("bert") }
    await #expect(throws: PostgresError.self) { try await spaces.look() }
  }

  @Test("two servers may make the tables at one time")
  func madeTwice() async throws {
    let cluster = try await Cluster.ofThisProcess()
    let address = cluster.address(try await cluster.makeDatabase())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 { group.addTask { try await PostgresSpaces.open(address, makes: true).close() } }
      try await group.waitForAll()
    }
    try await PostgresSpaces.migrate(address)
    try await PostgresSpaces.open(address).close()
  }

  @Test("a change of the tables may take longer than a request")
  func noTimeout() async throws {
    let cluster = try await Cluster.ofThisProcess()
    let database = try await cluster.makeDatabase()
    try await cluster.run("CREATE TABLE seen (timeout text)", in: database)
    try await cluster.run(
      """
      CREATE FUNCTION note() RETURNS event_trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO seen VALUES (current_setting('statement_timeout')); END $$
      """, in: database)
    try await cluster.run("CREATE EVENT TRIGGER note ON ddl_command_end EXECUTE FUNCTION note()", in: database)
    try await PostgresSpaces.open(cluster.address(database), makes: true).close()
    #expect(try await cluster.run("SELECT DISTINCT timeout FROM seen", in: database) == ["0"])
  }

  @Test("the log has PostgreSQL's message and code, and no value of a row")
  func logged() async throws {
    let cluster = try await Cluster.ofThisProcess()
    let (spaces, database) = try await cluster.makeSpaces()
    let world = try await SpacesWorld(spaces)
    try await cluster.run("ALTER TABLE sync_row ADD CHECK (key <> 'secret')", in: database)
    let body = #"{"cursor":0,"epoch":"\#(try await world.epoch)","rows":1,"schema":1}"# + "\n" + book("secret") + "\n"
    let answer = await spaces.answer(.push, Data(body.utf8), in: "anna", token: world.token, now: ServerWorld.now)
    #expect(
      Serving.metadata(of: try #require(answer.problem)) == [
        "code": "input_output",
        "cause": #"new row for relation "sync_row" violates check constraint "sync_row_key_check" (SQLSTATE 23514)"#,
      ])
    let hidden = StoreError(.decoding, "the row secret is damaged", cause: CocoaError(.fileReadUnknown))
    #expect(Serving.metadata(of: hidden) == ["code": "decoding"])
  }

  @Test("a push through one server is heard by another one, with the name of its space only")
  func wakes() async throws {
    let cluster = try await Cluster.ofThisProcess()
    let (first, database) = try await cluster.makeSpaces()
    let world = try await SpacesWorld(first)
    try await first.makeSpace("bert")
    let bert = try await first.makeToken(for: "bert", .writes, name: nil)
    let second = try await PostgresSpaces.open(cluster.address(database))
    // A server tells only when it listens, too.
    var (mine, others) = (first.pushesElsewhere().makeAsyncIterator(), second.pushesElsewhere().makeAsyncIterator())
    #expect(await mine.next() == .some(nil))
    #expect(await others.next() == .some(nil))
    _ = try await world.push(book("a"))
    #expect(await others.next() == "anna")
    let body = #"{"cursor":0,"epoch":"\#(try await first.space("bert").epoch)","rows":1,"schema":1}"# + "\n" + book("b") + "\n"
    #expect(await first.answer(.push, Data(body.utf8), in: "bert", token: bert, now: ServerWorld.now).status == 200)
    #expect(await others.next() == "bert")
    try await first.close()
    try await second.close()
  }

  @Test("after a listening connection was lost and made again, any space may have a push, and names are heard as before")
  func heardAgain() async throws {
    let cluster = try await Cluster.ofThisProcess()
    let (first, database) = try await cluster.makeSpaces()
    let world = try await SpacesWorld(first)
    let second = try await PostgresSpaces.open(cluster.address(database))
    var (mine, others) = (first.pushesElsewhere().makeAsyncIterator(), second.pushesElsewhere().makeAsyncIterator())
    #expect(await mine.next() == .some(nil))
    #expect(await others.next() == .some(nil))
    let listening = "datname = '\(database)' AND query LIKE 'LISTEN%'"
    let ended = try await cluster.run("SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE \(listening)", in: "postgres")
    #expect(ended == ["true", "true"])
    // Told when the connection is there again.
    _ = try await world.push(book("a"))
    var told = await others.next()
    // The old connection may have heard of the push before it ended.
    while case .some(.some) = told { told = await others.next() }
    #expect(told == .some(nil))
    #expect(await mine.next() == .some(nil))
    _ = try await world.push(book("b"), cursor: 1)
    #expect(await others.next() == "anna")
    try await first.close()
    try await second.close()
  }

  @Test(
    "a start without a database, without the right, or with other tables says what is wrong, and what to do",
    arguments: [
      "nothing there", "no such database", "wrong password", "wrong right", "no tables", "newer tables", "older tables", "not UTF-8",
    ])
  func starts(_ what: String) async throws {
    let cluster = try await Cluster.ofThisProcess()
    let database = try await cluster.makeDatabase(what == "not UTF-8" ? "ENCODING 'LATIN1' TEMPLATE template0" : "")
    if what.hasSuffix("er tables") {
      try await PostgresSpaces.open(cluster.address(database), makes: true).close()
      try await cluster.run("UPDATE sync_schema SET version = \(what == "newer tables" ? 9 : 0)", in: database)
    }
    let address =
      switch what {
      case "nothing there": "postgres://postgres@%2Fnowhere/postgres"
      case "no such database": cluster.address("nosuch")
      case "wrong password": cluster.address(database, password: "wrong")
      case "wrong right": cluster.address(database).replacing("//postgres:", with: "//\(database):")
      default: cluster.address(database)
      }
    if what == "wrong right" { try await cluster.run("CREATE ROLE \(database) LOGIN PASSWORD '\(Cluster.password)'", in: database) }
    let status: Int32 = what.hasPrefix("wrong") ? 77 : what.hasPrefix("no") && what != "no tables" && what != "not UTF-8" ? 69 : 65
    try await Program.run { program in
      // Only what makes the tables needs the right.
      let ended = try await program.run((what == "wrong right" ? ["space", "create", "anna"] : ["space", "list"]) + ["--store", address])
      #expect(ended.status == status, "\(ended.errors)")
      #expect(ended.errors.hasPrefix("Error: ") && ended.errors.contains("\nTry: ") && ended.out.isEmpty)
      guard what != "no tables" else { return }
      #expect(try await program.run("serve", "--store", address, "--listen", "127.0.0.1:0").status == status)
    }
  }

  @Test("every command works with a database as with a file, and a space moves between both")
  func commands() async throws {
    let cluster = try await Cluster.ofThisProcess()
    let address = cluster.address(try await cluster.makeDatabase())
    try await Program.run { program in
      func run(_ arguments: String...) async throws -> (status: Int32, out: String, errors: String) {
        try await program.run(arguments + ["--store", address])
      }
      #expect(try await run("space", "create", "anna").status == 0)
      #expect(try await run("space", "create", "anna").status == 65)
      let token = try await run("token", "create", "anna").out.trimmingCharacters(in: .newlines)
      #expect(try await run("token", "list").out.hasPrefix("anna-1\tanna\twrites\t"))
      #expect(try await run("space", "limits", "anna", "--rows", "5").out.hasPrefix("rows\t0\t5\n"))
      let server = try await program.serve(["--listen", "127.0.0.1:0", "--store", address])
      let client = Client(port: server.port, token: token)
      let epoch = try #require(try await client.pull().head("epoch"))
      #expect(try await client.push([book("a", at: 5)], epoch: epoch).status == 200)
      #expect(try await client.send("GET", "/healthz").status == 200)
      #expect(await server.end(SIGTERM) == 0)
      #expect(try await run("check").out == "no problems\n")
      #expect(try await run("backup", "copy.sqlite").status == 0)
      #expect(try await program.run("space", "list", "--store", "copy.sqlite").out.hasPrefix("anna\t1\t1\t"))
      #expect(try await run("epoch", "bump", "anna").status == 0)
      let bumped = try await run("space", "list").out
      #expect(try await run("epoch", "bump", "--all").status == 0)
      #expect(try await run("space", "list").out != bumped)
      #expect(try await run("epoch", "bump").status == 64)
      #expect(try await run("epoch", "bump", "anna", "--all").status == 64)
      #expect(try await program.run("move", address, "moved.sqlite").out == "anna\n")
      #expect(try await program.run("check", "--store", "moved.sqlite").status == 0)
      #expect(try await run("space", "list").out.isEmpty)
      #expect(try await program.run("move", "moved.sqlite", address, "--space", "anna").status == 0)
      #expect(try await run("space", "remove", "anna").status == 0)
      #expect(try await run("space", "remove", "anna").status == 66)
      #expect(try await run("migrate").status == 0)
    }
  }
}
