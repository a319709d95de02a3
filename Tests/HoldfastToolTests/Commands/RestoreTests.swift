import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import Testing

@Suite("Restore")
final class RestoreTests {
  let bench: Workbench
  let store: String
  private let id = Workbench.snapshotID

  init() throws {
    bench = try Workbench()
    store = try bench.withSnapshot()
  }

  @Test("a snapshot comes back, and what it replaces is a snapshot that comes back too")
  func thereAndBack() throws {
    let restored = try bench.run("restore", store, "--snapshot", id, "--yes", "--json", status: 0)
    #expect(try bench.titles(store) == ["三体", "Moby Dick"])
    let kept = try #require(restored.document["kept_snapshot"] as? String)
    #expect(try bench.run("restore", store, "--snapshot", kept, "--yes").status == 0)
    #expect(try bench.titles(store) == ["三体"])
  }

  @Test("a restore shows the rows that it changes, needs --yes, and tells the command that undoes it; a dry run changes nothing")
  func plan() throws {
    let dry = try bench.run("restore", store, "--snapshot", id, "--dry-run", "--json")
    let tables = try #require(dry.document["tables"] as? [[String: Any]], "\(dry.output)\(dry.errors)")
    let collections = try #require(tables.first { $0["table"] as? String == "collections" })
    #expect(collections["added"] as? Int == 1 && collections["changed"] as? Int == 0 && collections["removed"] as? Int == 0)
    #expect(dry.document["dry_run"] as? Bool == true && dry.document["undo"] is NSNull)
    let asked = try bench.run("restore", store, "--snapshot", id, status: 64, errors: "\ncollections ")
    #expect(asked.errors.contains("This replaces the content of \(store)") && asked.errors.contains("2 collections, 3 tracks"))
    #expect(asked.errors.hasSuffix("Try: the same command with --yes\n"))
    #expect(try bench.titles(store) == ["三体"])
    let done = try bench.run("restore", store, "--snapshot", id, "--yes", status: 0, output: "until 5 newer ones")
    #expect(try bench.titles(store) == ["三体", "Moby Dick"])
    let undo = try #require(done.output.split(separator: "\n").first { $0.hasPrefix("undo") }?.split(separator: " ").dropFirst(2))
    #expect(try bench.run(undo.map(String.init)).status == 64)
    #expect(try bench.run(undo.map(String.init) + ["--yes"]).status == 0)
    #expect(try bench.titles(store) == ["三体"])
  }

  @Test("the command that undoes a restore can be copied into a shell, also where the store and the folder have spaces and quotes")
  func undoInShell() throws {
    let bench = try Workbench()
    let (store, folder) = (bench.path("Anna's books.sqlite"), bench.path("my snapshots"))
    #expect(try bench.run("import", bench.fixture("library.json"), "--into", store).status == 0)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let id = try bench.snapshot(store, "--folder", folder)
    try bench.change(store, "DELETE FROM collections WHERE title = 'Moby Dick'")
    let done = try bench.run("restore", store, "--folder", folder, "--snapshot", id, "--yes", "--json")
    #expect(try bench.titles(store) == ["三体", "Moby Dick"])
    let undo = try #require(done.document["undo"] as? String, "\(done.output)\(done.errors)")
    #expect(undo.hasPrefix("holdfast restore '"))
    // Behind the word "holdfast".
    let undone = try bench.shell("\"$1\"\(undo.dropFirst(8)) --yes")
    #expect(undone.status == 0, "\(undone.errors)")
    #expect(try bench.titles(store) == ["三体"])
  }

  @Test("a restore that changes nothing says so, and prints no command that undoes it")
  func nothingDiffers() throws {
    let id = try bench.snapshot(store)
    let done = try bench.run("restore", store, "--snapshot", id, "--yes", status: 0, output: "nothing: the store was as the snapshot")
    #expect(!done.output.contains("undo"), "\(done.output)")
  }

