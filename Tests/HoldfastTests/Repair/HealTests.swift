import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Healing of damaged stores", .timeLimit(.minutes(60)))
struct HealTests {
  @Test(
    "with the archive, every row comes back from every damage, and the archive goes on without a gap",
    arguments: SalvageWorld.schemas.map(\.name), SalvageWorld.Damage.allCases)
  func archived(_ name: String, _ damage: SalvageWorld.Damage) throws {
    let world = try HealWorld(name, archived: true)
    let sound = try Data(contentsOf: world.url)
    var healed = 0
    for seed in damage.seeds(2) {
      try sound.write(to: world.url)
      try SalvageWorld.damage(world.url, damage, seed: seed)
      guard try Data(contentsOf: world.url) != sound else { continue }
      // A flip may hide from every check, and so may what falls into the free room of a page.
      let report = try world.heal(trustsArchive: [.flippedBits, .randomSectors].contains(damage))
      #expect(report.means == .pages && (report.pages ?? 0) > 0, "seed \(seed): \(report)")
      #expect(try Data(contentsOf: world.url) == sound, "seed \(seed)")
      try #expect(FileManager.default.fileExists(atPath: #require(report.kept).appendingPathComponent("store.sqlite").path))
      healed += 1
    }
    #expect(healed > 0)
    try world.store().close()
    #expect(try Archive(of: world.url).history().filter { $0.kind == .gap } == [])
  }

  @Test(
    "with a snapshot, 99 of 100 rows come back where at most a tenth of the pages is damaged",
    arguments: SalvageWorld.schemas.map(\.name), SalvageWorld.Damage.allCases)
  func snapshot(_ name: String, _ damage: SalvageWorld.Damage) throws {
    let world = try HealWorld(name, archived: false)
    let store = try world.store()
    try store.snapshot()
    try world.change(store)
    try store.close()
    let (sound, rows) = (try Data(contentsOf: world.url), try SalvageWorld.rows(world.url))
    let all = rows.values.reduce(0, +)
    for seed in damage.seeds(2) {
      try sound.write(to: world.url)
      try SalvageWorld.damage(world.url, damage, seed: seed)
      let report = try world.heal()
      guard report.means != .none else { continue }
      let found = try SalvageWorld.rows(world.url)
      let right = found.reduce(0) { $0 + min($1.value, rows[$1.key] ?? 0) }
      #expect(right * 100 >= all * (damage == .truncated ? 95 : 99), "seed \(seed): \(right) of \(all), \(report)")
      try world.store().close()
    }
  }

  @Test("a sound store, with or without its log, stays as it is")
  func sound() throws {
    for isArchived in [false, true] {
      let world = try HealWorld("notes", archived: isArchived)
      let sound = try Data(contentsOf: world.url)
      let report = try world.heal()
      #expect(report.means == .none && report.isHealed && report.notes == [] && report.pages == (isArchived ? 0 : nil))
      #expect(try Data(contentsOf: world.url) == sound)
    }
  }

  @Test("while the store is open, a healing is refused")
  func open() throws {
    let world = try HealWorld("notes", archived: false)
    let store = try world.store()
    #expect(failure { try world.heal() }?.code == .busy)
    try store.close()
  }

  @Test("changes of a program that does not archive are kept, unless the archive is trusted")
  func foreign() throws {
    let world = try HealWorld("notes", archived: true)
    let sound = try Data(contentsOf: world.url)
    try world.foreign("UPDATE notes SET title = 'theirs' WHERE rowid = 3", "PRAGMA wal_checkpoint(TRUNCATE)")
    let changed = try SalvageWorld.rows(world.url)
    let report = try world.heal()
    #expect(report.means == .none && (report.pages ?? 0) > 0 && report.mayBeLost.count == 1, "\(report)")
    #expect(try SalvageWorld.rows(world.url) == changed)
    let trusting = try world.heal(trustsArchive: true)
    #expect(trusting.means == .pages, "\(trusting)")
    #expect(try Data(contentsOf: world.url) == sound)
  }

  @Test("a store of which an app without the archive wrote more keeps that: the archive only fills lost pages")
  func later() throws {
    let world = try HealWorld("shop", archived: true)
    var options = world.options
    options.archive.mode = .off
    let plain = try Store.open(at: world.url, schemas: [world.schema], options: options)
    try plain.write { tx in _ = try tx.execute("INSERT INTO labels VALUES (9999, 'later', NULL)") }
    try plain.close()
    try SalvageWorld.damage(world.url, .manyZeroedPages, seed: 1)
    let report = try world.heal()
    #expect(report.means == .rows && report.source?.hasPrefix("commit ") == true, "\(report)")
    #expect(try SalvageWorld.rows(world.url).keys.contains { $0.contains("'later'") })
  }

