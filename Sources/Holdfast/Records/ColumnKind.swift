/// What the values of a column are, as the record that reads and binds them tells.
package enum ColumnKind: String, Sendable, CaseIterable {
  /// A UUID as text.
  case id
  /// Milliseconds since 1970.
  case date
  /// A length in seconds.
  case seconds
  /// 0 or 1.
  case flag
  /// JSON text.
  case json
  case bytes
  case text
  /// A whole or floating number.
  case number
}
