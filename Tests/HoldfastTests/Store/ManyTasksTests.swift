import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("Many tasks at once")
struct ManyTasksTests {
  /// Books move between shelves, one transaction each; their number never changes.
  @Test("64 tasks that write, read and watch keep every invariant", .timeLimit(.minutes(10)))
  func sixtyFour() async throws {
    let store = try Shelves.temporary(options: .production)
    let shelves = 4
    let books = 40
    try await store.write { tx in
      for shelf in 1...shelves { try tx.insert(Shelf("shelf \(shelf)", number: shelf)) }
      for number in 0..<books { try tx.insert(Book("book \(number)", number: number, on: 1 + number % shelves, pages: 0)) }
    }
    let watching = Task {
      for try await total in store.updates({ reader in try reader.count("SELECT count(*) FROM books") }) {
        if total == books + 1 { return }
        #expect(total == books)
      }
    }
    defer { watching.cancel() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<64 {
        group.addTask {
          for round in 0..<20 {
            let book = UUID.numbered(1000 + (task * 7 + round) % books)
            let shelf = UUID.numbered(1 + (task + round) % shelves)
            switch task % 4 {
            case 0:
              try await store.write { tx in
                _ = try tx.execute("UPDATE books SET shelf_id = \(shelf), pages = pages + 1 WHERE id = \(book)")
              }
            case 1:
              try await store.write { tx in
                guard var moved = try tx.find(Book.self, id: book) else { return }
                _ = try tx.delete(Book.self, id: book)
                moved.pages = (moved.pages ?? 0) + 1
                try tx.insert(moved)
              }
            case 2:
              let found = try await store.read { reader in
                (try reader.all(Book.self).count, try reader.count("SELECT count(*) FROM books"))
              }
              #expect(found.0 == books)
              #expect(found.1 == books)
            default:
              let total = try await store.read { reader in
                var total = 0
                try reader.each(Shelf.self) { shelf in
                  total += try reader.count("SELECT count(*) FROM books WHERE shelf_id = \(shelf.id)")
                }
                return total
              }
              #expect(total == books)
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let pages = try await store.read { reader in try reader.value("SELECT sum(pages) FROM books") { row in try row.int() } }
    #expect(pages == 32 * 20)
    #expect(try await store.integrityCheck().findings == [])
    // Tells at once what the watching task would wait for without end.
    let watches = try TableWatches(store, ["books"])
    try await store.write { tx in try tx.insert(Book("last", number: books)) }
    try #require(watches.woken == ["books"])
    try await watching.value
  }
}
