import Holdfast

// Columns that several records have.

extension StoredRow {
  mutating func whole() throws -> Int { Int(clamping: try int64()) }
  mutating func wholeOrNil() throws -> Int? { try int64OrNil().map { Int(clamping: $0) } }
  mutating func boolOrNil() throws -> Bool? { try int64OrNil().map { $0 != 0 } }

  /// Reads two columns; the table has both values or neither.
  mutating func thinkingTagsOrNil() throws -> ThinkingTags? {
    let (open, close) = (try textOrNil(), try textOrNil())
    guard let open, let close else { return nil }
    return ThinkingTags(open: open, close: close)
  }
}

extension Values {
  mutating func whole(_ value: Int?) throws { try int64(value.map(Int64.init)) }
  mutating func flag(_ value: Bool?) throws { try int64(value.map { $0 ? 1 : 0 }) }

  mutating func thinkingTags(_ tags: ThinkingTags?) throws {
    try text(tags?.open)
    try text(tags?.close)
  }
}
