internal import Holdfast
internal import SyncHistory

/// The devices' schema, what a transaction writes, and what a snapshot shows.
///
/// The pairs and the counter of a device are its own (`Script`). Folders and the notes named `s…` are everybody's: they clash on UNIQUE names, and
/// a folder takes its notes with it.
enum Notes {
  static let schema = StoreSchema(
    "faults",
    migrations: [
      Migration(
        "faults/001-notes",
        sql: """
          CREATE TABLE folders (id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
          CREATE TABLE notes (
            id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL, pair_a TEXT, pair_b TEXT,
            folder_id TEXT REFERENCES folders (id) ON DELETE CASCADE, CHECK (pair_a IS pair_b)) STRICT;
          CREATE INDEX notes_by_folder ON notes (folder_id);
          CREATE TABLE counters (id TEXT NOT NULL PRIMARY KEY, n INTEGER NOT NULL, seen TEXT NOT NULL) STRICT;
          """)
    ],
    declarations: [.synced("folders"), .synced("notes", together: [["pair_a", "pair_b"]]), .synced("counters")])

  /// Parents before children; of each its columns that travel, in their order.
  static let tables = [
    (name: "folders", columns: ["id", "name"]), (name: "notes", columns: ["id", "title", "body", "pair_a", "pair_b", "folder_id"]),
    (name: "counters", columns: ["id", "n", "seen"]),
  ]

  static func counter(of device: Int, in reader: Reader) throws -> Int {
    try reader.value("SELECT n FROM counters WHERE id = \("d\(device)")") { row in try row.int() } ?? 0
  }

  /// Writes the device's next transaction; returns its number.
  static func writeNext(of device: Int, _ chance: inout Chance, in tx: Writer) throws -> Int {
    let number = try counter(of: device, in: tx) + 1
    try writeShared(&chance, in: tx)
    for side in ["a", "b"] {
      let id = pairID(device, Script.pair(of: number), side)
      if let tag = Script.tag(of: number) {
        try tx.execute(
          """
          INSERT INTO notes (id, title, body, pair_a, pair_b) VALUES (\(id), \(tag), \(text(&chance)), \(tag), \(tag))
          ON CONFLICT (id) DO UPDATE SET title = excluded.title, body = excluded.body, pair_a = excluded.pair_a, pair_b = excluded.pair_b
          """)
      } else {
        try tx.execute("DELETE FROM notes WHERE id = \(id)")
      }
    }
    // With what this device has seen of all: whoever sees this transaction must see that, too.
    try tx.execute(
      """
      INSERT INTO counters (id, n, seen) SELECT \("d\(device)"), \(number), coalesce(group_concat(id || ' ' || n), '') FROM counters WHERE true
      ON CONFLICT (id) DO UPDATE SET n = excluded.n, seen = excluded.seen
      """)
    return number
  }

  private static func writeShared(_ chance: inout Chance, in tx: Writer) throws {
    let (folder, name) = ("f\(chance.below(6))", "name \(chance.below(8))")
    switch chance.below(6) {
    case 0: try tx.execute("DELETE FROM folders WHERE id = \(folder)")
    case 1:
      try tx.execute(
        "UPDATE folders SET name = \(name) WHERE id = \(folder) AND NOT EXISTS (SELECT 1 FROM folders WHERE name = \(name))")
    default:
      try tx.execute(
        """
        INSERT INTO folders (id, name) SELECT \(folder), \(name)
        WHERE NOT EXISTS (SELECT 1 FROM folders WHERE id = \(folder) OR name = \(name))
        """)
    }
    for _ in 0..<chance.below(4) {
      let id = "s\(chance.below(40))"
      if chance.percent(15) {
        try tx.execute("DELETE FROM notes WHERE id = \(id)")
      } else {
        try tx.execute(
          """
          INSERT INTO notes (id, title, body, folder_id)
          SELECT \(id), \(text(&chance)), \(text(&chance)), (SELECT id FROM folders WHERE id = \(folder)) WHERE true
          ON CONFLICT (id) DO UPDATE SET title = excluded.title, folder_id = excluded.folder_id
          """)
      }
    }
  }

  private static func text(_ chance: inout Chance) -> String {
    String(repeating: "\(chance.below(1_000)) ", count: 1 + chance.below(30))
  }

  private static func pairID(_ device: Int, _ pair: Int, _ side: String) -> String { "p\(device)-\(pair)-\(side)" }

  // MARK: Looking

  /// What the reader's snapshot shows.
  static func sight(of devices: Int, in reader: Reader) throws -> Sight {
    try sight(
      of: devices,
      counters: try reader.values("SELECT id, n, seen FROM counters") { row in
        (id: try row.text(), n: try row.int(), seen: try row.text())
      },
      tags: try reader.values("SELECT id, title, pair_a, pair_b FROM notes WHERE id >= 'p' AND id < 'q'") { row in
        let (id, title) = (try row.text(), try row.text())
        return (id: id, tags: [title, try row.textOrNil() ?? "none", try row.textOrNil() ?? "none"])
      })
  }

  /// - Parameters:
  ///   - counters: of each device its counter, and the counters that it had seen, such as `d0 7,d1 3`.
  ///   - tags: of each note of a pair its title, and the two values that are one register.
  static func sight(
    of devices: Int, counters: [(id: String, n: Int, seen: String)], tags: [(id: String, tags: [String])]
  ) throws -> Sight {
    var sight = Sight(devices: devices)
    let numbers = Dictionary(counters.map { ($0.id, $0.n) }) { first, _ in first }
    let seen = Dictionary(counters.map { ($0.id, Set($0.seen.split(separator: ",").map(String.init))) }) { first, _ in first }
    let titles = Dictionary(tags.map { ($0.id, $0.tags) }) { first, _ in first }
    /// A note whose own columns differ has a tag that no transaction gives.
    func tag(_ id: String) -> String? { titles[id].map { Set($0).count == 1 ? $0[0] : "\(id): \($0.joined(separator: ", "))" } }
    for device in 0..<devices {
      sight.counters[device] = numbers["d\(device)"] ?? 0
      if let own = seen["d\(device)"] { sight.seen[device] = (0..<devices).map { other in Self.number(of: other, in: own) } }
      for pair in 0..<Script.pairs {
        sight.pairs[device][pair] = Sight.Pair(tag(pairID(device, pair, "a")), tag(pairID(device, pair, "b")))
      }
    }
    return sight
  }

  private static func number(of device: Int, in seen: Set<String>) -> Int {
    seen.first { $0.hasPrefix("d\(device) ") }.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? 0
  }
}
