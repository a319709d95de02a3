/// The order for records that name others of their kind: each is passed on behind the one above it, wherever that stands in the source.
struct TreeOrder<Content: Sendable> {
  typealias Visit = (Scanned<Content>, Int) throws -> Void
  private typealias Waiting = (record: SourceRecord<Content>, name: String, above: [String], position: Int)
  private var passed: Set<String> = []
  /// The records that wait, by the name of the one above.
  private var waiting: [String: [Waiting]] = [:]

  /// - Parameters:
  ///   - name: what others name the record by. Default: its key.
  ///   - above: the names of the records above this one; its own name counts as none.
  mutating func take(
    _ record: SourceRecord<Content>, named name: String? = nil, above: [String], at position: Int, _ visit: Visit
  ) throws {
    let name = name ?? record.key
    let one: Waiting = (record, name, above.filter { $0 != name }, position)
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
      passed.insert(one.name)
      for freed in (waiting.removeValue(forKey: one.name) ?? []).reversed() {
        if let above = freed.above.first(where: { !passed.contains($0) }) {
          waiting[above, default: []].append(freed)
        } else {
          next.append(freed)
        }
      }
    }
  }
}
