import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Salvage of damaged files", .timeLimit(.minutes(60)))
struct SalvageTests {
  /// How many rows may be wrong: bytes that change without breaking a row's form cannot be told.
  private static func mayBeWrong(_ damage: SalvageWorld.Damage) -> Int {
    switch damage {
    case .flippedBits: 10
    case .randomSectors: 6
    case .misdirected: 2
    default: 0
    }
  }

  @Test(
    "every row whose pages are whole comes back or is set aside, and no row that never was; without the beginning of the file, all rows",
    arguments: SalvageWorld.schemas.map(\.name), SalvageWorld.Damage.allCases)
  func classes(_ name: String, _ damage: SalvageWorld.Damage) throws {
    let world = try HealWorld(name, archived: false)
    let (sound, folder) = (world.url, world.folder)
    let rows = try SalvageWorld.rows(sound)
    let all = rows.values.reduce(0, +)
    for seed in damage.seeds(2) {
      let (file, new) = (folder.file("\(seed).sqlite"), folder.file("\(seed)-new.sqlite"))
      try FileManager.default.copyItem(at: sound, to: file)
      try SalvageWorld.damage(file, damage, seed: seed)
      let before = try Data(contentsOf: file)
      let report = try Store.salvage(file, to: new, schemas: [world.schema], options: .testing)
      #expect(try Data(contentsOf: file) == before, "the damaged file is as it was")
      #expect(report.findings == [], "seed \(seed)")
      let found = try SalvageWorld.rows(new)
      let right = found.reduce(0) { $0 + min($1.value, rows[$1.key] ?? 0) }
      let wrong = found.reduce(0) { $0 + max(0, $1.value - (rows[$1.key] ?? 0)) }
      let setAside = report.tables.reduce(0) { $0 + $1.setAside }
      let lost = try SalvageWorld.lost(sound, file)
      #expect(wrong <= Self.mayBeWrong(damage), "seed \(seed)")
      #expect(right + setAside >= all - lost.rows - lost.pages, "seed \(seed): \(right) right, \(setAside) set aside of \(all)")
      if damage == .noFirstPage || damage == .randomHeader { #expect(right == all, "seed \(seed)") }
      for path in [file, new] + [report.setAside].compactMap({ $0 }) { try? FileManager.default.removeItem(at: path) }
    }
  }

  @Test("the commits in the log come along, and the store goes on with its history of migrations")
  func log() throws {
    let world = try HealWorld("notes", archived: false)
    let store = try world.store()
    try store.write { tx in _ = try tx.execute("UPDATE notes SET title = 'new' WHERE rowid = 3") }
    let copy = world.folder.file("copy.sqlite")
    try world.url.copyStore(to: copy)
    let report = try Store.salvage(copy, to: world.new, schemas: [world.schema], options: .testing)
    #expect(report.findings == [] && report.setAside == nil && report.pagesOfLog > 0 && report.origin == .file)
    let new = try Store.open(at: world.new, schemas: [world.schema], options: .testing)
    #expect(try new.read { try $0.value("SELECT title FROM notes WHERE rowid = 3") { try $0.text() } } == "new")
    #expect(try new.read { try $0.count("SELECT count(*) FROM notes_search WHERE notes_search MATCH 'new'") } == 1)
  }

  @Test("a row that points at a row that is gone is set aside with its columns")
  func orphans() throws {
    let world = try HealWorld("shop", archived: false)
    try world.foreign("DELETE FROM customers WHERE id = 5")
    let report = try Store.salvage(world.url, to: world.new, options: .testing)
    let lines = try String(contentsOf: #require(report.setAside), encoding: .utf8).split(separator: "\n")
    #expect(lines.count == 3 && lines.allSatisfy { $0.contains("\"table\":\"orders\"") && $0.contains("\"customer\":5") })
    #expect(report.tables.first { $0.table == "orders" }.map { [$0.setAside, $0.rows] } == [3, 1_497])
  }

  @Test("a salvage that ends with an error leaves no rows that it set aside")
  func failing() throws {
    let folder = try TemporaryFolder()
    let (file, new) = (folder.file("file.sqlite"), folder.file("new.sqlite"))
    try RawDatabase.with(file, creating: true) { database in
      try database.execute("CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a REFERENCES a); INSERT INTO b VALUES (7)")
    }
    let failure = #expect(throws: StoreError.self) {
      // Another program makes a file of this name meanwhile.
      try Store.salvage(file, to: new, [], .testing) { try Data("theirs".utf8).write(to: new) }
    }
    #expect(failure?.code == .busy)
    #expect(try Data(contentsOf: new) == Data("theirs".utf8))
    #expect(try folder.contents().filter { $0.contains("set-aside") } == [])
  }

  @Test("a row that points at a unique key with more columns than the primary one is set aside, too, when its parent is gone")
  func orphansOfUniqueKeys() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("file.sqlite")
    try RawDatabase.with(file, creating: true) { database in
      try database.execute(
        """
        CREATE TABLE places (id INTEGER PRIMARY KEY, land TEXT, town TEXT, UNIQUE (land, town));
        CREATE TABLE visits (day INTEGER, land TEXT, town TEXT, FOREIGN KEY (land, town) REFERENCES places (land, town));
        INSERT INTO places VALUES (1, 'de', 'Bonn'); INSERT INTO visits VALUES (1, 'de', 'Bonn'), (2, 'de', 'Ulm'), (3, NULL, 'Ulm')
        """)
    }
    let report = try Store.salvage(file, to: folder.file("new.sqlite"), options: .testing)
    #expect(report.tables.first { $0.table == "visits" }.map { [$0.rows, $0.setAside] } == [2, 1])
  }

