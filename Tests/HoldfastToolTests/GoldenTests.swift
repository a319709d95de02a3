import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastInference
import HoldfastTesting
import Testing

/// The JSON documents of the commands: one of each kind word for word, of all of them which members they have. The input is fixtures with
/// fixed ids and times.
///
/// To write them anew after a change that is meant: `HOLDFAST_WRITE_GOLDEN=1 swift test --filter GoldenTests`.
@Suite("Golden documents")
final class GoldenTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  static let collection = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
  static let track = "9f2c4e6a-1b3d-4f5a-8c7e-0a2b4c6d8e10"

  @Test("the documents of imports")
  func imports() throws {
    for name in ["library.json", "one-bad-record.json", "music.json"] { try bench.fixture(name) }
    try FileManager.default.copyItem(at: Workbench.example("strong.csv"), to: bench.url("strong.csv"))
    try bench.modelFolder()
    try bench.write("{\"schemaVersion\": 3, \"collections\": [", to: "cut-off.json")
    let before = try bench.content()
    var documents = Documents()
    try documents.run(bench, "import", "library.json", "--into", "books.sqlite", "--dry-run")
    try documents.run(bench, "import", "cut-off.json", "--into", "books.sqlite", status: 65, golden: "error-cut-off")
    try documents.run(bench, "import", "strong.csv", "--into", "workouts.sqlite", status: 65)
    #expect(try bench.content() == before)
    try documents.run(bench, "import", "library.json", "--into", "books.sqlite")
    try documents.run(bench, "import", "one-bad-record.json", "--into", "library.sqlite", status: 2, golden: "import-problems")
    try documents.run(bench, "import", "music.json", "--into", "music.sqlite")
    try documents.run(bench, "import", "strong.csv", "--into", "workouts.sqlite", "--unit", "kg", "--time-zone", "UTC")
    try documents.run(bench, "import", "tiny-model", "--into", "inference.sqlite")
    try documents.compare(with: "imports.txt")
  }

  @Test("the documents of audiobooks, and the commands that only look leave every file as it was")
  func audiobooks() throws {
    let store = URL(fileURLWithPath: try bench.store())
    let before = try bench.content()
    var documents = Documents()
    try documents.run(bench, "formats", golden: "formats")
    try documents.run(bench, "info", "library.sqlite", golden: "info")
    try documents.run(bench, "check", "library.sqlite", golden: "check")
    try documents.run(bench, "check", "library.sqlite", "--quick")
    try documents.run(bench, "list", "library.sqlite")
    try documents.run(bench, "list", "library.sqlite", "--limit", "1")
    try documents.run(bench, "list", "library.sqlite", "tracks")
    try documents.run(bench, "show", "library.sqlite", Self.collection, golden: "show")
    try documents.run(bench, "show", "library.sqlite", Self.track)
    try documents.run(bench, "search", "library.sqlite", "三体")
    try documents.run(bench, "search", "library.sqlite", "moby", "--ranked", "--limit", "1")
    try documents.run(bench, "stats", "library.sqlite")
    try documents.run(bench, "metrics", "library.sqlite", golden: "metrics")
    try documents.run(bench, "resume", "library.sqlite", golden: "resume")
    try documents.run(
      bench, "explain", "library.sqlite", "SELECT display_name FROM tracks WHERE filename = ?", golden: "explain")
    try documents.run(bench, "info", "missing.sqlite", status: 66)
    try documents.run(bench, "list", status: 64)
    #expect(try bench.content() == before)
    for format in ["holdfast", "library-json"] {
      try documents.run(bench, "export", "library.sqlite", "--to", "\(format).json", "--format", format)
    }
    let snapshot = try Self.snapshot(of: store)
    try documents.run(bench, "restore", "library.sqlite", golden: "restore-list")
    try documents.run(
      bench, "restore", "library.sqlite", "--snapshot", snapshot, "--yes", golden: "restore", naming: [snapshot: "ID"])
    try documents.compare(with: "audiobooks.txt")
  }

  @Test("the documents of music, and the commands that only look leave the store as it was")
  func music() async throws {
    let store = URL(fileURLWithPath: try await bench.music())
    let before = try Data(contentsOf: store)
    var documents = Documents()
    try documents.run(bench, "info", "music.sqlite")
    try documents.run(bench, "stats", "music.sqlite", golden: "music-stats")
    try documents.run(bench, "list", "music.sqlite")
    for list in ["artists", "playlists"] { try documents.run(bench, "list", "music.sqlite", list) }
    try documents.run(bench, "list", "music.sqlite", "tracks", "--limit", "2", golden: "music-list-tracks")
    for name in ["harbour songs", "水滴"] { try documents.run(bench, "show", "music.sqlite", name) }
    try documents.run(bench, "show", "music.sqlite", "Evening", golden: "music-show-playlist")
    for name in ["Moods", "Duet"] { try documents.run(bench, "show", "music.sqlite", name) }
    try documents.run(bench, "show", "music.sqlite", "the whale", status: 64)
    try documents.run(bench, "search", "music.sqlite", "nantu loo", golden: "music-search")
    for command in ["check", "resume"] { try documents.run(bench, command, "music.sqlite") }
    try documents.run(bench, "export", "music.sqlite", "--to", "music-export.json")
    try documents.run(bench, "export", "music.sqlite", "--to", "list.m3u8", "--format", "m3u8", "--playlist", "evening")
    #expect(try Data(contentsOf: store) == before)
    try documents.compare(with: "music.txt")
  }

  @Test("the documents of workouts, and the commands that only look leave the store as it was")
  func workouts() async throws {
    let store = URL(fileURLWithPath: try await bench.workouts())
    let before = try Data(contentsOf: store)
    var documents = Documents()
    for command in ["info", "stats"] { try documents.run(bench, command, "workouts.sqlite") }
    try documents.run(bench, "list", "workouts.sqlite", "--limit", "2")
    for list in ["exercises", "templates"] { try documents.run(bench, "list", "workouts.sqlite", list) }
    for name in ["legs", "kniebeuge"] { try documents.run(bench, "show", "workouts.sqlite", name) }
    try documents.run(bench, "show", "workouts.sqlite", "Full body", golden: "workouts-show-template")
    try documents.run(bench, "search", "workouts.sqlite", "knie")
    for command in ["check", "resume"] { try documents.run(bench, command, "workouts.sqlite") }
    try documents.run(bench, "export", "workouts.sqlite", "--to", "workouts.json", "--format", "json", status: 2)
    try documents.run(
      bench, "export", "workouts.sqlite", "--to", "s.csv", "--format", "strong-csv", "--unit", "lb", "--time-zone", "UTC", status: 2)
    #expect(try Data(contentsOf: store) == before)
    try documents.compare(with: "workouts.txt")
  }

  @Test("the documents of inference stores")
  func inference() async throws {
    _ = try await bench.inference()
    var documents = Documents()
    for command in ["info", "stats"] { try documents.run(bench, command, "inference.sqlite") }
    for kind in ["models", "sessions", "preferences", "telemetry"] { try documents.run(bench, "list", "inference.sqlite", kind) }
    try documents.run(bench, "show", "inference.sqlite", "configuration")
    try documents.run(bench, "show", "inference.sqlite", "llama small")
    try documents.run(bench, "show", "inference.sqlite", IDCodec.lowercase(InferenceSample.id(1)), golden: "inference-show-session")
    try documents.run(bench, "search", "inference.sqlite", "llama")
    try documents.run(bench, "check", "inference.sqlite")
    try documents.run(bench, "export", "inference.sqlite", "--to", "inference.json", status: 2, golden: "inference-export")
    try documents.run(bench, "send", "inference.sqlite", "--status")
    try documents.run(bench, "send", "inference.sqlite", "--to", "https://models.example", status: 1)
    try documents.compare(with: "inference.txt")
  }

  @Test("send: the documents of one that took, sent and was refused something, of what was set aside then, and of what lost")
  func send() async throws {
    _ = try await bench.inference()
    let model = #"{"id":"phi","name":"Phi 4","framework":"MLX","updatedAt":900000000.0}"#
    let server = try SendCommandTests.server(
      refusing: ["e2"],
      pages: [
        "/v1/configuration": #"{"id":"default","generation":{"defaults":{"maxTokens":999}},"updatedAt":900000000.0}"#,
        "/v1/models?page=1&pageSize=100": #"{"models":[\#(model)],"totalCount":1,"page":1,"pageSize":100}"#,
      ])
    defer { server.stop() }
    let address = server.address.absoluteString
    var documents = Documents()
    try documents.run(
      bench, "send", "inference.sqlite", "--to", address, status: 2, golden: "inference-send", environment: SendCommandTests.key,
      naming: [address: "ADDRESS"])
    for _ in 2...DataSyncService.mostTries { _ = try bench.run(SendCommandTests.key, "send", "inference.sqlite", "--to", address) }
    try documents.run(bench, "send", "inference.sqlite", "--status", status: 2, golden: "inference-send-set-aside")
    try documents.run(bench, "list", "inference.sqlite", "conflicts")
    try documents.compare(with: "send.txt")
  }

  @Test("the documents of the commands for quarantine, copies, the past and upkeep")
  func upkeep() throws {
    let store = "library.sqlite"
    try bench.fixture("one-bad-record.json")
    _ = try bench.store()
    var documents = Documents()
    try documents.run(bench, "archive", "begin", store)
    try documents.run(bench, "label", store, "here")
    #expect(try bench.run("import", "one-bad-record.json", "--into", store).status == 2)
    for action in ["status", "verify", "drill"] { try documents.run(bench, "archive", action, store) }
    try documents.run(bench, "history", store)
    try documents.run(bench, "diff", store, "--from", "label here")
    try documents.run(bench, "diff", store, "--from", "label here", "--rows", "tracks")
    try documents.run(bench, "quarantine", store)
    try documents.run(bench, "quarantine", "show", store, "1")
    try documents.run(bench, "quarantine", "export", store, "--to", "quarantine.jsonl")
    try documents.run(bench, "quarantine", "retry", store, status: 2)
    try documents.run(bench, "quarantine", "discard", store, "--all", "--yes")
    for action in ["create", "list", "verify", "drill"] { try documents.run(bench, "snapshot", action, store) }
    try documents.run(bench, "snapshot", "prune", store, "--keep-last", "1", "--by-hand", "--yes")
    try documents.run(bench, "restore", store, "--at", "label here", "--to", "then.sqlite")
    try documents.run(bench, "restore", store, "--at", "label here", "--only", "collection:\(Self.collection)", "--yes")
    try documents.run(bench, "rewind", store, "--label", "here", "--yes")
    try documents.run(bench, "audit", store)
    try documents.run(bench, "audit", store, "--head")
    try documents.run(bench, "migrate", store)
    try documents.run(bench, "heal", store, "--dry-run")
    try documents.run(bench, "salvage", store, "--to", "rescued.sqlite")
    try documents.run(bench, "query", store, "SELECT title FROM collections")
    try documents.run(bench, "explain", store, "SELECT title FROM collections", "--run")
    try documents.compare(with: "upkeep.txt")
  }

  @Test("the documents of sync, of what waits, and of what lost")
  func sync() throws {
    let store = "library.sqlite"
    _ = try bench.store()
    let server = try SyncCommandTests.server()
    defer { server.stop() }
    let address = server.address.absoluteString
    var documents = Documents()
    try documents.run(
      bench, "sync", store, "--to", address, "--space", "anna", "--take-the-servers", environment: SyncCommandTests.token,
      naming: [address: "ADDRESS"])
    for option in ["--status", "--lost", "--forget"] { try documents.run(bench, "sync", store, option) }
    try documents.run(bench, "sync", store, "--discard", "1", "--yes")
    try documents.run(bench, "sync", store, "--disconnect")
    try documents.compare(with: "sync.txt")
  }

  @Test("an outline names the members of all objects of a list, those that some lack, and those that are always null")
  func outline() {
    let text = #"{"tracks":[{"id":1,"note":null},{"id":2,"note":null,"tags":[{"tag":"a"}]}],"rows":{"tracks":2},"ok":true}"#
    let document = Finished(status: 0, output: text, errors: "").document
    #expect(MemberOutline(document).text == "ok rows tracks{id note- tags?{tag}}")
    #expect(MemberOutline(document).names == ["ok", "rows", "tracks", "id", "note", "tags", "tag"])
  }

  /// A snapshot of a fixed time. Returns its id.
  private static func snapshot(of store: URL) throws -> String {
    var options = StoreOptions.production
    options.now = { Date(timeIntervalSince1970: 1_762_342_882) }
    let library = try AudiobookLibrary.open(at: store, options: options)
    let snapshot = try library.store.snapshot(label: "before the change")
    try library.store.close()
    return snapshot.id
  }
}
