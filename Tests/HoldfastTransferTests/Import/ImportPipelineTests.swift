import Foundation
import GRDB
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("The import pipeline, with a format of the test's own")
struct ImportPipelineTests {
  @Test("what a format writes is read back and compared with its source")
  func verifies() throws {
    let world = try NoteWorld("a\nb\nc")
    let report = try world.importing(NoteFormat(world.text))
    #expect(report.verified)
    #expect(report.counts["notes"].map { [$0.source, $0.imported] } == [3, 3])
    #expect(try world.notes() == ["a", "b", "c"])
  }

  @Test(
    "a mistake in an importer fails the import and leaves neither rows nor a copy of the source", arguments: NoteFormat.Mistake.allCases)
  func mistakes(mistake: NoteFormat.Mistake) throws {
    let world = try NoteWorld("a\nb\nc")
    let error = #expect(throws: StoreError.self) { _ = try world.importing(NoteFormat(world.text, mistake)) }
    #expect(error?.code == .verificationFailed, "\(mistake): \(String(describing: error))")
    #expect(try world.notes() == [])
    #expect(try world.folder.contents().filter { $0.contains("backup") } == [])
  }

  @Test("a conversion that is wrong in both directions is found, because the fields are the source's own text")
  func wrongBothWays() throws {
    let world = try NoteWorld("a@86400")
    var format = NoteFormat(world.text)
    format.epochs = (write: 978_307_200, read: 0)
    let error = #expect(throws: StoreError.self) { _ = try world.importing(format) }
    #expect(error?.code == .verificationFailed)
    #expect(error?.message.contains("time is 86400 in the source") == true, "\(String(describing: error))")
    #expect(try world.notes() == [])
  }

  @Test("a source that shows other records at the second reading fails the import")
  func secondReading() throws {
    let world = try NoteWorld("a\nb")
    var format = NoteFormat(world.text)
    format.secondReading = ["a"]
    #expect(code { _ = try world.importing(format) } == .verificationFailed)
  }

  @Test("a row that the store refuses is quarantined with its bytes, and the others are in")
  func refused() throws {
    let world = try NoteWorld("a\ntoo long for its column\nc")
    let report = try world.importing(NoteFormat(world.text))
    #expect(report.counts["notes"].map { [$0.source, $0.imported, $0.quarantined] } == [3, 2, 1])
    #expect(report.problems.map(\.path) == ["line 2"])
    #expect(try world.notes() == ["a", "c"])
    let kept = try world.store.read { try $0.values("SELECT original FROM holdfast_quarantine") { try $0.data() } }
    #expect(kept == [Data("too long for its column".utf8)])
  }

  @Test("of a record that is refused after its first row nothing stays, and the others are in")
  func halfWritten() throws {
    let world = try NoteWorld("a\ntoo long for its column\nc")
    var format = NoteFormat(world.text)
    format.writesTwoRows = true
    let report = try world.importing(format)
    #expect(report.counts["notes"].map { [$0.source, $0.imported, $0.quarantined] } == [3, 2, 1])
    #expect(try world.notes() == ["first", "a", "first", "c"])
  }

  @Test("an import without blocking does the same; when its task is cancelled it ends at the next record, and leaves nothing")
  func withoutBlocking() async throws {
    let world = try NoteWorld("a\nb\nc")
    let (store, source, text) = (world.store, try ImportSource(world.source), world.text)
    let (begun, cancelled) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
    var options = ImportOptions()
    options.isCancelled = {
      begun.continuation.yield()
      cancelled.wait()
      cancelled.signal()
      return false
    }
    let task = Task { [options] in try await options.importing { try store.importing(NoteFormat(text), from: source, options: $0) } }
    for await _ in begun.stream { break }
    task.cancel()
    cancelled.signal()
    let result = await task.result
    let error = #expect(throws: StoreError.self) { _ = try result.get() }
    #expect(error?.code == .cancelled)
    #expect(try world.notes() == [])
    #expect(try world.folder.contents().filter { $0.contains("backup") } == [])
    let report = try await ImportOptions().importing { try store.importing(NoteFormat(text), from: source, options: $0) }
    #expect(report.verified)
    #expect(try world.notes() == ["a", "b", "c"])
  }

  @Test("what a format throws rolls everything back, and is what the caller sees")
  func throwing() throws {
    struct Stop: Error {}
    let world = try NoteWorld("a\nb")
    var format = NoteFormat(world.text)
    format.stop = Stop()
    #expect(throws: Stop.self) { _ = try world.importing(format) }
    #expect(try world.notes() == [])
    #expect(try world.folder.contents().filter { $0.contains("backup") } == [])
  }