  @Test("a damaged store that was opened, so that its archive followed it, gets the pages of before, and keeps what was written since")
  func afterGap() throws {
    let world = try HealWorld("shop", archived: true)
    let rows = try SalvageWorld.rows(world.url)
    try SalvageWorld.damageInPlace(world.url, fromPage: 60)
    let store = try world.store()
    try store.write { tx in _ = try tx.execute("INSERT INTO labels VALUES (9999, 'later', NULL)") }
    _ = try store.archive()
    try store.close()
    #expect(try Archive(of: world.url).history().filter { $0.kind == .gap }.count == 1)
    let report = try world.heal()
    #expect(report.means == .pages && report.mayBeLost.count == 1, "\(report)")
    var healed = try SalvageWorld.rows(world.url)
    let later = try #require(healed.keys.first { $0.contains("'later'") })
    healed[later] = nil
    #expect(healed == rows)
  }

  @Test("the commits of a log that the archive lacks come along, and those of a lost log come from the archive")
  func logs() throws {
    let world = try HealWorld("notes", archived: true)
    let store = try world.store()
    try store.write { tx in _ = try tx.execute("UPDATE notes SET title = 'in the log' WHERE rowid = 3") }
    _ = try store.archive()
    let copy = world.folder.file("crashed.sqlite")
    try world.url.copyStore(to: copy)
    try store.close()
    // As after a kill.
    for isLogLost in [false, true] {
      try world.put(copy, withLog: !isLogLost)
      if !isLogLost { try SalvageWorld.damage(world.url, .manyZeroedPages, seed: 3) }
      let report = try world.heal()
      #expect(report.means == .pages, "\(isLogLost): \(report)")
      let healed = try world.store()
      #expect(try healed.read { try $0.value("SELECT title FROM notes WHERE rowid = 3") { try $0.text() } } == "in the log")
      try healed.close()
    }
  }

  @Test("a commit that a killed program had not archived yet is in the healed store, and the report tells it")
  func logBehind() throws {
    let world = try HealWorld("notes", archived: true)
    let store = try world.store()
    _ = try store.archive()
    try world.crash(store, after: ["only in the log"])
    try SalvageWorld.damage(world.url, .manyZeroedPages, seed: 3)
    let report = try world.heal()
    #expect(report.means == .pages && report.source?.contains("with 1 commit of the log") == true, "\(report)")
    let healed = try world.store()
    #expect(try healed.read { try $0.value("SELECT title FROM notes WHERE rowid = 3") { try $0.text() } } == "only in the log")
    try healed.close()
  }

  @Test("where only indexes are damaged they are made again; where an index names rows that its table has lost, rows are salvaged")
  func indexes() throws {
    for (change, means) in [
      ("UPDATE orders SET customer = 1 WHERE customer = 2", HealReport.Means.indexes), ("DELETE FROM orders WHERE customer = 2", .rows),
    ] {
      let world = try HealWorld("shop", archived: false)
      try world.foreign(change, without: "orders_by_customer")
      let rows = try SalvageWorld.rows(world.url)
      let report = try world.heal()
      #expect(report.means == means && report.kept != nil, "\(report)")
      #expect(try SalvageWorld.rows(world.url) == rows)
      #expect(try Store.check(at: world.url, schemas: [world.schema]).isHealthy)
    }
  }

  @Test("the pages of another store's log are not healed into the store")
  func foreignLog() throws {
    let (world, other) = (try HealWorld("shop", archived: false), try HealWorld("shop", archived: false, isAnother: true))
    try world.foreign("UPDATE orders SET customer = 1 WHERE customer = 2", without: "orders_by_customer")
    let rows = try SalvageWorld.rows(world.url)
    let store = try other.store()
    try store.write { tx in _ = try tx.execute("UPDATE orders SET note = 'of the other store'") }
    try world.foreign("PRAGMA wal_checkpoint(TRUNCATE)")
    try Data(contentsOf: URL(fileURLWithPath: other.url.path + "-wal")).write(to: URL(fileURLWithPath: world.url.path + "-wal"))
    let report = try world.heal()
    #expect(report.means == .indexes && report.notes.contains { $0.contains("of another store") }, "\(report)")
    #expect(try SalvageWorld.rows(world.url) == rows)
    try store.close()
  }

