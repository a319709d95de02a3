import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("Migrations")
struct MigrationTests {
  let folder: TemporaryFolder
  static let second = Migration("shelves/002-colour", sql: "ALTER TABLE shelves ADD COLUMN colour TEXT; UPDATE shelves SET colour = 'red'")

  init() throws { folder = try TemporaryFolder() }

  private func schema(_ more: Migration...) -> StoreSchema { StoreSchema("shelves", migrations: [Shelves.v1] + more) }

  /// Opens, expects an error, thrown or told by a store that is read-only, and checks that the file is as it was: the same
  /// rows and versions, and no other object.
  private func refused(_ schema: StoreSchema, _ code: StoreError.Code, sourceLocation: SourceLocation = #_sourceLocation) throws
    -> StoreError
  {
    let error = try #require(migrationError(schema, in: folder), sourceLocation: sourceLocation)
    #expect(error.code == code, sourceLocation: sourceLocation)
    #expect(error.recoveryOptions.contains(.openReadOnly), sourceLocation: sourceLocation)
    let store = try folder.store([Shelves.schema])
    #expect(store.access == .readWrite, sourceLocation: sourceLocation)
    #expect(try store.titles().count == 3, sourceLocation: sourceLocation)
    #expect(try store.integrityCheck().findings == [], sourceLocation: sourceLocation)
    try store.close()
    return error
  }

  @Test("a fresh store runs every migration, and remembers name, hash, time and app version of each")
  func fresh() throws {
    var options = StoreOptions.testing
    options.now = { Date(timeIntervalSince1970: 5) }
    options.appVersion = "1.2"
    let schema = schema(Self.second)
    let store = try folder.store([schema], options: options)
    let ran = try store.rows("SELECT name, hash, ran_at, app_version FROM holdfast_migrations WHERE name LIKE 'shelves%'", columns: 4)
    #expect(ran == schema.migrations.map { "\($0.name) \($0.hash) 5000 1.2" })
    #expect(try store.snapshots() == [])
  }

  @Test("a shipped store runs what is pending, keeps its rows, and a verified snapshot of before is there")
  func twoSteps() throws {
    try folder.shipShelves()
    let store = try folder.store([schema(Self.second)])
    #expect(try store.titles().count == 3)
    #expect(try store.read { reader in try reader.value("SELECT colour FROM shelves") { row in try row.text() } } == "red")
    #expect(try Store.kinds(at: folder.file("store.sqlite")) == ["shelves": 2])
    let snapshot = try #require(try store.snapshots().first)
    #expect(snapshot.label == "before migration")
    #expect(snapshot.schemas == ["shelves": 1])
    #expect(snapshot.rows["books"] == 3)
  }

  @Test("migrations tell how far they are")
  func progress() throws {
    try folder.shipShelves()
    let told = LogLines()
    let third = Migration("shelves/003-index", sql: "CREATE INDEX by_colour ON shelves (colour)")
    let options = StoreOptions.testing.with { $0.onMigration = { done, total in told.add("\(done)/\(total)") } }
    _ = try folder.store([schema(Self.second, third)], options: options)
    #expect(told.all == ["0/2", "1/2", "2/2"])
  }

  @Test("the snapshot taken before a migration gives the old file back")
  func wayBack() throws {
    try folder.shipShelves()
    let store = try folder.store([schema(Self.second)])
    try store.write { tx in _ = try tx.execute("DELETE FROM books") }
    let snapshot = try #require(try store.snapshots().first)
    try store.close()
    let kept = try Store.restore(at: folder.file("store.sqlite"), snapshot: snapshot.id)
    #expect(kept != nil)
    #expect(try folder.store([Shelves.schema]).titles().count == 3)
  }

  @Test("a migration in Swift moves data, and its version stands for its text")
  func closure() throws {
    try folder.shipShelves()
    let move = Migration("shelves/002-move", version: "1") { tx in
      for shelf in try tx.all(Shelf.self) {
        _ = try tx.execute("UPDATE shelves SET name = \(shelf.name.uppercased()) WHERE id = \(shelf.id)")
      }
    }
    let store = try folder.store([schema(move)])
    #expect(try store.read { reader in try reader.all(Shelf.self).map(\.name) } == ["SHELF 1"])
    try store.close()
    let edited = Migration("shelves/002-move", version: "2") { _ in }
    #expect(failure { try folder.store([schema(edited)]) }?.code == .editedMigration)
  }

  @Test(
    "what the machine refuses in a migration is told as that, and not as a migration to be mended",
    arguments: [StoreError.Code.diskFull, .outOfMemory, .inputOutput, .damaged])
  func machine(_ code: StoreError.Code) throws {
    try folder.shipShelves()
    let failing = Migration("shelves/002-fails", version: "1") { tx in
      // In memory it is tried first, on no shelf.
      if try !tx.all(Shelf.self).isEmpty { throw StoreError(code, "the machine's doing") }
    }
    #expect(migrationError(schema(failing), in: folder)?.code == code)
    #expect(try folder.store([Shelves.schema]).titles().count == 3)
  }

  @Test("a shipped migration that was edited is refused, with its name and both hashes")
  func edited() throws {
    try folder.shipShelves()
    let other = Migration("shelves/001-first", sql: "CREATE TABLE shelves (id TEXT) STRICT")
    let error = try refused(StoreSchema("shelves", migrations: [other]), .editedMigration)
    #expect(error.message.contains("shelves/001-first"))
    #expect(error.message.contains(other.hash) && error.message.contains(Shelves.v1.hash))
  }

  @Test("a migration put before a shipped one is refused")
  func inserted() throws {
    try folder.shipShelves()
    let early = Migration("shelves/000-early", sql: "CREATE TABLE early (id TEXT) STRICT")
    let error = try refused(StoreSchema("shelves", migrations: [early, Shelves.v1]), .editedMigration)
    #expect(error.message.contains("shelves/000-early"))
    #expect(error.recoverySuggestion == "Put new migrations after the shipped ones.")
  }

  @Test("SQL that fails rolls everything back, the migrations before it too")
  func failing() throws {
    try folder.shipShelves()
    let error = try refused(schema(Self.second, Migration("shelves/003-wrong", sql: "UPDATE nowhere SET a = 1")), .migrationFailed)
    #expect(error.message.contains("shelves/003-wrong"))
    #expect(error.message.contains("no such table: nowhere"))
  }

  @Test("SQL that fails only on the rows that are there rolls back, and offers the snapshot")
  func failingOnRows() throws {
    try folder.shipShelves()
    let error = try refused(schema(Migration("shelves/002", sql: "CREATE UNIQUE INDEX by_shelf ON books (shelf_id)")), .migrationFailed)
    let newest = try #require(try Snapshot.all(of: folder.file("store.sqlite")).first)
    #expect(error.recoveryOptions == [.restoreSnapshot(id: newest.id), .openReadOnly])
  }

  @Test("a store whose migration failed opens read-only when every declared column is there, and throws when not")
  func readOnlyAfterFailure() throws {
    try folder.shipShelves()
    let indexing = schema(Migration("shelves/002", sql: "CREATE UNIQUE INDEX by_shelf ON books (shelf_id)"))
    let store = try folder.store([indexing])
    #expect(store.access == .readOnly(reason: store.openingError?.message ?? ""))
    #expect(store.openingError?.code == .migrationFailed)
    #expect(try store.titles().count == 3)
    let refusal = failure { try store.fill(shelf: 2) }
    #expect(refusal?.code == .readOnly)
    #expect(refusal?.message.contains("because migrating it failed: the migration shelves/002 failed") == true)
    #expect(refusal?.recoveryOptions == store.openingError?.recoveryOptions)
    var developing = StoreOptions.testing
    developing.opensUnmigrated = StoreOptions.development.opensUnmigrated
    try store.close()
    #expect(failure { try folder.store([indexing], options: developing) }?.code == .migrationFailed)
    let adding = schema(Migration("shelves/002", sql: "ALTER TABLE books ADD COLUMN isbn TEXT; DELETE FROM books"))
    #expect(failure { try folder.store([adding]) }?.code == .migrationLostRows)
  }

  @Test("a closure that throws rolls back, and its error is the cause")
  func failingClosure() throws {
    struct Stop: Error {}
    try folder.shipShelves()
    let move = Migration("shelves/002", version: "1") { tx in
      if try tx.execute("DELETE FROM books") > 0 { throw Stop() }
    }
    #expect(try refused(schema(move), .migrationFailed).cause is Stop)
  }

  @Test(
    "a migration that would end the transaction never reaches the file",
    arguments: [
      "COMMIT", "DELETE FROM books; ROLLBACK", "DELETE FROM books; COMMIT; BEGIN", "DELETE FROM books; COMMIT; SAVEPOINT x",
      "ROLLBACK; BEGIN; DELETE FROM books",
    ])
  func ending(_ sql: String) throws {
    try folder.shipShelves()
    let error = try refused(schema(Migration("shelves/002-end", sql: sql)), .migrationFailed)
    #expect(error.message.contains("shelves/002-end"))
    #expect(try folder.store([Shelves.schema]).count("books") == 3)
  }

  @Test("names that repeat, or do not begin with their schema's, are misuse")
  func names() {
    let wrong = [
      StoreSchema("shelves", migrations: [Migration("books/001", sql: "SELECT 1")]),
      StoreSchema("shelves", migrations: [Migration("shelves/001", sql: "SELECT 1"), Migration("shelves/001", sql: "SELECT 2")]),
    ]
    for schema in wrong { #expect(failure { try Store.inMemory(schemas: [schema]) }?.code == .misuse) }
    #expect(failure { try Store.inMemory(schemas: [Shelves.schema, Shelves.schema]) }?.code == .misuse)
    #expect(wrong.allSatisfy { schema in failure { try folder.store([schema]) }?.code == .misuse })
  }

  @Test("stores that are opened at once migrate once", .timeLimit(.minutes(10)), arguments: ["new", "shipped"])
  func together(_ kind: String) async throws {
    if kind == "shipped" { try folder.shipShelves() }
    let folder = folder
    let schema = schema(Self.second)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        group.addTask {
          let store = try folder.store([schema], options: .production)
          try await store.write { tx in try tx.insert(Shelf("by \(number)", number: 100 + number)) }
          try store.close()
        }
      }
      try await group.waitForAll()
    }
    let store = try folder.store([schema])
    #expect(try store.count("shelves") == (kind == "shipped" ? 5 : 4))
    #expect(try store.count("holdfast_migrations") == 3)
  }
}
