public import Foundation
public import Holdfast

// snippet: own-verbs
extension ReadingList {
  /// Adds a book, or replaces the one with its id.
  ///
  /// - Throws: `.constraint` for an empty title or a number of pages below 1; `.invalidValue` for a date that cannot be stored.
  public func save(_ book: Book) async throws { try await store.write { try $0.upsert(book) } }

  /// Writes that a book was read: one row. Without a date it is now, by the store's clock.
  ///
  /// - Throws: `.notFound` when there is no such book.
  public func finish(_ id: UUID, on date: Date? = nil) async throws { try await store.write { try Self.finish(id, on: date, in: $0) } }

  /// Deletes a book. Returns whether there was one.
  @discardableResult
  public func delete(_ id: UUID) async throws -> Bool { try await store.write { try $0.delete(Book.self, id: id) } }

  /// One book; nil when there is none with this id.
  public func book(_ id: UUID) async throws -> Book? { try await store.read { try $0.find(Book.self, id: id) } }

  /// A page of the books, newest first: after the last page's `next`, or from the newest. A limit below 1 counts as 1.
  ///
  /// - Throws: `.misuse` for a key of another list.
  public func books(after key: PageKey? = nil, limit: Int = 100) async throws -> Page<Book> {
    try await store.read { try $0.page(Book.self, Self.newest, after: key, limit: limit) }
  }

  /// Books with every word of a text in title or author, the best first. A limit below 1 counts as 1.
  public func search(_ text: String, limit: Int = 50) async throws -> [Book] {
    try await store.read { try $0.search(Book.self, in: "books_search", for: text, limit: limit) }
  }

  /// The newest books now, and after each change of the list.
  public func bookUpdates(limit: Int = 100) -> Updates<[Book]> {
    store.updates { try $0.page(Book.self, Self.newest, after: nil, limit: limit).items }
  }

  private static let newest = Listing(columns: [("added_at", .number), ("id", .text)], isDescending: true)

  public static func finish(_ id: UUID, on date: Date? = nil, in tx: Writer) throws {
    try tx.update(Book.self, id: id, "finished_at = \(date ?? tx.currentDate())")
  }
}
// end
