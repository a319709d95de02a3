/// The order for records that name others of their kind: each is passed on behind the one above it, wherever that stands in the source.
struct TreeOrder<Content: Sendable> {
  typealias Visit = (Scanned<Content>, Int) throws -> Void
  private typealias Waiting = (record: SourceRecord<Content>, above: [String], position: Int)
  private var passed: Set<String> = []
  /// The records that wait, by the key of the one above.
  private var waiting: [String: [Waiting]] = [:]

  /// - Parameter above: the keys of the records above this one; its own key counts as none.
  mutating func take(_ record: SourceRecord<Content>, above: [String], at position: Int, _ visit: Visit) throws {
    try take((record, above.filter { $0 != record.key }, position), visit)
  }

  private mutating func take(_ one: Waiting, _ visit: Visit) throws {
    if let above = one.above.first(where: { !passed.contains($0) }) { return waiting[above, default: []].append(one) }
    try pass(one, visit)
  }

  /// Passes on the records that wait for one that did not come: the store has it, or refuses them.
  mutating func end(_ visit: Visit) throws {
    let order = waiting.sorted { ($0.value[0].position, $0.key) < ($1.value[0].position, $1.key) }.map(\.key)
    for above in order {
      for one in waiting.removeValue(forKey: above) ?? [] { try pass(one, visit) }
    }
  }

  private mutating func pass(_ first: Waiting, _ visit: Visit) throws {
    var next = [first]
    while let one = next.popLast() {
      try visit(.record(one.record), one.position)
      passed.insert(one.record.key)
      for freed in (waiting.removeValue(forKey: one.record.key) ?? []).reversed() {
        if let above = freed.above.first(where: { !passed.contains($0) }) {
          waiting[above, default: []].append(freed)
        } else {
          next.append(freed)
        }
      }
    }
  }
}