  @Test("the ledger knows a source by its content and by its size and time")
  func ledger() throws {
    let world = try NoteWorld("a")
    let source = try ImportSource(world.source)
    #expect(try !source.wasImported(into: world.store) && !ImportSource.isKnown(world.source, to: world.store))
    _ = try world.importing(NoteFormat(world.text))
    #expect(try source.wasImported(into: world.store) && ImportSource.isKnown(world.source, to: world.store))
    try "other".write(to: world.source, atomically: true, encoding: .utf8)
    #expect(try !ImportSource(world.source).wasImported(into: world.store) && !ImportSource.isKnown(world.source, to: world.store))
  }

  @Test("a large import fills the search index at its end, and the triggers work again afterwards", arguments: [3, 400])
  func searchIndex(count: Int) throws {
    let world = try NoteWorld((1...count).map { "note\($0)" }.joined(separator: "\n"))
    _ = try world.importing(NoteFormat(world.text))
    try world.store.write { _ = try $0.execute("INSERT INTO notes (id, text, time) VALUES ('x', 'later', 0)") }
    let found = try world.store.read { reader in
      try ["note1", "note\(count)", "later"].map { word in
        try reader.count("SELECT count(*) FROM notes_search WHERE notes_search MATCH \(word)")
      }
    }
    #expect(found == [1, 1, 1])
    #expect(try world.store.integrityCheck().findings == [])
  }

  @Test(
    "what triggers do besides feeding the search index happens for every imported row",
    arguments: [
      "CREATE TRIGGER counting AFTER INSERT ON notes BEGIN INSERT INTO notes_search_log VALUES (new.id); END",
      """
      CREATE TRIGGER counting AFTER INSERT ON notes BEGIN
        INSERT INTO notes_search (rowid, text) VALUES (-new.rowid, 'twin'); INSERT INTO notes_search_log VALUES (new.id);
      END
      """,
    ])
  func otherTriggers(trigger: String) throws {
    let world = try NoteWorld((1...400).map { "note\($0)" }.joined(separator: "\n"))
    try world.store.write { tx in
      _ = try tx.execute("CREATE TABLE notes_search_log (id TEXT)")
      _ = try tx.execute(BoundSQL(raw: trigger))
    }
    _ = try world.importing(NoteFormat(world.text))
    #expect(try world.store.rows("SELECT count(*) FROM notes_search_log") == ["400"])
    #expect(try world.store.rows("SELECT count(*) FROM notes_search WHERE notes_search MATCH 'note400'") == ["1"])
  }

  @Test("a file that is a database without tables is filled")
  func bareDatabase() throws {
    let world = try NoteWorld("a\nb")
    let url = world.folder.file("bare.sqlite")
    let queue = try DatabaseQueue(path: url.path)
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL; VACUUM") }
    try queue.close()
    #expect(try Data(contentsOf: url).count > 0)
    let report = try Store.importing(NoteFormat(world.text), from: ImportSource(world.source), into: url, schemas: [NoteWorld.schema])
    #expect(report.verified)
    let store = try Store.open(at: url, schemas: [NoteWorld.schema])
    #expect(try store.read { try $0.count("SELECT count(*) FROM notes") } == 2)
  }

  @Test("an import beside a log without its file keeps the log, and reads it into nothing")
  func besideALog() throws {
    let world = try NoteWorld("a\nb")
    try world.store.write { _ = try $0.execute("INSERT INTO notes (id, text, time) VALUES ('old', 'old', 0)") }
    let url = world.folder.file("new.sqlite")
    let log = try Data(contentsOf: URL(fileURLWithPath: world.folder.file("store.sqlite").path + "-wal"))
    try log.write(to: URL(fileURLWithPath: url.path + "-wal"))
    let report = try Store.importing(NoteFormat(world.text), from: ImportSource(world.source), into: url, schemas: [NoteWorld.schema])
    #expect(report.verified)
    let kept = try #require(try world.folder.contents().first { $0.contains("quarantine/") && $0.hasSuffix("new.sqlite-wal") })
    #expect(try Data(contentsOf: world.folder.file(kept)) == log)
    let store = try Store.open(at: url, schemas: [NoteWorld.schema])
    #expect(try store.read { try $0.values("SELECT text FROM notes ORDER BY rowid") { try $0.text() } } == ["a", "b"])
    #expect(try store.integrityCheck().isHealthy)
  }

  @Test("a dry run into a store that is open says what an import would do, and leaves nothing of it")
  func dryRun() throws {
    let world = try NoteWorld("a\nb")
    var options = ImportOptions()
    options.dryRun = true
    let report = try world.store.importing(NoteFormat(world.text), from: ImportSource(world.source), options: options)
    #expect(report.verified && report.dryRun)
    #expect(report.counts["notes"]?.imported == 2)
    #expect(try world.notes() == [])
    #expect(try !ImportSource(world.source).wasImported(into: world.store))
  }

