import Foundation
import HoldfastTesting
import Testing

@Suite("Salvage")
final class SalvageCommandTests {
  let bench: Workbench
  let store: String

  init() throws {
    bench = try Workbench()
    store = try bench.store()
  }

  @Test("salvage builds a store that check accepts from a file without its beginning, and leaves that file as it is")
  func withoutBeginning() throws {
    let file = URL(fileURLWithPath: store)
    var bytes = try Data(contentsOf: file)
    bytes.replaceSubrange(0..<4_096, with: Data(count: 4_096))
    try bytes.write(to: file)
    #expect(try bench.run("check", store).status == 65)
    let new = bench.path("new.sqlite")
    #expect(try bench.run("salvage", store, "--to", new).status == 65, "nothing tells the library")
    let finished = try bench.run("salvage", store, "--to", new, "--library", "audiobooks", "--json", status: 0)
    #expect(finished.document["origin"] as? String == "schemas" && finished.document["set_aside"] is NSNull)
    #expect(try Data(contentsOf: file) == bytes)
    #expect(try bench.run("check", new).status == 0)
    #expect(try bench.run("list", new, "tracks", "--json").document["total"] as? Int == 3)
    #expect(try bench.run("salvage", store, "--to", new).status == 73, "the new store is already there")
  }

  @Test("rows that are set aside are 2, and the file is named")
  func setAside() throws {
    try RawDatabase.with(URL(fileURLWithPath: store)) { try $0.execute("PRAGMA foreign_keys = OFF; DELETE FROM collections") }
    let (new, report) = (bench.path("new.sqlite"), bench.path("report.json"))
    let finished = try bench.run("salvage", store, "--to", new, "--report", report, status: 2)
    let written = try #require(JSONSerialization.jsonObject(with: Data(contentsOf: bench.url("report.json"))) as? [String: Any])
    #expect(written["set_aside"] as? String == new + ".set-aside.jsonl" && finished.output.contains(new + ".set-aside.jsonl"))
    #expect(try bench.run("salvage", store, "--to", bench.path("other.sqlite"), "--report", report).status == 73, "it is already there")
    #expect(!FileManager.default.fileExists(atPath: bench.path("other.sqlite")))
    for name in ["third.sqlite.set-aside.jsonl", "third.sqlite-wal", "library.sqlite-wal", "none/report.json"] {
      let refused = try bench.run("salvage", store, "--to", bench.path("third.sqlite"), "--report", bench.path(name))
      #expect(refused.status == (name.hasSuffix("-wal") ? 64 : 73), "\(name): \(refused.errors)")
      #expect(try bench.content().keys.filter { $0.contains("third") || $0.contains("-wal") } == [])
    }
  }

  @Test("a row whose bytes are no text any more is 2, and --report writes what --json prints")
  func unreadable() throws {
    let file = URL(fileURLWithPath: store)
    // The first byte of an id: no text begins with it.
    var bytes = try Data(contentsOf: file)
    let listed = try bench.run("list", store, "tracks", "--json").document
    let tracks = try #require(listed["tracks"] as? [[String: Any]])
    let id = try #require(tracks.first?["id"] as? String)
    while let place = bytes.range(of: Data(id.utf8)) { bytes[place.lowerBound] = 0xFF }
    try bytes.write(to: file)
    let finished = try bench.run("salvage", store, "--to", bench.path("new.sqlite"), "--report", bench.path("report.json"), "--json")
    #expect(finished.status == 2 && finished.document["unreadable_rows"] as? Int ?? 0 > 0, "\(finished.errors)\(finished.output)")
    #expect(try String(contentsOf: bench.url("report.json"), encoding: .utf8) == finished.output)
  }
}
