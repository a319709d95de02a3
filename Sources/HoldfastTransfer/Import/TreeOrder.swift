/// The order for records that name others of their kind: each is passed on behind the one above it, wherever that stands in the source.
struct TreeOrder<Content: Sendable> {
  typealias Visit = (Scanned<Content>, Int) throws -> Void
  private typealias Waiting = (record: SourceRecord<Content>, position: Int)
  private var passed: Set<String> = []
  /// The records that wait, by the key of the one above.
  private var waiting: [String: [Waiting]] = [:]

  /// - Parameter above: the key of the record above this one; nil, or its own key: there is none.
  mutating func take(_ record: SourceRecord<Content>, above: String?, at position: Int, _ visit: Visit) throws {
    if let above, above != record.key, !passed.contains(above) { return waiting[above, default: []].append((record, position)) }
    try pass((record, position), visit)
  }

  /// Passes on the records that wait for one that did not come: the store has it, or refuses them.
  mutating func end(_ visit: Visit) throws {
    while let above = waiting.min(by: { ($0.value[0].position, $0.key) < ($1.value[0].position, $1.key) })?.key {
      for one in waiting.removeValue(forKey: above) ?? [] { try pass(one, visit) }
    }
  }

  private mutating func pass(_ first: Waiting, _ visit: Visit) throws {
    var next = [first]
    while let one = next.popLast() {
      try visit(.record(one.record), one.position)
      passed.insert(one.record.key)
      next += (waiting.removeValue(forKey: one.record.key) ?? []).reversed()
    }
  }
}
