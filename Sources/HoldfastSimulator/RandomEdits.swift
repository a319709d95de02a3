internal import Holdfast
internal import HoldfastSync
internal import HoldfastTesting

extension Simulated.World {
  /// One random transaction of a person. Few keys and few values, so that devices meet at the same rows.
  func edit(_ number: Int) throws {
    let device = devices[number]
    try write(number) { tx in
      let verb = Int.random(in: 0..<20, using: &random)
      switch verb {
      case 0..<3: try tx.insert(item(random.pick(Self.items)))
      case 3..<7: try editItem(tx)
      case 7:
        let before = try Set(tx.tombstones())
        try tx.execute("DELETE FROM items WHERE id = \(random.pick(Self.items))")
        // As `Store.purge` does.
        if random.chance(50) { try tx.mark(tombstonesSince: before) }
      case 8:
        let id = random.pick(Self.items)
        try tx.execute("DELETE FROM items WHERE id = \(id)")
        try tx.insert(item(id))
      case 9..<13: try editChild(tx, device.version)
      case 13, 14: try editPair(tx, at: device.clock.milliseconds)
      case 15: try editTag(tx)
      case 16: try importItem(tx, device.clock.milliseconds)
      case 17, 18: try editDraft(tx)
      default: if device.version > 1 { try editLabel(tx) }
      }
    }
  }

  /// Rows that are there before a device is connected.
  func fill(_ tx: Writer) throws { for id in Self.items.prefix(2) { try tx.insert(Simulated.Item(id, word())) } }

  /// A device whose rows of before are to go. They are new, or some are equal to those of another device.
  func addTaking(skew: Int64) throws {
    let known = random.chance(50) ? try devices.first?.store.read { reader in try reader.all(Simulated.Item.self) } ?? [] : []
    var slugs = known.isEmpty ? ["x", "y", "z"] : []
    try add(version: random.pick([1, 2]), skew: skew, first: .takeTheServers) { tx in
      var friend: String?
      for (number, id) in Self.items.enumerated() where random.chance(70) {
        try tx.insert(known.first { $0.id == id } ?? Simulated.Item(id, word(), slug: slugs.popLast()))
        try tx.execute(
          "INSERT INTO children (id, item_id, friend_id, note) VALUES (\(Self.children[number]), \(id), \(friend), \(word()))")
        try tx.execute("INSERT INTO drafts (item_id, friend_id, note) VALUES (\(id), \(friend), \(word()))")
        try tx.insert(Simulated.Tag(id, "a/b", weight: number))
        friend = id
      }
      try editPair(tx, at: now)
    }
  }

  private static let items = ["i0", "i1", "i2", "i3"]
  private static let children = ["c0", "c1", "c2", "c3"]
  private static let slugs = ["x", "y", "z", nil]

  private func item(_ id: String) -> Simulated.Item {
    var item = Simulated.Item(id, word(), slug: random.pick(Self.slugs))
    if random.chance(50) { item.notes = word() }
    if random.chance(30) { item.span = span() }
    item.fileURL = "file:///\(random.next() % 100)"
    return item
  }

  /// Both columns of a group get one word, or both NULL.
  private func span() -> [String?] {
    let word = random.chance(70) ? word() : nil
    return [word, word]
  }

  private func editItem(_ tx: Writer) throws {
    guard var item = try tx.first(Simulated.Item.self, "WHERE id = \(random.pick(Self.items))") else { return }
    for _ in 0..<(random.chance(40) ? 2 : 1) {
      switch Int.random(in: 0..<5, using: &random) {
      case 0: item.title = word()
      case 1: item.notes = random.chance(80) ? word() : nil
      case 2: item.position = Int.random(in: 0..<5, using: &random)
      case 3: item.slug = random.pick(Self.slugs)
      default: item.span = span()
      }
    }
    try tx.upsert(item)
  }

