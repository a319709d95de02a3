import Foundation
public import Holdfast

extension SourceMembers {
  /// A column's value as JSON; `unreadable` for a value that JSON cannot hold.
  public static func value(_ row: SQLiteRow, _ column: String) -> JSONValue {
    switch row.value(column) {
    case .integer(let number): .integer(number)
    case .real(let number) where number.isFinite: .double(number)
    case .text(let text): .string(text)
    case .blob(let data) where !row.isBrokenText(column):
      String(validUTF8: data).map(JSONValue.string) ?? unreadable
    case nil, .null: .null
    default: unreadable
    }
  }

  /// The value of a column that JSON has no kind for; nil where the column holds something else.
  static func value(_ row: SQLiteRow, _ index: Int, as column: ColumnForm) -> JSONValue? {
    switch (column, row.values[index]) {
    case (.id, .blob): id(row, row.columns[index])
    case (.json, .text(let text)): JSONValue(json: text)
    case (.json, .blob(let bytes)): String(validUTF8: bytes).flatMap { JSONValue(json: $0) }
    case (.bytes, .blob(let bytes)): row.brokenTexts.contains(index) ? nil : .string(bytes.base64EncodedString())
    default: nil
    }
  }

  /// The id that a column holds as 16 bytes; nil for any other value.
  static func id(_ row: SQLiteRow, _ column: String) -> JSONValue? {
    guard case .blob(let bytes)? = row.value(column), bytes.count == 16, !row.isBrokenText(column) else { return nil }
    return .id(UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }))
  }

  /// A name in lower case without underscores, so that its spellings compare equal.
  static func plain(_ name: String) -> String {
    guard name.utf8.contains(where: { $0 == 0x5F || 0x41...0x5A ~= $0 }) else { return name }
    // A String is made from an array of bytes several times faster than from other sequences.
    return String(decoding: name.utf8.filter { $0 != 0x5F }.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
