import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastInference
import HoldfastMusic
import HoldfastTesting
import HoldfastTransfer
import HoldfastWorkouts
import Testing

@testable import HoldfastCommand

/// A store whose library this program does not know is shown as its own app would show it.
@Suite("A stranger's store")
struct StrangersStoreTests {
  private struct Watering: StoredRecord, Codable {
    static let table = "waterings"
    var id: UUID
    var title: String
    var wateredAt: Date
    var isRain: Bool
    var labels: [String]
  }

  private static let id = "0a0a0a0a-0000-4000-8000-000000000001"

  /// A store with one watering and one secret.
  private static func store(in bench: borrowing Workbench) throws -> String {
    let schema = StoreSchema(
      "garden",
      migrations: [
        Migration(
          "garden/001",
          sql: """
            CREATE TABLE waterings (
              id TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, watered_at INTEGER NOT NULL, is_rain INTEGER NOT NULL, labels TEXT NOT NULL) STRICT;
            CREATE TABLE secrets (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT;
            """)
      ], records: [Watering.self], declarations: [.audit("waterings")], neverExported: ["secrets"])
    var options = StoreOptions.production
    options.archive.mode = .begins
    let store = try Store.open(at: bench.url("garden.sqlite"), schemas: [schema], options: options)
    _ = try store.archive()
    let id = try #require(UUID(uuidString: id))
    try store.write { tx in
      try tx.insert(Watering(id: id, title: "Roses", wateredAt: Date(timeIntervalSince1970: 1_700_000_000), isRain: false, labels: ["a"]))
      _ = try tx.execute("INSERT INTO secrets VALUES ('key', 'marked-secret')")
    }
    try store.close()
    return bench.path("garden.sqlite")
  }

  @Test("dates, ids, flags and JSON are shown as such in list, show, audit and diff; no raw milliseconds")
  func shown() throws {
    let bench = try Workbench()
    let store = try Self.store(in: bench)
    let outputs = [
      try bench.run("list", store, "waterings"), try bench.run("show", store, "roses"), try bench.run("show", store, "0a0a"),
      try bench.run("audit", store), try bench.run("diff", store, "--from", "commit 0", "--rows", "waterings"),
      try bench.run("audit", store, "--json"), try bench.run("diff", store, "--from", "commit 0", "--rows", "waterings", "--json"),
    ]
    for finished in outputs {
      #expect(finished.status == 0, "\(finished.errors)")
      #expect(finished.output.contains("2023-11-14T22:13:20"), "\(finished.output)")
      #expect(!finished.output.contains("1700000000"), "\(finished.output)")
    }
    let line = try #require((bench.run("list", store, "waterings", "--json").document["waterings"] as? [[String: Any]])?.first)
    #expect(line["watered_at"] as? String == "2023-11-14T22:13:20.000Z" && line["is_rain"] as? Bool == false)
    #expect(line["labels"] as? [String] == ["a"] && line["id"] as? String == Self.id)
    let change = try #require((bench.run("audit", store, "--json").document["entries"] as? [[String: Any]])?.last)
    let after = try #require(change["after"] as? [String: Any])
    #expect(after["is_rain"] as? Bool == false && after["labels"] as? [String] == ["a"], "\(after)")
    #expect(try bench.run("show", store, "tulips").status == 66)
  }

  @Test("where two tables have one number each, neither is taken for the other: the table is named")
  func numbers() throws {
    let bench = try Workbench()
    let tables = "CREATE TABLE loans (id INTEGER PRIMARY KEY, name TEXT); CREATE TABLE fines (id INTEGER PRIMARY KEY, name TEXT);"
    let schema = StoreSchema("desk", migrations: [Migration("desk/001", sql: tables)])
    let store = try Store.open(at: bench.url("desk.sqlite"), schemas: [schema])
    try store.write { tx in
      try tx.execute("INSERT INTO loans VALUES (1, 'Dune')")
      try tx.execute("INSERT INTO fines VALUES (1, 'Two days')")
    }
    try store.close()
    let both = try bench.run("show", bench.path("desk.sqlite"), "1")
    #expect(both.status == 64 && both.errors.contains("fines:1") && both.errors.contains("loans:1"), "\(both.errors)")
    let one = try bench.run("show", bench.path("desk.sqlite"), "loans:1")
    #expect(one.status == 0 && one.output.contains("Dune"), "\(one.errors)")
  }

  @Test("what is never exported is in no list, query and export")
  func neverExported() throws {
    let bench = try Workbench()
    let store = try Self.store(in: bench)
    #expect(try bench.run("list", store, "secrets").status == 64)
    #expect(try bench.run("show", store, "key").status == 66)
    #expect(try bench.run("diff", store, "--from", "commit 0", "--rows", "secrets").status == 64)
    let exported = try bench.run("export", store, "--to", bench.path("out.json"), "--json")
    #expect(exported.document["counts"] as? [String: Int] == ["waterings": 1], "\(exported.output)\(exported.errors)")
    #expect(try !String(contentsOf: bench.url("out.json"), encoding: .utf8).contains("marked-secret"))
  }

  @Test("the check says that it has not read the records, and finds a value that is not of its kind")
  func check() throws {
    let bench = try Workbench()
    let store = try Self.store(in: bench)
    let sound = try bench.run("check", store)
    #expect(
      sound.status == 0 && sound.errors.contains("The records of garden were not read: this program does not know that library."),
      "\(sound.errors)")
    #expect(!sound.output.contains("records"), "\(sound.output)")
    try RawDatabase.with(bench.url("garden.sqlite"), key: nil) { try $0.execute("UPDATE waterings SET labels = 'none'") }
    let found = try bench.run("check", store)
    #expect(found.status == 2 && found.output.contains("labels should hold JSON text, and does not"), "\(found.output)")
  }

  @Test("every column that a library's record reads has a kind")
  func libraries() throws {
    let unknown = try Libraries.all.flatMap { library in
      let store = try Store.inMemory(schemas: [library.schema])
      let description = try store.read { try $0.description() }
      return library.schema.records.flatMap { record in
        record.columns.filter { description.kind(of: $0, in: record.table) == nil }.map { "\(record.table).\($0)" }
      }
    }
    // The picture's bytes tell these; the record skips the columns.
    #expect(Set(unknown) == ["artwork.media_type", "artwork.width", "artwork.height", "artwork.bytes"])
  }
}