  /// A source of some time ago that several devices may take in. What was edited since stays.
  private func importItem(_ tx: Writer, _ clock: Int64) throws {
    let (id, age) = (random.pick(Self.items), Int64.random(in: 0...3_600_000, using: &random))
    let (title, source) = (word(), String(repeating: "0123456789abcdef", count: 4))
    try tx.stamped(at: clock - age, by: source) {
      var item = try tx.first(Simulated.Item.self, "WHERE id = \(id)") ?? Simulated.Item(id, title)
      item.title = title
      try tx.upsert(item)
    }
  }

  /// Without a record. A parent that is not there makes the whole transaction fail.
  private func editChild(_ tx: Writer, _ version: Int) throws {
    let (id, parent) = (random.pick(Self.children), random.pick(Self.items))
    let friend = random.chance(50) ? random.pick(Self.items) : nil
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: try tx.execute("INSERT INTO children (id, item_id, friend_id, note) VALUES (\(id), \(parent), \(friend), \(word()))")
    case 2: try tx.execute("UPDATE children SET item_id = \(parent) WHERE id = \(id)")
    case 3: try tx.execute("UPDATE children SET friend_id = \(friend), note = \(word()) WHERE id = \(id)")
    case 4: try tx.execute("DELETE FROM children WHERE id = \(id)")
    default: if version > 1 { try tx.execute("UPDATE children SET mood = \(word()) WHERE id = \(id)") }
    }
  }

  /// Two rows that are written only together, with amounts that add up to zero.
  private func editPair(_ tx: Writer, at clock: Int64) throws {
    // A limit may have refused one of the two rows. An edit of the other would keep the pair apart for good.
    guard !tearsTransactions else { return }
    let pair = random.pick(["p0", "p1"])
    guard !random.chance(10) else {
      try tx.execute("DELETE FROM accounts WHERE substr(id, 1, 2) = \(pair)")
      return
    }
    let (amount, time) = (Int.random(in: 1...99, using: &random), random.chance(20) ? clock - 10_000 : clock)
    for (half, amount) in [("a", amount), ("b", -amount)] {
      try tx.execute(
        """
        INSERT INTO accounts (id, amount, updated_at) VALUES (\(pair + half), \(amount), \(time))
        ON CONFLICT (id) DO UPDATE SET amount = excluded.amount, updated_at = excluded.updated_at
        """)
    }
  }

  /// A key of two columns, with characters that its text escapes.
  private func editTag(_ tx: Writer) throws {
    let (item, tag) = (random.pick(Self.items), random.pick(["a/b", "50%", "é"]))
    if random.chance(20) {
      try tx.execute("DELETE FROM tags WHERE item_id = \(item) AND tag = \(tag)")
    } else {
      try tx.upsert(Simulated.Tag(item, tag, weight: Int.random(in: 0..<5, using: &random)))
    }
  }

  /// A row that stays on this device. Its number may have been another one's.
  private func editDraft(_ tx: Writer) throws {
    let id = Int.random(in: 1...3, using: &random)
    let (item, friend) = (random.chance(90) ? random.pick(Self.items) : nil, random.chance(70) ? random.pick(Self.items) : nil)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: try tx.execute("DELETE FROM drafts WHERE id = \(id)")
    case 1: try tx.execute("UPDATE drafts SET friend_id = \(friend) WHERE id = \(id)")
    case 2: try tx.execute("UPDATE drafts SET item_id = \(item), note = \(word()) WHERE id = \(id)")
    default: try tx.execute("INSERT INTO drafts (id, item_id, friend_id, note) VALUES (\(id), \(item), \(friend), \(word()))")
    }
  }

  /// A key that is a number, and that people change.
  private func editLabel(_ tx: Writer) throws {
    let (id, other) = (Int.random(in: 1...2, using: &random), Int.random(in: 1...2, using: &random))
    switch Int.random(in: 0..<4, using: &random) {
    case 0: try tx.execute("DELETE FROM labels WHERE id = \(id)")
    case 1: try tx.execute("UPDATE labels SET id = \(other) WHERE id = \(id)")
    default: try tx.execute("INSERT INTO labels (id, name) VALUES (\(id), \(word())) ON CONFLICT (id) DO UPDATE SET name = excluded.name")
    }
  }
}
