import Holdfast

// Columns that several records have.

extension StoredRow {
  /// Reads two columns; the table has both values or neither.
  mutating func thinkingTagsOrNil() throws -> ThinkingTags? {
    let (open, close) = (try textOrNil(), try textOrNil())
    guard let open, let close else { return nil }
    return ThinkingTags(open: open, close: close)
  }
}

extension Values {
  mutating func thinkingTags(_ tags: ThinkingTags?) throws {
    try text(tags?.open)
    try text(tags?.close)
  }
}
