public import Foundation

/// SQL text with interpolated values, which are bound and never pasted.
///
/// ```swift
/// try tx.execute("UPDATE tracks SET display_name = \(name) WHERE id = \(id)")
/// ```
/// Ids are bound as lowercase text, dates as milliseconds since 1970, booleans as 0 and 1, nil as NULL. A date that
/// cannot be stored makes the statement throw `.invalidValue`. `\(json:)` binds any `Codable` value as JSON text. Use
/// `\(sql:)` to insert another `BoundSQL`, and `\(raw:)` only for text that is not a value, such as a column name from
/// your own code.
public struct BoundSQL: Sendable, Hashable, ExpressibleByStringInterpolation {
  /// The SQL, with a question mark for each value.
  public private(set) var text: String
  /// The values, in the order of the question marks.
  public private(set) var values: [SQLValue]
  /// A description of an interpolated value that cannot be stored; the statement then throws `.invalidValue`.
  var invalidValue: String?

  public init(stringLiteral value: String) {
    text = value
    values = []
  }

  public init(stringInterpolation: Interpolation) {
    self = stringInterpolation.sql
  }

  /// Makes SQL text without values, from a string that your own code made.
  public init(raw text: String) { self.init(raw: text, []) }

  /// - Parameter values: one for each `?` of the text.
  init(raw text: String, _ values: [SQLValue]) { (self.text, self.values) = (text, values) }

  /// Collects the text and the values of one literal.
  public struct Interpolation: StringInterpolationProtocol, Sendable {
    fileprivate var sql = BoundSQL(raw: "")

    public init(literalCapacity: Int, interpolationCount: Int) {
      sql.text.reserveCapacity(literalCapacity + interpolationCount)
      sql.values.reserveCapacity(interpolationCount)
    }

    public mutating func appendLiteral(_ literal: String) { sql.text += literal }

    public mutating func appendInterpolation(_ value: SQLValue) {
      sql.text += "?"
      sql.values.append(value)
    }
    public mutating func appendInterpolation(_ value: String?) { appendInterpolation(value.map(SQLValue.text) ?? .null) }
    public mutating func appendInterpolation(_ value: Int?) {
      appendInterpolation(value.map { SQLValue.integer(Int64($0)) } ?? .null)
    }
    public mutating func appendInterpolation(_ value: Int64?) { appendInterpolation(value.map(SQLValue.integer) ?? .null) }
    public mutating func appendInterpolation(_ value: Double?) {
      // SQLite would silently store NaN as NULL.
      if let value, value.isNaN { sql.invalidValue = "NaN" }
      appendInterpolation(value.map(SQLValue.real) ?? .null)
    }
    public mutating func appendInterpolation(_ value: Bool) { appendInterpolation(SQLValue.integer(value ? 1 : 0)) }
    public mutating func appendInterpolation(_ value: Data?) { appendInterpolation(value.map(SQLValue.blob) ?? .null) }
    public mutating func appendInterpolation(_ value: UUID?) {
      appendInterpolation(value.map(SQLValue.id) ?? .null)
    }
    public mutating func appendInterpolation(_ value: Date?) {
      guard let value else { return appendInterpolation(SQLValue.null) }
      guard let milliseconds = DateCodec.milliseconds(value) else {
        sql.invalidValue = "a date outside the years 1 to 9999"
        return appendInterpolation(SQLValue.null)
      }
      appendInterpolation(SQLValue.integer(milliseconds))
    }
    /// The list of an `IN`, of any length: `"WHERE id IN \(ids)"`. The whole list is one bound value, so lists of any length share one
    /// compiled statement.
    public mutating func appendInterpolation(_ list: [UUID]) { append(list: list.map { .string(IDCodec.lowercase($0)) }) }
    public mutating func appendInterpolation(_ list: [Int]) { append(list: list.map { .integer(Int64($0)) }) }
    public mutating func appendInterpolation(_ list: [Int64]) { append(list: list.map(JSONValue.integer)) }
    /// The list of an `IN`, with one bound value for each text: at most 32,766, SQLite's limit for a statement.
    public mutating func appendInterpolation(_ list: [String]) {
      // A text with a NUL character would lose its rest in SQLite's JSON functions.
      sql.text += "(" + repeatElement("?", count: list.count).joined(separator: ", ") + ")"
      sql.values += list.map(SQLValue.text)
    }
    private mutating func append(list: [JSONValue]) {
      sql.text += "(SELECT value FROM json_each(?))"
      sql.values.append(.text(JSONValue.array(list).canonicalText()))
    }
    /// A value as the JSON text in which a record's column keeps it, nil as NULL: `"tags = \(json: tags)"`.
    public mutating func appendInterpolation(json value: (some Encodable)?) {
      do {
        appendInterpolation(try value.map(RecordJSON.text))
      } catch {
        sql.invalidValue = "a \(type(of: value)) that cannot be written as JSON"
        appendInterpolation(SQLValue.null)
      }
    }
    public mutating func appendInterpolation<Content>(json value: StoredJSON<Content>?) { appendInterpolation(value?.text) }
    public mutating func appendInterpolation(sql other: BoundSQL) {
      sql.text += other.text
      sql.values += other.values
      sql.invalidValue = sql.invalidValue ?? other.invalidValue
    }
    public mutating func appendInterpolation(raw other: String) { sql.text += other }
    /// The columns of a record type, in the order in which `init(row:)` reads them.
    public mutating func appendInterpolation<Record: StoredRecord>(columns type: Record.Type) {
      sql.text += type.columns.map(ColumnName.sql).joined(separator: ", ")
    }
  }
}

extension BoundSQL {
  /// The condition that the time in a column is in a period, whose bounds may be outside the range that can be stored.
  public static func time(_ column: String, in period: Range<Date>) -> BoundSQL {
    func milliseconds(_ date: Date) -> Int64 {
      DateCodec.milliseconds(date) ?? (date.timeIntervalSince1970 < 0 ? DateCodec.range.lowerBound : DateCodec.range.upperBound + 1)
    }
    return "\(raw: column) >= \(milliseconds(period.lowerBound)) AND \(raw: column) < \(milliseconds(period.upperBound))"
  }

  /// Names of columns or tables, quoted.
  package static func names(_ names: [String]) -> BoundSQL {
    BoundSQL(raw: names.map(quoted).joined(separator: ", "))
  }

  /// Joins parts, with a separator between them.
  package static func joined(_ parts: [BoundSQL], separator: String) -> BoundSQL {
    parts.enumerated().reduce(BoundSQL(raw: "")) { joined, part in
      part.offset == 0 ? part.element : "\(sql: joined)\(raw: separator)\(sql: part.element)"
    }
  }
}
