import Foundation
import Holdfast
import HoldfastServing
import HoldfastSync
import HoldfastSyncServer
import Testing

/// `Examples/sync_client.py`, which was written from Documentation/SyncProtocol.md alone, beside a device of ours.
@Suite("A client in Python", .enabled(if: PythonClient.python != nil, "needs python3 on the PATH"), .timeLimit(.minutes(5)))
struct PythonClientTests {
  @Test("it and a device end with equal rows: after edits of both, a new epoch, and a server that has lost everything")
  func sameRows() async throws {
    try await ServerWorld.run {
      $0.now = { PythonClient.milliseconds }
    } _: { world in
      let (device, python) = (try await Device(world), try PythonClient(world))
      try device.edit("INSERT INTO notes VALUES ('n1', 'Emma', 4.5, 9007199254740993, 'jpeg', x'fff6')")
      try device.edit("INSERT INTO notes (id, title) VALUES ('n2', 'Persuasion')")
      #expect(await python.run("set", "notes", "n3", #"title="Æ / \"x\"\n""#, "rating=9007199254740994.0").status == 0)
      try await settle(device, python, world)
      #expect(
        try device.notes() == ["n1|Emma|4.5|9007199254740993|jpeg FFF6", "n2|Persuasion|||", "n3|Æ / \"x\"\n|9007199254740994.0||"])
      let third = #"{"id":"n3","rating":9.007199254740994e+15,"title":"Æ / \"x\"\n"}"#
      #expect(
        await python.run("list", "notes").lines == [
          #"{"cover":{"b":"//Y="},"cover_kind":"jpeg","id":"n1","pages":{"i":"9007199254740993"},"rating":4.5,"title":"Emma"}"#,
          #"{"id":"n2","title":"Persuasion"}"#, third,
        ])

      // Different columns of one row, and a deletion against an edit.
      try device.edit("UPDATE notes SET title = 'Emma!' WHERE id = 'n1'")
      try device.edit("UPDATE notes SET title = 'gone' WHERE id = 'n2'")
      _ = await python.run("set", "notes", "n1", "rating=5.0", #"cover_kind,cover=["png",{"b":"AA=="}]"#)
      _ = await python.run("delete", "notes", "n2")
      try await settle(device, python, world)
      let merged = #"{"cover":{"b":"AA=="},"cover_kind":"png","id":"n1","pages":{"i":"9007199254740993"},"rating":5.0,"title":"Emma!"}"#
      #expect(try device.notes().first == "n1|Emma!|5.0|9007199254740993|png 00")
      #expect(await python.run("list", "notes").lines == [merged, third])

      try world.server.beginEpoch()
      _ = await python.run("set", "notes", "n3", #"title="after the epoch""#)
      try await settle(device, python, world)
      #expect(try device.notes().last == "n3|after the epoch|9007199254740994.0||")

      try await world.server.store.write { tx in
        try tx.execute("DELETE FROM sync_row")
        try tx.execute("UPDATE sync_space SET lineage = '[[\"other\",0]]', head = 0, digest = 0, rows = 0, bytes = 0")
      }
      #expect(await python.run("sync").status == 0)
      #expect(try world.keys() == ["n1", "n2", "n3"], "also the deleted one")
      try await settle(device, python, world)
      #expect(try device.notes().count == 2)
    }
  }

