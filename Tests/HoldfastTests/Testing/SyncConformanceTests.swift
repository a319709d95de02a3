import Holdfast
import HoldfastTesting
import Testing

/// Lists with the book that was read last, a span that has both ends or none, and books.
private struct ReadLists: Library {
  static let schema = make()
  let store: Store
  init(_ store: Store) { self.store = store }

  static func make(
    together: [[String]] = [["opened", "closed"]],
    repair: BoundSQL? = "UPDATE lists SET last = NULL WHERE last NOT IN (SELECT id FROM books)",
    here: [String: SQLValue] = ["shelf": .text("none")], extra: [SchemaDeclaration] = []
  ) -> StoreSchema {
    StoreSchema(
      "lists",
      migrations: [
        Migration(
          "lists/001",
          sql: """
            CREATE TABLE books (id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, shelf TEXT NOT NULL) STRICT;
            CREATE TABLE notes (id TEXT NOT NULL PRIMARY KEY) STRICT;
            CREATE TABLE lists (
              id TEXT NOT NULL PRIMARY KEY, last TEXT, opened INTEGER, closed INTEGER, CHECK ((opened IS NULL) = (closed IS NULL))
            ) STRICT;
            """)
      ],
      invariants: [
        Invariant(
          "the last read book is there", table: "lists", findings: "SELECT id FROM lists WHERE last NOT IN (SELECT id FROM books)",
          repair: repair)
      ],
      declarations: [.synced("books", here: here), .synced("lists", together: together)] + extra)
  }

  @Sendable static func fill(_ world: LibraryWorld<ReadLists>) async throws {
    try await world.store.write { tx in
      for number in 1...4 { try tx.execute("INSERT INTO books VALUES (\("book \(number)"), \("Title \(number)"), 'mine')") }
      try tx.execute("INSERT INTO lists VALUES ('one', 'book 1', 1, 2), ('two', 'book 2', NULL, NULL), ('three', NULL, 3, 4)")
    }
  }
}

@Suite("A library's declarations of sync", .timeLimit(.minutes(10))) struct SyncConformanceTests {
  /// What the first of many seeds that fails says; nil when all pass.
  private func complaint(_ schema: StoreSchema, seeds: Range<UInt64> = 0..<60) async throws -> String? {
    for seed in seeds {
      do {
        try await SyncConformance(schema, fill: ReadLists.fill).run(seed: seed)
      } catch let error as StoreError where error.code == .verificationFailed {
        return error.message
      }
    }
    return nil
  }

  @Test("declarations that fit pass, with two devices and with three", arguments: [2, 3])
  func fits(devices: Int) async throws {
    // A plain space, and a sealed one.
    for seed in 0..<UInt64(ProofRun.isLong ? 100 : 2) {
      try await SyncConformance(ReadLists.schema, devices: devices, fill: ReadLists.fill).run(seed: seed)
    }
  }

  @Test("an invariant that a merge breaks, without a repair, is found")
  func noRepair() async throws {
    let found = try await complaint(ReadLists.make(repair: nil))
    #expect(found?.contains("breaks: the last read book is there") == true, "\(found ?? "nothing")")
  }

  @Test("columns that a CHECK joins, and that sync apart, are found")
  func apart() async throws {
    let found = try await complaint(ReadLists.make(together: []))
    #expect(found?.contains("CHECK constraint failed") == true, "\(found ?? "nothing")")
  }

  @Test("a column that must stay, and travels, is found; so is one of which `fill` leaves nothing to find")
  func travelling() async throws {
    func complaint(_ staying: [String: [String: SQLValue]], here: [String: SQLValue] = [:]) async -> String? {
      var conformance = SyncConformance(ReadLists.make(here: here), fill: ReadLists.fill)
      conformance.staying = staying
      do { try await conformance.run(seed: 0) } catch { return (error as? StoreError)?.message }
      return nil
    }
    let shelf: [String: [String: SQLValue]] = ["books": ["shelf": .text("none")]]
    #expect(await complaint(shelf, here: ["shelf": .text("none")]) == nil)
    #expect(await complaint(shelf)?.contains("shelf of books has left its device: device 1") == true)
    #expect(await complaint(shelf, here: ["shelf": .text("other")])?.contains("shelf of books has left its device") == true)
    #expect(await complaint(["books": ["shelf": .text("mine")]])?.contains("`fill` leaves shelf of books") == true)
    #expect(await complaint(["books": ["author": .null]])?.contains("`fill` leaves author of books") == true)
    #expect(await complaint(["notes": [:]])?.contains("notes is no table that syncs") == true)
  }

  @Test("a table that `fill` leaves empty, and a schema without a synced table, prove nothing and are refused")
  func nothingToProve() async throws {
    #expect(try await complaint(ReadLists.make(extra: [.synced("notes")]), seeds: 0..<1)?.contains("leaves notes empty") == true)
    let none = StoreSchema("lists", migrations: ReadLists.schema.migrations)
    #expect(try await complaint(none, seeds: 0..<1)?.contains("declares no table") == true)
  }
}
