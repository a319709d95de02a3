import Foundation
import Holdfast
import HoldfastAudiobooks
import Testing

extension Workbench {
  /// A store whose archive has begun, with the label `before`, and in which Moby Dick was deleted after that.
  fileprivate func rewindable() throws -> String { try put(Self.past.get(), "library.sqlite") }

  private static let past: Result<PreparedFiles, any Error> = Result {
    let bench = try Workbench()
    let store = try bench.archived()
    try #require(bench.run("label", store, "before").status == 0)
    try bench.change(store, "DELETE FROM collections WHERE title = 'Moby Dick'")
    return try bench.prepared()
  }

  fileprivate func damageFirstBase() throws {
    let base = url("library.sqlite.holdfast/archive/00000001/0000000000000000.sqlite")
    var bytes = try Data(contentsOf: base)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: base)
  }
}

@Suite("Time travel on the command line")
final class TimeTravelTests {
  let bench: Workbench
  let store: String

  init() throws {
    bench = try Workbench()
    store = try bench.rewindable()
  }

  private static let all = ["三体", "Moby Dick"]

  /// What the history has of one kind.
  private func events(_ kind: String) throws -> [[String: Any]] {
    let events = try #require(bench.run("history", store, "--json").document["events"] as? [[String: Any]])
    return events.filter { $0["kind"] as? String == kind }
  }

  @Test("every command that needs an archive names the one that begins it, and changes nothing")
  func withoutArchive() throws {
    let bench = try Workbench()
    let store = try bench.store()
    let before = try bench.content()
    for arguments in [
      ["history", store], ["archive", "status", store], ["archive", "verify", store], ["archive", "drill", store],
      ["label", store, "x"], ["diff", store, "--from", "now"], ["rewind", store, "--to", "now", "--yes"],
      ["restore", store, "--at", "now", "--yes"], ["restore", store, "--at", "now", "--to", "x.sqlite"],
      ["restore", store, "--at", "now", "--only", "collection:x"],
    ] {
      try bench.run(arguments, status: 66, errors: "Try: holdfast archive begin \(store)")
    }
    #expect(try bench.content() == before)
    #expect(try bench.run("history", "nothing.sqlite").errors.contains("there is no file"))
  }

  @Test("a time that cannot be read is wrong usage, and the error lists the forms")
  func forms() throws {
    for arguments in [
      ["history", "x", "--from", "some day"], ["history", "x", "--to", "24:00"], ["diff", "x", "--from", "tomorrow"],
      ["rewind", "x", "--to", "noon"], ["restore", "x", "--at", "noon"],
    ] {
      let finished = try bench.run(arguments, status: 64, errors: "yesterday 14:02")
      // Only `history` has no use for a commit and a label.
      #expect(finished.errors.contains("\"commit 5\" or \"label TEXT\"") == (arguments[0] != "history"), "\(finished.errors)")
    }
  }

  @Test(
    "a moment is named once, and has come",
    arguments: [
      ["rewind", "x"], ["rewind", "x", "--to", "now", "--label", "a"], ["rewind", "x", "--label", "a", "--commit", "1"],
      ["rewind", "x", "--to", "2999-01-01 00:00"], ["restore", "x", "--at", "now", "--snapshot", "1"], ["restore", "x", "--to", "y"],
      ["restore", "x", "--only", "a:b"], ["restore", "x", "--at", "now", "--to", "y", "--only", "a:b"],
      ["restore", "x", "--at", "now", "--only", "a"], ["restore", "x", "--dry-run"],
      ["restore", "x", "--at", "now", "--to", "y", "--dry-run"], ["diff", "x", "--from", "now", "--to", "1 hour ago"], ["label", "x", ""],
      ["label", "x", String(repeating: "é", count: 501)], ["diff", "x", "--from", "now", "--rows", "t", "--limit", "0"],
    ])
  func usage(arguments: [String]) throws {
    #expect(try bench.run(arguments).status == 64)
  }