  @Test("without an archive, a snapshot becomes a file of its own, or gives one row back")
  func partly() throws {
    let copied = try bench.run("restore", store, "--snapshot", id, "--to", "then.sqlite", "--json")
    #expect(copied.status == 0 && (copied.document["copied"] as? [String: Any])?["id"] as? String == id, "\(copied.output)")
    #expect(try bench.titles(bench.path("then.sqlite")) == ["三体", "Moby Dick"])
    #expect(try bench.run("restore", store, "--snapshot", id, "--to", "then.sqlite").status == 73)
    #expect(try bench.titles(store) == ["三体"])
    let then = try bench.run("list", bench.path("then.sqlite"), "--json").document["collections"] as? [[String: Any]]
    let whale = try #require(then?.first { $0["title"] as? String == "Moby Dick" }?["id"] as? String)
    try bench.run("restore", store, "--snapshot", id, "--only", "collection:\(whale)", status: 64, errors: "collections  1 row\n")
    try bench.run("restore", store, "--snapshot", id, "--only", "collection:\(whale)", "--yes", status: 0, output: "tracks       1 row")
    #expect(try bench.titles(store) == ["三体", "Moby Dick"])
    let again = try bench.run("restore", store, "--snapshot", id, "--only", "collection:\(whale)", "--dry-run")
    #expect(again.status == 0 && again.errors == "Nothing was missing.\n", "\(again.errors)")
    #expect(try bench.names().allSatisfy { !$0.hasPrefix(".holdfast-") })
  }

