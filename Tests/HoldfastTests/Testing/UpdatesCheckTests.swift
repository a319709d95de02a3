import Holdfast
import HoldfastTesting
import Testing

@Suite("Checks of live updates", .timeLimit(.minutes(10))) struct UpdatesCheckTests {
  private static let schema = StoreSchema(
    "numbers", migrations: [Migration("numbers/001", sql: "CREATE TABLE numbers (rowid INTEGER PRIMARY KEY, n INTEGER NOT NULL) STRICT")])

  private static func count(_ reader: Reader) throws -> Int { try reader.count("SELECT count(*) FROM numbers") }

  private static func add(to store: Store) throws { try store.write { _ = try $0.execute("INSERT INTO numbers (n) VALUES (1)") } }

  @Test("updates that say what is read are followed")
  func right() async throws {
    let store = try Store.inMemory(schemas: [Self.schema], options: .testing)
    try await UpdatesCheck.follow(store.updates(of: ["numbers"]) { try Self.count($0) }) {
      try store.read { try Self.count($0) }
    } after: {
      try Self.add(to: store)
    }
  }

  @Test("updates that begin with something else, go on with something else, or follow nothing fail the check", arguments: [0, 1, 2])
  func wrong(way: Int) async throws {
    let store = try Store.inMemory(schemas: [Self.schema], options: .testing)
    let updates = store.updates(of: ["numbers"]) { reader in
      let count = try Self.count(reader)
      return way == 0 ? count + 1 : way == 1 && count > 0 ? -1 : count
    }
    let error = await #expect(throws: StoreError.self) {
      try await UpdatesCheck.follow(updates) {
        try store.read { try Self.count($0) }
      } after: {
        if way < 2 { try Self.add(to: store) }
      }
    }
    #expect(error?.code == .verificationFailed)
    #expect(
      error?.message
        == [
          "the updates begin with 1, and should with 0", "the updates go on with -1, and should with 1", "the change changes nothing: 0",
        ][way])
  }

  @Test("a watch is woken by a commit that changes its table, and by nothing else")
  func watches() throws {
    let store = try Store.inMemory(schemas: [Self.schema], options: .testing)
    let watches = try TableWatches(store, ["numbers"])
    try store.write { _ in }
    #expect(watches.woken == [])
    try Self.add(to: store)
    #expect(watches.woken == ["numbers"])
  }
}
