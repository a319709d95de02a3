import Foundation
import Holdfast
import HoldfastTesting
import ReadingListExample
import ShelvesExample
import Testing

@Suite("A library with an audit") struct AuditedListTests {
  @Test("the last change of a book is taken back, and the audit tells who did what")
  func takeBack() async throws {
    let list = ReadingList(try Store.inMemory(schemas: [ReadingList.audited]))
    var book = Book(id: NewID.derived(from: "book"), title: "Old", addedAt: Date(timeIntervalSince1970: 1))
    try await list.save(book)
    book.title = "New"
    try await Audit.$actor.withValue("anna") { [book] in try await list.save(book) }
    #expect(try await list.takeBackLastChange(of: book.id, as: "otto") == "anna")
    #expect(try await list.book(book.id)?.title == "Old")
    let history = try await list.store.history(of: "books", id: IDCodec.lowercase(book.id))
    #expect(history.map(\.operation) == [.base, .insert, .update, .update])
    #expect(history.map(\.actor) == [nil, nil, "anna", "otto"])
    #expect(history.last?.after["title"] == .text("Old"))
    #expect(try await list.store.checkAudit().findings == [])
  }
}