  @Test(
    "a row that has changed since comes back with --changed, after both states were shown, and the printed command asks and undoes it",
    arguments: [true, false])
  func onlyChanged(hasArchive: Bool) throws {
    var moment = ["--label", "before"]
    if hasArchive {
      #expect(try bench.run("archive", "begin", store).status == 0 && bench.run("label", store, "before").status == 0)
    } else {
      moment = ["--snapshot", try bench.snapshot(store)]
    }
    let id = try #require(
      (bench.run("list", store, "--json").document["collections"] as? [[String: Any]])?.first { $0["title"] as? String == "三体" }?["id"]
        as? String)
    try bench.change(store, "UPDATE collections SET title = 'changed' WHERE title = '三体'")
    let only = ["restore", store] + moment + ["--only", "collection:\(id.prefix(6))"]
    func restore(_ arguments: String...) throws -> Finished { try bench.run(only + arguments) }
    let kept = try restore()
    #expect(kept.status == 0 && kept.errors.contains("with --changed it comes back as it was"), "\(kept.errors)")
    let asked = try restore("--changed")
    #expect(asked.status == 64 && asked.errors.contains(#"title: "changed" -> "三体""#), "\(asked.errors)")
    #expect(try restore("--changed", "--dry-run").output.contains("collections  1 changed row\n"))
    #expect(try bench.titles(store).contains("changed"))
    let done = try restore("--changed", "--yes", "--json")
    #expect(done.status == 0 && done.document["taken_back"] as? [String: Int] == ["collections": 1], "\(done.output)")
    #expect(try bench.titles(store).contains("三体"))
    let undo = try #require(done.document["undo"] as? String)
    #expect(undo.hasPrefix(hasArchive ? "holdfast rewind " : "holdfast restore "))
    let unasked = "\"$1\" \(undo.dropFirst("holdfast ".count))"
    #expect(try bench.shell(unasked).status == 64)
    #expect(try bench.titles(store).contains("三体"))
    #expect(try bench.shell("\(unasked) --yes").status == 0)
    #expect(try bench.titles(store).contains("changed"))
    #expect(try bench.run(["restore", store] + moment + ["--changed"]).status == 64)
  }

  @Test("a snapshot is made by hand, listed, and put back by the beginning of its id; one that could be several is refused")
  func byHand() throws {
    let made = try bench.run("snapshot", "create", store, "--label", "for the test", "--json", status: 0)
    let created = try #require(made.document["created"] as? [String: Any])
    #expect(created["label"] as? String == "for the test")
    let list = try bench.run("snapshot", "list", store, "--json").document["snapshots"] as? [[String: Any]]
    let createdID = try #require(created["id"] as? String)
    #expect(list?.compactMap { $0["id"] as? String } == [createdID, id])
    #expect(try bench.run("snapshot", "list", store).output == bench.run("restore", store).output)
    #expect(try bench.run("restore", store, "--snapshot", "202", "--yes").status == 64)
    #expect(try bench.run("restore", store, "--snapshot", "1999", "--yes").status == 66)
    #expect(try bench.run("restore", store, "--snapshot", "20251105", "--yes").status == 0)
    #expect(try bench.titles(store) == ["三体", "Moby Dick"])
    #expect(try bench.run("snapshot", "create", "nothing.sqlite").status == 66)
  }

  @Test("a snapshot of a store with findings names the first one and is 2; it is as the store")
  func findings() throws {
    try RawDatabase.with(URL(fileURLWithPath: store)) { other in
      try other.execute("PRAGMA foreign_keys = OFF; UPDATE tracks SET collection_id = 'gone' WHERE rowid = (SELECT min(rowid) FROM tracks)")
    }
    let made = try bench.run("snapshot", "create", store, status: 2, output: "1, the first: a row of tracks points at a row of collections")
    #expect(made.errors.contains("holdfast check \(store)"), "\(made.errors)")
    let list = try bench.run("snapshot", "list", store, "--json").document["snapshots"] as? [[String: Any]]
    #expect((list?.first?["findings"] as? [String])?.count == 1, "\(list ?? [])")
    #expect(try bench.run("snapshot", "verify", store).status == 0)
  }

  @Test("snapshots are verified, drilled and pruned; the newest sound one stays")
  func upkeep() throws {
    #expect(try bench.run("snapshot", "verify", store, "--json").document["verified"] as? [String] == [id])
    let drill = try bench.run("snapshot", "drill", store, "--json")
    #expect(drill.status == 0 && drill.document["passed"] as? Bool == true, "\(drill.output)\(drill.errors)")
    #expect(try bench.run("snapshot", "list", store, "--json").document["last_drill"] is String)
    #expect(try bench.run("snapshot", "prune", store, "--yes").status == 64)
    #expect(try bench.run("snapshot", "prune", store, "--keep-last", "0", "--by-hand").errors == "There is nothing to remove.\n")
    #expect(try bench.run("snapshot", "prune", store, "--snapshot", id, "--yes").status == 1)
    let newest = try bench.snapshot(store)
    #expect(
      try bench.run("snapshot", "prune", store, "--keep-last", "1").errors
        == "There is nothing to remove.\n1 snapshot made by hand stays: see --by-hand.\n")
    let dry = try bench.run("snapshot", "prune", store, "--keep-last", "1", "--by-hand", "--dry-run")
    #expect(dry.status == 0 && dry.output.hasPrefix("This would remove 1 snapshot of \(store) for good:\n\(id)  "), "\(dry.output)")
    #expect(dry.errors.isEmpty)
    #expect(try bench.run("snapshot", "create", store, "--dry-run").status == 64)
    let asked = try bench.run("snapshot", "prune", store, "--keep-last", "1", "--by-hand")
    #expect(asked.status == 64 && asked.errors.contains("removes 1 snapshot of \(store) for good:\n\(id)"), "\(asked.errors)")
    let pruned = try bench.run("snapshot", "prune", store, "--snapshot", id, "--yes", "--json")
    #expect((pruned.document["removed"] as? [[String: Any]])?.compactMap { $0["id"] as? String } == [id])
    try Data("damaged".utf8).write(to: bench.url("library.sqlite.holdfast/snapshots/\(newest).sqlite"))
    let verified = try bench.run("snapshot", "verify", store, "--json")
    #expect(verified.status == 2 && (verified.document["failed"] as? [Any])?.count == 1, "\(verified.output)")
  }

  @Test("a migration is planned on a copy, and run where that is asked for")
  func migrate() throws {
    let done = try bench.run("migrate", store)
    #expect(done.status == 0 && done.output == "nothing to migrate\n")
    #expect(try bench.run("migrate", store, "--run", "--json").document["migrated"] as? Bool == false)
    // As a version of the app that had no migration yet would have made it.
    let old = bench.url("old.sqlite")
    try Store.open(at: old, schemas: [StoreSchema("audiobooks", migrations: [])]).close()
    let plan = try bench.run("migrate", old.path, "--json").document
    let pending = try #require(plan["pending"] as? [String])
    #expect(pending == AudiobookLibrary.schema.migrations.map(\.name) && plan["migrated"] as? Bool == false)
    #expect(try bench.run("list", old.path).status != 0)
    #expect(try bench.run("migrate", old.path, "--run").output.hasPrefix("migrated: \(pending.joined(separator: ", "))\n"))
    #expect(try bench.run("list", old.path).status == 0)
    #expect(try bench.run("migrate", old.path).output == "nothing to migrate\n")
    #expect(try bench.run("migrate", store, "--run", "--plan").status == 64)
    #expect(try bench.run("migrate", "nothing.sqlite").status == 66)
  }

  @Test("a store that is damaged in any of its pages is replaced, and kept as it was", arguments: [1, 4, 8, 16])
  func damaged(page: Int) throws {
    var bytes = try Data(contentsOf: bench.url("library.sqlite"))
    bytes.replaceSubrange(page * 4096..<(page + 1) * 4096, with: Data(repeating: 0xA5, count: 4096))
    try bytes.write(to: bench.url("library.sqlite"))
    let restored = try bench.run("restore", store, "--snapshot", id, "--yes", "--json", status: 0)
    #expect(restored.document["kept_folder"] as? String != nil || restored.document["kept_snapshot"] as? String != nil)
    #expect(try bench.titles(store) == ["三体", "Moby Dick"])
    #expect(try bench.run("check", store).status == 0)
  }

  @Test("a damaged store that a killed program left is kept as it was, its log too: nothing opens it for writing before")
  func damagedWithLog() throws {
    let library = try AudiobookLibrary.open(at: URL(fileURLWithPath: store))
    _ = try library.store.write { try $0.execute("UPDATE collections SET title = 'new'") }
    let left = try ["", "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: store + $0)) }
    try library.store.close()
    var file = left[0]
    file.replaceSubrange(4 * 4096..<5 * 4096, with: Data(repeating: 0xA5, count: 4096))
    try file.write(to: URL(fileURLWithPath: store))
    try left[1].write(to: URL(fileURLWithPath: store + "-wal"))
    let restored = try bench.run("restore", store, "--snapshot", id, "--yes", "--json", status: 0)
    let kept = try #require(restored.document["kept_folder"] as? String)
    #expect(try Data(contentsOf: URL(fileURLWithPath: kept).appendingPathComponent("library.sqlite")) == file)
    #expect(try Data(contentsOf: URL(fileURLWithPath: kept).appendingPathComponent("library.sqlite-wal")) == left[1])
    #expect(try bench.titles(store) == ["三体", "Moby Dick"])
  }

  @Test("a snapshot whose description is damaged is told, and the others are listed")
  func damagedDescription() throws {
    let description = "\(store).holdfast/snapshots/\(id).json"
    let damaged = "\(store).holdfast/snapshots/20240101T000000Z-1.json"
    try Data("{\"id\":".utf8).write(to: URL(fileURLWithPath: damaged))
    let listed = try bench.run("restore", store, status: 2, output: id)
    #expect(listed.errors.contains("20240101T000000Z-1.json describes is not listed: the description is damaged."))
    #expect(try bench.run("restore", store, "--json").document["unreadable"] as? [String] == [damaged])
    try FileManager.default.removeItem(atPath: damaged)
    try Data().write(to: URL(fileURLWithPath: description))
    #expect(try bench.run("restore", store).status == 2)
  }

  @Test("a file that is no store has no list of snapshots, but an error")
  func noStore() throws {
    let bench = try Workbench()
    let text = try bench.write("this is no database", to: "notes.txt")
    #expect(try bench.run("restore", text).status == 65)
    #expect(try bench.run("restore", bench.path("missing.sqlite")).status == 66)
  }

  @Test("an app that has the store open sees the restored state, and goes on")
  func whileInUse() async throws {
    let library = try AudiobookLibrary.open(at: URL(fileURLWithPath: store))
    #expect(try await library.collections().count == 1)
    #expect(try bench.run("restore", store, "--snapshot", id, "--yes").status == 0)
    #expect(try await library.collections().count == 2)
    // SQLite cannot prepare a deletion with foreign keys again while it is finding out that the schema was replaced.
    _ = try await library.store.write { try $0.execute("DELETE FROM collections") }
    try library.store.close()
    #expect(try bench.titles(store) == [])
  }

  @Test("a store that is damaged, cut off or gone comes back too, and the damaged file is kept", arguments: ["damaged", "empty", "gone"])
  func unopenable(state: String) throws {
    switch state {
    case "damaged": try Data(repeating: 7, count: 5000).write(to: URL(fileURLWithPath: store))
    case "empty": try Data().write(to: URL(fileURLWithPath: store))
    default: try FileManager.default.removeItem(atPath: store)
    }
    let finished = try bench.run("restore", store, "--snapshot", id, "--yes", "--json", status: 0)
    #expect(try bench.titles(store) == ["三体", "Moby Dick"])
    let folder = finished.document["kept_folder"] as? String
    #expect((folder == nil) == (state == "gone"))
    if let folder { #expect(FileManager.default.fileExists(atPath: folder + "/library.sqlite")) }
  }

  @Test("a snapshot that does not exist is 66, and one that is not what was made is refused")
  func refused() throws {
    #expect(try bench.run("restore", store, "--snapshot", "yesterday", "--yes").status == 66)
    let file = bench.url("library.sqlite.holdfast/snapshots/\(id).sqlite")
    var bytes = try Data(contentsOf: file)
    bytes[bytes.count / 2] ^= 0xFF
    try bytes.write(to: file)
    try bench.run("restore", store, "--snapshot", id, "--yes", status: 1, errors: "checksum")
    #expect(try bench.titles(store) == ["三体"])
  }
}
