internal import Holdfast
internal import HoldfastSync

extension Simulated.Device {
  /// Gives an answer to the process, and checks what must hold after every commit. Returns what happened, for the world's counters.
  ///
  /// - Parameters:
  ///   - seal: of the device's space.
  ///   - taken: the words that the server has taken. They are not missed here when they lose later.
  ///   - tears: whether half of a transaction may be seen.
  func receive(
    _ response: SyncResponse, _ seal: SpaceSeal?, to request: SyncRequest, taken: Set<String>, tears: Bool
  ) throws -> [(Simulated.Event, Int)] {
    let before = try state()
    let rows = try response.opened(by: seal).rows
    let known = try knownElsewhere(rows)
    let isTaking = try count("SELECT is_resync = 2 FROM holdfast_sync") == 1
    let contents = isTaking ? try contents(of: before.generations.keys.sorted()) : [:]
    try setTime()
    try keepingDrafts { try sync.receive(response, to: request) }
    let after = try state()
    try checkConstraints(isWhole: response.isCaughtUp && !tears)
    if isTaking { try checkTaking(from: before, to: after, contents, rows) }
    unsent.subtract(taken.union(known))
    let missing = unsent.subtracting(try words())
    guard missing.isEmpty else { throw Simulated.Violation("device \(number) lost \(missing.sorted()) without a word") }
    let arrived = Set(rows.map(\.name))
    // Deleted by a cascade, and still to be sent.
    let cascaded = after.generations.filter { name, generation in
      generation & 1 == 0 && before.generations[name].map { $0 & 1 == 1 } == true && !arrived.contains(name)
    }
    return [
      (.parked, after.parked.subtracting(before.parked).count), (.evicted, after.parked.intersection(before.standing).count),
      (.lost, after.lost - before.lost), (.cascaded, cascaded.count), (.extra, after.extra),
      (.aside, after.aside - before.aside), (.taken, Set(before.generations.keys).subtracting(after.generations.keys).count),
    ]
  }

  /// The words of births that an answer has, too: whoever wrote over them had seen them. After an older copy of the file was restored, that may
  /// have been this device.
  private func knownElsewhere(_ rows: [SyncRow]) throws -> Set<String> {
    try store.read { reader in
      try rows.reduce(into: []) { words, row in
        guard let own = try sync.row(row.name, in: reader), (own.generation, own.birth) == (row.generation, row.birth) else { return }
        for value in own.values.values { words.formUnion(Self.words(in: value.text)) }
      }
    }
  }

  private struct State {
    let generations: [SyncRow.Name: Int64]
    let parked: Set<SyncRow.Name>
    let standing: Set<SyncRow.Name>
    let lost: Int
    let extra: Int
    let aside: Int
  }

  private func state() throws -> State {
    State(
      generations: try store.read { reader in try generations(in: reader) }, parked: try parked(), standing: Set(try rows().keys),
      lost: try count("SELECT count(*) FROM holdfast_sync_lost"), extra: try count("SELECT count(*) FROM holdfast_sync_extra"),
      aside: try count("SELECT count(*) FROM holdfast_sync_aside"))
  }

  /// The values of rows, in their tables or parked.
  func contents(of names: [SyncRow.Name]) throws -> [SyncRow.Name: RowValues] {
    try store.read { reader in try names.reduce(into: [:]) { $0[$1] = try sync.row($1, in: reader)?.current } }
  }

  /// Of what a device deletes while it takes the server's rows, nothing is only its own doing: it arrived, or goes with a deleted parent.
  private func checkTaking(
    from before: State, to after: State, _ contents: [SyncRow.Name: RowValues], _ rows: [SyncRow]
  ) throws {
    let arrived = Dictionary(rows.map { ($0.name, $0) }) { $1 }
    for (name, generation) in after.generations.sorted(by: { $0.key < $1.key })
    where generation & 1 == 0 && before.generations[name] != generation && arrived[name]?.isAlive != false {
      let parents = [contents[name], arrived[name]?.current].compactMap { $0?[ExactText("item_id")] }
      let hasDeletedParent = parents.contains { parent in
        guard case .text(let item)? = SyncValue.value(of: parent) else { return false }
        return after.generations[SyncRow.Name("items", item)].map { $0 & 1 == 0 } == true
      }
      guard hasDeletedParent else {
        throw Simulated.Violation("device \(number) deleted \(name.table.text)/\(name.key.text) while it took the server's rows")
      }
    }
  }

  private func checkConstraints(isWhole: Bool) throws {
    let broken: [(String, BoundSQL)] = [
      ("broken references", "SELECT count(*) FROM pragma_foreign_key_check"),
      ("a state that applies behind its commit", "SELECT applying FROM holdfast_sync"),
      ("a group that mixes two writes", "SELECT count(*) FROM items WHERE opened IS NOT closed"),
      ("a derived column that is not derived", "SELECT count(*) FROM items WHERE sort_title IS NOT upper(title)"),
    ]
    for (what, query) in broken where try count(query) != 0 { throw Simulated.Violation("device \(number) has \(what)") }
    // Every row has a living register, and every living register a row: in its table, or parked. A person may write a row with the key of a
    // parked one, which the next whole answer finds.
    let living = Set(try store.read { reader in try generations(in: reader) }.filter { $1 & 1 == 1 }.keys)
    let tables = Set(known.map { ExactText($0.name) })
    let wrong = living.symmetricDifference(try Set(rows().keys).union(parked())).filter { tables.contains($0.table) }
    guard wrong.isEmpty else {
      throw Simulated.Violation("device \(number): a row without a register, or the reverse: \(wrong.sorted().map(\.key.text))")
    }
    guard isWhole else { return }
    guard try halves() == 0 else { throw Simulated.Violation("device \(number) shows half of a transaction") }
  }

  func halves() throws -> Int {
    try count("SELECT count(*) FROM (SELECT 1 FROM accounts GROUP BY substr(id, 1, 2) HAVING sum(amount) <> 0 OR count(*) <> 2)")
  }
}

extension SyncResponse {
  /// Whether a device that got this answer has seen everything.
  fileprivate var isCaughtUp: Bool {
    switch outcome {
    case .page(_, _, let more): !more
    case .pushed(_, _, let cursor): cursor != nil
    default: false
    }
  }

  /// The rows that an answer brings.
  fileprivate var rows: [SyncRow] {
    switch outcome {
    case .page(let rows, _, _), .pushed(let rows, _, _): rows.map(\.row)
    default: []
    }
  }
}
