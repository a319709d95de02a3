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

  /// Dates are rounded to the millisecond, so that what is loaded equals what was saved.
  public init(id: UUID, title: String, author: String? = nil, pages: Int? = nil, addedAt: Date, finishedAt: Date? = nil) {
    self.id = id
    self.title = title
    self.author = author
    self.pages = pages
    self.addedAt = DateCodec.rounded(addedAt)
    self.finishedAt = finishedAt.map(DateCodec.rounded)
  }
}
// end
