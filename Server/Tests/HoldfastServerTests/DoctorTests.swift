import Foundation
import Holdfast
import HoldfastPostgres
import HoldfastSyncServer
import Testing

@testable import HoldfastDoctor

/// What `holdfast-server doctor` finds.
@Suite struct DoctorTests {
  @Test("the spaces of a store: none, without a token, nearly full, and with wrong counts", arguments: StoreKind.allCases)
  func spaces(_ kind: StoreKind) async throws {
    let spaces = try await kind.make()
    func findings() async throws -> [String] {
      try await Diagnosis.spaces(of: spaces).findings.map { "\($0.kind.rawValue): \($0.message)" }
    }
    #expect(try await findings() == ["no-space: the store has no space"])
    try await spaces.makeSpace("anna")
    #expect(try await findings() == ["no-token: no token opens the space anna"])
    let world = SpacesWorld(spaces, token: try await spaces.makeToken(for: "anna", .writes, name: nil))
    _ = try await world.push((0..<9).map { book("\($0)") })
    #expect(try await Diagnosis.spaces(of: spaces).facts == "spaces 1, rows 9, tokens 1")
    #expect(try await findings() == [])
    var limits = SyncLimits()
    limits.rows = 10
    try await spaces.setLimits(limits, of: "anna")
    #expect(try await findings() == ["quota: the space anna uses 90 % of what it may hold"])
    try await spaces.setLimits(nil, of: "anna")
    guard let server = spaces as? SyncServer else { return }
    for wrong in ["head = 0", "head = 1, rows = 8"] {
      try await server.store.write { tx in _ = try tx.execute("UPDATE sync_space SET \(sql: BoundSQL(raw: wrong))") }
      #expect(try await findings() == ["counts: the space anna does not count its rows and pushes right"])
    }
    try await server.store.write { tx in _ = try tx.execute("UPDATE sync_space SET lineage = '[]'") }
    #expect(try await findings() == ["counts: only a part of the space anna is here"])
  }

