import Foundation
import Holdfast
import HoldfastAudiobooks
import Testing

@Suite("The archive on the command line")
struct ArchiveCommandTests {
  @Test("the status, the history and a comparison up to now tell which commits wait, and why that is not known; they change nothing")
  func waiting() throws {
    let bench = try Workbench()
    let store = try bench.store()
    let begun = try bench.run("archive", "begin", store)
    #expect(begun.status == 0 && begun.errors == "", "\(begun.errors)")
    #expect(begun.output.split(separator: "\n").contains { $0.hasPrefix("waiting ") && $0.hasSuffix(" none") }, "\(begun.output)")
    #expect(try bench.run("history", store).errors == "")
    let looks = [["archive", "status", store], ["history", store], ["diff", store, "--from", "commit 0"]]
    var options = StoreOptions.production
    options.archive.mode = .off
    let library = try AudiobookLibrary.open(at: URL(fileURLWithPath: store), options: options)
    _ = try library.store.write { try $0.execute("UPDATE collections SET title = 'new' WHERE title = 'Moby Dick'") }
    for arguments in looks {
      try bench.run(arguments, status: 0, errors: "not archived yet")
    }
    let status = try bench.run("archive", "status", store, "--json").document
    #expect(status["waiting_commits"] as? Int ?? 0 >= 1 && status["problem"] is NSNull, "\(status)")
    for arguments in looks.dropFirst() {
      let told = try bench.run(arguments + ["--json"]).document
      #expect(told["waiting_commits"] as? Int == status["waiting_commits"] as? Int, "\(arguments): \(told)")
      let earlier = try bench.run(arguments + ["--json", "--to", Self.later(arguments)]).document
      #expect(earlier["waiting_commits"] is NSNull, "\(arguments): \(earlier)")
    }
    try library.store.close()
    let before = try bench.content()
    let gap = "the file differs from what was archived"
    for arguments in looks {
      try bench.run(arguments, status: 0, errors: "not known: \(gap). The next opening")
    }
    let unknown = try bench.run("archive", "status", store, "--json").document
    #expect(unknown["waiting_commits"] is NSNull && unknown["problem"] as? String == gap, "\(unknown)")
    for arguments in looks.dropFirst() {
      let document = try bench.run(arguments + ["--json"]).document
      #expect(document["waiting_commits"] is NSNull, "\(arguments): \(document)")
    }
    #expect(try bench.content() == before)
    #expect(try bench.run("label", store, "after").status == 0)
    let after = try bench.run("archive", "status", store, "--json").document
    #expect(after["waiting_commits"] as? Int == 0 && after["problem"] is NSNull && after["gaps"] as? Int == 1, "\(after)")
  }

  /// An end for which `history` and `diff` do not look at what waits.
  private static func later(_ arguments: [String]) -> String { arguments[0] == "diff" ? "commit 0" : "2999-01-01" }

  @Test("a label beside an app that archives is written by the app")
  func labelBesideApp() throws {
    let bench = try Workbench()
    let store = try bench.archived()
    let app = try AudiobookLibrary.open(at: URL(fileURLWithPath: store))
    // Now the app archives.
    _ = try app.store.archive()
    try bench.run("label", store, "beside it", status: 0)
    #expect(try app.store.archive().history().last?.text == "beside it")
    try app.store.close()
  }
}
