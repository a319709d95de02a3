import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastSync
import HoldfastSyncServer
import HoldfastTesting
import Testing

@testable import HoldfastTool

@Suite("holdfast sync against a server", .timeLimit(.minutes(10)))
final class SyncCommandTests {
  let bench: Workbench
  let store: String
  private let server: LoopbackServer
  private let address: String

  init() throws {
    bench = try Workbench()
    store = try bench.store()
    server = try SyncCommandTests.server()
    address = server.address.absoluteString
  }

  deinit { server.stop() }

  static let token = [Sync.tokenVariable: "secret"]

  /// The core of a server with the spaces `anna` and `anna-2`, for the token `secret`. It tells news all the time, and is then asked once a
  /// second.
  static func server() throws -> LoopbackServer {
    let core = SyncServer(try Store.inMemory(schemas: [SyncServer.schema]))
    for space in ["anna", "anna-2"] { try core.makeSpace(space, epoch: "e1") }
    return try LoopbackServer { request in
      guard request.method == "POST" else { return .respond(200) }
      let now = Int64(Date().timeIntervalSince1970 * 1_000)
      let response: HoldfastSync.SyncResponse
      do {
        guard request.headers["authorization"] == "Bearer secret" else { throw StoreError(.permissionDenied, "no such token") }
        let space = request.path.split(separator: "/").dropFirst(2).first.map(String.init) ?? ""
        response = try core.answer(.init(body: request.body), in: space, now: now)
      } catch {
        response = .init(.failed(StoreError(error)), now: now, epoch: "")
      }
      return .respond(response.status, body: String(decoding: response.body, as: UTF8.self))
    }
  }

  /// A store of audiobooks without a row.
  private static func empty(_ name: String, in bench: borrowing Workbench) throws -> String {
    try AudiobookLibrary.open(at: bench.url(name)).store.close()
    return bench.path(name)
  }

  @Test("two stores share a library; each says what waits, and can be disconnected")
  func shares() throws {
    let other = try Self.empty("other.sqlite", in: bench)
    for store in [store, other] {
      let synced = try bench.run(Self.token, "sync", store, "--to", address, "--space", "anna", "--json")
      #expect(synced.status == 0 && synced.document["pending"] as? Int == 0, "\(synced.output)\(synced.errors)")
      #expect(synced.document["space"] as? String == "anna" && synced.document["last_synced"] is String)
    }
    #expect(try bench.run("list", store).output == bench.run("list", other).output)
    #expect(try bench.run("sync", store, "--status").output.hasPrefix("space"))
    #expect(try bench.run("sync", store, "--lost").errors == "No value has lost.\n")
    #expect(try bench.run(Self.token, "sync", store, "--to", address, "--resync").status == 0)
    try bench.run(Self.token, "sync", store, "--to", address, "--space", "otto", status: 65)
    #expect(try bench.run("sync", store, "--disconnect").output == "disconnected from anna\n")
    #expect(try bench.run("sync", store, "--status").status == 1)
  }

  @Test("a space that was sealed with the key in HOLDFAST_SYNC_KEY needs it; what does not talk to the server needs none")
  func sealed() throws {
    func sync(_ key: String?, _ space: String = "anna") throws -> Int32? {
      let environment = Self.token.merging(key.map { [CommandKey.spaceVariable: $0] } ?? [:]) { $1 }
      return try bench.run(environment, "sync", store, "--to", address, "--space", space).status
    }
    let key = String(repeating: "0a", count: 32)
    #expect(try sync("secret") == 64)
    #expect(try sync(key) == 0)
    #expect(try sync(nil) == 77 && sync(String(repeating: "0b", count: 32)) == 77)
    #expect(try bench.run("sync", store, "--status").status == 0)
    #expect(try bench.run("sync", store, "--disconnect").status == 0)
    #expect(try sync(nil) == 77, "the server's rows are sealed")
    // The key is lost: what Sync.md says.
    #expect(try bench.run("sync", store, "--disconnect", "--force").status == 0)
    let another = String(repeating: "0c", count: 32)
    #expect(try sync(another, "anna-2") == 0 && sync(nil, "anna-2") == 77)
    #expect(try bench.run("sync", store, "--status", "--json").document["pending"] as? Int == 0)
  }

