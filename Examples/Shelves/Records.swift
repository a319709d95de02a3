// snippet: shelves-records
public import Foundation
public import Holdfast

/// A shelf: a row of `shelves`.
public struct Shelf: StoredRecord, Hashable, Identifiable {
  public static let table = "shelves"
  public static let columns = ["id", "name"]

  public var id: UUID
  /// Not empty.
  public var name: String

  public init(id: UUID, name: String) { (self.id, self.name) = (id, name) }
  public init(row: inout StoredRow) throws { (id, name) = (try row.id(), try row.text()) }
  public func encode(into values: inout Values) throws {
    try values.id(id)
    try values.text(name)
  }
}

/// A book's place on a shelf: a row of `shelved_books`.
public struct ShelvedBook: StoredRecord, Hashable, Identifiable {
  public static let table = "shelved_books"
  public static let columns = ["id", "shelf_id", "book_id", "position", "note"]

  public var id: UUID
  public var shelfID: UUID
  public var bookID: UUID
  /// Only the order of positions has a meaning.
  public var position: Int64
  public var note: String?

  public init(id: UUID, shelfID: UUID, bookID: UUID, position: Int64, note: String? = nil) {
    (self.id, self.shelfID, self.bookID, self.position, self.note) = (id, shelfID, bookID, position, note)
  }

  public init(row: inout StoredRow) throws {
    (id, shelfID, bookID) = (try row.id(), try row.id(), try row.id())
    (position, note) = (try row.int64(), try row.textOrNil())
  }

  public func encode(into values: inout Values) throws {
    for id in [id, shelfID, bookID] { try values.id(id) }
    try values.int64(position)
    try values.text(note)
  }
}
// end
