import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

/// A library of shelves that keeps or breaks what it says.
private struct ShelfList: Library {
  static let schema = Shelves.schema
  let store: Store
  init(_ store: Store) { self.store = store }

  typealias Verb = LibraryVerb<ShelfList, Shelf>

  static let load = Verb(name: "load") { list, shelf in _ = try list.store.read { try $0.find(Shelf.self, id: shelf.id) } }
  static let scan = Verb(name: "scan") { list, _ in _ = try list.store.read { try $0.all(Shelf.self, "WHERE created_at = 0") } }
  static let rename = Verb(name: "rename", changes: ["shelves"]) { list, shelf in
    _ = try list.store.write { try $0.execute("UPDATE shelves SET name = 'other' WHERE id = \(shelf.id)") }
  }
  static let date = Verb(name: "date", changes: ["shelves"]) { list, shelf in
    _ = try list.store.write { try $0.execute("UPDATE shelves SET created_at = 99 WHERE id = \(shelf.id)") }
  }
  static let unhealthy = Verb(name: "add a book without a title", changes: ["books"]) { list, _ in
    try list.store.write { try $0.insert(Book("", number: 9)) }
  }

  /// Follows everything but the column that changes.
  static var unheard: LibraryUpdates<ShelfList, Shelf> {
    LibraryUpdates(name: "dates") { list, _ in
      list.store.updates(ignoring: ["shelves": ["created_at"]]) { try $0.all(Shelf.self) }
    } reading: { list, _ in
      try list.store.read { try $0.all(Shelf.self) }
    }
  }

  static func shelves(
    reading read: @escaping @Sendable (Reader) throws -> [Shelf] = { try $0.all(Shelf.self) }
  ) -> LibraryUpdates<ShelfList, Shelf> {
    LibraryUpdates(name: "shelves") { list, _ in
      list.store.updates { try $0.all(Shelf.self) }
    } reading: { list, _ in
      try list.store.read(read)
    }
  }

  /// What it declares for programs, with what a fault replaces.
  static func described(
    count: String = "SELECT count(*) FROM shelves", from table: String = "shelves", name: String = "name", finds: String = "shelf",
    search: String = "WHERE true", facts: [ShownField<Shelf>] = [.init("name", "name") { .text($0.name) }]
  ) -> LibraryDescription {
    var library = LibraryDescription(schema)
    let fields: [ShownField<Shelf>] = [.init("id", "ID") { .id($0.id) }, .init("name", "NAME") { .text($0.name) }]
    library.counted = [("shelves", "shelf", "shelves")]
    library.lists = [
      ListDescription("shelves", "as stored", fields) {
        try $0.count(BoundSQL(stringLiteral: count))
      } page: { reader, _, _ in
        Page(items: try reader.all(Shelf.self), next: nil)
      }
    ]
    library.kinds = [
      ShownKind("shelf", "id, \(name)", from: table) { id, reader in
        try reader.find(Shelf.self, id: id).map { facts.shown("shelf", $0) }
      }
    ]
    library.search = { _, _, _, reader in
      let found = try reader.all(Shelf.self, BoundSQL(stringLiteral: search))
      return (fields.hits(finds, found), [fields.table(of: found)])
    }
    library.info = { reader in Shown(["shelves": .integer(Int64(try reader.count("SELECT count(*) FROM shelves")))]) }
    return library
  }

  static let untitled = (sql: "UPDATE books SET title = ''", finding: "breaks: every book has a title")

  static func conformance(
    _ folder: TemporaryFolder, schema: StoreSchema = Shelves.schema, reads: [Verb] = [load], writes: [Verb] = [rename],
    records: [any StoredRecord] = [Shelf("first"), Book("title", pages: 7)], updates: [LibraryUpdates<ShelfList, Shelf>] = [shelves()],
    fills: Bool = true
  ) throws -> LibraryConformance<ShelfList, Shelf> {
    var conformance = LibraryConformance<ShelfList, Shelf>(
      schema,
      fill: { world in
        if fills { try world.store.fill() }
        return Shelf("first")
      }, reads: reads, writes: writes, records: records, updates: updates, file: folder.file("Tests/Tests.swift").path)
    conformance.damages = [untitled]
    conformance.description = described()
    return conformance
  }
}

private struct Swapped: StoredRecord {
  static let table = "books"
  static let columns = Book.columns
  var book: Book
  init(_ book: Book) { self.book = book }
  init(row: inout StoredRow) throws {
    book = try Book(row: &row)
    swap(&book.id, &book.shelfID)
  }
  func encode(into values: inout Values) throws { try book.encode(into: &values) }
}

