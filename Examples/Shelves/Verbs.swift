public import Foundation
public import Holdfast
public import ReadingListExample

// snippet: shelves-order
extension ReadingList {
  /// The rows of one shelf, in the order that people gave them.
  private static func places(on shelf: UUID) -> OrderedRows {
    OrderedRows("shelved_books", of: "book", where: "shelf_id = \(shelf)")
  }

  /// Puts books on a shelf, behind those that are there. Returns their places.
  ///
  /// - Throws: `.constraint` for a shelf or a book that the list does not have.
  @discardableResult
  public static func put(_ books: [UUID], on shelf: UUID, in tx: Writer) throws -> [ShelvedBook] {
    let positions = try places(on: shelf).positions(for: books.count, in: tx)
    let added = zip(books, positions).map { ShelvedBook(id: tx.makeID(), shelfID: shelf, bookID: $0, position: $1) }
    try tx.insert(contentsOf: added)
    return added
  }

  /// Moves a book before another one, or to the end: one row.
  ///
  /// - Throws: `.notFound` when one of the two is not on the shelf.
  public static func move(_ place: UUID, before other: UUID? = nil, on shelf: UUID, in tx: Writer) throws {
    try places(on: shelf).move(place, before: other, in: tx)
  }
}
// end

// snippet: shelves-join
/// A book as its shelf shows it.
public struct BookOnShelf: Sendable, Hashable {
  public var book: Book
  public var note: String?
}

extension ReadingList {
  /// The books of a shelf in their order.
  public static func books(on shelf: UUID, in reader: Reader) throws -> [BookOnShelf] {
    let columns = Book.columns.map { "books.\($0)" }.joined(separator: ", ")
    return try reader.values(
      """
      SELECT \(raw: columns), shelved_books.note
      FROM shelved_books JOIN books ON books.id = shelved_books.book_id
      WHERE shelved_books.shelf_id = \(shelf) ORDER BY shelved_books.position, shelved_books.id
      """
    ) { row in BookOnShelf(book: try Book(row: &row), note: try row.textOrNil()) }
  }
}
// end

/// One shelf in numbers.
public struct ShelfTotals: Sendable, Hashable {
  public var name: String
  public var books: Int
  public var finished: Int
  /// Books without a number of pages count as 0.
  public var pages: Int
}

extension ReadingList {
  /// Every shelf in numbers, empty shelves too, by name.
  public static func totals(in reader: Reader) throws -> [ShelfTotals] {
    try reader.values(
      """
      SELECT shelves.name, count(books.id), count(books.finished_at), coalesce(sum(books.pages), 0)
      FROM shelves
      LEFT JOIN shelved_books ON shelved_books.shelf_id = shelves.id
      LEFT JOIN books ON books.id = shelved_books.book_id
      GROUP BY shelves.id ORDER BY shelves.name, shelves.id
      """
    ) { row in ShelfTotals(name: try row.text(), books: try row.int(), finished: try row.int(), pages: try row.int()) }
  }

  /// The totals now, and after each change of one of the three tables.
  public func totalUpdates() -> Updates<[ShelfTotals]> {
    store.updates { try Self.totals(in: $0) }
  }
}

extension ReadingList {
  /// Writes a note beside a book on a shelf: one row.
  public static func note(_ text: String?, at place: UUID, in tx: Writer) throws {
    try tx.update(ShelvedBook.self, id: place, "note = \(text)")
  }

  /// The places whose note has every word of a text, the best first.
  public static func search(notes text: String, limit: Int = 50, in reader: Reader) throws -> [ShelvedBook] {
    try reader.search(ShelvedBook.self, in: "notes_search", for: text, limit: limit)
  }
}
