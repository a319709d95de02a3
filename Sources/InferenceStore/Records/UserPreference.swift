public import Foundation
public import Holdfast

/// Something that a person has chosen, by name.
public struct UserPreference: StoredRecord, Hashable {
  public static let table = "user_preferences"
  public static let columns = ["name", "value", "created_at", "updated_at"]
  public static let key = ["name"]
  public static let insertOnly = ["created_at"]

  /// Unique; not empty.
  public var name: String
  /// JSON of any kind, word for word.
  public var value: String
  /// To the millisecond.
  public var createdAt: Date
  /// To the millisecond; what a merge compares.
  public var updatedAt: Date

  /// Dates are rounded to the millisecond, so that what is loaded equals what was saved.
  public init(name: String, value: String, createdAt: Date, updatedAt: Date? = nil) {
    self.name = name
    self.value = value
    self.createdAt = DateCodec.rounded(createdAt)
    self.updatedAt = DateCodec.rounded(updatedAt ?? createdAt)
  }

  public init(row: inout Row) throws {
    name = try row.text()
    value = try row.text()
    createdAt = try row.date()
    updatedAt = try row.date()
  }

  public func encode(into values: inout Values) throws {
    try values.text(name)
    try values.text(value)
    try values.date(createdAt)
    try values.date(updatedAt)
  }
}
