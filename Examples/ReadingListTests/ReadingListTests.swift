import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import ReadingListExample
import Testing

@Suite("A library of one's own") struct ReadingListTests {
  private let clock = TestClock()

  private func list() throws -> ReadingList {
    var options = StoreOptions.testing
    options.now = { [clock] in clock.now }
    options.newID = .counting()
    return try ReadingList.inMemory(options: options)
  }

  private func book(_ number: Int) -> Book {
    Book(id: NewID.derived(from: "book \(number)"), title: "Book \(number)", addedAt: clock.advance())
  }

  @Test("the list is in pages, newest first; finishing is one row, and what is not there is said to be missing")
  func verbs() async throws {
    let list = try list()
    var books = (1...5).map(book)
    for book in books { try await list.save(book) }
    let first = try await list.books(limit: 3)
    #expect(try await first.items + list.books(after: first.next, limit: 3).items == books.reversed())

    #expect(try list.store.rowsChanged { try ReadingList.finish(books[0].id, in: $0) } == 1)
    books[0].finishedAt = clock.now
    #expect(try await list.book(books[0].id) == books[0])
    #expect(try await list.delete(books[4].id))
    #expect(try await list.books().items == books.dropLast().reversed())
    let error = await #expect(throws: StoreError.self) { try await list.finish(books[4].id) }
    #expect(error?.code == .notFound)
  }

  @Test("a book is found by the beginnings of words in title and author, until it is changed or deleted")
  func searching() async throws {
    let list = try list()
    var found = book(1)
    found.author = "Ursula K. Le Guin"
    for book in [found, book(2)] { try await list.save(book) }
    #expect(try await list.search("guin boo") == [found])
    #expect(try await list.search("").isEmpty)
    found.author = nil
    try await list.save(found)
    #expect(try await list.search("guin").isEmpty)
    try await list.delete(book(2).id)
    #expect(try await list.search("book") == [found])
  }

  @Test("what a book cannot be is refused with the code that the verb names, and the list stays as it was")
  func refusals() async throws {
    let list = try list()
    let kept = book(1)
    try await list.save(kept)
    func code(_ change: (inout Book) -> Void) async -> StoreError.Code? {
      var book = kept
      change(&book)
      return await #expect(throws: StoreError.self) { try await list.save(book) }?.code
    }
    #expect(await code { $0.title = "" } == .constraint)
    #expect(await code { $0.pages = 0 } == .constraint)
    #expect(await code { $0.addedAt = Date(timeIntervalSince1970: .nan) } == .invalidValue)
    #expect(await code { $0.finishedAt = .init(timeIntervalSince1970: 1e15) } == .invalidValue)
    let foreign = try await list.store.read { reader in
      try reader.page("id", from: "books", Listing(columns: [("id", .text)]), after: nil, limit: 1) { row in try row.id() }
    }
    #expect(await #expect(throws: StoreError.self) { try await list.books(after: foreign.next) }?.code == .misuse)
    #expect(try await list.books().items == [kept])
    #expect(try await list.book(NewID.derived(from: "nobody")) == nil)
  }

  // snippet: own-test-conformance
  @Test("the list keeps what every library promises", arguments: ConformanceCheck.allCases)
  func conforms(_ check: ConformanceCheck) async throws {
    typealias Verb = LibraryVerb<ReadingList, Book>
    var full = book(1)
    (full.author, full.pages, full.finishedAt) = ("刘慈欣", 302, clock.advance())
    let conformance = LibraryConformance<ReadingList, Book>(
      fill: { world in
        let books = (1...3).map { Book(id: NewID.derived(from: "\($0)"), title: "Book \($0)", addedAt: world.clock.advance()) }
        for book in books { try await world.library.save(book) }
        return books[0]
      },
      reads: [
        Verb(name: "load a book") { list, book in _ = try await list.book(book.id) },
        Verb(name: "list books") { list, _ in _ = try await list.books(after: list.books(limit: 1).next, limit: 1) },
        Verb(name: "search") { list, _ in _ = try await list.search("book") },
      ],
      writes: [
        Verb(name: "save a book", changes: ["books"]) { list, book in
          try await list.save(Book(id: book.id, title: "Another", addedAt: book.addedAt))
        },
        Verb(name: "finish a book", changes: ["books"]) { list, book in try await list.finish(book.id) },
        Verb(name: "delete a book", changes: ["books"]) { list, book in try await list.delete(book.id) },
        Verb(name: "delete nothing") { list, _ in try await list.delete(NewID.derived(from: "nothing")) },
      ],
      records: [full, book(2)],
      updates: [
        LibraryUpdates(name: "books", { list, _ in list.bookUpdates() }, reading: { list, _ in try await list.books().items })
      ])
    try await conformance.run(check)
  }
  // end

