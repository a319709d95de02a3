import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("The documented export") struct PortableExportTests {
  /// Every type of value, two levels, a key of two columns, a key that is no primary key, and a constraint.
  private static let schema = StoreSchema(
    "shelves",
    migrations: [
      Migration(
        "shelves/001-all",
        sql: """
          CREATE TABLE shelf (rowid INTEGER PRIMARY KEY, code TEXT NOT NULL UNIQUE, maybe TEXT UNIQUE, updated_at INTEGER) STRICT;
          CREATE TABLE a_part (
            shelf TEXT NOT NULL REFERENCES shelf (code), number INTEGER NOT NULL, size REAL, note TEXT, bytes BLOB, anything ANY,
            CHECK (size IS NULL OR size > -1e300), PRIMARY KEY (shelf, number)
          ) STRICT;
          CREATE TABLE "odd ""name" ("a b" TEXT, "c" TEXT, PRIMARY KEY ("a b", "c")) STRICT;
          CREATE VIRTUAL TABLE words USING fts5 (note);
          CREATE TRIGGER words_insert AFTER INSERT ON a_part BEGIN INSERT INTO words (note) VALUES (new.note); END;
          """)
    ])

  private let folder: TemporaryFolder
  private let store: Store
  private var target: URL { folder.file("export.holdfast") }

  init() throws {
    folder = try TemporaryFolder()
    store = try Self.empty()
  }

  private static func empty() throws -> Store {
    var options = StoreOptions.testing
    options.now = { Date(timeIntervalSince1970: 1_767_225_600) }
    return try Store.inMemory(schemas: [schema], options: options)
  }

  private func fillSmall() throws {
    try store.write { tx in
      try tx.execute("INSERT INTO shelf (rowid, code, updated_at) VALUES (7, 'b', 5), (9, 'a', NULL)")
      try tx.execute("INSERT INTO a_part VALUES ('b', 2, 0.5, 'x', x'00FF', 5.0), ('b', -1, NULL, NULL, NULL, 5)")
    }
  }

  private func imported(_ bytes: Data, into store: Store) throws -> ImportReport {
    let url = folder.file("import")
    try bytes.write(to: url)
    return try store.importing(PortableImport(JSONDocument(bytes), schemas: [Self.schema]), from: ImportSource(url))
  }

  private func refusal(_ bytes: Data) -> StoreError.Code? {
    code { _ = try PortableImport(JSONDocument(bytes), schemas: [Self.schema]) }
  }

  @Test("looks as its description says")
  func golden() throws {
    try fillSmall()
    let report = try store.export(to: target)
    let text = try String(contentsOf: target, encoding: .utf8)
    let end = try #require(text.range(of: "{\"end\""))
    #expect(text == Self.golden.replacingOccurrences(of: "SHA", with: try hash(text[..<end.lowerBound])))
    #expect(report.counts == ["shelf": 2, "a_part": 2, "odd \"name": 0])
    #expect(try ImportSource(target).sha256 == report.sha256)
    #expect(try ImportSource(target).bytes == report.bytes)
    #expect(try folder.contents() == ["export.holdfast"])
  }

  // swift-format-ignore
  private static let golden = #"""
    {"exported_at":"2026-01-01T00:00:00.000Z","holdfast_export":1,"schemas":{"shelves":1},"tables":[{"columns":["a b","c"],"key":["a b","c"],"name":"odd \"name"},{"columns":["code","maybe","updated_at"],"key":["code"],"name":"shelf"},{"columns":["shelf","number","size","note","bytes","anything"],"key":["shelf","number"],"name":"a_part"}]}
    {"row":["a",null,null],"table":"shelf"}
    {"row":["b",null,5],"table":"shelf"}
    {"row":["b",-1,null,null,null,5],"table":"a_part"}
    {"row":["b",2,0.5,"x",{"base64":"AP8="},5.0],"table":"a_part"}
    {"end":true,"rows":{"a_part":2,"odd \"name":0,"shelf":2},"sha256":"SHA"}

    """#

  private func hash(_ text: Substring) throws -> String {
    let url = folder.file("piece")
    defer { try? FileManager.default.removeItem(at: url) }
    try Data(text.utf8).write(to: url)
    return try ImportSource(url).sha256
  }

  @Test("brings everything back: extreme numbers, bytes, texts with NUL, newlines and emoji", arguments: [UInt64(1), 2, 3])
  func roundTrip(seed: UInt64) throws {
    var random = SeededGenerator(printing: seed)
    try store.write { tx in try Self.fill(tx, &random) }
    _ = try store.export(to: target)
    let bytes = try Data(contentsOf: target)
    let other = try Self.empty()
    let report = try imported(bytes, into: other)
    #expect(report.isClean && report.verified, "\(report.text)")
    _ = try other.export(to: target)
    #expect(try Data(contentsOf: target) == bytes, "seed \(seed)")
    #expect(try other.read { try $0.count("SELECT count(*) FROM words") } == 60, "triggers ran")
    let again = try imported(bytes, into: other)
    #expect(again.counts.values.allSatisfy { $0.skipped == $0.source } && again.isClean)
  }

  private static func fill(_ tx: Writer, _ random: inout SeededGenerator) throws {
    let texts = ["", "a/b", "a", "b/c", "\u{0}", "x\u{0}y", "two\nlines\r\n", "👩‍👩‍👧 \"\\", "\u{2028}\u{FFFF}", "e\u{301}", "null", "NULL"]
    let integers: [Int64] = [.min, .max, 0, -1, 1 << 53 + 1]
    let reals: [Double] = [0, -0.0, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.1, 1e15, -5, 1e-7, 1 / 3]
    for (number, code) in texts.enumerated() {
      try tx.execute("INSERT INTO shelf (code, maybe, updated_at) VALUES (\(code), \(number == 0 ? nil : code), \(integers[number % 5]))")
    }
    for _ in 0..<60 {
      let anything: [SQLValue] = [
        .null, .integer(5), .real(5), .text("5"), .blob(Data("5".utf8)), .blob(Data()), .text(#"{"base64":"AA=="}"#),
      ]
      let bytes = Data((0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
      try tx.execute(
        """
        INSERT INTO a_part VALUES (\(texts.randomElement(using: &random)), \(Int64.random(in: .min ... .max, using: &random)),
          \(reals.randomElement(using: &random)), \(texts.randomElement(using: &random)), \(bytes),
          \(anything.randomElement(using: &random) ?? .null))
        """)
    }
    for (a, b) in [("a/b", "c"), ("a", "b/c"), ("a\\", "b"), ("a", "\\/b"), ("", "")] {
      try tx.execute(#"INSERT INTO "odd ""name" VALUES (\#(a), \#(b))"#)
    }
  }

  @Test("of an empty store comes back empty")
  func emptyStore() throws {
    _ = try store.export(to: target)
    let report = try imported(Data(contentsOf: target), into: Self.empty())
    #expect(report.isClean && report.verified)
    #expect(report.counts.values.allSatisfy { $0.source == 0 })
  }

  @Test("with any one byte changed is refused")
  func changedByte() throws {
    try fillSmall()
    _ = try store.export(to: target)
    let bytes = try Data(contentsOf: target)
    #expect(refusal(bytes) == nil)
    let version = try #require(bytes.firstRange(of: Data("export\":1".utf8))).upperBound - 1
    for place in bytes.indices {
      for change: UInt8 in [0x01, 0x02, 0x10, 0x20, 0x80] {
        var damaged = bytes
        damaged[place] ^= change
        let code = refusal(damaged)
        let isRefused = code == .invalidSource || (place == version && code == .newerSource)
        #expect(isRefused, "byte \(place) ^ \(change): \(String(describing: code))")
      }
    }
  }

  @Test("cut off at any byte, or with anything behind its end, is refused")
  func cutOff() throws {
    try fillSmall()
    _ = try store.export(to: target)
    let bytes = try Data(contentsOf: target)
    for count in 0..<bytes.count { #expect(refusal(bytes.prefix(count)) == .invalidSource, "\(count) bytes") }
    for more in ["\n", " ", "{}\n", String(decoding: bytes, as: UTF8.self)] {
      #expect(refusal(bytes + Data(more.utf8)) == .invalidSource)
    }
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    for left in lines.indices.dropLast() {
      let fewer = Data(lines.enumerated().filter { $0.offset != left }.map(\.element).joined(separator: [0x0A]))
      #expect(refusal(fewer) == .invalidSource, "without line \(left + 1)")
    }
  }

  @Test("of a newer version or of another library is refused by name")
  func otherKinds() throws {
    try fillSmall()
    _ = try store.export(to: target)
    let text = try String(contentsOf: target, encoding: .utf8)
    #expect(refusal(Data(text.replacingOccurrences(of: "export\":1", with: "export\":2").utf8)) == .newerSource)
    #expect(refusal(Data(text.replacingOccurrences(of: "export\":1", with: "export\":0").utf8)) == .invalidSource)
    let other = StoreSchema("other", migrations: [Migration("other/001", sql: "CREATE TABLE t (id TEXT PRIMARY KEY NOT NULL) STRICT")])
    #expect(throws: StoreError.self) { try PortableImport(JSONDocument(contentsOf: target), schemas: [other]) }
    let step = Migration("shelves/002", sql: "CREATE TABLE n (id TEXT NOT NULL UNIQUE) STRICT")
    let newer = StoreSchema("shelves", migrations: Self.schema.migrations + [step])
    _ = try Store.inMemory(schemas: [newer]).export(to: target)
    #expect(try refusal(Data(contentsOf: target)) == .newerSource)
    _ = try Store.inMemory(schemas: [other]).export(to: target)
    #expect(try refusal(Data(contentsOf: target)) == .wrongKind)
  }

  @Test("is merged with what a store holds: newer rows win, others stay, a row that breaks a constraint is quarantined with its own")
  func merging() throws {
    try fillSmall()
    _ = try store.export(to: target)
    let other = try Self.empty()
    try other.write { tx in
      _ = try tx.execute("INSERT INTO shelf (code, maybe, updated_at) VALUES ('b', 'older', 4), ('c', 'mine', 9)")
    }
    let bytes = try Data(contentsOf: target)
    let report = try imported(bytes, into: other)
    #expect(report.counts["shelf"].map { [$0.imported, $0.merged, $0.skipped] } == [1, 1, 0])
    let shelves = try other.read { try $0.values("SELECT code || coalesce(maybe, '-') FROM shelf ORDER BY code") { try $0.text() } }
    #expect(shelves == ["a-", "b-", "cmine"])

    try store.write { tx in _ = try tx.execute("UPDATE shelf SET maybe = 'mine', updated_at = 99 WHERE code = 'a'") }
    try store.write { tx in _ = try tx.execute("UPDATE shelf SET maybe = 'old', updated_at = 3 WHERE code = 'b'") }
    try other.write { tx in _ = try tx.execute("UPDATE shelf SET maybe = 'changed', updated_at = 6 WHERE code = 'b'") }
    _ = try store.export(to: target)
    let second = try imported(Data(contentsOf: target), into: other)
    #expect(second.counts["shelf"].map { [$0.merged, $0.skipped, $0.quarantined] } == [0, 1, 1], "\(second.text)")
    #expect(second.problems.map(\.kind) == ["shelf"])
    #expect(second.skipped["the store is newer"] == 1)
    let times = "1970-01-01T00:00:00.003Z in the source and 1970-01-01T00:00:00.006Z in the store"
    #expect(second.text.contains("skipped 1: the store is newer (first: \(second.firstNewer?.path ?? "-"), of \(times))"), "\(second.text)")
    #expect(Set(other.metrics().verbs.keys).isSuperset(of: ["import"]), "the verb is a word for people: \(other.metrics().verbs.keys)")
  }

  @Test("has nothing of a table that its schema never exports, key or no key, and a file that has one is refused")
  func neverExported() throws {
    let sql = """
      CREATE TABLE secrets (name TEXT NOT NULL UNIQUE, value TEXT NOT NULL) STRICT;
      CREATE TABLE notes (number INTEGER PRIMARY KEY, note TEXT NOT NULL) STRICT;
      CREATE TABLE doors (name TEXT NOT NULL UNIQUE, secret TEXT) STRICT;
      """
    let open = StoreSchema("doors", migrations: [Migration("doors/001", sql: sql)], neverExported: ["notes"])
    let closed = StoreSchema("doors", migrations: open.migrations, neverExported: ["secrets", "notes"])
    func fill(_ store: Store) throws {
      try store.write { tx in
        try tx.execute("INSERT INTO secrets VALUES ('a', 'xyzzy')")
        try tx.execute("INSERT INTO notes VALUES (1, 'plugh')")
        try tx.execute("INSERT INTO doors VALUES ('d', 'a')")
      }
    }
    let own = try Store.inMemory(schemas: [closed])
    try fill(own)
    #expect(try own.export(to: target).counts == ["doors": 1])
    let text = try String(contentsOf: target, encoding: .utf8)
    #expect(!text.contains("xyzzy") && !text.contains("plugh") && !text.contains("secrets") && !text.contains("notes"))
    let other = try Store.inMemory(schemas: [open])
    try fill(other)
    #expect(try other.export(to: target).counts == ["doors": 1, "secrets": 1])
    let error = #expect(throws: StoreError.self) { try PortableImport(JSONDocument(contentsOf: target), schemas: [closed]) }
    #expect(error?.code == .invalidSource)
  }

  @Test("refuses a schema that never exports what it has not, or what other tables point at")
  func neverExportedWrongly() throws {
    let sql = """
      CREATE TABLE secrets (name TEXT NOT NULL UNIQUE, value TEXT NOT NULL) STRICT;
      CREATE TABLE doors (name TEXT NOT NULL UNIQUE, secret TEXT REFERENCES secrets (name)) STRICT;
      """
    for name in ["Secrets", "secret", "secrets"] {
      let schema = StoreSchema("doors", migrations: [Migration("doors/001", sql: sql)], neverExported: [name])
      let error = #expect(throws: StoreError.self) { try Store.inMemory(schemas: [schema]).export(to: target) }
      #expect(error?.code == .misuse && error?.message.contains("table \(name == "secrets" ? "doors" : name)") == true)
    }
    #expect(try folder.contents() == [])
  }

  @Test("has a number that only looks like the rowid: INTEGER PRIMARY KEY DESC")
  func descendingKey() throws {
    let sql = "CREATE TABLE turns (id INTEGER PRIMARY KEY DESC, code TEXT NOT NULL UNIQUE) STRICT"
    let store = try Store.inMemory(schemas: [StoreSchema("turns", migrations: [Migration("turns/001", sql: sql)])])
    try store.write { tx in _ = try tx.execute("INSERT INTO turns VALUES (7, 'seven')") }
    try store.export(to: target)
    let text = try String(contentsOf: target, encoding: .utf8)
    #expect(text.contains(#"{"columns":["id","code"],"key":["id"],"name":"turns"}"#) && text.contains(#"[7,"seven"]"#))
  }

  @Test("of a library that is not known has every table: with its key, with its named rowid, or as it is stored")
  func unknownTables() throws {
    let sql = """
      CREATE TABLE lines (line TEXT);
      CREATE TABLE named (id INTEGER PRIMARY KEY, note TEXT);
      CREATE TABLE pairs (b INTEGER PRIMARY KEY, a TEXT) WITHOUT ROWID;
      CREATE TABLE solo (rowid INTEGER PRIMARY KEY);
      CREATE TABLE taken (rowid TEXT, _rowid_ TEXT);
      """
    let store = try Store.inMemory(schemas: [StoreSchema("later", migrations: [Migration("later/001", sql: sql)])])
    try store.write { tx in
      try tx.execute("INSERT INTO lines VALUES ('z'), ('y'), ('z')")
      try tx.execute("INSERT INTO named VALUES (7, 'seven'), (5, NULL)")
      try tx.execute("INSERT INTO pairs VALUES (2, 'two'), (1, 'one')")
      try tx.execute("INSERT INTO solo VALUES (3)")
      try tx.execute("INSERT INTO taken VALUES ('b', 'a'), ('a', 'b')")
    }
    #expect(#expect(throws: StoreError.self) { try store.export(to: target) }?.code == .misuse)
    #expect(try store.exportTables(to: target).counts == ["lines": 3, "named": 2, "pairs": 2, "solo": 1, "taken": 2])
    let lines = try String(contentsOf: target, encoding: .utf8).split(separator: "\n")
    #expect(
      lines[0].hasSuffix(
        #""tables":[{"columns":["line"],"key":[],"name":"lines"},{"columns":["id","note"],"key":["id"],"name":"named"},"#
          + #"{"columns":["b","a"],"key":["b"],"name":"pairs"},{"columns":["rowid"],"key":["rowid"],"name":"solo"},"#
          + #"{"columns":["rowid","_rowid_"],"key":[],"name":"taken"}]}"#))
    #expect(
      lines.dropFirst().dropLast().map { $0.dropFirst(#"{"row":["#.count).prefix { $0 != "]" } } == [
        #""z""#, #""y""#, #""z""#, "5,null", #"7,"seven""#, #"1,"one""#, #"2,"two""#, "3", #""b","a""#, #""a","b""#,
      ])
  }

  @Test("refuses a folder, empty or not, before it writes, and leaves what is in it", arguments: [true, false])
  func overFolder(isEmpty: Bool) throws {
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: false)
    if !isEmpty { try Data("mine".utf8).write(to: target.appendingPathComponent("mine")) }
    let before = try folder.contents()
    for write in [{ _ = try store.export(to: target) }, { _ = try FileExport.write(Data(), to: target) }] {
      let error = #expect(throws: StoreError.self) { try write() }
      #expect(error?.code == .cannotCreate && error?.suggestion == "Name a file in it.")
    }
    #expect(try folder.contents() == before)
  }

  @Test("names the number that JSON cannot hold")
  func infinity() throws {
    try fillSmall()
    try store.write { tx in _ = try tx.execute("UPDATE a_part SET size = 9e999 WHERE number = 2") }
    let error = #expect(throws: StoreError.self) { try store.export(to: target) }
    #expect(error?.code == .invalidValue)
    #expect(error?.message.contains("a_part.size") == true)
    #expect(try folder.contents() == [])
  }
}
