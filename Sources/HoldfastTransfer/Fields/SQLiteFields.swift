public import Foundation
public import Holdfast

/// Reads the columns of one row of a foreign database, and remembers the first error. A record with an error goes into quarantine.
///
/// Column names match in upper and lower case. For a value of a wrong kind, a reader remembers an error, and returns an empty text, 0 or
/// nil. Readers that end in `OrNil` return nil for NULL and for a missing column; for the other readers both are errors.
public struct SQLiteFields {
  /// The row that is read.
  public let row: SQLiteRow
  /// The first error, for people; nil while there is none.
  public private(set) var problem: String?

  /// Makes a reader for a row.
  public init(_ row: SQLiteRow) { self.row = row }

  /// Remembers an error, unless there is one already.
  public mutating func fail(_ reason: String) { problem = problem ?? reason }

  /// A text in UTF-8.
  public mutating func text(_ column: String) -> String { textOrNil(column) ?? missing(column, "") }

  /// A text in UTF-8; nil for NULL and for a missing column.
  public mutating func textOrNil(_ column: String) -> String? {
    switch row.value(column) {
    case nil, .null?: nil
    case .text(let text)?: text
    case .blob? where row.isBrokenText(column): wrong("\(column) is not text in UTF-8")
    default: wrong("\(column) should be a text")
    }
  }

  /// A finite number. An integer that a Double cannot hold exactly is an error.
  public mutating func double(_ column: String) -> Double { doubleOrNil(column) ?? missing(column, 0) }

  /// A finite number; nil for NULL and for a missing column.
  public mutating func doubleOrNil(_ column: String) -> Double? {
    switch row.value(column) {
    case nil, .null?: return nil
    case .real(let value)? where value.isFinite: return value
    case .integer(let value)?: if let exact = Double(exactly: value) { return exact }
    default: break
    }
    return wrong("\(column) should be a number")
  }

  /// A whole number, which may be stored as a REAL. A number outside `range` is an error.
  public mutating func int64(_ column: String, in range: ClosedRange<Int64> = .min ... .max) -> Int64 {
    int64OrNil(column, in: range) ?? missing(column, 0)
  }

  /// A whole number; nil for NULL and for a missing column.
  public mutating func int64OrNil(_ column: String, in range: ClosedRange<Int64> = .min ... .max) -> Int64? {
    let number: Int64? =
      switch row.value(column) {
      case nil, .null?: nil
      case .integer(let value)?: value
      // A column without a type stores a number that was bound as a Double as REAL.
      case .real(let value)?: Int64(exactly: value) ?? wrong("\(column) should be a whole number")
      default: wrong("\(column) should be a whole number")
      }
    guard let number, !range.contains(number) else { return number }
    return wrong("\(column) should be from \(range.lowerBound) to \(range.upperBound)")
  }

  /// A blob; nil for NULL and for a missing column. Text is an error.
  public mutating func dataOrNil(_ column: String) -> Data? {
    switch row.value(column) {
    case nil, .null?: nil
    case .blob(let data)? where !row.isBrokenText(column): data
    default: wrong("\(column) should be a blob")
    }
  }

  /// An id as text, in upper or lower case.
  public mutating func id(_ column: String) -> Written<UUID>? { idOrNil(column) ?? missing(column, nil) }

  /// An id as text; nil for NULL and for a missing column.
  public mutating func idOrNil(_ column: String) -> Written<UUID>? {
    guard let text = textOrNil(column) else { return nil }
    return Written(id: text) ?? wrong("\(column) is not an id: \(text.prefix(60))")
  }

  /// A date as text, as `DateCodec.parseSQLText(_:)` reads it.
  public mutating func date(_ column: String) -> Written<Date>? { dateOrNil(column) ?? missing(column, nil) }

  /// A date as text; nil for NULL and for a missing column.
  public mutating func dateOrNil(_ column: String) -> Written<Date>? {
    guard let text = textOrNil(column) else { return nil }
    return Written(sqlDate: text) ?? wrong("\(column) is not a date: \(text.prefix(60))")
  }

  /// A JSON object of texts, as JSON text with sorted keys.
  public mutating func textMap(_ column: String) -> StoredJSON<[String: String]> {
    guard let text = textOrNil(column) else { return .empty }
    guard let members = [String: JSONValue](json: text), members.values.allSatisfy({ if case .string = $0 { true } else { false } }) else {
      return wrong("\(column) should be a JSON object of texts") ?? .empty
    }
    return members.isEmpty ? .empty : StoredJSON(text: JSONValue.object(members).canonicalText())
  }

  /// The columns that are not NULL and not among `known`.
  public func unknown(besides known: Set<String>) -> [String] {
    row.columns.filter { column in
      let name = column.asciiLowercased
      return !known.contains(name) && row.value(name) != .null
    }
  }

  private mutating func missing<T>(_ column: String, _ otherwise: T) -> T {
    fail("\(column) is missing")
    return otherwise
  }

  private mutating func wrong<T>(_ reason: String) -> T? {
    fail(reason)
    return nil
  }
}
