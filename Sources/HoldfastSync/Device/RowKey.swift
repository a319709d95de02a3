internal import Foundation
internal import Holdfast

/// The columns that identify a row of a synced table, and the text by which a row is known everywhere.
///
/// One column: its value as text, a BLOB as upper-case hexadecimal. Several: joined by `/`, with `%` and `/` escaped as in a URL.
struct RowKey {
  enum Kind: String {
    case text = "TEXT"
    case integer = "INTEGER"
    case blob = "BLOB"
  }

  let columns: [(name: String, kind: Kind)]

  /// The key as text; nil where a value does not have its column's type.
  func text(of values: [SQLValue]) -> String? {
    guard values.count == columns.count else { return nil }
    var texts: [String] = []
    for (column, value) in zip(columns, values) {
      switch (column.kind, value) {
      case (.text, .text(let text)): texts.append(text)
      case (.integer, .integer(let number)): texts.append(String(number))
      case (.blob, .blob(let bytes)): texts.append(bytes.map { String(format: "%02X", $0) }.joined())
      default: return nil
      }
    }
    guard texts.count > 1 else { return texts.first }
    return texts.map(Self.escaped).joined(separator: "/")
  }

  /// The values of a key's text; nil for a text that no key has.
  func values(of text: String) -> [SQLValue]? {
    var texts = [text]
    if columns.count > 1 {
      texts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Self.unescaped(Array($0)) }
    }
    guard texts.count == columns.count else { return nil }
    let values = zip(columns, texts).compactMap { column, text -> SQLValue? in
      switch column.kind {
      case .text: return .text(text)
      case .integer: return Int64(text).map(SQLValue.integer)
      case .blob: return SHA256Hex.data(hex: text).map(SQLValue.blob)
      }
    }
    // Other spellings, such as 007, are no key's text.
    guard let again = self.text(of: values), ExactText(again) == ExactText(text) else { return nil }
    return values
  }

  // Byte by byte, as SQLite does: to Swift a `/` with an accent is another character.

  private static func escaped(_ text: String) -> String {
    String(
      decoding: text.utf8.flatMap { byte -> [UInt8] in
        switch byte {
        case UInt8(ascii: "%"): Array("%25".utf8)
        case UInt8(ascii: "/"): Array("%2F".utf8)
        default: [byte]
        }
      }, as: UTF8.self)
  }

  private static func unescaped(_ text: [UInt8]) -> String {
    let parts = text.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
    let rest = parts.dropFirst().flatMap { [UInt8(ascii: $0.starts(with: "2F".utf8) ? "/" : "%")] + $0.dropFirst(2) }
    return String(decoding: (parts.first ?? []) + rest, as: UTF8.self)
  }

  /// The condition that a row has this key.
  func matches(_ values: [SQLValue], of table: String? = nil) -> BoundSQL {
    .joined(zip(columns, values).map { "\(raw: table.map { "\($0)." } ?? "")\(raw: quoted($0.name)) = \($1)" }, separator: " AND ")
  }

  /// The columns, of a table or of the name that a query gives one.
  func list(of table: String? = nil) -> String {
    columns.map { (table.map { "\($0)." } ?? "") + quoted($0.name) }.joined(separator: ", ")
  }
}