  @Test("a dry run of an import migrates a copy: the older store stays as it is to the byte")
  func dryRunMigrates() throws {
    let folder = try TemporaryFolder()
    let older = StoreSchema(
      "notes", migrations: [Migration("notes/000", sql: "CREATE TABLE lists (name TEXT PRIMARY KEY NOT NULL) STRICT")])
    let store = try folder.store([older])
    try store.write { _ = try $0.execute("INSERT INTO lists VALUES ('a'), ('b')") }
    try store.close()
    let (url, source) = (folder.file("store.sqlite"), folder.file("notes.txt"))
    try "a".write(to: source, atomically: true, encoding: .utf8)
    let (bytes, names) = try (Data(contentsOf: url), folder.contents())
    let newer = StoreSchema("notes", migrations: older.migrations + NoteWorld.schema.migrations)
    var options = ImportOptions()
    options.dryRun = true
    let report = try Store.importing(NoteFormat("a"), from: ImportSource(source), into: url, schemas: [newer], options: options)
    #expect(report.verified && report.dryRun)
    #expect(try Data(contentsOf: url) == bytes)
    #expect(try folder.contents() == names)
  }

  @Test("records that the store had already do not stand in for those that verification did not find")
  func equalOnesDoNotCount() throws {
    let world = try NoteWorld("a\nb\nc")
    _ = try world.importing(NoteFormat(world.text))
    var format = NoteFormat("a\nb\nc\nd")
    format.secondReading = ["a", "b", "c"]
    #expect(code { _ = try world.importing(format) } == .verificationFailed)
    #expect(try world.notes() == ["a", "b", "c"])
  }

  @Test("an import that changes a store with rows leaves a snapshot of the state before; no other import leaves one")
  func snapshotBefore() throws {
    let world = try NoteWorld("a\nb")
    for _ in 0..<2 { _ = try world.importing(NoteFormat(world.text)) }
    var failing = NoteFormat("a\nb\nc")
    failing.secondReading = ["a", "b"]
    #expect(throws: StoreError.self) { _ = try world.importing(failing) }
    #expect(try world.store.snapshots() == [])
    _ = try world.importing(NoteFormat("a\nb\nc"))
    let snapshot = try #require(try world.store.snapshots().first)
    #expect(snapshot.isAutomatic && snapshot.label == "before the import of notes.txt" && snapshot.rows["notes"] == 2)
    #expect(try world.notes() == ["a", "b", "c"])
    try world.store.restore(snapshot: snapshot.id)
    #expect(try world.notes() == ["a", "b"])
  }

  @Test("JSON that changed after it was read fails the import")
  func changedWhileRead() throws {
    let world = try NoteWorld("[1]")
    let source = try ImportSource(world.source)
    _ = try source.document()
    try "[2]".write(to: world.source, atomically: true, encoding: .utf8)
    #expect(code { _ = try world.store.importing(NoteFormat("a"), from: source) } == .verificationFailed)
    #expect(try world.notes() == [])
    #expect(try world.folder.contents().filter { $0.contains("backup") } == [])
  }

  @Test("a source that changed between its hash and its reading is to be imported again, and is nothing to report")
  func changedAfterHash() throws {
    let world = try NoteWorld("[1]")
    let source = try ImportSource(world.source)
    _ = try source.sha256
    try "[2]".write(to: world.source, atomically: true, encoding: .utf8)
    _ = try source.document()
    var options = ImportOptions()
    options.keepsCopy = false
    let error = #expect(throws: StoreError.self) { _ = try world.store.importing(NoteFormat("a"), from: source, options: options) }
    #expect(error?.code == .verificationFailed)
    #expect(error?.suggestion == "Import it again when no other program writes to it.")
    #expect(try world.notes() == [])
  }

  @Test("a source that would break what must hold in the store is refused, and says what")
  func invariants() throws {
    let folder = try TemporaryFolder()
    let schema = StoreSchema(
      "notes", migrations: NoteWorld.schema.migrations,
      invariants: [
        Invariant("no two notes have one text", table: "notes", findings: "SELECT text FROM notes GROUP BY text HAVING count(*) > 1")
      ])
    let store = try folder.store([schema])
    try store.write { _ = try $0.execute("INSERT INTO notes (id, text, time) VALUES ('x', 'old', 0), ('y', 'old', 0)") }
    let source = folder.file("notes.txt")
    try "a\nb".write(to: source, atomically: true, encoding: .utf8)
    #expect(try store.importing(NoteFormat("a\nb"), from: ImportSource(source)).verified)
    try "c\nc".write(to: source, atomically: true, encoding: .utf8)
    let error = #expect(throws: StoreError.self) { _ = try store.importing(NoteFormat("e\nf\nc\nc"), from: ImportSource(source)) }
    #expect(error?.code == .verificationFailed)
    #expect(error?.message.contains("no two notes have one text") == true)
    #expect(try store.read { try $0.count("SELECT count(*) FROM notes") } == 4)
  }
}
