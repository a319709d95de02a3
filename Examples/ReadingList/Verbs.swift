public import Foundation
public import Holdfast

// snippet: own-verbs
extension ReadingList {
  /// Adds a book, or replaces the one with its id.
  ///
  /// - Throws: `.constraint` for an empty title or a number of pages below 1; `.invalidValue` for a date that cannot be stored.
  public func save(_ book: Book) async throws { try await store.write { try Self.save(book, in: $0) } }

  /// Writes that a book was read: one row.
  ///
  /// - Parameter date: nil is now, by the store's clock.
  /// - Throws: `.notFound` when there is no such book.
  public func finish(_ id: UUID, on date: Date? = nil) async throws { try await store.write { try Self.finish(id, on: date, in: $0) } }

  /// Deletes a book. Returns whether there was one.
  @discardableResult
  public func delete(_ id: UUID) async throws -> Bool { try await store.write { try Self.delete(id, in: $0) } }

  /// One book; nil when there is none with this id.
  public func book(_ id: UUID) async throws -> Book? { try await store.read { try Self.book(id, in: $0) } }

  /// A page of the books, newest first.
  ///
  /// - Parameters:
  ///   - key: the last page's `next`; nil begins at the newest.
  ///   - limit: how many; values below 1 count as 1.
  /// - Throws: `.misuse` for a key of another list.
  public func books(after key: PageKey? = nil, limit: Int = 100) async throws -> Page<Book> {
    try await store.read { try Self.books(after: key, limit: limit, in: $0) }
  }

  /// Books with every word of a text in title or author, the best first.
  ///
  /// - Parameter limit: how many; values below 1 count as 1.
  public func search(_ text: String, limit: Int = 50) async throws -> [Book] {
    try await store.read { try Self.search(text, limit: limit, in: $0) }
  }

  /// The newest books now, and after each change of the list.
  public func bookUpdates(limit: Int = 100) -> Updates<[Book]> {
    store.updates { try Self.books(limit: limit, in: $0).items }
  }
}
// end

// snippet: own-verbs-in
extension ReadingList {
  public static func save(_ book: Book, in tx: Writer) throws { try tx.upsert(book) }

  public static func finish(_ id: UUID, on date: Date? = nil, in tx: Writer) throws {
    guard try tx.execute("UPDATE books SET finished_at = \(date ?? tx.currentDate()) WHERE id = \(id)") > 0 else {
      throw StoreError(.notFound, "there is no book \(IDCodec.lowercase(id))")
    }
  }

  public static func delete(_ id: UUID, in tx: Writer) throws -> Bool { try tx.delete(Book.self, id: id) }

  public static func book(_ id: UUID, in reader: Reader) throws -> Book? { try reader.find(Book.self, id: id) }

  public static func books(after key: PageKey? = nil, limit: Int = 100, in reader: Reader) throws -> Page<Book> {
    let newest = Listing(columns: [("added_at", .number), ("id", .text)], isDescending: true)
    return try reader.page("\(columns: Book.self)", from: "books", newest, after: key, limit: limit, of: "books") { try Book(row: &$0) }
  }

  public static func search(_ text: String, limit: Int = 50, in reader: Reader) throws -> [Book] {
    try reader.search(Book.self, in: "books_search", for: text, limit: limit)
  }
}
// end
