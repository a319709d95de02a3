public import Foundation

/// Makes values in the form that sources have, for `ImportFormat.readBack`.
extension JSONValue {
  /// A string, or null.
  public static func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

  /// A number, or null.
  public static func number(_ number: Double?) -> JSONValue { number.map(JSONValue.double) ?? .null }
  public static func number(_ number: Int64?) -> JSONValue { number.map(JSONValue.integer) ?? .null }

  /// An id, as a string in upper case.
  public static func id(_ id: UUID) -> JSONValue { .string(IDCodec.uppercase(id)) }

  /// A date as `2025-11-05T11:41:22Z`, with milliseconds only if they are not 0. Null for a date that cannot be stored.
  public static func iso8601(_ date: Date) -> JSONValue {
    guard let milliseconds = DateCodec.milliseconds(date) else { return .null }
    return .string(DateCodec.iso8601(milliseconds, fraction: milliseconds % 1000 != 0))
  }

  /// A date as `2025-11-05 11:41:22.123`. Null for a date that cannot be stored.
  public static func sqlDate(_ date: Date) -> JSONValue {
    DateCodec.milliseconds(date).map { .string(DateCodec.sqlText($0)) } ?? .null
  }
}
