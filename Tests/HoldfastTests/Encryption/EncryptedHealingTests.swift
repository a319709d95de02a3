import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Healing of encrypted stores", .whereSQLiteEncrypts, .timeLimit(.minutes(60)))
struct EncryptedHealingTests {
  private let key = StoreKey.random()

  private func rows(_ file: URL) throws -> [String: Int] { try SalvageWorld.rows(file, key: key) }

  @Test(
    "with the archive, every row comes back from every damage, and the archive goes on without a gap",
    arguments: SalvageWorld.schemas.map(\.name), SalvageWorld.Damage.allCases)
  func archived(_ name: String, _ damage: SalvageWorld.Damage) throws {
    let world = try HealWorld(name, archived: true, key: key)
    let (sound, rows) = (try Data(contentsOf: world.url), try rows(world.url))
    for seed in damage.seeds(1, long: 50) {
      try sound.write(to: world.url)
      try SalvageWorld.damage(world.url, damage, seed: seed)
      guard try Data(contentsOf: world.url) != sound else { continue }
      let report = try world.heal()
      // The header has bytes that nobody needs, such as the salt.
      #expect(report.means == .pages && (report.pages ?? 0) > 0 || damage == .randomHeader, "seed \(seed): \(report)")
      #expect(try self.rows(world.url) == rows, "seed \(seed)")
    }
    try world.store().close()
    #expect(try Archive(of: world.url, options: world.options).history().filter { $0.kind == .gap } == [])
  }

  @Test(
    "with a snapshot, 98 of 100 rows come back, and no row that was not there",
    arguments: SalvageWorld.schemas.map(\.name),
    [SalvageWorld.Damage.zeroedPages, .flippedBits, .randomSectors, .misdirected, .noFirstPage])
  func snapshot(_ name: String, _ damage: SalvageWorld.Damage) throws {
    let world = try HealWorld(name, archived: false, key: key)
    let store = try world.store()
    try store.snapshot()
    try store.close()
    let (sound, rows) = (try Data(contentsOf: world.url), try rows(world.url))
    let all = rows.values.reduce(0, +)
    for seed in damage.seeds(1, long: 50) {
      try sound.write(to: world.url)
      try SalvageWorld.damage(world.url, damage, seed: seed)
      guard try Data(contentsOf: world.url) != sound else { continue }
      let report = try world.heal()
      #expect(report.means != .none)
      let found = try self.rows(world.url)
      let right = found.reduce(0) { $0 + min($1.value, rows[$1.key] ?? 0) }
      #expect(right * 100 >= all * 98 && right == found.values.reduce(0, +), "seed \(seed): \(right) of \(all), \(report)")
    }
  }