  @Test("the past is listed, newest last, with the tables of a commit, labels and snapshots; the archive tells how far it reaches")
  func history() throws {
    #expect(try bench.run("snapshot", "create", store, "--label", "by the test").status == 0)
    let listed = try bench.run("history", store, "--json")
    let events = try #require(listed.document["events"] as? [[String: Any]], "\(listed.output)")
    let kinds = events.compactMap { $0["kind"] as? String }
    #expect(kinds.first == "base" && kinds.last == "snapshot" && kinds.contains("commit"), "\(kinds)")
    #expect(events.contains { $0["kind"] as? String == "label" && $0["text"] as? String == "before" })
    #expect(events.contains { ($0["tables"] as? [String])?.contains("collections") ?? false })
    let times = events.compactMap { $0["time"] as? String }
    #expect(times == times.sorted() && times.count == events.count)
    let text = try bench.run("history", store, "--from", "1 hour ago").output
    #expect(text.contains("label: before") && text.contains("by the test") && text.contains("collections"), "\(text)")
    let newest = try bench.run("history", store, "--limit", "1", "--json").document["events"] as? [Any]
    #expect(newest?.count == 1)
    #expect(try bench.run("history", store, "--to", "2020-01-01 00:00").errors == "Nothing happened then.\n")
    let status = try bench.run("archive", "status", store, "--json").document
    #expect(status["gaps"] as? Int == 0)
    let commits = events.filter { $0["kind"] as? String == "commit" }.compactMap { $0["commit"] as? Int }
    #expect(status["newest_commit"] as? Int == commits.last, "\(status)")
  }

  @Test("without an archive the past is the snapshots, also those in a folder that the app has chosen")
  func snapshotsOnly() throws {
    let bench = try Workbench()
    let store = try bench.store()
    let folder = bench.path("elsewhere")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try bench.run("snapshot", "create", store, "--label", "by the test", "--folder", folder, status: 0)
    #expect(try bench.run("history", store).status == 66)
    try bench.run("history", store, "--folder", folder, status: 0, output: "by the test", errors: "has no archive")
  }

  @Test("the whole archive is verified, also when the store is gone; a damaged base is a finding, with what to do")
  func verify() throws {
    try FileManager.default.removeItem(atPath: store)
    let sound = try bench.run("archive", "verify", store, "--json")
    #expect(sound.status == 0 && sound.document["healthy"] as? Bool == true, "\(sound.output)\(sound.errors)")
    try bench.damageFirstBase()
    try bench.run("archive", "verify", store, status: 2, errors: "holdfast archive begin")
    let findings = try bench.run("archive", "verify", store, "--json").document["findings"] as? [[String: Any]]
    #expect(findings?.count == 1 && (findings?.first?["message"] as? String)?.hasSuffix("is damaged") == true, "\(findings ?? [])")
  }

  @Test("the archive is drilled, and its status tells when; the drill of a damaged one fails")
  func drill() throws {
    let drill = try bench.run("archive", "drill", store, "--json")
    #expect(drill.status == 0 && drill.document["passed"] as? Bool == true, "\(drill.output)\(drill.errors)")
    let passed = try #require(bench.run("archive", "status", store, "--json").document["last_drill"] as? String)
    try bench.damageFirstBase()
    let damaged = try bench.run("archive", "drill", store)
    #expect(damaged.status != 0 && damaged.errors.contains("is damaged"), "\(damaged.errors)")
    #expect(try bench.run("archive", "status", store, "--json").document["last_drill"] as? String == passed)
  }

  @Test("a rewind shows what it will do, asks, brings everything back, and names the label that undoes it")
  func rewind() throws {
    let dry = try bench.run("rewind", store, "--label", "before", "--dry-run", "--json")
    #expect(dry.status == 0 && dry.document["rewound"] as? Bool == false, "\(dry.output)")
    let tables = try #require(dry.document["tables"] as? [[String: Any]])
    let collections = try #require(tables.first { $0["table"] as? String == "collections" })
    #expect(collections["added"] as? Int == 1 && collections["changed"] as? Int == 0 && collections["removed"] as? Int == 0)
    let told = try bench.run("rewind", store, "--label", "before", "--dry-run").output
    let asked = try bench.run("rewind", store, "--label", "before")
    #expect(told.hasPrefix("This would bring \(store) back to commit"), "\(told)")
    #expect(asked.status == 64 && asked.errors.hasPrefix("This brings \(store) back to commit"), "\(asked.errors)")
    #expect(try bench.titles(store) == ["三体"])
    let done = try bench.run("rewind", store, "--label", "before", "--yes", "--json")
    #expect(done.status == 0 && done.document["rewound"] as? Bool == true, "\(done.output)")
    #expect(try bench.titles(store) == Self.all)
    let undo = try #require(done.document["undo"] as? String)
    try bench.run("rewind", store, "--label", undo, "--yes", status: 0, output: "undo")
    #expect(try bench.titles(store) == ["三体"])
    #expect(try bench.run("rewind", store, "--label", "never", "--yes").status == 66)
    #expect(try bench.run("check", store).status == 0)
  }

