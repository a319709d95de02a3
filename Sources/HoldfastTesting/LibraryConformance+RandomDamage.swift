import Foundation
import Holdfast

extension LibraryConformance {
  func checkRandomDamage() async throws {
    let (world, known) = try await filled(inMemory: false)
    let columns = try RandomDamage.columns(of: world.store)
    var damaged = 0
    for seed in 0..<UInt64(ProofRun.isLong ? 1_000 : 50) {
      var random = SeededGenerator(seed: seed)
      guard let update = RandomDamage.update(columns, &random) else { continue }
      do {
        if try await readAll(of: world, known, after: update) { damaged += 1 }
      } catch {
        throw StoreError(.verificationFailed, "seed \(seed), \(update): \(error)", cause: error)
      }
    }
    guard damaged > 0 else { throw StoreError(.verificationFailed, "SQLite accepts no damage: no table has rows with a rowid") }
  }

  /// False when SQLite refuses the damage.
  private func readAll(of world: World, _ known: Known, after update: String) async throws -> Bool {
    let copy = try world.store.copy(named: "\(UUID().uuidString).sqlite")
    defer { try? FileManager.default.removeItem(at: copy) }
    do {
      try RawDatabase.with(copy) { try $0.execute("PRAGMA synchronous = OFF; PRAGMA ignore_check_constraints = ON; \(update)") }
    } catch is RawDatabase.Failure { return false }
    let store = try Store.open(at: copy, schemas: [schema], options: .testing)
    defer { try? store.close() }
    for verb in reads {
      do {
        try await verb.run(library(store), known)
      } catch let error as StoreError where error.code == .decoding && error.column != nil || Self.unreadable.contains(error.code) {
      } catch { throw StoreError(.verificationFailed, "“\(verb.name)” throws \(error)", cause: error) }
    }
    _ = try await store.integrityCheck()
    return true
  }

  /// What a verb may throw besides `.decoding` when a row is damaged. A sealed value may be damaged where it tells a wrong key.
  private static var unreadable: Set<StoreError.Code> { [.damaged, .notFound, .wrongKey] }
}

/// Values that no verb writes, for one column of one row.
enum RandomDamage {
  struct Column {
    var table: String
    var name: String
    var type: String
    var isNullable: Bool
    /// The rows of the table; at least one.
    var rows: Int
  }

  /// The columns of the tables with rows, without generated columns.
  static func columns(of store: Store) throws -> [Column] {
    let tables = try RecordCheck.tables(in: store).sorted()
    return try store.read { reader in
      try tables.flatMap { table -> [Column] in
        let rows = try reader.count("SELECT count(*) FROM \(raw: quoted(table))")
        guard rows > 0 else { return [] }
        return try reader.values("SELECT name, type, \"notnull\" = 0 FROM pragma_table_info(\(table))") { row in
          Column(table: table, name: try row.text(), type: try row.text(), isNullable: try row.bool(), rows: rows)
        }
      }
    }
  }

  /// Nil without columns.
  static func update(_ columns: [Column], _ random: inout SeededGenerator) -> String? {
    guard let column = columns.randomElement(using: &random) else { return nil }
    let (table, name) = (quoted(column.table), quoted(column.name))
    let value = literal(column, &random)
    let place = Int.random(in: 0..<column.rows, using: &random)
    return "UPDATE \(table) SET \(name) = \(value) WHERE rowid = (SELECT rowid FROM \(table) LIMIT 1 OFFSET \(place))"
  }

  private static func literal(_ column: Column, _ random: inout SeededGenerator) -> String {
    if column.isNullable, random.chance(15) { return "NULL" }
    switch column.type {
    case "TEXT": return random.pick(texts)
    case "INTEGER": return random.pick(["\(Int64.max)", "\(Int64.min)", "-1", "0", "2", "\(Int64(bitPattern: random.next()))"])
    case "REAL": return random.pick(["9e999", "-9e999", "1e308", "-1e308", "5e-324", "-1.0", "0.0"])
    default:
      let count = random.pick([0, 1, 40])
      let bytes = (0..<count).map { _ in random.pick(["00", "41", "7F", "C3", "FF"]) }
      return "x'\(bytes.joined())'"
    }
  }

  /// Text that is not UTF-8, a zero byte, JSON of other kinds, damaged JSON, and JSON with more levels than the kit reads.
  private static let texts = [
    "''", "'x'", "CAST(x'41FF42' AS TEXT)", "CAST(x'C3' AS TEXT)", "'a' || char(0) || 'b'", "'{'", "'[1, null]'", "'{\"a\": 1e999}'",
    "replace(hex(zeroblob(1000)), '00', '[')",
  ]
}
