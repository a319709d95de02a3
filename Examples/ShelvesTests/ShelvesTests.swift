import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import ReadingListExample
import ShelvesExample
import Testing

@Suite("A library's second version") struct ShelvesTests {
  private let shelf = Shelf(id: NewID.derived(from: "shelf"), name: "Summer")
  private let books = (1...3).map { number in
    Book(
      id: NewID.derived(from: "book \(number)"), title: "Book \(number)", pages: number * 100,
      addedAt: Date(timeIntervalSince1970: Double(number)))
  }

  /// A list with three books, all on one shelf.
  private func filled() throws -> (list: ReadingList, places: [ShelvedBook]) {
    let list = ReadingList(try Store.inMemory(schemas: [ReadingList.withShelves]))
    let places = try list.store.write { tx in
      for book in books { try tx.upsert(book) }
      try tx.insert(shelf)
      return try ReadingList.put(books.map(\.id), on: shelf.id, in: tx)
    }
    return (list, places)
  }

  @Test("the second version adds shelves to a file of the first, and keeps its books")
  func migration() async throws {
    let folder = try TemporaryFolder()
    let old = try folder.store([ReadingList.schema])
    try await ReadingList(old).save(books[0])
    try old.close()
    let list = ReadingList(try folder.store([ReadingList.withShelves]))
    #expect(try await list.books().items == [books[0]])
    #expect(try await list.search("book") == [books[0]])
    #expect(try await list.store.integrityCheck().isHealthy)
    try list.store.close()
  }

  @Test("each record reads what it writes")
  func columns() throws {
    let (list, places) = try filled()
    try RecordCheck.verify([shelf], in: list.store)
    var noted = places[0]
    noted.note = "read it twice"
    try RecordCheck.verify([noted, places[1]], in: list.store)
    #expect(try RecordCheck.tablesWithoutRecord(in: ReadingList.withShelves) == [])
  }

  @Test("books keep the order that people gave them; a move is one row")
  func order() throws {
    let (list, places) = try filled()
    let changed = try list.store.rowsChanged { try ReadingList.move(places[2].id, before: places[0].id, on: shelf.id, in: $0) }
    #expect(changed == 1)
    #expect(try list.store.read { try ReadingList.books(on: shelf.id, in: $0) }.map(\.book) == [books[2], books[0], books[1]])
  }

  @Test("a note is found by its words and stands beside its book; without its book it is gone")
  func notes() async throws {
    let (list, places) = try filled()
    try await list.store.write { try ReadingList.note("For the beach", at: places[1].id, in: $0) }
    #expect(try await list.store.read { try ReadingList.search(notes: "beach", in: $0) }.map(\.bookID) == [books[1].id])
    #expect(try await list.store.read { try ReadingList.books(on: shelf.id, in: $0) }.map(\.note) == [nil, "For the beach", nil])
    try await list.delete(books[1].id)
    #expect(try await list.store.read { try ReadingList.search(notes: "beach", in: $0) } == [])
    let error = #expect(throws: StoreError.self) { try list.store.write { try ReadingList.note(nil, at: places[1].id, in: $0) } }
    #expect(error?.code == .notFound)
  }

  @Test("SQLite numbers the loans; a loan is found and ended by its number, which comes once")
  func loans() throws {
    let store = try Store.inMemory(schemas: [ReadingList.withShelves, ReadingList.loans])
    let lent = try store.write { tx in try ["Ann", "Ben"].map { try ReadingList.lend(books[0].id, to: $0, in: tx) } }
    #expect(lent.map(\.id) == [1, 2])
    #expect(try store.read { try ReadingList.loan(2, in: $0) } == lent[1])
    #expect(try store.write { try ReadingList.end(loan: 2, in: $0) })
    #expect(try store.write { try !ReadingList.end(loan: 2, in: $0) })
    #expect(try store.write { try ReadingList.lend(books[1].id, to: "Cleo", in: $0) }.id == 3)
    try RecordCheck.verify(lent, in: store)
  }

  @Test("totals count the books, the finished ones and the pages of each shelf, empty shelves too")
  func totals() async throws {
    let (list, _) = try filled()
    try await list.store.write { try $0.insert(Shelf(id: NewID.derived(from: "other"), name: "Attic")) }
    try await list.finish(books[0].id)
    let totals = try await list.store.read { try ReadingList.totals(in: $0) }
    #expect(totals.map { "\($0.name): \($0.books), \($0.finished), \($0.pages)" } == ["Attic: 0, 0, 0", "Summer: 3, 1, 600"])
  }

  @Test("totals follow a change of the books")
  func totalUpdates() async throws {
    let list = try filled().list
    func totals() throws -> [ShelfTotals] { try list.store.read { try ReadingList.totals(in: $0) } }
    try await UpdatesCheck.follow(list.totalUpdates(), reading: totals) { try await list.finish(books[1].id) }
  }

  @Test("a shelf comes in with its books in their order; a book whose parent is not there goes into quarantine")
  func importing() async throws {
    let folder = try TemporaryFolder()
    let (source, url) = (folder.file("shelves.json"), folder.file("reading.sqlite"))
    let list = ReadingList(try folder.store([ReadingList.withShelves], name: "reading.sqlite"))
    for book in books { try await list.save(book) }
    let json = """
      {"shelves": [
        {"id": "7c9e6679-7425-40de-944b-00000000000a", "name": "Summer", "books": [
          {"id": "7c9e6679-7425-40de-944b-000000000001", "book": "\(books[1].id)", "note": "For the beach"},
          {"id": "7c9e6679-7425-40de-944b-000000000002", "book": "\(books[0].id)"}]},
        {"id": "7c9e6679-7425-40de-944b-00000000000b", "name": "", "books": [
          {"id": "7c9e6679-7425-40de-944b-000000000003", "book": "\(books[0].id)"}]},
        {"id": "7c9e6679-7425-40de-944b-00000000000c", "name": "Later", "books": [
          {"id": "7c9e6679-7425-40de-944b-000000000004", "book": "7c9e6679-7425-40de-944b-0000000000ff"}]}
      ]}
      """
    try Data(json.utf8).write(to: source)
    let report = try ReadingList.importShelves(from: source, into: url)
    #expect(
      report.picture == """
        shelves 3: 2 imported, 1 quarantined
        shelved_books 4: 2 imported, 2 quarantined
        $.shelves[1]: shelves: CHECK constraint failed: name <> ''
        $.shelves[1].books[0]: the record that it belongs to is quarantined
        $.shelves[2].books[0]: shelved_books: FOREIGN KEY constraint failed
        """)
    let shelves = try await list.store.read { try $0.all(Shelf.self, "ORDER BY name") }
    #expect(shelves.map(\.name) == ["Later", "Summer"])
    #expect(try await list.store.read { try ReadingList.books(on: shelves[1].id, in: $0) }.map(\.book) == [books[1], books[0]])
    #expect(try ReadingList.importShelves(from: source, into: url).counts["shelved_books"]?.imported == 0)
    try list.store.close()
  }
}