  @Test("while an app writes the archive, a rewind is 75 before it builds or asks; a dry run shows what it would do")
  func busy() throws {
    let app = try AudiobookLibrary.open(at: URL(fileURLWithPath: store))
    // Now the app archives.
    _ = try app.store.archive()
    try bench.run("rewind", store, "--label", "before", status: 75, errors: "`Store.rewind(to:)`")
    #expect(try bench.run("rewind", store, "--label", "before", "--dry-run").status == 0)
    try app.store.close()
  }

  @Test("a store that is damaged or gone comes back from its archive, and what stood there is kept", arguments: ["damaged", "gone"])
  func unopenable(state: String) throws {
    if state == "damaged" {
      try Data(repeating: 7, count: 5_000).write(to: URL(fileURLWithPath: store))
    } else {
      try FileManager.default.removeItem(atPath: store)
    }
    #expect(try bench.run("rewind", store, "--label", "before", "--dry-run").output.contains("writing.\nThis would build "))
    let finished = try bench.run("restore", store, "--label", "before", "--yes")
    #expect(try finished.status == 0 && bench.titles(store) == Self.all, "\(finished.errors)")
    #expect(finished.output.contains(state == "gone" ? "\nreplaced    nothing: there was no file\n" : "\nkept as     /"))
  }

  @Test(
    "the error of a store that is overwritten, emptied or gone is the command that brings it back, ready for a shell",
    arguments: [Data("no database".utf8), Data(count: 8_192), Data(), nil] as [Data?])
  func advice(content: Data?) throws {
    let bench = try Workbench()
    let store = bench.path("Anna's books.sqlite")
    #expect(try bench.run("import", bench.fixture("library.json"), "--into", store).status == 0)
    #expect(try bench.run("archive", "begin", store).status == 0)
    #expect(try bench.run("snapshot", "create", store).status == 0)
    try FileManager.default.removeItem(atPath: store)
    if let content { try content.write(to: URL(fileURLWithPath: store)) }
    for command in ["list", "check"] {
      let failed = try bench.run(command, store, "--json")
      let advice = try #require(failed.document["suggestion"] as? String, "\(failed.output)\(failed.errors)")
      #expect(advice.hasPrefix("holdfast heal '") && advice.contains(#"/Anna'\''s books.sqlite'"#), "\(advice)")
    }
    let healed = try bench.run("heal", store, "--yes", "--json")
    #expect(healed.status == 0 && healed.document["means"] as? String == "pages", "\(healed.output)\(healed.errors)")
    #expect(try bench.run("check", store).status == 0)
  }

  @Test("a moment is built as a file of its own; the store stays as it is, and a file that is there is not replaced")
  func beside() throws {
    try bench.run("restore", store, "--label", "before", "--to", "before.sqlite", status: 0)
    #expect(try bench.titles(bench.path("before.sqlite")) == Self.all)
    #expect(try bench.titles(store) == ["三体"])
    #expect(try bench.run("restore", store, "--label", "before", "--to", "before.sqlite").status == 73)
  }

