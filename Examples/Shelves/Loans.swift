public import Foundation
public import Holdfast
public import ReadingListExample

/// A book that somebody has borrowed. SQLite numbers the loans.
public struct Loan: StoredRecord, Codable, Hashable, Identifiable {
  public static let table = "loans"

  /// Nil until the loan is stored.
  public var id: Int64?
  public var bookID: UUID
  /// Not empty.
  public var borrower: String

  public init(bookID: UUID, borrower: String) { (self.bookID, self.borrower) = (bookID, borrower) }
}

extension ReadingList {
  /// The loans, a schema of their own in the list's file.
  public static let loans = StoreSchema(
    "loans",
    migrations: [
      Migration(
        "loans/001",
        sql: """
          CREATE TABLE loans (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            book_id TEXT NOT NULL,
            borrower TEXT NOT NULL CHECK (borrower <> '')
          ) STRICT;
          """)
    ],
    records: [Loan.self])

  /// Lends a book. Returns the loan with its number.
  public static func lend(_ book: UUID, to borrower: String, in tx: Writer) throws -> Loan {
    var loan = Loan(bookID: book, borrower: borrower)
    try tx.insert(loan)
    loan.id = try tx.lastInsertedID
    return loan
  }

  public static func loan(_ id: Int64, in reader: Reader) throws -> Loan? { try reader.find(Loan.self, id: id) }

  /// Ends a loan. Returns whether there was one.
  public static func end(loan id: Int64, in tx: Writer) throws -> Bool { try tx.delete(Loan.self, id: id) }
}