  @Test("it takes the server's time where its own is a day ahead")
  func aDayAhead() async throws {
    try await ServerWorld.run {
      $0.now = { PythonClient.milliseconds - 86_400_000 }
    } _: { world in
      let (device, python) = (try await Device(world), try PythonClient(world))
      for title in ["first", "second"] { _ = await python.run("set", "notes", "n1", #"title="\#(title)""#) }
      try await settle(device, python, world)
      #expect(try await world.client.send("GET", "/metrics").text.contains(#"{route="push",status="422"} 1"#))
      try device.edit("UPDATE notes SET rating = 1.0")
      try await settle(device, python, world)
      #expect(try device.notes() == ["n1|second|1.0||"])
      #expect(await python.run("list", "notes").lines == [#"{"id":"n1","rating":1.0,"title":"second"}"#])
    }
  }

  @Test("it says what was refused, and why it failed; what waited still waits")
  func failures() async throws {
    var limits = SyncLimits()
    limits.rowBytes = 200
    try await ServerWorld.run(limits: limits) {
      $0.now = { PythonClient.milliseconds }
    } _: { world in
      let python = try PythonClient(world)
      _ = await python.run("set", "notes", "n1", "title=\"\(String(repeating: "x", count: 200))\"")
      #expect(await python.run("sync").status == 2)
      _ = await python.run("set", "notes", "n1", #"title="short""#)
      try world.server.revokeToken(named: "anna-1")
      let refused = await python.run("sync")
      #expect(refused.status == 1 && refused.errors == "the token is not valid\n")
      #expect(try world.keys() == [])
      let welcome = PythonClient(python, token: try world.server.makeToken(for: "anna"))
      #expect(await welcome.run("sync").status == 0)
      #expect(try world.keys() == ["n1"])
    }
  }

  @Test("what was refused is taken after the limits of the space were raised")
  func newLimits() async throws {
    var limits = SyncLimits()
    limits.rows = 0
    try await ServerWorld.run(limits: limits) {
      $0.now = { PythonClient.milliseconds }
    } _: { world in
      let python = try PythonClient(world)
      _ = await python.run("set", "notes", "n1", #"title="one""#)
      #expect(await python.run("sync").status == 2)
      try world.server.setLimits(SyncLimits(), of: "anna")
      #expect(await python.run("sync").status == 0)
      #expect(try world.keys() == ["n1"])
    }
  }

  /// Both meet the server until it has nothing new, and all three have the same rows.
  private func settle(_ device: Device, _ python: PythonClient, _ world: ServerWorld) async throws {
    try await device.sync.finish()
    #expect(await python.run("sync").status == 0)
    try await device.sync.finish()
    let sums = try await world.server.store.read { reader in try reader.values("SELECT digest FROM sync_space") { try $0.int64() } }
    let digest = String(UInt64(bitPattern: try #require(sums.first)), radix: 16)
    let told = await python.run("sync").lines.first?.split(separator: " ") ?? []
    #expect(told.count > 2 && UInt64(told[2], radix: 16) == UInt64(digest, radix: 16), "\(told) and \(digest)")
  }
}

/// A device of ours with notes, connected to the space.
private struct Device {
  let store: Store
  let sync: StoreSync

  init(_ world: ServerWorld) async throws {
    let schema = StoreSchema(
      "notes",
      migrations: [
        Migration(
          "notes/001-notes",
          sql: """
            CREATE TABLE notes (
              id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, rating REAL, pages INTEGER, cover_kind TEXT, cover BLOB
            ) STRICT;
            """)
      ], declarations: [.synced("notes", together: [["cover_kind", "cover"]])])
    store = try Store.inMemory(schemas: [schema])
    let address = try #require(URL(string: "http://127.0.0.1:\(world.client.port)"))
    sync = try StoreSync(store, server: .init(address, space: "anna") { [token = world.client.token] in token })
    try await sync.connect(.merge)
  }

  func edit(_ sql: BoundSQL) throws { try store.write { tx in _ = try tx.execute(sql) } }

  /// Such as `n1|Emma|4.5|300|jpeg FFF6`.
  func notes() throws -> [String] {
    try store.read { reader in
      try reader.values(
        """
        SELECT id || '|' || title || '|' || iif(rating IS NULL, '', printf('%.1f', rating)) || '|' || ifnull(pages, '') || '|'
          || ifnull(cover_kind || ' ' || hex(cover), '')
        FROM notes ORDER BY id
        """
      ) { row in try row.text() }
    }
  }
}

/// The program, with a file of its own.
private final class PythonClient: Sendable {
  struct Ended {
    var status: Int32
    var out: String
    var errors: String
    var lines: [String] { out.split(separator: "\n").map(String.init) }
  }

  static let python: URL? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { URL(fileURLWithPath: String($0)).appendingPathComponent("python3") }
    .first { FileManager.default.isExecutableFile(atPath: $0.path) }

  private static let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Examples/sync_client.py")

  /// The system's time.
  static var milliseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

  private let file: URL
  private let port: Int
  private let token: String

  init(_ world: ServerWorld) throws {
    file = FileManager.default.temporaryDirectory.appendingPathComponent("holdfast-client-\(UUID().uuidString).sqlite")
    (port, token) = (world.client.port, try #require(world.client.token))
  }

  /// The same file with another token.
  init(_ other: PythonClient, token: String) { (file, port, self.token) = (other.file, other.port, token) }

  deinit { try? FileManager.default.removeItem(at: file) }

  /// - Parameter arguments: `sync` alone, or another verb with its arguments.
  func run(_ arguments: String...) async -> Ended {
    let rest = arguments == ["sync"] ? ["sync", "http://127.0.0.1:\(port)", "anna"] : arguments
    return await withCheckedContinuation { continuation in
      // The server answers on the threads of tasks.
      DispatchQueue(label: "python").async { [self] in
        let (process, out, errors) = (Process(), Pipe(), Pipe())
        (process.executableURL, process.arguments) = (Self.python, [Self.program.path, file.path] + rest)
        process.environment = ProcessInfo.processInfo.environment.merging(["HOLDFAST_SYNC_TOKEN": token, "no_proxy": "*"]) { $1 }
        process.environment?["PYTHONIOENCODING"] = "utf-8"
        (process.standardOutput, process.standardError) = (out, errors)
        do { try process.run() } catch { return continuation.resume(returning: Ended(status: -1, out: "", errors: "\(error)")) }
        let text = String(decoding: out.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let told = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        continuation.resume(returning: Ended(status: process.terminationStatus, out: text, errors: told))
      }
    }
  }
}
