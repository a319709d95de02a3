import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Salvage where pages, logs and keys are not what they seem")
struct MisplacedPagesTests {
  @Test("the log of another store of the same app is not read, and the report says so")
  func foreignLog() throws {
    let folder = try TemporaryFolder()
    let (file, other) = (folder.file("store.sqlite"), folder.file("other.sqlite"))
    var stores: [Store] = []
    for (url, seed) in [(file, UInt64(1)), (other, 2)] {
      let store = try Store.open(at: url, schemas: [SalvageWorld.shop], options: .testing)
      try SalvageWorld.fill(store, SalvageWorld.shop, scale: 1, seed: seed)
      try store.checkpoint(.truncate)
      stores.append(store)
    }
    try stores[0].close()
    let rows = try SalvageWorld.rows(file)
    try stores[1].write { tx in _ = try tx.execute("UPDATE customers SET name = 'other'") }
    try FileManager.default.copyItem(atPath: other.path + "-wal", toPath: file.path + "-wal")
    let new = folder.file("new.sqlite")
    let report = try Store.salvage(file, to: new, schemas: [SalvageWorld.shop], options: .testing)
    #expect(
      report.findings.count == 1 && report.findings.first?.hasSuffix("it is of another store, or of another time of this one") == true)
    #expect(report.pagesOfLog == 0 && report.setAside == nil)
    #expect(try SalvageWorld.rows(new) == rows)
  }

  @Test("a log of an earlier time that has no mark is not read")
  func olderLog() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("store.sqlite")
    var log = Data()
    for session in 0..<3 {
      let store = try folder.store([SalvageWorld.shop])
      if session == 1 {
        // A transaction without a row marks no log.
        try store.write { tx in _ = try tx.execute("CREATE TABLE extra (number INTEGER)") }
        log = try Data(contentsOf: URL(fileURLWithPath: file.path + "-wal"))
      } else {
        try store.write { tx in
          for number in 1...500 { try tx.execute("INSERT INTO labels VALUES (\(session * 500 + number), 'a label', 'a color')") }
        }
      }
      try store.close()
    }
    let rows = try SalvageWorld.rows(file)
    try log.write(to: URL(fileURLWithPath: file.path + "-wal"))
    let new = folder.file("new.sqlite")
    let report = try Store.salvage(file, to: new, schemas: [SalvageWorld.shop], options: .testing)
    #expect(report.findings.contains { $0.hasSuffix("does not belong to it, and is not read: it is older than the file") })
    #expect(report.pagesOfLog == 0)
    #expect(try SalvageWorld.rows(new) == rows)
  }

  @Test("without the first page, the schema's other pages are no rows of a table that they fit")
  func schemaPages() throws {
    let schema = StoreSchema(
      "entries",
      migrations: [
        Migration(
          "entries/001",
          sql: "CREATE TABLE entries (kind TEXT, name TEXT, topic TEXT, place INTEGER, text TEXT, more TEXT);"
            + (1...40).map { "CREATE TABLE other_\($0) (number INTEGER PRIMARY KEY, other_number INTEGER, third_number INTEGER);" }.joined()
        )
      ])
    let folder = try TemporaryFolder()
    let store = try folder.store([schema])
    try store.write { tx in for id in 1...90 { try tx.execute("INSERT INTO entries VALUES ('a', 'b', 'c', \(id), 'd', 'e')") } }
    try store.close()
    let file = folder.file("store.sqlite")
    try #require(RawPage(1, of: DamagedFile(file, log: folder.file("none"), guess: 4_096, nil))?.kind == .tableInterior)
    let rows = try SalvageWorld.rows(file)
    try Damage.overwrite(file, at: 0, count: 4_096)
    let new = folder.file("new.sqlite")
    let report = try Store.salvage(file, to: new, schemas: [schema], options: .testing)
    #expect(report.findings == [] && report.setAside == nil)
    #expect(try SalvageWorld.rows(new) == rows)
  }

  @Test("pages without a root are not taken for pages of a table that has lost none, however well they fit")
  func wholeTable() throws {
    let folder = try TemporaryFolder()
    // As the kit's list of migrations.
    let places = StoreSchema(
      "places", migrations: [Migration("places/001", sql: "CREATE TABLE places (day DATE NOT NULL, name, size BIGINT, code TEXT)")])
    let store = try folder.store([places])
    try store.write { tx in
      for number in 0..<300 { try tx.execute("INSERT INTO places VALUES ('2012-02-11', \("name \(number)"), \(number), 'code')") }
    }
    try store.close()
    let file = folder.file("store.sqlite")
    let (root, migrations) = try RawDatabase.with(file) {
      (try $0.rows("SELECT rootpage FROM sqlite_schema WHERE name = 'places'"), try $0.rows("SELECT * FROM holdfast_migrations"))
    }
    try Damage.overwritePage(file, try #require(Int(root[0][0])))
    let new = folder.file("new.sqlite")
    let report = try Store.salvage(file, to: new, schemas: [places], options: .testing)
    #expect(report.tables.first { $0.table == "places" }?.rows == 300 && report.setAside == nil, "\(report)")
    #expect(try RawDatabase.with(new) { try $0.rows("SELECT * FROM holdfast_migrations") } == migrations)
  }

  @Test("a page of a table that stands in the tree of an index leads to its rows all the same")
  func tableBelowIndex() throws {
    let folder = try TemporaryFolder()
    let store = try folder.store([SalvageWorld.notes])
    try SalvageWorld.fill(store, SalvageWorld.notes, scale: 1, seed: 1)
    try store.close()
    let file = folder.file("store.sqlite")
    let rows = try SalvageWorld.rows(file)
    let damaged = try DamagedFile(file, log: folder.file("none"), guess: 4_096, nil)
    let schema = SalvageSchema(damaged)
    let (table, index) = (try #require(schema.root("notes")), try #require(schema.root("notes_by_number")))
    let child = try #require(RawPage(index, of: damaged)?.children.first)
    try #require(RawPage(table, of: damaged)?.kind == .tableInterior)
    var bytes = [UInt8](try Data(contentsOf: file))
    for place in 0..<4_096 { bytes.swapAt((table - 1) * 4_096 + place, (child - 1) * 4_096 + place) }
    try Data(bytes).write(to: file)
    let new = folder.file("new.sqlite")
    let report = try Store.salvage(file, to: new, schemas: [SalvageWorld.notes], options: .testing)
    #expect(report.findings == [] && report.setAside == nil)
    #expect(try SalvageWorld.rows(new) == rows)
  }

  @Test("a log that claims billions of pages, a name with a zero and a real that is no number end nothing")
  func claims() throws {
    let folder = try TemporaryFolder()
    let store = try folder.store([SalvageWorld.shop])
    try SalvageWorld.fill(store, SalvageWorld.shop, scale: 1, seed: 1)
    try store.write { _ = try $0.execute("INSERT INTO orders (id, customer, total) VALUES ('no number', 1, 8192.25)") }
    try store.close()
    let file = folder.file("store.sqlite")
    var bytes = try Data(contentsOf: file)
    while let place = bytes.firstRange(of: Data("sqlite_autoindex_orders".utf8)) { bytes[place.lowerBound + 9] = 0 }
    // The total of an order: 8,192.25.
    let (real, nan) = (Data([0x40, 0xC0, 0x00, 0x20]), Data([0x7F, 0xF8, 0x00, 0x20]))
    // In the table and in its index.
    while let place = bytes.firstRange(of: real) { bytes.replaceSubrange(place, with: nan) }
    try bytes.write(to: file)
    func words(_ numbers: UInt32...) -> Data { Data(numbers.flatMap { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } }) }
    var sum: (UInt32, UInt32) = (0, 0)
    func add(_ part: Data) -> Data {
      for place in stride(from: part.startIndex, to: part.endIndex, by: 8) {
        func word(_ place: Int) -> UInt32 { part[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }
        sum.0 = sum.0 &+ word(place) &+ sum.1
        sum.1 = sum.1 &+ word(place + 4) &+ sum.0
      }
      return part
    }
    var log = add(words(0x377F_0683, 3_007_000, 4_096, 0, 1, 2))
    log += words(sum.0, sum.1)
    let (head, page) = (add(words(0x7FFF_FFFF, 0x7FFF_FFFF)), add(Data(count: 4_096)))
    log += head + words(1, 2, sum.0, sum.1) + page
    try log.write(to: folder.file("store.sqlite-wal"))
    let damaged = try DamagedFile(file, log: folder.file("store.sqlite-wal"), guess: 4_096, nil)
    #expect(damaged.pageCount == 0x7FFF_FFFF && damaged.numbers.count == bytes.count / 4_096 + 1)
    let report = try Store.salvage(file, to: folder.file("new.sqlite"), schemas: [SalvageWorld.shop], options: .testing)
    #expect(report.rows > 2_000)
    let read = try ConnectionFactory.plain(folder.file("new.sqlite").path).texts("SELECT typeof(total) FROM orders WHERE id = 'no number'")
    #expect(read == [["null"]])
  }

  @Test("pages of an index of a table without rowids are no rows of another such table that they fit")
  func indexWithoutRowids() throws {
    let schema = StoreSchema(
      "visits",
      migrations: [
        Migration(
          "visits/001",
          sql: """
            CREATE TABLE towns (name TEXT NOT NULL PRIMARY KEY, people INTEGER, height INTEGER) STRICT, WITHOUT ROWID;
            CREATE TABLE visits (year INTEGER NOT NULL, number INTEGER NOT NULL, town TEXT, PRIMARY KEY (year, number)) STRICT, WITHOUT ROWID;
            CREATE INDEX visits_by_town ON visits (town);
            """)
      ])
    let folder = try TemporaryFolder()
    let store = try folder.store([schema])
    try store.write { tx in
      try tx.execute("INSERT INTO towns VALUES ('Ulm', 130000, 478)")
      for number in 1...600 { try tx.execute("INSERT INTO visits VALUES (\(1_900 + number % 100), \(number), \("a town \(number)"))") }
    }
    try store.close()
    let file = folder.file("store.sqlite")
    let rows = try SalvageWorld.rows(file)
    let damaged = try DamagedFile(file, log: folder.file("none"), guess: 4_096, nil)
    let index = try #require(SalvageSchema(damaged).root("visits_by_town"))
    try #require(RawPage(index, of: damaged)?.kind == .indexInterior)
    try Damage.overwrite(file, at: (index - 1) * 4_096, count: 4_096)
    let new = folder.file("new.sqlite")
    let report = try Store.salvage(file, to: new, schemas: [schema], options: .testing)
    #expect(report.findings == [] && report.setAside == nil)
    #expect(try SalvageWorld.rows(new) == rows)
  }

  @Test("a page of another table that was written over one of a tree is a page of that other table, however loose the columns are")
  func rootOverRoot() throws {
    let schema = StoreSchema(
      "loose",
      migrations: [
        Migration(
          "loose/001",
          sql: """
            CREATE TABLE marks (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, c REAL, d TEXT);
            CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL, topic TEXT NOT NULL, mood TEXT);
            """)
      ])
    let folder = try TemporaryFolder()
    let store = try folder.store([schema])
    try store.write { tx in
      for id in 1...400 {
        try tx.execute("INSERT INTO marks VALUES (\(id), \(id * 7), \(id % 9), \(Double(id) / 8), 'a text')")
        try tx.execute("INSERT INTO notes VALUES (\(id + 1_000), \("title \(id)"), 'some words of a body', 'a topic', 'fine')")
      }
    }
    try store.close()
    let file = folder.file("store.sqlite")
    let damaged = try DamagedFile(file, log: folder.file("none"), guess: 4_096, nil)
    let (marks, notes) = (try #require(SalvageSchema(damaged).root("marks")), try #require(SalvageSchema(damaged).root("notes")))
    try #require(RawPage(notes, of: damaged)?.kind == .tableInterior)
    var bytes = [UInt8](try Data(contentsOf: file))
    bytes.replaceSubrange((marks - 1) * 4_096..<marks * 4_096, with: Array(bytes[(notes - 1) * 4_096..<notes * 4_096]))
    try Data(bytes).write(to: file)
    let new = folder.file("new.sqlite")
    let report = try Store.salvage(file, to: new, schemas: [schema], options: .testing)
    #expect(report.findings == [] && report.setAside == nil)
    let counts = "SELECT (SELECT count(*) FROM marks WHERE d = 'a text'), (SELECT count(*) FROM marks), (SELECT count(*) FROM notes)"
    #expect(try ConnectionFactory.plain(new.path).texts(counts) == [["400", "400", "400"]])
  }

  @Test("rows from before a column was added come back, and get its default", arguments: ["", "WITHOUT ROWID"])
  func addedColumn(_ kind: String) throws {
    let first = Migration("people/001", sql: "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL) \(kind)")
    let second = Migration("people/002", sql: "ALTER TABLE people ADD COLUMN points INTEGER NOT NULL DEFAULT 7")
    let folder = try TemporaryFolder()
    let old = try folder.store([StoreSchema("people", migrations: [first])])
    try old.write { tx in for id in 1...50 { try tx.execute("INSERT INTO people VALUES (\(id), 'a name')") } }
    try old.close()
    let schema = StoreSchema("people", migrations: [first, second])
    let store = try folder.store([schema])
    try store.write { tx in try tx.execute("INSERT INTO people VALUES (51, 'a name', 9)") }
    try store.close()
    let new = folder.file("new.sqlite")
    let report = try Store.salvage(folder.file("store.sqlite"), to: new, schemas: [schema], options: .testing)
    #expect(report.findings == [] && report.setAside == nil)
    #expect(try ConnectionFactory.plain(new.path).texts("SELECT count(*), sum(points) FROM people") == [["51", "359"]])
  }

  @Test("a key INTEGER PRIMARY KEY DESC keeps its numbers: it is not the rowid")
  func descendingKey() throws {
    let ledger = StoreSchema(
      "ledger", migrations: [Migration("ledger/001", sql: "CREATE TABLE ledger (id INTEGER PRIMARY KEY DESC, note TEXT)")])
    let folder = try TemporaryFolder()
    let store = try folder.store([ledger])
    try store.write { tx in for id in 1...50 { try tx.execute("INSERT INTO ledger VALUES (\(id * 7), 'a note')") } }
    try store.close()
    let new = folder.file("new.sqlite")
    let report = try Store.salvage(folder.file("store.sqlite"), to: new, schemas: [ledger], options: .testing)
    #expect(report.findings == [] && report.setAside == nil)
    #expect(try ConnectionFactory.plain(new.path).texts("SELECT count(*), sum(id) FROM ledger") == [["50", "8925"]])
  }
}
