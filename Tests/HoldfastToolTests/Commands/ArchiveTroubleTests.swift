import Foundation
import Testing

extension Workbench {
  private static let archive = "library.sqlite.holdfast/archive"
  /// The first segment of a new archive.
  fileprivate var segment: URL { url("\(Self.archive)/00000001/0000000000000001.segment") }

  /// Imports a collection that the store does not have yet.
  fileprivate func importMore(_ store: String) throws -> Finished {
    let source = try write(ImportSurroundingsTests.library(collections: 1, tracks: 1), to: "more.json")
    return try run("import", source, "--into", store, "--progress", "none")
  }
}

@Suite("The command line where an archive cannot be written, or something else stands in its place")
final class ArchiveTroubleTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  @Test(
    "an import that cannot be archived succeeds, and says so, with what to do; a label then fails with the reason",
    arguments: [true, false])
  func notArchived(isPipe: Bool) throws {
    let store = try bench.archived()
    if isPipe {
      #expect(mkfifo(bench.segment.path, 0o600) == 0)
    } else {
      try FileManager.default.createDirectory(at: bench.segment, withIntermediateDirectories: false)
    }
    let imported = try bench.importMore(store)
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(imported.errors.contains("cannot be written: \(bench.segment.path) is not a file"), "\(imported.errors)")
    #expect(imported.errors.contains("`holdfast archive begin \(store)`"), "\(imported.errors)")
    try bench.run("label", store, "after", status: 75, errors: "at the moment: \(bench.segment.path) is not a file")
    try bench.run("history", store, status: 74, errors: "Try: Move it to another place")
    try FileManager.default.removeItem(at: bench.segment)
    let begun = try bench.run("archive", "begin", store, "--json")
    #expect(begun.status == 0 && begun.errors == "", "\(begun.errors)")
    #expect(begun.document["waiting_commits"] as? Int == 0 && begun.document["gaps"] as? Int == 0, "\(begun.document)")
    #expect(try bench.run("label", store, "after").status == 0)
  }

  @Test("a segment with the last of all numbers hides nothing that is archived later")
  func lastNumber() throws {
    let store = try bench.archived()
    #expect(try bench.importMore(store).status == 0)
    let last = bench.segment.deletingLastPathComponent().appendingPathComponent("9999999999999999.segment")
    try FileManager.default.moveItem(at: bench.segment, to: last)
    try bench.run("label", store, "after", status: 0)
    let history = try bench.run("history", store)
    #expect(history.output.contains("label: after") && history.output.contains("9999999999999999.segment"), "\(history.output)")
    #expect(try bench.run("rewind", store, "--label", "after", "--dry-run").status == 0)
  }

  @Test(
    "an import makes no new store where the archive or the snapshots of a lost one are, and says how that one comes back",
    arguments: ["archive", "snapshot"], [true, false])
  func lost(kept: String, isEmpty: Bool) throws {
    let store = try bench.store()
    #expect(try bench.run(kept, kept == "archive" ? "begin" : "create", store).status == 0)
    try FileManager.default.removeItem(atPath: store)
    if isEmpty { try Data().write(to: URL(fileURLWithPath: store)) }
    let before = try bench.content()
    let advice = "Try: holdfast heal \(store)"
    let arguments = ["import", bench.path("library.json"), "--into", store]
    for more in [[], ["--dry-run"]] {
      try bench.run(arguments + more, status: 65, errors: advice)
    }
    #expect(try bench.content() == before)
    try FileManager.default.moveItem(atPath: store + ".holdfast", toPath: bench.path("old"))
    #expect(try bench.run("import", bench.path("library.json"), "--into", store).status == 0)
  }

  @Test("a file or folder that is no store is told to be none, and no archive is advised", arguments: ["text", "folder", "empty"])
  func noStore(what: String) throws {
    let path = bench.path("x")
    switch what {
    case "text": try bench.write("no database", to: "x")
    case "folder": try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    default: try bench.write("", to: "x")
    }
    for arguments in [
      ["history", path], ["archive", "status", path], ["label", path, "a"], ["diff", path, "--from", "commit 0"],
      ["rewind", path, "--to", "now", "--yes"], ["restore", path, "--at", "now", "--yes"],
    ] {
      let finished = try bench.run(arguments)
      #expect(finished.status == (what == "empty" ? 66 : 65), "\(arguments): \(finished.errors)")
      #expect(!finished.errors.contains("archive begin"), "\(finished.errors)")
    }
  }

  @Test("snapshots are listed also of a file that is no store any more")
  func snapshotsOfNoStore() throws {
    let store = try bench.store()
    #expect(try bench.run("snapshot", "create", store, "--label", "by the test").status == 0)
    try Data("no database".utf8).write(to: URL(fileURLWithPath: store))
    try bench.run("history", store, status: 0, output: "by the test", errors: "is not a SQLite database")
  }

  @Test("a file where the archive's folder should be is named, and moving it away helps")
  func fileInPlace() throws {
    let store = try bench.store()
    let place = bench.path("library.sqlite.holdfast/archive")
    try FileManager.default.createDirectory(atPath: store + ".holdfast", withIntermediateDirectories: false)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: place))
    for arguments in [["history", store], ["archive", "begin", store], ["archive", "status", store], ["label", store, "a"]] {
      let refused = try bench.run(arguments, status: 73, errors: "\(place) is not a folder")
      #expect(refused.errors.contains("Try: Move it to another place"), "\(refused.errors)")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: place)) == Data("mine".utf8))
    try FileManager.default.moveItem(atPath: place, toPath: bench.path("mine"))
    #expect(try bench.run("archive", "begin", store).status == 0)
  }
}
