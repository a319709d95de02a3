// snippet: own-record
public import Foundation
public import Holdfast

/// One book of the list: a row of `books`.
public struct Book: StoredRecord, Codable, Hashable, Identifiable {
  public static let table = "books"

  /// Unique in the list. New ones come from `NewID`.
  public var id: UUID
  /// As people wrote it; not empty.
  public var title: String
  /// Nil when nobody knows.
  public var author: String?
  /// More than 0; nil when nobody knows.
  public var pages: Int?
  /// To the millisecond. The list is ordered by it, newest first.
  public var addedAt: Date
  /// To the millisecond; nil until it is read.
  public var finishedAt: Date?

  public init(id: UUID, title: String, author: String? = nil, pages: Int? = nil, addedAt: Date, finishedAt: Date? = nil) {
    (self.id, self.title, self.author, self.pages, self.addedAt, self.finishedAt) = (id, title, author, pages, addedAt, finishedAt)
  }
}
// end
