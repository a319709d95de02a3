public import Foundation
public import Holdfast

/// A choice of the person, by name.
public struct UserPreference: StoredRecord, Hashable {
  /// The table of these rows.
  public static let table = "user_preferences"
  /// The columns, in the order in which `init(row:)` reads and `encode(into:)` writes them.
  public static let columns = ["name", "value", "created_at", "updated_at"]
  /// The column that identifies a row.
  public static let key = ["name"]
  /// Columns that never change.
  public static let insertOnly = ["created_at"]

  /// Unique; not empty.
  public var name: String
  /// JSON of any kind, word for word.
  public var value: String
  /// To the millisecond.
  public var createdAt: Date
  /// To the millisecond. A sync compares it.
  public var updatedAt: Date

  /// A preference. Dates are rounded to the millisecond, so that a loaded value equals the saved one.
  public init(name: String, value: String, createdAt: Date, updatedAt: Date? = nil) {
    self.name = name
    self.value = value
    self.createdAt = DateCodec.rounded(createdAt)
    self.updatedAt = DateCodec.rounded(updatedAt ?? createdAt)
  }

  /// - Throws: `.decoding` for a value that is damaged.
  public init(row: inout StoredRow) throws {
    name = try row.text()
    value = try row.text()
    createdAt = try row.date()
    updatedAt = try row.date()
  }

  /// - Throws: `.invalidValue` for a value that is not JSON and a date that cannot be stored.
  public func encode(into values: inout Values) throws {
    var scanner = JSONScanner(JSONDocument(Array(value.utf8)))
    guard (try? scanner.skip()) != nil, (try? scanner.finish()) != nil else {
      // The value itself is not in the message: it may be private.
      throw StoreError(.invalidValue, "the value of the preference \(name) is not JSON")
    }
    try values.text(name)
    try values.text(value)
    try values.date(createdAt)
    try values.date(updatedAt)
  }
}