  @Test("one row comes back with the rows below it, by the word for it or by its table")
  func onlyOne() throws {
    let old = bench.path("before.sqlite")
    #expect(try bench.run("restore", store, "--label", "before", "--to", old).status == 0)
    let listed = try bench.run("list", old, "--json").document["collections"] as? [[String: Any]]
    let id = try #require(listed?.first { $0["title"] as? String == "Moby Dick" }?["id"] as? String)
    #expect(try bench.run("restore", store, "--label", "before", "--only", "whale:\(id)").errors.contains("one of collection, track"))
    // A table without a column id: a collection's tags are found by the collection.
    try bench.run("restore", store, "--label", "before", "--only", "tags:\(id)", status: 64, errors: "tags names no table with a column id")
    let dry = try bench.run("restore", store, "--label", "before", "--only", "collection:\(id.prefix(8))", "--dry-run", "--json")
    try bench.run("restore", store, "--label", "before", "--only", "collection:\(id)", status: 64, errors: "collections  1 row\n")
    #expect(try bench.titles(store) == ["三体"])
    let back = try bench.run("restore", store, "--label", "before", "--only", "collection:\(id)", "--yes", "--json", status: 0)
    let rows = try #require(back.document["brought_back"] as? [String: Int])
    #expect(dry.status == 0 && dry.document["brought_back"] as? [String: Int] == rows, "\(dry.output)")
    #expect(rows["collections"] == 1 && rows["tracks"] ?? 0 > 0, "\(rows)")
    #expect(try bench.titles(store) == Self.all)
    #expect(try bench.run("show", store, id).output == bench.run("show", old, id).output)
    #expect(try bench.run("restore", store, "--label", "before", "--only", "collections:\(id)").errors == "Nothing was missing.\n")
  }

