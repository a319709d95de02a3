import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("Ordered rows")
struct OrderedRowsTests {
  private let store: Store
  private static let schema = StoreSchema(
    "lists",
    migrations: [
      Migration(
        "lists/001-first",
        sql: """
          CREATE TABLE items (id TEXT NOT NULL PRIMARY KEY, list INTEGER NOT NULL, position INTEGER NOT NULL) STRICT;
          CREATE INDEX items_in_order ON items (list, position, id);
          """)
    ])

  init() throws { store = try Store.inMemory(schemas: [Self.schema]) }

  private func items(_ list: Int) -> OrderedRows { OrderedRows("items", of: "item", where: "list = \(list)") }

  private func order(_ list: Int) throws -> [UUID] {
    try store.read { try $0.values("SELECT id FROM items WHERE list = \(list) ORDER BY position, id") { row in try row.id() } }
  }

  /// New rows before another, with the positions that the list gives them.
  private func add(_ ids: [UUID], to list: Int, before other: UUID? = nil, in tx: Writer) throws {
    let rows = items(list)
    let positions = try ids.count == 1 ? [rows.position(before: other, in: tx)] : rows.positions(for: ids.count, before: other, in: tx)
    for (id, position) in zip(ids, positions) {
      try tx.execute("INSERT INTO items (id, list, position) VALUES (\(id), \(list), \(position))")
    }
  }

  @Test("after each of many random changes two lists in one table have the order that two arrays have", arguments: [UInt64(1), 2, 3])
  func againstArrays(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var model: [[UUID]] = [[], []]
    for step in 0..<600 {
      let list = Int.random(in: 0...1, using: &random)
      let other = random.chance(80) ? model[list].randomElement(using: &random) : nil
      if model[list].count < 3 || random.chance(20) {
        let new = (0..<Int.random(in: 0...3, using: &random)).map { _ in random.id() }
        try store.write { try add(new, to: list, before: other, in: $0) }
        model[list].insert(contentsOf: new, at: model[list].firstIndex { $0 == other } ?? model[list].count)
      } else if random.chance(5) {
        // No room anywhere, at an end of the numbers or at one place.
        let start = random.pick([Int64.min, 0, .max - Int64(model[list].count) + 1])
        let step = random.pick([Int64(0), 1])
        let ids = step == 0 ? model[list].sorted { IDCodec.lowercase($0) < IDCodec.lowercase($1) } : model[list]
        try store.write { tx in
          for (offset, id) in ids.enumerated() {
            try tx.execute("UPDATE items SET position = \(start + Int64(offset) * step) WHERE id = \(id)")
          }
        }
        model[list] = ids
      } else if let id = model[list].randomElement(using: &random) {
        let before = model[list]
        model[list].removeAll { $0 == id }
        let place = other == id ? before.firstIndex(of: id) : model[list].firstIndex { $0 == other }
        model[list].insert(id, at: place ?? model[list].count)
        #expect(try store.write { try items(list).move(id, before: other, in: $0) } == (before != model[list]))
      }
      try #require(try [order(0), order(1)] == model, "seed \(seed), step \(step)")
    }
  }

  @Test("a change where there is room writes the new place and nothing else")
  func smallWrites() throws {
    let ids = (0..<1000).map(UUID.numbered)
    try store.write { try add(ids, to: 0, in: $0) }
    #expect(try store.rowsChanged { try items(0).move(ids[0], before: ids[500], in: $0) } == 1)
    #expect(try store.rowsChanged { try items(0).move(ids[1], before: nil, in: $0) } == 1)
    #expect(try store.rowsChanged { try items(0).move(ids[2], before: ids[3], in: $0) } == 0)
    #expect(try store.rowsChanged { _ = try items(0).positions(for: 10, before: ids[700], in: $0) } == 0)
  }

  @Test("a row that is not in the list is said to be missing, by what it is")
  func missing() throws {
    let ids = (0..<3).map(UUID.numbered)
    try store.write { tx in
      try add([ids[0]], to: 0, in: tx)
      try add([ids[1]], to: 1, in: tx)
    }
    let attempts: [(Writer) throws -> Void] = [
      { try items(0).move(ids[1], before: nil, in: $0) }, { try items(0).move(ids[0], before: ids[1], in: $0) },
      { _ = try items(0).positions(for: 0, before: ids[2], in: $0) }, { _ = try items(0).positions(for: 1, before: ids[1], in: $0) },
    ]
    for attempt in attempts {
      let error = #expect(throws: StoreError.self) { try store.write(attempt) }
      #expect(error?.code == .notFound && error?.message.hasPrefix("there is no item ") == true)
    }
    #expect(try order(0) == [ids[0]])
  }
}
