import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Frozen schemas")
struct FrozenSchemaTests {
  let folder: TemporaryFolder
  static let schema = Shelves.next("ALTER TABLE shelves ADD COLUMN colour TEXT", name: "shelves/002-colour")

  init() throws {
    folder = try TemporaryFolder()
    try FrozenSchema.write(Self.schema.upTo(1), to: folder.url)
    try FrozenSchema.write(Self.schema, to: folder.url)
  }

  @Test("one file a version holds the tables, indexes and triggers, and not the kit's")
  func files() throws {
    #expect(try folder.contents() == ["shelves-1.sql", "shelves-2.sql"])
    let sql = try String(contentsOf: folder.file("shelves-1.sql"), encoding: .utf8)
    #expect(sql.hasPrefix("CREATE TABLE shelves ("))
    #expect(sql.contains("CREATE INDEX books_by_shelf") && sql.contains("CREATE TRIGGER books_search_update"))
    #expect(!sql.contains("holdfast_") && !sql.contains("books_search_data"))
    // The file alone makes the schema.
    _ = try Store.inMemory(schemas: [StoreSchema("copy", migrations: [Migration("copy/001", sql: sql)])])
  }

  @Test("migrations that make what was shipped pass")
  func unchanged() throws {
    try FrozenSchema.check(Self.schema, in: folder.url)
    try FrozenSchema.write(Self.schema, to: folder.url)
  }

  @Test("a version that is made differently today, or has no file, is told")
  func changed() throws {
    let edited = Shelves.next("ALTER TABLE shelves ADD COLUMN hue TEXT", name: "shelves/002-colour")
    let error = failure { try FrozenSchema.check(edited, in: folder.url) }
    #expect(error?.code == .verificationFailed)
    #expect(error?.message.contains("shelves-2.sql") == true)
    #expect(failure { try FrozenSchema.write(edited, to: folder.url) }?.code == .misuse)
    try FileManager.default.removeItem(at: folder.file("shelves-1.sql"))
    #expect(failure { try FrozenSchema.check(Self.schema, in: folder.url) }?.code == .notFound)
  }

  @Test("every version, filled with rows, walks to the newest without losing one")
  func walk() throws {
    let plans = try FrozenSchema.walk(Self.schema) { version, tx in
      try tx.insert(Shelf("one"))
      try tx.insert(Book("a"))
      if version == 2 { _ = try tx.execute("UPDATE shelves SET colour = 'red'") }
    }
    #expect(plans.mapValues(\.pending) == [1: ["shelves/002-colour"], 2: []])
    #expect(plans[1]?.tables.first { $0.name == "books" } == .init(name: "books", before: 1, after: 1))
    #expect(failure { try FrozenSchema.walk(Self.schema) { _, tx in try tx.insert(Shelf("one")) } }?.code == .verificationFailed)
    let losing = Shelves.next("DELETE FROM books")
    let error = failure {
      try FrozenSchema.walk(losing) { _, tx in
        try tx.insert(Shelf("one"))
        try tx.insert(Book("a"))
      }
    }
    #expect(error?.code == .migrationLostRows)
  }
}