  @Test("a file: without an archive, open to all users, on a volume without room for a copy")
  func file() async throws {
    try await Program.run { program in
      try Store.open(at: program.store, schemas: [SyncServer.schema]).close()
      func kinds(freeBytes: Int64? = nil) -> [Finding.Kind] { Diagnosis.file(at: program.store, freeBytes: freeBytes).findings.map(\.kind) }
      func set(_ mode: Int, _ url: URL) throws { try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path) }
      try set(0o600, program.store)
      #expect(kinds() == [.archive])
      var options = StoreOptions.testing
      options.archive.mode = .begins
      let store = try Store.open(at: program.store, schemas: [SyncServer.schema], options: options)
      _ = try store.snapshot()
      try store.close()
      #expect(kinds() == [])
      #expect(Diagnosis.file(at: program.store).facts.contains(", an archive, 1 snapshots, the newest of 2"))
      #expect(kinds(freeBytes: 10) == [.disk])
      try set(0o644, program.store)
      try set(0o755, program.folder)
      #expect(kinds() == [.readable])
      try set(0o700, program.folder)
      #expect(kinds() == [])
    }
  }

  // MARK: A database

  /// A sound database with two replicas.
  private static func sound() async throws -> PostgresFacts {
    let cluster = try await Cluster.ofThisProcess()
    let (spaces, database) = try await cluster.makeSpaces()
    try await spaces.close()
    var facts = try await PostgresFacts.read(cluster.address(database))
    #expect(judged(facts) == [.fsync, .superuser, .replicas], "as the tests start it")
    facts.settings["fsync"] = "on"
    facts.settings["synchronous_standby_names"] = "ANY 1 (a, b)"
    facts.isSuperuser = false
    facts.replicas = ["a", "b"].map { PostgresFacts.Replica($0, isSynchronous: true, lagBytes: 0) }
    #expect(judged(facts) == [])
    return facts
  }

  private static func judged(_ facts: PostgresFacts, nodes: Int = 2) -> [Finding.Kind] {
    Diagnosis.database(facts, nodes: nodes, needed: PostgresSpaces.version).findings.map(\.kind)
  }

  @Test("a database: each thing that is wrong is one finding")
  func database() async throws {
    let sound = try await Self.sound()
    func found(_ change: (inout PostgresFacts) -> Void) -> [Finding.Kind] {
      var facts = sound
      change(&facts)
      return Self.judged(facts)
    }
    #expect(found { $0.settings["server_version_num"] = "140011" } == [.version])
    #expect(found { $0.settings["server_encoding"] = "LATIN1" } == [.encoding])
    #expect(found { $0.tables = nil } == [.tables])
    #expect(found { $0.tables = 9 } == [.tables])
    #expect(found { $0.settings["full_page_writes"] = "off" } == [.fullPageWrites])
    #expect(found { $0.settings["wal_level"] = "minimal" } == [.walLevel])
    #expect(found { $0.settings["max_connections"] = "20" } == [.connections], "two servers need 18, and 3 are kept for superusers")
    #expect(found { $0.settings["max_connections"] = "21" } == [])
    #expect(found { $0.clockAheadMilliseconds = -5_001 } == [.clock])
    #expect(found { $0.missingRights = ["DELETE on sync_row"] } == [.rights])
    #expect(found { $0.isPrivate = false } == [.databaseTLS])
    #expect(found { $0.isReplica = true } == [.recovery])
    #expect(abs(sound.clockAheadMilliseconds) < 5_000)
    #expect(Self.judged(sound, nodes: 11) == [.connections], "97 connections of PostgreSQL's 100")
    #expect(Self.judged(sound, nodes: 10) == [])
  }

  @Test("replicas: none, none that is waited for, too few, none to spare, one far behind, none to be seen")
  func replicas() async throws {
    let sound = try await Self.sound()
    func found(_ names: String, _ replicas: (name: String, lag: Int64)..., sees: Bool = true) -> [Finding.Kind] {
      var facts = sound
      facts.settings["synchronous_standby_names"] = names
      facts.replicas = replicas.map { .init($0.name, isSynchronous: !names.isEmpty, lagBytes: $0.lag) }
      facts.seesReplicas = sees
      return Self.judged(facts)
    }
    #expect(found("") == [.replicas])
    #expect(found("", ("a", 0)) == [.synchronous])
    #expect(found("ANY 1 (a, b)") == [.replicas, .waiting])
    #expect(found("ANY 1 (a, b)", ("a", 0)) == [.spare])
    #expect(found("FIRST 2 (a, b, c)", ("a", 0), ("b", 0)) == [.spare])
    #expect(found("ANY 1 (a, b)", ("a", 0), ("b", 16 << 20)) == [])
    #expect(found("ANY 1 (a, b)", ("a", 0), ("b", 16 << 20 + 1)) == [.lag])
    #expect(found("", sees: false) == [.monitor])
    #expect(
      ["", " ", "a", "a, b", "*", "2(a, b)", "any 1 (*)", " FIRST  12 (a)"].map(Diagnosis.replicasAwaited) == [0, 0, 1, 1, 1, 2, 1, 12])
  }

  @Test("a role without rights is told what it lacks; one that owns the database and may monitor lacks nothing")
  func roles() async throws {
    let cluster = try await Cluster.ofThisProcess()
    let (spaces, database) = try await cluster.makeSpaces()
    try await spaces.close()
    let role = "r" + database
    try await cluster.run("CREATE ROLE \(role) LOGIN PASSWORD '\(Cluster.password)'", in: "postgres")
    let address = cluster.address(database).replacing("//postgres:", with: "//\(role):")
    let facts = try await PostgresFacts.read(address)
    #expect(facts.role == role && !facts.isSuperuser && !facts.seesReplicas && facts.tables == nil)
    #expect(facts.missingRights.count == 13 && facts.missingRights.contains("SELECT on sync_schema"))
    for table in ["sync_schema", "sync_space", "sync_row", "sync_token"] {
      try await cluster.run("ALTER TABLE \(table) OWNER TO \(role)", in: database)
    }
    try await cluster.run("GRANT pg_monitor TO \(role)", in: database)
    let owner = try await PostgresFacts.read(address)
    #expect(Self.judged(owner) == [.fsync, .replicas])
  }

  @Test("a replica alone is found to be one; a password that is wrong stays an error")
  func recovery() async throws {
    let cluster = try await Cluster.start()
    try await cluster.makeSpaces().spaces.close()
    try await cluster.makeReplica()
    try await cluster.control("-m fast restart")
    let address = cluster.address()
    try await Program.run { program in
      let ended = try await program.run("doctor", "--store", address)
      #expect(ended.status == 2 && ended.out.contains("\nTry: Run holdfast-server migrate"), "\(ended.errors)")
      #expect(ended.out.contains("\nrecovery: the database is a replica: it takes no pushes\nTry: "))
      #expect(try await program.run("doctor", "--store", cluster.address(password: "wrong")).status == 77)
      #expect(try await program.run("doctor", "--store", cluster.address("nosuch")).status == 69)
    }
  }
}