  @Test(
    "where the file tells a table in other words of the same length, or names it otherwise, the schemas are believed",
    arguments: [
      ("notes(rowid) ON DELETE", "notes(rouid) ON DELETE"), ("tablenote_tagsnote_tags", "tabmenote_tagsnote_tags"),
      ("tablenotesnotes", "tablenoteqnotes"), ("CREATE TABLE notes", "CREATE TABLE nodes"), ("title TEXT NOT NULL", "title TEXT NOP NULL"),
    ])
  func schemaDamaged(_ old: String, _ new: String) throws {
    let world = try HealWorld("notes", archived: false)
    let rows = try SalvageWorld.rows(world.url)
    var bytes = try Data(contentsOf: world.url)
    // A page may still hold an older copy of the text.
    try #require(bytes.firstRange(of: Data(old.utf8)) != nil)
    while let place = bytes.firstRange(of: Data(old.utf8)) { bytes.replaceSubrange(place, with: Data(new.utf8)) }
    try bytes.write(to: world.url)
    let report = try Store.salvage(world.url, to: world.new, schemas: [world.schema], options: .testing)
    #expect(report.findings == [] && report.setAside == nil && report.origin == .fileAndSchemas)
    #expect(try SalvageWorld.rows(world.new) == rows)
  }

  @Test("whatever stands in the file and its log, the salvage ends with a report or an error, and the file stays")
  func anyBytes() throws {
    let folder = try TemporaryFolder()
    let store = try folder.store([SalvageWorld.shop])
    try SalvageWorld.fill(store, SalvageWorld.shop, scale: 1, seed: 1)
    let (sound, log) = (try Data(contentsOf: folder.file("store.sqlite")), try Data(contentsOf: folder.file("store.sqlite-wal")))
    for seed in 0..<UInt64(ProofRun.isLong ? 2_000 : 10) {
      var random = SeededGenerator(seed: seed)
      func mutated(_ content: Data) -> Data {
        var bytes = [UInt8](content.prefix(Int.random(in: 0...content.count, using: &random)))
        for _ in 0..<Int.random(in: 0...2_000, using: &random) where !bytes.isEmpty {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = [0, 1, 2, 5, 10, 13, 127, 128, 255].randomElement(using: &random) ?? 0
        }
        return Data(bytes)
      }
      let (file, new) = (folder.file("\(seed)"), folder.file("\(seed)-new"))
      let (damaged, damagedLog) = (mutated(sound), Bool.random(using: &random) ? mutated(log) : log)
      try damaged.write(to: file)
      try damagedLog.write(to: folder.file("\(seed)-wal"))
      do {
        _ = try Store.salvage(file, to: new, schemas: seed.isMultiple(of: 2) ? [] : [SalvageWorld.shop], options: .testing)
      } catch let error as StoreError {
        #expect(error.code == .notADatabase, "seed \(seed): \(error)")
        #expect(!FileManager.default.fileExists(atPath: new.path))
      }
      #expect(try Data(contentsOf: file) == damaged && Data(contentsOf: folder.file("\(seed)-wal")) == damagedLog, "seed \(seed)")
    }
  }

  @Test("what is no database, what is there already and a key are refused, and no file is left")
  func refused() throws {
    let folder = try TemporaryFolder()
    let (file, new) = (folder.file("text.sqlite"), folder.file("new.sqlite"))
    try Data(repeating: 65, count: 20_000).write(to: file)
    #expect(failure { try Store.salvage(file, to: new) }?.code == .notADatabase)
    #expect(failure { try Store.salvage(file, to: new, schemas: [SalvageWorld.notes]) }?.code == .notADatabase)
    #expect(failure { try Store.salvage(folder.file("none"), to: new) }?.code == .notFound)
    #expect(failure { try Store.salvage(file, to: file) }?.code == .cannotCreate)
    #expect(try folder.contents() == ["text.sqlite"])
  }
}
