/// The compiled statements of one SQL text that are not in use: usually one, more while the same SQL runs inside itself.
struct Spare<Statement> {
  private var first: Statement?
  private var others: [Statement] = []

  /// Nil when there is none.
  @inline(__always)
  mutating func take() -> Statement? {
    if let statement = first {
      first = nil
      return statement
    }
    return others.popLast()
  }

  /// Takes back a statement that was reset.
  @inline(__always)
  mutating func give(_ statement: Statement) {
    if first == nil { first = statement } else { others.append(statement) }
  }
}