  @Test("a file that is gone or empty comes back from the archive, or from a snapshot; without both that is an error")
  func gone() throws {
    for (isArchived, isEmpty) in [(true, true), (true, false), (false, true), (false, false)] {
      let world = try HealWorld("shop", archived: isArchived)
      if !isArchived {
        let store = try world.store()
        try store.snapshot()
        try store.close()
      }
      let rows = try SalvageWorld.rows(world.url)
      try FileManager.default.removeItem(at: world.url)
      if isEmpty { try Data().write(to: world.url) }
      let report = try world.heal()
      #expect(report.means == (isArchived ? .pages : .copy), "\(report)")
      #expect(try SalvageWorld.rows(world.url) == rows)
      // A snapshot is there for the next time.
      for snapshot in try Snapshot.all(of: world.url) { _ = try Snapshot.verify(snapshot.id, of: world.url, options: world.options) }
    }
    let world = try HealWorld("shop", archived: false)
    try Data(repeating: 65, count: 9_000).write(to: world.url)
    #expect(failure { try world.heal() }?.code == .damaged)
    #expect(try Data(contentsOf: world.url) == Data(repeating: 65, count: 9_000))
  }

  @Test("an open store is healed in place: reads see the healed rows, live updates come, and the archive goes on")
  func whileOpen() async throws {
    for isArchived in [true, false] {
      let world = try HealWorld("shop", archived: isArchived)
      let rows = try SalvageWorld.rows(world.url)
      let store = try world.store()
      if !isArchived { _ = try await store.snapshot() }
      try await store.write { tx in _ = try tx.execute("UPDATE labels SET name = 'now' WHERE id = 3") }
      _ = try await store.checkpoint(.truncate)
      if isArchived { _ = try store.archive() }
      try SalvageWorld.damageInPlace(world.url)
      let report = try await store.heal()
      #expect(report.means == (isArchived ? .pages : .rows), "\(report)")
      try #expect(FileManager.default.fileExists(atPath: #require(report.kept).appendingPathComponent("store.sqlite").path))
      #expect(try await store.integrityCheck().isHealthy)
      #expect(try await store.read { try $0.value("SELECT name FROM labels WHERE id = 3") { try $0.text() } } == "now")
      try store.close()
      let found = try SalvageWorld.rows(world.url)
      #expect(found.filter { rows[$0.key] == nil }.count == 1 && found.count == rows.count)
      if isArchived { #expect(try await Archive(of: world.url).history().filter { $0.kind == .gap } == []) }
    }
  }

  @Test("a store that has changed since its content was made is not replaced")
  func changedMeanwhile() throws {
    let world = try HealWorld("notes", archived: false)
    let (files, content) = (try StoreFiles(world.url), world.folder.file("content.sqlite"))
    try FileManager.default.copyItem(at: world.url, to: content)
    let way = WayBack(files: files, options: world.options, reason: "a test", file: content, since: StoreFiles.State(files))
    let store = try world.store()
    try world.change(store)
    try store.close()
    let changed = try Data(contentsOf: world.url)
    #expect(failure { try Replacement.run(way) }?.code == .busy)
    #expect(try Data(contentsOf: world.url) == changed)
  }

  @Test("a plan tells what a healing does, and changes nothing")
  func plan() throws {
    let world = try HealWorld("unseen", archived: true)
    try SalvageWorld.damage(world.url, .noFirstPage, seed: 1)
    let damaged = try Data(contentsOf: world.url)
    let plan = try Store.healPlan(at: world.url, schemas: [world.schema], options: world.options)
    #expect(plan.means == .pages && plan.kept == nil)
    #expect(try Data(contentsOf: world.url) == damaged)
    let contents = try world.folder.contents()
    #expect(contents.allSatisfy { !$0.contains("healing") && !$0.contains("quarantine") }, "\(contents)")
  }
}

/// A closed store with rows, which a test damages.
struct HealWorld {
  let folder: TemporaryFolder
  let schema: StoreSchema
  var options: StoreOptions
  let url: URL
  /// Where a salvage puts what it finds.
  var new: URL { folder.file("new.sqlite") }

  /// Made once, without a key.
  private static let plain: Result<[String: KeptFiles], any Error> = Result { try HealWorld.made(archived: false) }
  private static let archived: Result<[String: KeptFiles], any Error> = Result { try HealWorld.made(archived: true) }

