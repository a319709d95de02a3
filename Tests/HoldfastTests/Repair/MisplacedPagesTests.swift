import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Salvage where pages, logs and keys are not what they seem")
struct MisplacedPagesTests {
  let folder: TemporaryFolder
  private var file: URL { folder.file("store.sqlite") }
  private var new: URL { folder.file("new.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  /// Makes a store with rows, and closes it.
  private func make(_ schema: StoreSchema, _ rows: (Writer) throws -> Void) throws {
    let store = try folder.store([schema])
    try store.write { tx in try rows(tx) }
    try store.close()
  }

  private func salvaged(_ schema: StoreSchema) throws -> SalvageReport {
    try Store.salvage(file, to: new, schemas: [schema], options: .testing)
  }

  /// Salvages, and expects each of these rows, and nothing set aside.
  private func salvagesAll(_ rows: [String: Int], _ schema: StoreSchema, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let report = try salvaged(schema)
    #expect(report.findings == [] && report.setAside == nil, sourceLocation: sourceLocation)
    #expect(try SalvageWorld.rows(new) == rows, sourceLocation: sourceLocation)
  }

  private func damaged() throws -> DamagedFile { try DamagedFile(file, log: folder.file("none"), guess: 4_096, nil) }

  @Test("the log of another store of the same app is not read, and the report says so")
  func foreignLog() throws {
    let other = folder.file("other.sqlite")
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
    let report = try salvaged(SalvageWorld.shop)
    #expect(
      report.findings.count == 1 && report.findings.first?.hasSuffix("it is of another store, or of another time of this one") == true)
    #expect(report.pagesOfLog == 0 && report.setAside == nil)
    #expect(try SalvageWorld.rows(new) == rows)
  }

  @Test("a log of an earlier time that has no mark is not read")
  func olderLog() throws {
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
    let report = try salvaged(SalvageWorld.shop)
    #expect(report.findings.contains { $0.hasSuffix("does not belong to it, and is not read: it is older than the file") })
    #expect(report.pagesOfLog == 0)
    #expect(try SalvageWorld.rows(new) == rows)
  }

  @Test("without the first page, the schema's other pages are no rows of a table that they fit")
  func schemaPages() throws {
    let others = (1...40).map { "CREATE TABLE other_\($0) (number INTEGER PRIMARY KEY, other_number INTEGER, third_number INTEGER);" }
    let schema = StoreSchema(
      "entries", sql: "CREATE TABLE entries (kind TEXT, name TEXT, topic TEXT, place INTEGER, text TEXT, more TEXT);" + others.joined())
    try make(schema) { tx in for id in 1...90 { try tx.execute("INSERT INTO entries VALUES ('a', 'b', 'c', \(id), 'd', 'e')") } }
    try #require(RawPage(1, of: damaged())?.kind == .tableInterior)
    let rows = try SalvageWorld.rows(file)
    try Damage.overwritePage(file, 1)
    try salvagesAll(rows, schema)
  }

  @Test("pages without a root are not taken for pages of a table that has lost none, however well they fit")
  func wholeTable() throws {
    // As the kit's list of migrations.
    let places = StoreSchema("places", sql: "CREATE TABLE places (day DATE NOT NULL, name, size BIGINT, code TEXT)")
    try make(places) { tx in
      for number in 0..<300 { try tx.execute("INSERT INTO places VALUES ('2012-02-11', \("name \(number)"), \(number), 'code')") }
    }
    let (root, migrations) = try RawDatabase.with(file) {
      (try $0.rows("SELECT rootpage FROM sqlite_schema WHERE name = 'places'"), try $0.rows("SELECT * FROM holdfast_migrations"))
    }
    try Damage.overwritePage(file, try #require(Int(root[0][0])))
    let report = try salvaged(places)
    #expect(report.tables.first { $0.table == "places" }?.rows == 300 && report.setAside == nil, "\(report)")
    #expect(try RawDatabase.with(new) { try $0.rows("SELECT * FROM holdfast_migrations") } == migrations)
  }

  @Test("a page of a table that stands in the tree of an index leads to its rows all the same")
  func tableBelowIndex() throws {
    let store = try folder.store([SalvageWorld.notes])
    try SalvageWorld.fill(store, SalvageWorld.notes, scale: 1, seed: 1)
    try store.close()
    let rows = try SalvageWorld.rows(file)
    let damaged = try damaged()
    let schema = SalvageSchema(damaged)
    let (table, index) = (try #require(schema.root("notes")), try #require(schema.root("notes_by_number")))
    let child = try #require(RawPage(index, of: damaged)?.children.first)
    try #require(RawPage(table, of: damaged)?.kind == .tableInterior)
    var bytes = [UInt8](try Data(contentsOf: file))
    for place in 0..<4_096 { bytes.swapAt((table - 1) * 4_096 + place, (child - 1) * 4_096 + place) }
    try Data(bytes).write(to: file)
    try salvagesAll(rows, SalvageWorld.notes)
  }

  @Test("a log that claims billions of pages, a name with a zero and a real that is no number end nothing")
  func claims() throws {
    let store = try folder.store([SalvageWorld.shop])
    try SalvageWorld.fill(store, SalvageWorld.shop, scale: 1, seed: 1)
    try store.write { _ = try $0.execute("INSERT INTO orders (id, customer, total) VALUES ('no number', 1, 8192.25)") }
    try store.close()
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
    #expect(try salvaged(SalvageWorld.shop).rows > 2_000)
    #expect(try ConnectionFactory.plain(new.path).texts("SELECT typeof(total) FROM orders WHERE id = 'no number'") == [["null"]])
  }

  @Test("pages of an index of a table without rowids are no rows of another such table that they fit")
  func indexWithoutRowids() throws {
    let schema = StoreSchema(
      "visits",
      sql: """
        CREATE TABLE towns (name TEXT NOT NULL PRIMARY KEY, people INTEGER, height INTEGER) STRICT, WITHOUT ROWID;
        CREATE TABLE visits (year INTEGER NOT NULL, number INTEGER NOT NULL, town TEXT, PRIMARY KEY (year, number)) STRICT, WITHOUT ROWID;
        CREATE INDEX visits_by_town ON visits (town);
        """)
    try make(schema) { tx in
      try tx.execute("INSERT INTO towns VALUES ('Ulm', 130000, 478)")
      for number in 1...600 { try tx.execute("INSERT INTO visits VALUES (\(1_900 + number % 100), \(number), \("a town \(number)"))") }
    }
    let rows = try SalvageWorld.rows(file)
    let damaged = try damaged()
    let index = try #require(SalvageSchema(damaged).root("visits_by_town"))
    try #require(RawPage(index, of: damaged)?.kind == .indexInterior)
    try Damage.overwritePage(file, index)
    try salvagesAll(rows, schema)
  }

  @Test("a page of another table that was written over one of a tree is a page of that other table, however loose the columns are")
  func rootOverRoot() throws {
    let schema = StoreSchema(
      "loose",
      sql: """
        CREATE TABLE marks (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, c REAL, d TEXT);
        CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT NOT NULL, body TEXT NOT NULL, topic TEXT NOT NULL, mood TEXT);
        """)
    try make(schema) { tx in
      for id in 1...400 {
        try tx.execute("INSERT INTO marks VALUES (\(id), \(id * 7), \(id % 9), \(Double(id) / 8), 'a text')")
        try tx.execute("INSERT INTO notes VALUES (\(id + 1_000), \("title \(id)"), 'some words of a body', 'a topic', 'fine')")
      }
    }
    let damaged = try damaged()
    let (marks, notes) = (try #require(SalvageSchema(damaged).root("marks")), try #require(SalvageSchema(damaged).root("notes")))
    try #require(RawPage(notes, of: damaged)?.kind == .tableInterior)
    var bytes = [UInt8](try Data(contentsOf: file))
    bytes.replaceSubrange((marks - 1) * 4_096..<marks * 4_096, with: Array(bytes[(notes - 1) * 4_096..<notes * 4_096]))
    try Data(bytes).write(to: file)
    let report = try salvaged(schema)
    #expect(report.findings == [] && report.setAside == nil)
    let counts = "SELECT (SELECT count(*) FROM marks WHERE d = 'a text'), (SELECT count(*) FROM marks), (SELECT count(*) FROM notes)"
    #expect(try ConnectionFactory.plain(new.path).texts(counts) == [["400", "400", "400"]])
  }

  @Test("rows from before a column was added come back, and get its default", arguments: ["", "WITHOUT ROWID"])
  func addedColumn(_ kind: String) throws {
    let first = Migration("people/001", sql: "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL) \(kind)")
    let second = Migration("people/002", sql: "ALTER TABLE people ADD COLUMN points INTEGER NOT NULL DEFAULT 7")
    try make(StoreSchema("people", migrations: [first])) { tx in
      for id in 1...50 { try tx.execute("INSERT INTO people VALUES (\(id), 'a name')") }
    }
    let schema = StoreSchema("people", migrations: [first, second])
    try make(schema) { tx in try tx.execute("INSERT INTO people VALUES (51, 'a name', 9)") }
    let report = try salvaged(schema)
    #expect(report.findings == [] && report.setAside == nil)
    #expect(try ConnectionFactory.plain(new.path).texts("SELECT count(*), sum(points) FROM people") == [["51", "359"]])
  }

  @Test("a key INTEGER PRIMARY KEY DESC keeps its numbers: it is not the rowid")
  func descendingKey() throws {
    let ledger = StoreSchema("ledger", sql: "CREATE TABLE ledger (id INTEGER PRIMARY KEY DESC, note TEXT)")
    try make(ledger) { tx in for id in 1...50 { try tx.execute("INSERT INTO ledger VALUES (\(id * 7), 'a note')") } }
    let report = try salvaged(ledger)
    #expect(report.findings == [] && report.setAside == nil)
    #expect(try ConnectionFactory.plain(new.path).texts("SELECT count(*), sum(id) FROM ledger") == [["50", "8925"]])
  }
}
