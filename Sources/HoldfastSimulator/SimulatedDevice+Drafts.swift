internal import Holdfast
internal import HoldfastSync
internal import HoldfastTesting

extension Simulated.Device {
  /// A row of `drafts`, which does not sync, by its word: in its table, or kept beside a parked row. A friend that is kept alone counts where the
  /// row has none.
  private struct Draft {
    let item, friend: String?
  }

  private func drafts() throws -> [String: Draft] {
    var (drafts, friends): ([String: Draft], [String: String]) = ([:], [:])
    func add(_ word: String, _ draft: Draft) throws {
      guard drafts.updateValue(draft, forKey: word) == nil else { throw Simulated.Violation("device \(number) has \(word) twice") }
    }
    try store.read { reader in
      for line in try reader.values("SELECT body FROM holdfast_sync_aside ORDER BY id", { row in try row.text() }) {
        let kept = try SyncRow(line: line)
        let texts = kept.current.reduce(into: [ExactText: String]()) { texts, column in
          if case .text(let text)? = SyncValue.value(of: column.value) { texts[column.key] = text }
        }
        let (key, friend) = (kept.name.key.text, texts[ExactText("friend_id")])
        // The row may go later than its friend, and another one may get its number.
        if let word = texts[ExactText("note")] {
          let earlier = friends.removeValue(forKey: key)
          try add(word, Draft(item: texts[ExactText("item_id")], friend: friend ?? earlier))
        } else {
          friends[key] = friend
        }
      }
      try reader.rows("SELECT note, item_id, friend_id, id FROM drafts") { row in
        let (word, item, friend) = (try row.text(), try row.textOrNil(), try row.textOrNil())
        try add(word, Draft(item: item, friend: friend ?? friends["\(try row.int64())"]))
      }
    }
    return drafts
  }

  /// Runs what may park rows or bring them back, and checks that each draft is there as before, or in *lost*. It may go with its item only, and
  /// lose its friend only to a deletion.
  func keepingDrafts<T>(_ body: () throws -> T) throws -> T {
    let before = try drafts()
    let result = try body()
    let after = try drafts()
    let lost = Set(try store.rows("SELECT body FROM holdfast_sync_lost").flatMap { Self.words(in: $0) })
    let known = try store.read { reader in try generations(in: reader) }
    func isAlive(_ item: String?) -> Bool { item.map { (known[SyncRow.Name("items", $0)] ?? 0) & 1 == 1 } ?? true }
    for (word, draft) in before.sorted(by: { $0.key < $1.key }) where !lost.contains(word) {
      guard let now = after[word] else {
        guard isAlive(draft.item) else { continue }
        throw Simulated.Violation("device \(number) lost the draft \(word), whose item was not deleted")
      }
      guard now.item == draft.item, draft.friend == nil || now.friend == draft.friend || !isAlive(draft.friend) else {
        throw Simulated.Violation("the draft \(word) of device \(number) refers to other items than before")
      }
    }
    return result
  }
}