  private static func made(archived: Bool) throws -> [String: KeptFiles] {
    var made: [String: KeptFiles] = [:]
    for schema in SalvageWorld.schemas {
      let world = try HealWorld(schema.name, archived: archived, isAnother: true)
      made[schema.name] = try KeptFiles(of: world.folder)
    }
    return made
  }

  /// - Parameter isAnother: a store of its own. Without that, and without a key, the worlds of one name are copies of one store.
  init(_ name: String, archived: Bool, key: StoreKey? = nil, isAnother: Bool = false) throws {
    folder = try TemporaryFolder()
    schema = try #require(SalvageWorld.schemas.first { $0.name == name })
    url = folder.file("store.sqlite")
    var options = StoreOptions.testing
    options.key = key
    if archived { options.archive.mode = .begins }
    self.options = options
    guard key != nil || isAnother else {
      let made = try (archived ? Self.archived : Self.plain).get()
      try #require(made[name]).write(to: folder)
      return
    }
    let store = try store()
    try SalvageWorld.fill(store, schema, scale: ProofRun.isLong ? 10 : 1, seed: 7)
    if archived { _ = try store.archive() }
    try store.close()
  }

  func store() throws -> Store { try Store.open(at: url, schemas: [schema], options: options) }

  func heal(trustsArchive: Bool = false) throws -> HealReport {
    try Store.heal(at: url, schemas: [schema], options: options, trustsArchive: trustsArchive)
  }

  /// Runs SQL as another program.
  func foreign(_ sql: String...) throws {
    let connection = try ConnectionFactory.plain(url.path, writable: true)
    for sql in sql { try connection.run(sql) }
  }

  /// The same, and the index does not notice.
  func foreign(_ sql: String, without index: String) throws {
    let line = "FROM sqlite_schema WHERE name = '\(index)'"
    try foreign("PRAGMA writable_schema = ON", "CREATE TABLE kept AS SELECT * \(line)", "DELETE \(line)")
    try foreign(sql)
    try foreign("PRAGMA writable_schema = ON", "INSERT INTO sqlite_schema SELECT * FROM kept", "DROP TABLE kept")
  }

  /// Overwrites leaves of tables, from the last one on. Returns how many.
  ///
  /// - Parameter before: only pages that are the same in these bytes. Nil: any.
  func damageLeaves(sameAs before: Data? = nil, count: Int) throws -> Int {
    let now = try Data(contentsOf: url)
    let before = before ?? now
    var leaves: [Int] = []
    for start in stride(from: 4_096, to: min(now.count, before.count), by: 4_096) {
      let page: Range<Int> = start..<start + 4_096
      if now[start] == 13, now[page] == before[page] { leaves.append(start) }
    }
    let chosen = leaves.suffix(count)
    for start in chosen { try Damage.overwrite(url, at: start, count: 4_096) }
    return chosen.count
  }

  /// As a day changes a store: a twentieth of the rows.
  func change(_ store: Store) throws {
    try store.write { tx in
      switch schema.name {
      case "notes": _ = try tx.execute("UPDATE notes SET title = title || ' later' WHERE rowid % 20 = 0")
      case "shop": _ = try tx.execute("UPDATE customers SET points = 8 WHERE id % 20 = 0")
      default: _ = try tx.execute("UPDATE samples SET x = 2 WHERE at % 20 = 0")
      }
    }
  }

  /// Sets the title of a note in a commit each, and leaves the open store as a kill does.
  ///
  /// - Parameter archives: whether the archive gets the commits.
  func crash(_ store: Store, after titles: [String], archives: Bool = false) throws {
    let (archive, left) = (folder.file("store.sqlite.holdfast/archive"), folder.file("left"))
    if !archives { try FileManager.default.copyItem(at: archive, to: left) }
    for title in titles { try store.write { tx in _ = try tx.execute("UPDATE notes SET title = \(title) WHERE rowid = 3") } }
    if archives {
      _ = try store.archive()
      try FileManager.default.copyItem(at: archive, to: left)
    }
    let copy = folder.file("crashed.sqlite")
    try url.copyStore(to: copy)
    try store.close()
    try put(copy, withLog: true)
    try FileManager.default.removeItem(at: archive)
    try FileManager.default.moveItem(at: left, to: archive)
  }

  /// Puts a copy of the store, with its log, in the place of the store.
  func put(_ copy: URL, withLog: Bool) throws {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: url.path + suffix)
      guard suffix == "" || suffix == "-wal" && withLog else { continue }
      try FileManager.default.copyItem(atPath: copy.path + suffix, toPath: url.path + suffix)
    }
  }
}