  @Test("a restore on the command line reaches the other store")
  func restores() throws {
    let other = try Self.empty("other.sqlite", in: bench)
    let id = try bench.snapshot(store)
    try bench.change(store, "DELETE FROM collections WHERE title = 'Moby Dick'")
    for hasMobyDick in [false, true] {
      // The snapshot is of before connecting.
      if hasMobyDick { #expect(try bench.run("restore", store, "--snapshot", id, "--yes").status == 0) }
      for each in [store, other] {
        try bench.run(Self.token, "sync", each, "--to", address, "--space", "anna", status: 0)
      }
      for each in [store, other] { #expect(try bench.run("list", each).output.contains("Moby Dick") == hasMobyDick) }
    }
  }

  @Test("to take the server's rows says what lost; each of them comes back by its number, in whatever order, or is discarded")
  func takesTheServers() throws {
    let before = try bench.run("list", store, "--json").output
    let taken = try bench.run(Self.token, "sync", store, "--to", address, "--space", "anna", "--take-the-servers", status: 0)
    #expect(taken.errors.contains("What lost on this device is kept: holdfast sync \(store.shellWord) --lost lists it"))
    #expect(try bench.run("list", store, "--json").output != before)
    try bench.run(Self.token, "sync", store, "--to", address, "--take-the-servers", status: 64, errors: "connected to anna already")

    func lost() throws -> [[String: Any]] {
      try #require(bench.run("sync", store, "--lost", "--json").document["lost"] as? [[String: Any]])
    }
    let entries = try lost()
    #expect(Set(entries.compactMap { $0["table"] as? String }).isSuperset(of: ["collections", "tracks"]))
    let numbers = entries.compactMap { $0["id"] as? Int }
    #expect(try bench.run("sync", store, "--restore", "\(numbers[0])", "--restore", "999999").status == 66)
    #expect(try lost().count == entries.count, "nothing is done where a number is wrong")
    // The rows that refer to others come first.
    let options = entries.sorted { ($0["table"] as? String ?? "") > ($1["table"] as? String ?? "") }.compactMap { $0["id"] as? Int }
      .flatMap { ["--restore", "\($0)"] }
    let restored = try bench.run(["sync", store] + options)
    #expect(restored.status == 0 && restored.output == "restored \(numbers.count); the next sync sends it\n", "\(restored.errors)")
    #expect(try lost().isEmpty && bench.run("list", store, "--json").output == before)
    let sent = try bench.run(Self.token, "sync", store, "--to", address, "--json")
    #expect(sent.status == 0 && sent.document["pending"] as? Int == 0 && sent.document["lost"] as? Int == 0)
    #expect(try bench.run("check", store).status == 0)
  }

  @Test("discarding asks; elsewhere than on a terminal it needs --yes")
  func discards() throws {
    let taken = try bench.run(
      Self.token, "sync", store, "--to", address, "--space", "anna", "--take-the-servers", "--json")
    let count = try #require(taken.document["lost"] as? Int)
    let entries = try #require(bench.run("sync", store, "--lost", "--json").document["lost"] as? [[String: Any]])
    #expect(entries.count == count && count > 0)
    let number = "\(try #require(entries.first?["id"] as? Int))"
    #expect(try bench.run("sync", store, "--discard", number).status == 64)
    #expect(try bench.run("sync", store, "--discard", number, "--yes").output == "discarded 1\n")
    #expect(try bench.run("sync", store, "--discard", number, "--yes").status == 66)
    #expect(try bench.run("sync", store, "--status", "--json").document["lost"] as? Int == count - 1)
  }

  @Test("forgetting asks where there is something to forget, and says what went; elsewhere than on a terminal it needs --yes")
  func forgets() throws {
    #expect(try bench.run(Self.token, "sync", store, "--to", address, "--space", "anna").status == 0)
    let nothing = try bench.run("sync", store, "--forget", "--json")
    #expect(nothing.status == 0 && nothing.document["forgotten"] as? Int == 0, "\(nothing.errors)")
    #expect(try bench.run("snapshot", "create", store).status == 0)
    let library = try AudiobookLibrary.open(at: URL(fileURLWithPath: store))
    // As where another device has purged a book.
    try library.store.write { tx in
      try tx.execute("DELETE FROM collections WHERE title = 'Moby Dick'")
      try tx.mark(tombstonesSince: [])
    }
    let count = try library.store.read { try $0.unforgotten() }.count
    try library.store.close()
    try bench.run("sync", store, "--forget", status: 64, errors: "This removes all snapshots of")
    #expect(try bench.run("sync", store, "--status", "--json").document["forgetting"] as? Int == count && count > 0)
    let forgotten = try bench.run("sync", store, "--forget", "--yes", "--json")
    #expect(forgotten.status == 0 && forgotten.document["forgotten"] as? Int == count, "\(forgotten.errors)")
    #expect(forgotten.document["snapshots"] as? Int ?? 0 > 0 && forgotten.document["source_backups"] is [Any])
    #expect(try bench.run("sync", store, "--forget").errors == "There is nothing to forget.\n")
  }

  @Test("a token that is not accepted is 73, a space that is not there 66; the token comes from a descriptor, too")
  func refusals() throws {
    let wrong = try bench.run([Sync.tokenVariable: "t0ken-of-nobody"], "sync", store, "--to", address, "--space", "anna")
    #expect(wrong.status == 73 && !wrong.errors.contains("t0ken"), "\(wrong.errors)")
    #expect(try bench.run("sync", store, "--disconnect").status == 75)
    #expect(try bench.run("sync", store, "--disconnect", "--force").status == 0)
    #expect(try bench.run(Self.token, "sync", store, "--to", address, "--space", "otto").status == 66)
    #expect(try bench.run("sync", store, "--disconnect", "--force").status == 0)
    let piped = try bench.shell("\"$1\" sync \(store.shellWord) --to \(address) --space anna --token-fd 3 3<<< secret")
    #expect(piped.status == 0, "\(piped.errors)")
  }

  @Test("the store of another program is 65, a missing file 66")
  func strangers() throws {
    let store = try bench.stranger("strangers", "CREATE TABLE things (id TEXT) STRICT")
    try bench.run("sync", store, "--status", status: 65, errors: "strangers, which this program does not know")
    #expect(try bench.run("sync", "gone.sqlite", "--status").status == 66)
  }

  @Test(
    "what makes no sense is wrong usage, and no address is repeated",
    arguments: [
      [], ["--status", "--lost"], ["--to", "http://sync.example"], ["--to", "https://u:p@a"], ["--to", "https://a?b=c"],
      ["--to", "https://a"], ["--space", "anna", "--status"], ["--watch"], ["--library", "audiobooks"],
      ["--to", "https://a", "--library", "bookshelf"], ["--forget", "--status"], ["--force", "--status"],
      ["--to", "https://a", "--status"],
      ["--to", "https://a", "--token-fd", "99"], ["--take-the-servers"], ["--restore", "1", "--discard", "2"], ["--restore", "x"],
      ["--restore", "1", "--yes"], ["--lost", "--yes"], ["--forget", "--discard", "1"],
    ])
  func usage(arguments: [String]) throws {
    let finished = try bench.run(["sync", "x.sqlite"] + arguments, status: 64)
    if arguments == ["--watch"] { #expect(finished.errors.contains("need --to URL"), "\(finished.errors)") }
    for word in ["u:p", "b=c"] { #expect(!finished.errors.contains(word), "\(finished.errors)") }
  }
}
