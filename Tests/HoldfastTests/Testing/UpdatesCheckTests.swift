import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("Checks of live updates", .timeLimit(.minutes(10))) struct UpdatesCheckTests {
  private static let schema = StoreSchema(
    "numbers",
    migrations: [
      Migration(
        "numbers/001",
        sql: """
          CREATE TABLE numbers (rowid INTEGER PRIMARY KEY, n INTEGER NOT NULL) STRICT;
          CREATE TABLE silent (n INTEGER PRIMARY KEY) WITHOUT ROWID
          """)
    ])

  /// SQLite reports no change of the table `silent`.
  private static func count(_ reader: Reader, of table: String = "numbers") throws -> Int {
    try reader.count("SELECT count(*) FROM \(raw: table)")
  }

  private static func add(to store: Store) throws {
    try store.write { tx in
      try tx.execute("INSERT INTO numbers (n) VALUES (1)")
      try tx.execute("INSERT INTO silent SELECT count(*) FROM silent")
    }
  }

  @Test("updates that say what is read are followed")
  func right() async throws {
    let store = try Store.inMemory(schemas: [Self.schema], options: .testing)
    try await UpdatesCheck.follow(store.updates { try Self.count($0) }) {
      try store.read { try Self.count($0) }
    } after: {
      try Self.add(to: store)
    }
  }

  /// Ways to be wrong, and what the check says.
  private static let wrong: [(table: String, value: @Sendable (Int) -> Int, rows: Int, message: String)] = [
    ("numbers", { $0 + 1 }, 1, "the updates begin with 1, and should with 0"),
    ("numbers", { -$0 }, 1, "the updates go on with -1, and should with 1"),
    ("numbers", { _ in 0 }, 1, "the updates go on with 0, and should with 1"),
    ("silent", { $0 }, 1, "the watch heard of no change"),
    ("numbers", { $0 }, 0, "the change changes nothing: 0"),
  ]

  @Test("updates that begin or go on with something else, stay the same, hear nothing or follow nothing fail the check", arguments: 0..<5)
  func wrong(way: Int) async throws {
    let (table, value, rows, message) = Self.wrong[way]
    let store = try Store.inMemory(schemas: [Self.schema], options: .testing)
    let error = await #expect(throws: StoreError.self) {
      try await UpdatesCheck.follow(store.updates { value(try Self.count($0, of: table)) }) {
        try store.read { try Self.count($0) }
      } after: {
        for _ in 0..<rows { try Self.add(to: store) }
      }
    }
    #expect(error?.code == .verificationFailed)
    #expect(error?.message == message)
  }

  @Test("followed updates say at once whether a commit was heard, and do not wait where none was")
  func followed() async throws {
    let store = try Store.inMemory(schemas: [Self.schema], options: .testing)
    var hearing = try await FollowedUpdates(store.updates { try Self.count($0) })
    var deaf = try await FollowedUpdates(store.updates { try Self.count($0, of: "silent") })
    #expect(hearing.first == 0 && deaf.first == 0)
    try Self.add(to: store)
    #expect(hearing.hasHeard && !deaf.hasHeard)
    #expect(await asyncFailure { try await deaf.next() }?.message == "the watch heard of no change")
    #expect(try await hearing.next() == 1)
    #expect(!hearing.hasHeard)
    #expect(await asyncFailure { try await hearing.next() }?.message == "the watch heard of no change")
  }

  @Test("updates are not followed where something else writes meanwhile, nor in a store that is read-only")
  func notFollowed() async throws {
    let store = try Store.temporary(schemas: [Self.schema], options: .testing)
    let disturbed = store.updates { reader in
      let done = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        try? Self.add(to: store)
        done.signal()
      }
      done.wait()
      return try Self.count(reader)
    }
    #expect(
      await asyncFailure { _ = try await FollowedUpdates(disturbed) }?.message == "the watch heard of a change before the test made one")
    let looking = store.readOnly(because: "the test says so")
    #expect(
      await asyncFailure { _ = try await FollowedUpdates(looking.updates { try Self.count($0) }) }?.code == .readOnly)
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
