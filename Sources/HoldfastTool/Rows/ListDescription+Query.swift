import Foundation
import Holdfast
import HoldfastTransfer

extension ListDescription {
  /// The rows of one statement, as a list. Values that come unchanged from a column are shown as the file describes the column.
  ///
  /// - Parameter hidden: tables that are never shown, beside those of which the file says so.
  /// - Throws: `.invalidValue` for a text that is not one statement that reads; `usage` for one that reads a table that is never shown.
  static func query(_ sql: String, hiding hidden: Set<String>, in reader: Reader) throws -> ListDescription {
    let outline = try blaming { try reader.outline(of: sql) }
    guard !outline.columns.isEmpty else {
      throw StoreError(.invalidValue, "the statement has no rows: \(sql)", suggestion: "Write a SELECT.")
    }
    let description = try reader.description()
    // The audit has rows of other tables, and `holdfast audit` leaves out those that are never shown.
    let isHidden = { (table: String) in
      description.isNeverExported(table) || hidden.contains(table.lowercased()) || table == "holdfast_audit"
    }
    if let table = outline.tables.first(where: isHidden) {
      throw Failure(
        code: "usage", "the rows of \(table) are never shown", suggestion: table == "holdfast_audit" ? "\(Program.name) audit STORE" : nil,
        status: .usage)
    }
    let columns = outline.columns
    let fields = zip(columns, distinct(columns.map(\.name))).enumerated().map { place, named in
      let (table, column) = (named.0.table ?? "", named.0.column ?? "")
      let isID = description.kind(of: column, in: table) == .id
      return ShownField<[SQLValue]>(named.1, named.1.uppercased(), shrinks: !isID) { row in
        row.indices.contains(place) ? description.shown(row[place], in: table, column) : .text(nil)
      }
    }
    return ListDescription("rows", "as the statement gives them", fields) { _ in
      0
    } rows: { reader, _, _, body in
      try blaming {
        try reader.rows(BoundSQL(raw: sql)) { row in try body(columns.map { _ in try row.value() }) }
      }
    }
  }

  /// The second of two equal names gets a number: an object cannot have both.
  static func distinct(_ names: [String]) -> [String] {
    var used: Set<String> = []
    return names.map { name in
      var (own, number) = (name, 1)
      while !used.insert(own).inserted {
        number += 1
        own = "\(name)_\(number)"
      }
      return own
    }
  }
}

extension Store {
  /// The tables that its schemas never export, in lower case.
  var hiddenTables: Set<String> { Set(schemas.flatMap(\.neverExported).map { $0.lowercased() }) }

  func hides(_ table: String, _ description: StoreDescription) -> Bool {
    hiddenTables.contains(table.lowercased()) || description.isNeverExported(table)
  }
}

/// Runs a person's statement, which is at fault for such errors, not this program or the file.
///
/// - Throws: `.invalidValue` in place of `.misuse` and `.readOnly`.
func blaming<T>(_ body: () throws -> T) throws -> T {
  do {
    return try body()
  } catch let error as StoreError where error.code == .misuse || error.code == .readOnly {
    throw StoreError(.invalidValue, error.message, suggestion: "Correct the SQL. \(Program.name) info lists the tables.")
  }
}