  @Test("without any copy, salvage brings what stands on whole pages, with the commits of the log; what it sets aside is encrypted")
  func salvaged() throws {
    let world = try HealWorld("notes", archived: false, key: key)
    let store = try world.store()
    try store.write { _ = try $0.execute("INSERT INTO tags VALUES ('only in the log', 99)") }
    let rows = try self.rows(world.url)
    let damaged = world.folder.file("damaged.sqlite")
    try world.url.copyStore(to: damaged)
    try store.close()
    try SalvageWorld.damageInPlace(damaged)
    let new = world.folder.file("new.sqlite")
    let report = try Store.salvage(damaged, to: new, schemas: [world.schema], options: world.options)
    #expect(report.findings == [] && report.pagesOfLog > 0)
    let found = try self.rows(new)
    #expect(found["tags 'only in the log'|99"] == 1)
    #expect(found.allSatisfy { rows[$0.key] == $0.value } && found.count > rows.count / 2)
    // Pages of parents are gone, so that children are set aside.
    let aside = try #require(report.setAside)
    #expect(aside.lastPathComponent == "new.sqlite.set-aside.sqlite")
    let set = try ConnectionFactory(aside.path, world.options).still().texts("SELECT row FROM set_aside").compactMap { $0[0] }
    #expect(set.count == report.tables.map(\.setAside).reduce(0, +) && set.allSatisfy { $0.contains(#""table":"#) })
    for file in [new, aside] { #expect(try Encryption.Found(file) == .encrypted) }
    #expect(failure { try Store.salvage(damaged, to: world.folder.file("x"), options: .testing) }?.code == .keyNeeded)
    var other = world.options
    other.key = .random()
    #expect(failure { try Store.salvage(damaged, to: world.folder.file("x"), options: other) }?.code == .wrongKey)
  }

  @Test("only the indexes are made again where only these are damaged")
  func indexes() throws {
    let world = try HealWorld("notes", archived: false, key: key)
    let sound = try rows(world.url)
    do {
      let connection = try ConnectionFactory(world.url.path, world.options).working()
      // As by a program without this index.
      try connection.run("PRAGMA writable_schema = ON")
      try connection.run("UPDATE sqlite_schema SET sql = replace(sql, '(number)', '(title)') WHERE name = 'notes_by_number'")
    }
    let report = try Store.heal(at: world.url, schemas: [], options: world.options)
    #expect(report.means == .indexes, "\(report)")
    #expect(try rows(world.url) == sound)
  }

  @Test("a damaged page at the end of a long value is damage, and the value comes back from the snapshot", arguments: [true, false])
  func overflow(hasSnapshot: Bool) throws {
    let world = try HealWorld("notes", archived: false, key: key)
    let store = try world.store()
    if hasSnapshot { try store.snapshot() }
    try store.close()
    let sound = try rows(world.url)
    let file = try DamagedFile(world.url, log: world.folder.file("none"), guess: 4_096, key)
    // The last page of a chain: its next page is 0, and no tree has it.
    let last = try #require(file.numbers.last { file.page($0)?.int(0, 4) == 0 && RawPage($0, of: file) == nil && !file.free.contains($0) })
    try Damage.overwrite(world.url, at: (last - 1) * 4_096 + 50, count: 8)
    let report = try world.heal()
    #expect(report.means == .rows, "\(report)")
    let found = try rows(world.url)
    #expect(hasSnapshot ? found == sound : found.allSatisfy { sound[$0.key] == $0.value })
  }

  @Test(
    "where nothing of the file can be read, the archive or a snapshot proves the key and heals",
    arguments: ["zeros", "noise", "size", "short"])
  func nothingLeft(_ damage: String) throws {
    for isArchived in [true, false] {
      let world = try HealWorld("notes", archived: isArchived, key: key)
      if !isArchived {
        let store = try world.store()
        try store.snapshot()
        try store.close()
      }
      let sound = try rows(world.url)
      var bytes = try Data(contentsOf: world.url)
      var random = SeededGenerator(seed: 3)
      switch damage {
      case "zeros": bytes = Data(count: bytes.count)
      case "noise": bytes = Data(bytes.map { _ in UInt8.random(in: 0...255, using: &random) })
      case "size": bytes[16] = 0x20
      default: bytes = bytes.prefix(100)
      }
      try bytes.write(to: world.url)
      var other = world.options
      other.key = .random()
      #expect(failure { try Store.heal(at: world.url, schemas: [world.schema], options: other) }?.code == .wrongKey)
      #expect(try world.heal().isHealed)
      #expect(try rows(world.url) == sound, "\(isArchived)")
    }
  }

  @Test("an archive that began with a damaged page does not keep the rows from being healed")
  func archivedDamage() throws {
    let world = try HealWorld("notes", archived: false, key: key)
    let store = try world.store()
    try store.snapshot()
    try store.close()
    let sound = try rows(world.url)
    try Damage.overwrite(world.url, at: 30 * 4_096, count: 500)
    var archived = world
    archived.options.archive.mode = .begins
    let again = try archived.store()
    _ = try again.archive()
    try again.close()
    #expect(try archived.heal().means == .rows)
    #expect(try rows(world.url) == sound)
  }

  @Test(
    "an open store with an archive is healed while it is open; without one it asks to be closed",
    arguments: [true, false], [UInt8(0), 0xA5])
  func open(isArchived: Bool, byte: UInt8) throws {
    let world = try HealWorld("notes", archived: isArchived, key: key)
    let sound = try rows(world.url)
    let store = try world.store()
    if isArchived { _ = try store.archive() } else { try store.snapshot() }
    try store.checkpoint(.truncate)
    try SalvageWorld.damageInPlace(world.url, with: byte)
    // A commit whose pages are only in the log.
    if isArchived { try store.write { tx in _ = try tx.execute("INSERT INTO tags VALUES ('of the log', 1)") } }
    if isArchived {
      let report = try store.heal()
      #expect(report.means == .pages && (report.pages ?? 0) > 0, "\(report)")
      #expect(try store.integrityCheck().isHealthy)
      #expect(try store.write { tx in try tx.execute("DELETE FROM tags WHERE name = 'of the log'") } == 1)
      try store.close()
      #expect(try Archive(of: world.url, options: world.options).history().filter { $0.kind == .gap } == [])
    } else {
      let error = failure { try store.heal() }
      #expect(error?.code == .damaged && error?.message.contains("not while it is open") == true, "\(String(describing: error))")
      try store.close()
      #expect(try world.heal().isHealed)
    }
    #expect(try rows(world.url) == sound)
  }
}
