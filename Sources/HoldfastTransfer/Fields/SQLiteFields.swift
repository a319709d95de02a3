public import Foundation
public import Holdfast

/// The columns of one row of a foreign database, read leniently: the first thing that is wrong is remembered, and the record
/// goes into quarantine for it.
///
/// Columns are named in any case, as the table's. Where a value is not of the reader's kind it fails, and gives
/// back an empty text, 0 or nil. Those that end in `OrNil` take NULL, and a column that the table does not have, for nil; for
/// the others both are wrong.
public struct SQLiteFields {
  /// The row that is read.
  public let row: SQLiteRow
  /// What is wrong, for a person; nil while nothing is.
  public private(set) var problem: String?

  /// Begins to read a row.
  public init(_ row: SQLiteRow) { self.row = row }

  /// Remembers what is wrong, unless something else was before.
  public mutating func fail(_ reason: String) { problem = problem ?? reason }

  /// A text in UTF-8.
  public mutating func text(_ column: String) -> String { textOrNil(column) ?? missing(column, "") }

  /// A text in UTF-8, or nothing.
  public mutating func textOrNil(_ column: String) -> String? {
    switch row.value(column) {
    case nil, .null?: nil
    case .text(let text)?: text
    case .blob? where row.isBrokenText(column): wrong("\(column) is not text in UTF-8")
    default: wrong("\(column) should be a text")
    }
  }

  /// A finite number. An integer is read as the number it is, unless a Double cannot hold it.
  public mutating func double(_ column: String) -> Double { doubleOrNil(column) ?? missing(column, 0) }

  /// A finite number, or nothing.
  public mutating func doubleOrNil(_ column: String) -> Double? {
    switch row.value(column) {
    case nil, .null?: return nil
    case .real(let value)? where value.isFinite: return value
    case .integer(let value)?: if let exact = Double(exactly: value) { return exact }
    default: break
    }
    return wrong("\(column) should be a number")
  }

  /// A whole number, which may be stored as a REAL; one outside of `range` is wrong.
  public mutating func int64(_ column: String, in range: ClosedRange<Int64> = .min ... .max) -> Int64 {
    int64OrNil(column, in: range) ?? missing(column, 0)
  }

  /// A whole number, or nothing.
  public mutating func int64OrNil(_ column: String, in range: ClosedRange<Int64> = .min ... .max) -> Int64? {
    let number: Int64? =
      switch row.value(column) {
      case nil, .null?: nil
      case .integer(let value)?: value
      // What a column without a type keeps of a number that was bound as a Double.
      case .real(let value)?: Int64(exactly: value) ?? wrong("\(column) should be a whole number")
      default: wrong("\(column) should be a whole number")
      }
    guard let number, !range.contains(number) else { return number }
    return wrong("\(column) should be from \(range.lowerBound) to \(range.upperBound)")
  }

  /// A blob, or nothing. Text is no blob.
  public mutating func dataOrNil(_ column: String) -> Data? {
    switch row.value(column) {
    case nil, .null?: nil
    case .blob(let data)? where !row.isBrokenText(column): data
    default: wrong("\(column) should be a blob")
    }
  }

  /// An id as text, in either case.
  public mutating func id(_ column: String) -> Written<UUID>? { idOrNil(column) ?? missing(column, nil) }

  /// An id as text, or nothing.
  public mutating func idOrNil(_ column: String) -> Written<UUID>? {
    guard let text = textOrNil(column) else { return nil }
    return Written(id: text) ?? wrong("\(column) is not an id: \(text.prefix(60))")
  }

  /// A date as text, as `DateCodec.parseSQLText(_:)` reads it.
  public mutating func date(_ column: String) -> Written<Date>? { dateOrNil(column) ?? missing(column, nil) }

  /// A date as text, or nothing.
  public mutating func dateOrNil(_ column: String) -> Written<Date>? {
    guard let text = textOrNil(column) else { return nil }
    return Written(sqlDate: text) ?? wrong("\(column) is not a date: \(text.prefix(60))")
  }

  /// A map of texts, as JSON text with sorted keys.
  public mutating func textMap(_ column: String) -> StoredJSON<[String: String]> {
    guard let text = textOrNil(column) else { return .empty }
    guard let members = [String: JSONValue](json: text), members.values.allSatisfy({ if case .string = $0 { true } else { false } }) else {
      return wrong("\(column) should be a JSON object of texts") ?? .empty
    }
    return members.isEmpty ? .empty : StoredJSON(text: JSONValue.object(members).canonicalText())
  }

  /// Columns that hold something and are not among `known`.
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
