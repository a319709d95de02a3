import Foundation
public import Holdfast

/// One row of a foreign database: its values as stored, whatever types its columns declare.
public struct SQLiteRow: Sendable {
  /// The columns that were read, in the table's order.
  final class Shape: Sendable {
    let table: String
    let columns: [String]
    /// The column names in the form in which `SourceMembers` compares them.
    let plainColumns: [String]
    private let indexes: [String: Int]

    init(table: String, columns: [String]) {
      self.table = table
      self.columns = columns
      plainColumns = columns.map(SourceMembers.plain)
      indexes = Dictionary(columns.enumerated().map { ($1.asciiLowercased, $0) }, uniquingKeysWith: { first, _ in first })
    }

    func index(of column: String) -> Int? { indexes[column.asciiLowercased] }
  }

  let shape: Shape
  let rowID: Int64?
  /// The row's number, from 0, in the order of reading.
  let number: Int
  package private(set) var values: [SQLValue]
  /// The indexes of values with text that is not UTF-8. Their value is the bytes.
  private(set) var brokenTexts: [Int]
  /// The number of rows that the importer has read with this one, for `visit`; 0 for a row that `SourceTables` did not read.
  public private(set) var position = 0

  /// The names of the read columns, spelled as in the table.
  public var columns: [String] { shape.columns }

  /// The stored value; nil when the table has no such column. Text that is not UTF-8 is returned as its bytes.
  ///
  /// - Parameter column: the column's name; case does not matter.
  public func value(_ column: String) -> SQLValue? { shape.index(of: column).map { values[$0] } }

  /// The text in a column; nil for any other value.
  public func text(_ column: String) -> String? { if case .text(let text)? = value(column) { text } else { nil } }

  /// Whether the value is text that is not UTF-8.
  public func isBrokenText(_ column: String) -> Bool {
    !brokenTexts.isEmpty && shape.index(of: column).map(brokenTexts.contains) == true
  }

  /// For example `tracks[rowid 5]`; in a table without row ids, the number in the order of reading.
  public var path: SourcePath { .text("\(shape.table)[\(rowID.map { "rowid \($0)" } ?? "\(number)")]") }

  /// The row for the quarantine: a JSON object of its columns. A blob becomes `{"blob": …}` in base64, text that is not UTF-8 `{"text": …}`
  /// in base64, and a number that is not finite becomes text.
  public var original: SourceBytes { .row(self) }

  /// One value for the quarantine, in the same form.
  public func original(_ column: String) -> SourceBytes { .bytes(Array(json(column).utf8)) }

  func json(_ column: String) -> String { (shape.index(of: column).map(json) ?? .null).canonicalText() }

  /// The same row with other values in some columns, for example without a secret. Names of columns that it does not have are ignored.
  public func with(_ values: [String: SQLValue]) -> SQLiteRow {
    var row = self
    for (column, value) in values {
      guard let index = shape.index(of: column) else { continue }
      row.values[index] = value
      row.brokenTexts.removeAll { $0 == index }
    }
    return row
  }

  func read(after rows: Int) -> SQLiteRow {
    var row = self
    row.position = rows + number + 1
    return row
  }

  var json: JSONValue {
    .object(Dictionary(columns.enumerated().map { ($1, json($0)) }, uniquingKeysWith: { first, _ in first }))
  }

  private func json(_ index: Int) -> JSONValue {
    switch values[index] {
    case .null: .null
    case .integer(let value): .integer(value)
    case .real(let value): value.isFinite ? .double(value) : .string(String(describing: value))
    case .text(let value): .string(value)
    case .blob(let value): .object([brokenTexts.contains(index) ? "text" : "blob": .string(value.base64EncodedString())])
    }
  }
}

extension String {
  /// Whether two names of tables or columns are the same to SQLite.
  func isSameName(as other: String) -> Bool { asciiLowercased == other.asciiLowercased }
}