  @Test("a time that the history shows leads back to its commit; so do the words for a commit and a label, in every command")
  func shownTimes() throws {
    let commits = try events("commit")
    // Text shows times without their fraction.
    let shown = try commits.map { String(try #require($0["time"] as? String).prefix(19)) + "Z" }
    for time in Set(shown) {
      let last = try #require(Array(zip(commits, shown)).last { $0.1 == time }?.0["commit"] as? Int)
      let dry = try bench.run("rewind", store, "--to", time, "--dry-run", "--json").document
      #expect((dry["commit"] as? [String: Any])?["commit"] as? Int == last, "\(time): \(dry)")
    }
    let last = try #require(commits.last?["commit"] as? Int)
    let listed = try bench.run("history", store, "--from", #require(shown.last), "--to", #require(shown.last)).output
    #expect(listed.contains("\n\(last) "), "\(listed)")
    let deleted = try bench.run("diff", store, "--from", "commit \(last - 1)", "--to", "commit \(last)", "--json").document
    #expect((deleted["tables"] as? [[String: Any]])?.contains { $0["table"] as? String == "collections" } == true, "\(deleted)")
    #expect(deleted["from"] as? String == "commit \(last - 1)")
    #expect(try bench.run("diff", store, "--from", "commit 2", "--to", "commit 1").status == 64)
    #expect(try bench.run("rewind", store, "--to", "commit x", "--dry-run").errors.contains("is not a commit for --to"))
    #expect(try bench.run("rewind", store, "--to", " Commit \(last) ", "--dry-run").status == 0)
    #expect(try bench.run("diff", store, "--from", "commit \(last)", "--to", " Now ").output == "no row differs\n")
    #expect(try bench.run("restore", store, "--at", " Label before", "--to", "before.sqlite").status == 0)
    #expect(try bench.titles(bench.path("before.sqlite")) == Self.all)
  }

  @Test(
    "after the clock was set back, now is the newest commit, and the time that the history shows leads to it", arguments: [true, false])
  func clockSetBack(isNow: Bool) throws {
    var options = StoreOptions.production
    // The clock of these commits was an hour ahead.
    options.now = { Date(timeIntervalSinceNow: 3_600) }
    try bench.change(store, options: options, "UPDATE collections SET title = 'newest'")
    let newest = try #require(events("commit").last)
    let time = try #require(newest["time"] as? String)
    #expect(time > DateCodec.iso8601(try #require(DateCodec.milliseconds(Date())), fraction: true))
    try FileManager.default.removeItem(atPath: store)
    let rewound = try bench.run("rewind", store, "--to", isNow ? "now" : time, "--yes", "--json", status: 0)
    #expect((rewound.document["commit"] as? [String: Any])?["commit"] as? Int == newest["commit"] as? Int)
    #expect(try bench.titles(store) == ["newest"])
    #expect(try bench.run("rewind", store, "--to", "2999-01-01 00:00", "--dry-run").status == 64)
  }

  @Test("where the clock was wrong, the history shows its time, and a rewind to a time warns")
  func clockWrong() throws {
    for (title, ahead) in [("ahead", 3_600.0), ("right", 0.0)] {
      var options = StoreOptions.production
      options.now = { Date(timeIntervalSinceNow: ahead) }
      try bench.change(store, options: options, "UPDATE collections SET title = \(title)")
    }
    let commits = Array(try events("commit").suffix(3))
    try #require(commits.count == 3)
    #expect(commits.map { $0["clock"] is String } == [false, false, true], "\(commits)")
    #expect(try bench.run("history", store).output.contains("(clock: "))
    let time = try #require(commits[0]["time"] as? String)
    let dry = try bench.run("rewind", store, "--to", time, "--dry-run", "--json")
    #expect((dry.document["warning"] as? String)?.hasSuffix("choose a commit by its number") == true, "\(dry.output)")
    #expect(try bench.run("rewind", store, "--to", time, "--dry-run").errors.contains("warning: the clock was wrong"))
    try FileManager.default.removeItem(atPath: store)
    #expect(try bench.run("rewind", store, "--to", time, "--dry-run").errors.contains("warning: the clock was wrong"))
    #expect(try bench.run("rewind", store, "--to", "now", "--dry-run", "--json").document["warning"] is NSNull)
  }

  @Test("a moment before the archive began is an error that says what to do; times are shown in local time, too")
  func tooEarly() throws {
    let early = try bench.run("rewind", store, "--to", "2020-01-01 00:00", "--yes")
    #expect(early.status == 66 && early.errors.contains("Try: Choose a later moment; holdfast history shows"), "\(early.errors)")
    #expect(try bench.run("snapshot", "create", store).status == 0)
    #expect(try bench.run("snapshot", "drill", store).status == 0)
    let listed = try bench.run(["TZ": "Asia/Tokyo"], "snapshot", "list", store)
    #expect(listed.output.contains("LOCAL TIME") && listed.errors.contains("Z)."), "\(listed.output)\(listed.errors)")
  }

  @Test("two times are compared: what was added, changed and removed in each table")
  func diff() throws {
    let from = try #require(events("label").first?["time"] as? String)
    let compared = try bench.run("diff", store, "--from", from, "--json")
    let tables = try #require(compared.document["tables"] as? [[String: Any]], "\(compared.output)")
    let collections = try #require(tables.first { $0["table"] as? String == "collections" })
    #expect(collections["removed"] as? Int == 1 && collections["added"] as? Int == 0)
    #expect(try bench.run("diff", store, "--from", from, "--to", from).output == "no row differs\n")
  }

  @Test("the rows of one table that differ are listed with their values, and no more than asked for")
  func diffRows() throws {
    let from = DateCodec.iso8601(try #require(DateCodec.milliseconds(Date())), fraction: true)
    try bench.change(store, "UPDATE collections SET title = 'Three-Body'")
    try bench.run("diff", store, "--from", from, "--rows", "collections", status: 0, output: #"title: "三体" -> "Three-Body""#)
    let document = try bench.run("diff", store, "--from", from, "--rows", "Collections", "--json").document
    let rows = try #require(document["rows"] as? [[String: Any]], "\(document)")
    #expect(rows.map { $0["change"] as? String } == ["changed"] && document["complete"] as? Bool == true)
    #expect((rows.first?["before"] as? [String: Any])?["title"] as? String == "三体")
    #expect(try bench.run("diff", store, "--from", from, "--rows", "whales").status == 66)
    let labelled = try #require(events("label").first?["time"] as? String)
    let gone = try bench.run("diff", store, "--from", labelled, "--rows", "tracks", "--limit", "1")
    #expect(gone.output.contains("removed") && !gone.errors.contains("and more"), "\(gone.output)\(gone.errors)")
    try bench.run("diff", store, "--from", labelled, "--rows", "collections", "--limit", "1", errors: "and more")
  }

  @Test("the demo loses a library in four ways, brings it back each time, and loses nothing, in less than a minute")
  func demo() throws {
    let bench = try Workbench()
    let start = ContinuousClock.now
    let finished = try bench.run(["TMPDIR": bench.folder.path], "demo")
    #expect(ContinuousClock.now - start < .seconds(60))
    #expect(finished.status == 0, "\(finished.output)\(finished.errors)")
    #expect(finished.output.components(separatedBy: "Lost: nothing.").count == 5, "\(finished.output)")
    #expect(finished.output.hasSuffix("\nEverything came back, row for row.\n"))
    #expect(try bench.names() == [])
  }
}