@Suite("What every library promises") struct ConformanceTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(at: folder.file("Tests/Fixtures"), withIntermediateDirectories: true)
    try FrozenSchema.write(Shelves.schema, to: folder.file("Tests/Fixtures"))
  }

  private func complaint(
    _ check: ConformanceCheck, _ conformance: LibraryConformance<ShelfList, Shelf>
  ) async -> String? {
    let error = await asyncFailure { try await conformance.run(check) }
    return error.map { "\($0.code.rawValue): \($0.message)" }
  }

  @Test("a library that keeps all of it passes", arguments: ConformanceCheck.allCases)
  func sound(_ check: ConformanceCheck) async throws {
    try await ShelfList.conformance(folder).run(check)
  }

  @Test("a schema that is not the frozen one, and a table that nothing fills, are told")
  func schemas() async throws {
    try Data("CREATE TABLE other (id)".utf8).write(to: folder.file("Tests/Fixtures/shelves-1.sql"))
    #expect(
      try await complaint(.frozenSchemas, ShelfList.conformance(folder))?.hasPrefix("verification_failed: shelves-1.sql is not") == true)
    #expect(try await complaint(.migration, ShelfList.conformance(folder, fills: false))?.contains("filling leaves") == true)
  }

  @Test("an older version that nobody fills is told, and so is one whose rows are lost on the way")
  func olderVersions() async throws {
    let rows = [
      "INSERT INTO shelves VALUES ('\(UUID.numbered(1).uuidString.lowercased())', 'first', 0)",
      "INSERT INTO books SELECT 'b', id, 'title', 1, 1.0, 0, 0, NULL, '{}' FROM shelves",
    ]
    var conformance = try ShelfList.conformance(folder, schema: Shelves.next("ALTER TABLE books ADD COLUMN isbn TEXT"))
    #expect(try await complaint(.migration, conformance)?.contains("fill version 1 of shelves") == true)
    conformance.olderRows = [1: rows]
    #expect(try await complaint(.migration, conformance) == nil)
    conformance = try await ShelfList.conformance(folder, schema: Shelves.next("DELETE FROM books"))
    conformance.olderRows = [1: rows]
    #expect(try await complaint(.migration, conformance)?.hasPrefix("migration_lost_rows: ") == true)
  }

  @Test("damage that is not found, and an invariant that no damage breaks, are told")
  func damage() async throws {
    var conformance = try ShelfList.conformance(folder)
    conformance.damages = []
    #expect(try await complaint(.damage, conformance) == "verification_failed: no damage breaks the invariant “every book has a title”")
    conformance.damages = [ShelfList.untitled, ("UPDATE books SET pages = 1", "breaks: pages")]
    #expect(try await complaint(.damage, conformance)?.contains("“breaks: pages” is not found") == true)
  }

  @Test("a verb that answers a damaged row with another error, or without the column, is told with the seed and the damage")
  func randomDamage() async throws {
    let errors: [any Error] = [CocoaError(.coderReadCorrupt), StoreError(.misuse, "no reader"), StoreError(.decoding, "no column")]
    for error in errors {
      let failing = ShelfList.Verb(name: "fail") { _, _ in throw error }
      let said = try await complaint(.randomDamage, ShelfList.conformance(folder, reads: [failing]))
      #expect(said?.contains(#/^verification_failed: seed \d+, UPDATE "(shelves|books)" SET .*“fail” throws/#) == true, "\(error)")
    }
    #expect(try await complaint(.randomDamage, ShelfList.conformance(folder, fills: false))?.contains("SQLite accepts no damage") == true)
  }

  @Test("a record that does not read what it writes, and a record type without a record, are told")
  func records() async throws {
    let swapped = try ShelfList.conformance(folder, records: [Shelf("first"), Swapped(Book("title"))])
    #expect(try await complaint(.records, swapped)?.contains("the types of `records`") == true)
    let schema = StoreSchema("shelves", migrations: [Shelves.v1], records: [Shelf.self, Swapped.self])
    let wrong = try ShelfList.conformance(folder, schema: schema, records: [Shelf("first"), Swapped(Book("title"))])
    #expect(try await complaint(.records, wrong)?.hasPrefix("misuse: Swapped binds id as text") == true)
    #expect(try await complaint(.records, ShelfList.conformance(folder, records: [Shelf("first")]))?.contains("Book") == true)
  }

  @Test("updates that miss a change, that read something else, and whose value no verb changes, are told")
  func updates() async throws {
    func said(_ updates: LibraryUpdates<ShelfList, Shelf>, _ writes: [ShelfList.Verb] = [ShelfList.rename]) async throws -> String? {
      try await complaint(.updates, ShelfList.conformance(folder, writes: writes, updates: [updates]))
    }
    #expect(try await said(ShelfList.shelves()) == nil)
    #expect(try await said(ShelfList.unheard, [ShelfList.date])?.contains("“dates” after “date”: verification_failed: they miss") == true)
    #expect(try await said(ShelfList.shelves { _ in [] })?.contains("and the verb reads []") == true)
    #expect(try await said(ShelfList.shelves(), [ShelfList.unhealthy])?.contains("no verb changes: [\"shelves\"]") == true)
  }

  @Test("tables, scans, observers and broken invariants that are not as said are told")
  func verbs() async throws {
    var conformance = try ShelfList.conformance(folder)
    conformance.tablesWithoutRecord = ["authors"]
    #expect(try await complaint(.records, conformance)?.contains("[\"authors\"]") == true)
    #expect(try await complaint(.queryPlans, ShelfList.conformance(folder, reads: [ShelfList.scan]))?.contains("SCAN shelves") == true)
    let paged = ShelfList.Verb(name: "page") { list, _ in
      _ = try list.store.read { try $0.values("SELECT name FROM shelves ORDER BY name LIMIT 1 OFFSET 1") { try $0.text() } }
    }
    #expect(try await complaint(.queryPlans, ShelfList.conformance(folder, reads: [paged]))?.contains("SCAN shelves USING") == true)
    #expect(try await complaint(.queryPlans, ShelfList.conformance(folder, reads: [paged, paged])) == "misuse: two verbs have one name")
    conformance.walks = ["load": ["SCAN shelves"]]
    #expect(try await complaint(.queryPlans, conformance)?.contains("it does not do: [\"SCAN shelves\"]") == true)
    var wrong = ShelfList.rename
    wrong.changes = ["books"]
    #expect(try await complaint(.observers, ShelfList.conformance(folder, writes: [wrong]))?.contains("[\"shelves\"]") == true)
    let unhealthy = try await ShelfList.conformance(folder, writes: [ShelfList.unhealthy])
    #expect(try await complaint(.observers, unhealthy)?.contains("the integrity check after") == true)
    #expect(try await complaint(.together, unhealthy)?.contains("every book has a title") == true)
    #expect(
      try await complaint(.readOnly, ShelfList.conformance(folder, reads: [], writes: [ShelfList.load]))?.contains("“load” wrote") == true)
    let failing = ShelfList.Verb(name: "fail") { _, _ in throw StoreError(.damaged, "at once") }
    #expect(try await complaint(.together, ShelfList.conformance(folder, reads: [failing]))?.contains("at once") == true)
  }

  @Test("a description whose lists, kinds, search and numbers do not agree is told")
  func descriptions() async throws {
    func said(_ description: LibraryDescription) async throws -> String? {
      var conformance = try ShelfList.conformance(folder)
      conformance.description = description
      return try await complaint(.description, conformance)
    }
    #expect(try await said(ShelfList.described()) == nil)
    #expect(try await said(ShelfList.described(count: "SELECT 7"))?.contains("the lines of “shelves” in an empty store") == true)
    #expect(try await said(ShelfList.described(count: "SELECT 2 * count(*) FROM shelves"))?.contains("of which its count") == true)
    #expect(
      try await said(ShelfList.described(from: "(SELECT * FROM shelves WHERE false)"))?.contains("no shelf is found by an id") == true)
    #expect(try await said(ShelfList.described(from: "books", name: "title"))?.contains("is found, and not shown") == true)
    #expect(try await said(ShelfList.described(search: "WHERE false"))?.contains("search finds nothing") == true)
    let titled: [ShownField<Shelf>] = [.init("The name", "name") { .text($0.name) }]
    var description = ShelfList.described(facts: titled)
    description.info = { _ in Shown(["Shelves": .integer(1)]) }
    #expect(try await said(description)?.contains("“Shelves” in the few numbers is not in snake_case") == true)
    description = ShelfList.described()
    description.stats = { _ in Shown([:], [.chart(title: "Shelves", [("all", -1, "")])]) }
    #expect(try await said(description)?.contains("the bar “all” of “Shelves” in all numbers is below zero") == true)
    description.stats = { _ in Shown([:], [.table([.text("A")], [["a", "b"]])]) }
    #expect(try await said(description)?.contains("the cells of a row in all numbers: 2, and should be 1") == true)
    description = ShelfList.described()
    description.kinds = [
      ShownKind("shelf") { wanted, _ in if case .id(let id) = wanted { [.init(id, "A") { _ in Shown([:]) }] } else { [] } }
    ]
    #expect(try await said(description)?.contains("is not found by its name “A”") == true)
    let named = ShelfList.described().kinds[0]
    description.kinds = [
      ShownKind("shelf") { wanted, reader in if case .beginning = wanted { [] } else { try named.find(wanted, reader) } }
    ]
    #expect(try await said(description)?.contains("is not found by the beginning of its id") == true)
    #expect(try await said(ShelfList.described(finds: "rack"))?.contains("finds a rack, which the description does not declare") == true)
    description = ShelfList.described()
    description.counted = [("cupboards", "cupboard", "cupboards")]
    #expect(try await said(description)?.contains("cupboards") == true)
  }
}
