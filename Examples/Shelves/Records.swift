public import Foundation
public import Holdfast

/// A shelf: a row of `shelves`.
public struct Shelf: StoredRecord, Codable, Hashable, Identifiable {
  public static let table = "shelves"

  public var id: UUID
  /// Not empty.
  public var name: String

  public init(id: UUID, name: String) { (self.id, self.name) = (id, name) }
}

/// A book's place on a shelf: a row of `shelved_books`.
public struct ShelvedBook: StoredRecord, Codable, Hashable, Identifiable {
  public static let table = "shelved_books"

  public var id: UUID
  public var shelfID: UUID
  public var bookID: UUID
  /// Only the order of positions has a meaning.
  public var position: Int64
  public var note: String?

  public init(id: UUID, shelfID: UUID, bookID: UUID, position: Int64, note: String? = nil) {
    (self.id, self.shelfID, self.bookID, self.position, self.note) = (id, shelfID, bookID, position, note)
  }
}
