import Foundation
import Holdfast
import HoldfastTesting
import Testing

/// Exports and quarantined records of a store whose library this program does not know.
@Suite("Imports into a stranger's store")
struct StrangersImportTests {
  private static let ids = ["0a0a0a0a-0000-4000-8000-000000000001", "0b0b0b0b-0000-4000-8000-000000000002"]

  /// A store with a bed in another bed, or an empty one.
  private static func store(_ name: String, filled: Bool = false, in bench: borrowing Workbench) throws -> String {
    let store = try Store.open(at: bench.url(name), schemas: [Garden.schema])
    if filled {
      let ids = try ids.map { try #require(UUID(uuidString: $0)) }
      try store.write { tx in
        try tx.insert(Garden.Bed(id: ids[1], aboveID: nil, name: "South", dugAt: Date(timeIntervalSince1970: 1_700_000_000)))
        try tx.insert(Garden.Bed(id: ids[0], aboveID: ids[1], name: "Corner", dugAt: nil))
      }
    }
    try store.close()
    return bench.path(name)
  }

  /// Another app's database with a bed that has a name and one that has none.
  private static func source(_ name: String, in bench: borrowing Workbench) throws -> String {
    let sql = "CREATE TABLE beds (id TEXT, name TEXT); INSERT INTO beds VALUES ('\(ids[0])', 'South'), ('\(ids[1])', '')"
    try RawDatabase.with(bench.url(name), creating: true) { try $0.execute(sql) }
    return bench.path(name)
  }

  private static func beds(_ store: String, in bench: borrowing Workbench) throws -> [String] {
    try bench.run("list", store, "beds", "--csv").output.split(separator: "\r\n").dropFirst().map { line in
      line.split(separator: ",", omittingEmptySubsequences: false).dropFirst().joined(separator: ",")
    }.sorted()
  }

  @Test("an export comes into another store of its library without a question, verified and with its ledger; a dry run keeps nothing")
  func moved() throws {
    let bench = try Workbench()
    let (store, other) = (try Self.store("garden.sqlite", filled: true, in: bench), try Self.store("other.sqlite", in: bench))
    #expect(try bench.run("export", store, "--to", bench.path("out.json")).status == 0)
    let dry = try bench.run("import", bench.path("out.json"), "--into", other, "--dry-run")
    #expect(try dry.status == 0 && Self.beds(other, in: bench).isEmpty, "\(dry.output)\(dry.errors)")
    let moved = try bench.run("import", bench.path("out.json"), "--into", other, "--format", "holdfast", "--json")
    #expect(moved.status == 0 && moved.document["verified"] as? Bool == true, "\(moved.output)\(moved.errors)")
    #expect(try Self.beds(other, in: bench) == Self.beds(store, in: bench))
    #expect(try Self.beds(other, in: bench) == ["\(Self.ids[0]),\(Self.ids[1]),Corner,", "\(Self.ids[1]),,South,2023-11-14T22:13:20.000Z"])
    let again = try bench.shell("\"$1\" import - --into other.sqlite --json < out.json")
    #expect(again.document["skipped"] as? [String: Int] == ["in the store already": 2], "\(again.output)\(again.errors)")
    #expect(try bench.run("check", other).status == 0)
    let unit = try bench.run("import", bench.path("out.json"), "--into", other, "--unit", "kg")
    #expect(unit.status == 65 && unit.errors.contains("an import of holdfast has no use for --unit"), "\(unit.errors)")
  }

  @Test("into a new file, or the store of another library, an export of an unknown library is refused with what to do; nothing is written")
  func refused() throws {
    let bench = try Workbench()
    let store = try Self.store("garden.sqlite", filled: true, in: bench)
    #expect(try bench.run("export", store, "--to", bench.path("out.json")).status == 0)
    let names = try bench.names()
    let new = try bench.run("import", bench.path("out.json"), "--into", bench.path("new.sqlite"))
    #expect(new.status == 65 && new.errors.contains("out.json is an export of garden, which this program does not know"), "\(new.errors)")
    #expect(new.errors.contains("Try: --into a store that the app has made") && new.errors.contains("holdfast snapshot create STORE"))
    #expect(try bench.names() == names)
    let id = try bench.snapshot(store)
    #expect(try bench.run("restore", store, "--snapshot", id, "--to", bench.path("copy.sqlite")).status == 0)
    #expect(try Self.beds(bench.path("copy.sqlite"), in: bench) == Self.beds(store, in: bench))
    let known = try bench.run("import", bench.path("out.json"), "--into", try bench.store())
    #expect(known.status == 65 && known.errors.contains("this export holds garden, not audiobooks"), "\(known.errors)")
    let desk = try bench.stranger("desk", "CREATE TABLE pens (id TEXT PRIMARY KEY);")
    try bench.run("import", bench.path("out.json"), "--into", desk, status: 65, errors: "this export holds garden, not desk")
  }

  @Test("the quarantine is listed, shown and exported; a retry takes a repaired database, whose record leaves the quarantine")
  func retried() throws {
    let bench = try Workbench()
    let (store, source) = (try Self.store("garden.sqlite", in: bench), try Self.source("other.sqlite", in: bench))
    #expect(try bench.run("import", source, "--into", store, "--yes").status == 2)
    #expect(try bench.run("quarantine", store).output.contains("beds[rowid 2]"))
    let shown = try bench.run("quarantine", store, "show", "1")
    #expect(shown.status == 0 && shown.output.contains("CHECK") && shown.output.contains(Self.ids[1]), "\(shown.output)\(shown.errors)")
    let exported = try bench.run("quarantine", store, "export", "--to", "-")
    #expect(exported.status == 0 && exported.document["path"] as? String == "beds[rowid 2]", "\(exported.output)\(exported.errors)")
    #expect(try bench.run("quarantine", store, "retry").status == 2)
    let repaired = try Self.source("repaired.sqlite", in: bench)
    try RawDatabase.with(bench.url("repaired.sqlite")) { try $0.execute("UPDATE beds SET name = 'East' WHERE name = ''") }
    try bench.run("quarantine", store, "retry", "--unit", "kg", status: 65, errors: "has no use for --unit")
    let retried = try bench.run("quarantine", store, "retry", "--from", repaired, "--json")
    #expect(retried.status == 0 && retried.document["released"] as? Int == 1, "\(retried.output)\(retried.errors)")
    #expect(try Self.beds(store, in: bench) == ["\(Self.ids[0]),,South,", "\(Self.ids[1]),,East,"])
    #expect(try bench.run("quarantine", store).errors == "Nothing is in the quarantine.\n")
  }

  @Test("records of an export are retried and discarded; what the app's own program imported, that program retries")
  func discarded() throws {
    let bench = try Workbench()
    let store = try Self.store("garden.sqlite", in: bench)
    // An app of the same version whose beds may be without a name.
    let table = "CREATE TABLE beds (id TEXT NOT NULL UNIQUE, above_id TEXT, name TEXT NOT NULL, dug_at INTEGER) STRICT;"
    let rows = "INSERT INTO beds VALUES ('\(Self.ids[0])', NULL, '', NULL);"
    try Store.open(
      at: bench.url("nameless.sqlite"), schemas: [StoreSchema("garden", migrations: [Migration("garden/001", sql: table + rows)])]
    ).close()
    #expect(try bench.run("export", bench.path("nameless.sqlite"), "--to", bench.path("out.json")).status == 0)
    #expect(try bench.run("import", bench.path("out.json"), "--into", store).status == 2)
    let retried = try bench.run("quarantine", store, "retry", "--json")
    #expect(retried.status == 2 && retried.document["problem_count"] as? Int == 1, "\(retried.output)\(retried.errors)")
    try RawDatabase.with(bench.url("garden.sqlite")) { try $0.execute("UPDATE holdfast_imports SET format = 'garden-json'") }
    try bench.run("quarantine", store, "retry", status: 65, errors: "garden-json, which only the program of garden reads")
    #expect(try bench.run("quarantine", store, "discard", "--all", "--yes").output == "1 record discarded\n")
    #expect(try bench.run("quarantine", store).errors == "Nothing is in the quarantine.\n")
  }
}