  @Test("devices that change the list at once end with the same list", arguments: SyncConformance<ReadingList>.seeds)
  func syncs(_ seed: UInt64) async throws {
    let conformance = SyncConformance<ReadingList> { world in
      for number in 1...4 {
        let added = world.clock.advance()
        try await world.library.save(Book(id: NewID.derived(from: "\(number)"), title: "Book \(number)", pages: number, addedAt: added))
      }
    }
    try await conformance.run(seed: seed)
  }

  @Test("books.json keeps what every import promises", arguments: ImportCheck.allCases)
  func imports(_ check: ImportCheck) throws {
    let conformance = ImportConformance<ReadingList>("books.json", records: ImportKind("books", title: "title")) { samples, file in
      let books = samples.map { sample in
        let added = sample.isDamaged ? "yesterday" : "2025-11-05T11:41:22Z"
        return #"{"id": "\#(sample.id)", "title": "\#(sample.title)", "added": "\#(added)"}"#
      }
      try Data(#"{"books": [\#(books.joined(separator: ", "))]}"#.utf8).write(to: file)
    }
    try conformance.run(check)
  }

  @Test("what can be read is imported, the rest is told and kept")
  func importing() async throws {
    let world = try ImportWorld<ReadingList>("books.json") { wanted in
      try ReadingList.importLibrary(from: wanted.source, into: wanted.store, options: wanted.options, storeOptions: wanted.storeOptions)
    }
    let json = """
      {"owner": "Ada", "books": [
        {"id": "7C9E6679-7425-40DE-944B-000000000001", "title": "三体", "author": "刘慈欣", "pages": 302,
         "added": "2025-11-05T11:41:22Z", "finished": "2025-12-01T20:00:00.5Z"},
        {"id": "7c9e6679-7425-40de-944b-000000000002", "title": "Middlemarch", "added": "2025-11-06T08:00:00Z", "shelf": "attic"},
        {"id": "7c9e6679-7425-40de-944b-000000000003", "title": "Nothing", "pages": 0, "added": "2025-11-07T08:00:00Z"},
        {"id": "7c9e6679-7425-40de-944b-000000000004", "title": "When?", "added": "yesterday"},
        {"id": "7c9e6679-7425-40de-944b-000000000005", "title": "", "added": "2025-11-07T08:00:00Z"}, 5
      ]}
      """
    #expect(
      try world.importing(json) == """
        books 6: 2 imported, 4 quarantined
        $.owner: this field is not known
        $.books[1].shelf: this field is not known
        $.books[2]: books: CHECK constraint failed: pages > 0
        $.books[3]: added should be a date, found "yesterday"
        $.books[4]: books: CHECK constraint failed: title <> ''
        $.books[5]: a book should be an object
        """)
    let books = try await world.usingLibrary { try await $0.books().items }
    #expect(books.map { "\($0.title) by \($0.author ?? "nobody")" } == ["Middlemarch by nobody", "三体 by 刘慈欣"])
  }

  @Test("the old file comes in once; not now: its books are shown, and it comes in at the next opening")
  func legacy() async throws {
    let folder = try TemporaryFolder()
    let (legacy, url) = (folder.file("books.json"), folder.file("reading.sqlite"))
    let json = #"{"books": [{"id": "7c9e6679-7425-40de-944b-000000000001", "title": "三体", "added": "2025-11-05T11:41:22Z"}]}"#
    try Data(json.utf8).write(to: legacy)
    let shown = try ReadingList.open(at: url, legacy: legacy) { _ in false }
    #expect(shown.opened.importFailure?.code == .cancelled)
    #expect(try await shown.library.books().items.map(\.title) == ["三体"])
    #expect(try await folder.contents() == ["books.json"])

    let (list, opened) = try ReadingList.open(at: url, legacy: legacy)
    #expect(opened.importReport?.isClean == true && opened.access == .readWrite)
    #expect(try await list.books().items.map(\.title) == ["三体"])
    try await list.store.close()
  }

  @Test("what was exported comes back equal")
  func roundTrip() async throws {
    let folder = try TemporaryFolder()
    let list = try list()
    for number in 1...3 { try await list.save(book(number)) }
    try await list.finish(book(2).id)
    _ = try list.export(to: folder.file("export.json"))
    #expect(try await ReadingList.importLibrary(from: folder.file("export.json"), into: folder.file("again.sqlite")).isClean)
    let again = try ReadingList.open(at: folder.file("again.sqlite"))
    #expect(try await again.books().items == list.books().items)
    try await again.store.close()
  }

  @Test(
    "a file that makes no sense is refused, and there is no store",
    arguments: ["{\"books\": [", "[]", "{}", "{\"books\": 5}", "{\"books\": [], \"books\": []}", ""])
  func refused(json: String) throws {
    let world = try ImportWorld<ReadingList>("books.json") { try ReadingList.importLibrary(from: $0.source, into: $0.store) }
    #expect(try world.failure(json).code == .invalidSource)
  }
}
