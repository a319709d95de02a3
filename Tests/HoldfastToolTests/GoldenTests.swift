import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastInference
import HoldfastTesting
import Testing

/// The JSON document of every command, word for word. The input is a fixture with fixed ids and times.
///
/// To write them anew after a change that is meant: `HOLDFAST_WRITE_GOLDEN=1 swift test --filter GoldenTests`.
@Suite("Golden documents")
struct GoldenTests {
  static let collection = "7c9e6679-7425-40de-944b-e07fc1f90ae7"
  static let track = "9f2c4e6a-1b3d-4f5a-8c7e-0a2b4c6d8e10"

  @Test("import: the document of a clean import")
  func clean() throws {
    let bench = try Workbench()
    let source = try bench.fixture("library.json")
    try expect(bench, "import", 0, "import", source, "--into", bench.path("library.sqlite"), "--json")
  }

  @Test("import: the document of an import with problems")
  func problems() throws {
    let bench = try Workbench()
    let source = try bench.fixture("one-bad-record.json")
    try expect(bench, "import-problems", 2, "import", source, "--into", bench.path("library.sqlite"), "--json")
  }

  @Test("import: the document of a dry run")
  func dryRun() throws {
    let bench = try Workbench()
    let source = try bench.fixture("library.json")
    try expect(bench, "import-dry-run", 0, "import", source, "--into", bench.path("library.sqlite"), "--dry-run", "--json")
    #expect(try bench.names() == ["library.json"])
  }

  @Test("export: the document of both formats", arguments: ["holdfast", "library-json"])
  func export(format: String) throws {
    let bench = try Workbench()
    let store = try bench.store()
    try expect(bench, "export-\(format)", 0, "export", store, "--to", bench.path("export.json"), "--format", format, "--json")
  }

  @Test(
    "the documents of the commands that only look",
    arguments: [
      ("formats", ["formats"]), ("info", ["info", "STORE"]), ("check", ["check", "STORE"]), ("check-quick", ["check", "STORE", "--quick"]),
      ("list", ["list", "STORE"]), ("list-limit", ["list", "STORE", "--limit", "1"]), ("list-tracks", ["list", "STORE", "tracks"]),
      ("show", ["show", "STORE", collection]),
      ("show-track", ["show", "STORE", track]), ("search", ["search", "STORE", "三体"]),
      ("stats", ["stats", "STORE"]), ("metrics", ["metrics", "STORE"]),
      ("search-ranked", ["search", "STORE", "moby", "--ranked", "--limit", "1"]), ("resume", ["resume", "STORE"]),
      ("explain", ["explain", "STORE", "SELECT display_name FROM tracks WHERE filename = ?"]),
    ])
  func looking(name: String, arguments: [String]) throws {
    let bench = try Workbench()
    let store = try bench.store()
    let before = try bench.content()
    try expect(bench, name, 0, arguments.map { $0 == "STORE" ? store : $0 } + ["--json"])
    #expect(try bench.content() == before)
  }

  @Test("import: the document of a music player's library")
  func music() throws {
    let bench = try Workbench()
    let source = try bench.fixture("music.json")
    try expect(bench, "music-import", 0, "import", source, "--into", bench.path("music.sqlite"), "--json")
  }

  @Test(
    "the documents of the commands that only look, for music",
    arguments: [
      ("info", ["info", "STORE"]), ("stats", ["stats", "STORE"]), ("list", ["list", "STORE"]),
      ("list-artists", ["list", "STORE", "artists"]), ("list-playlists", ["list", "STORE", "playlists"]),
      ("list-tracks", ["list", "STORE", "tracks", "--limit", "2"]), ("show-album", ["show", "STORE", "harbour songs"]),
      ("show-artist", ["show", "STORE", "水滴"]), ("show-playlist", ["show", "STORE", "Evening"]),
      ("show-folder", ["show", "STORE", "Moods"]), ("show-track", ["show", "STORE", "Duet"]), ("search", ["search", "STORE", "nantu loo"]),
      ("check", ["check", "STORE"]), ("resume", ["resume", "STORE"]), ("error-ambiguous", ["show", "STORE", "the whale"]),
      ("export", ["export", "STORE", "--to", "music-export.json"]),
      ("export-m3u8", ["export", "STORE", "--to", "list.m3u8", "--format", "m3u8", "--playlist", "evening"]),
    ])
  func lookingAtMusic(name: String, arguments: [String]) async throws {
    let bench = try Workbench()
    let store = try await bench.music()
    let before = try Data(contentsOf: URL(fileURLWithPath: store))
    let status: Int32 = name == "error-ambiguous" ? 64 : 0
    try expect(bench, "music-\(name)", status, arguments.map { $0 == "STORE" ? store : $0 } + ["--json"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
  }

  @Test("import: the document of a table of workouts")
  func workouts() throws {
    let bench = try Workbench()
    try FileManager.default.copyItem(at: Workbench.example("strong.csv"), to: bench.url("strong.csv"))
    try expect(
      bench, "workouts-import", 0, "import", "strong.csv", "--into", bench.path("workouts.sqlite"), "--unit", "kg", "--time-zone", "UTC",
      "--json")
    try expect(bench, "workouts-error-unit", 65, "import", "strong.csv", "--into", bench.path("other.sqlite"), "--json")
  }

  @Test(
    "the documents of the commands that only look, for workouts",
    arguments: [
      ("info", ["info", "STORE"]), ("stats", ["stats", "STORE"]), ("list", ["list", "STORE", "--limit", "2"]),
      ("list-exercises", ["list", "STORE", "exercises"]), ("list-templates", ["list", "STORE", "templates"]),
      ("show-workout", ["show", "STORE", "legs"]), ("show-exercise", ["show", "STORE", "kniebeuge"]),
      ("show-template", ["show", "STORE", "Full body"]), ("search", ["search", "STORE", "knie"]), ("check", ["check", "STORE"]),
      ("resume", ["resume", "STORE"]), ("export-json", ["export", "STORE", "--to", "workouts.json", "--format", "json"]),
      ("export-strong", ["export", "STORE", "--to", "s.csv", "--format", "strong-csv", "--unit", "lb", "--time-zone", "UTC"]),
    ])
  func lookingAtWorkouts(name: String, arguments: [String]) async throws {
    let bench = try Workbench()
    let store = try await bench.workouts()
    let before = try Data(contentsOf: URL(fileURLWithPath: store))
    let status: Int32 = name.hasPrefix("export") ? 2 : 0
    try expect(bench, "workouts-\(name)", status, arguments.map { $0 == "STORE" ? store : $0 } + ["--json"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
  }

  @Test("import: the document of a model's folder")
  func models() throws {
    let bench = try Workbench()
    try bench.modelFolder()
    try expect(bench, "inference-import", 0, "import", "tiny-model", "--into", bench.path("inference.sqlite"), "--json")
  }

  @Test(
    "the documents of the commands that only look, for inference stores",
    arguments: [
      ("info", ["info", "STORE"]), ("stats", ["stats", "STORE"]), ("list", ["list", "STORE"]),
      ("list-sessions", ["list", "STORE", "sessions"]), ("list-preferences", ["list", "STORE", "preferences"]),
      ("list-telemetry", ["list", "STORE", "telemetry"]), ("show-configuration", ["show", "STORE", "configuration"]),
      ("show-model", ["show", "STORE", "llama small"]),
      ("show-session", ["show", "STORE", IDCodec.lowercase(InferenceSample.id(1))]), ("search", ["search", "STORE", "llama"]),
      ("check", ["check", "STORE"]), ("export", ["export", "STORE", "--to", "inference.json"]),
      ("send-status", ["send", "STORE", "--status"]), ("error-send", ["send", "STORE", "--to", "https://models.example"]),
    ])
  func lookingAtInference(name: String, arguments: [String]) async throws {
    let bench = try Workbench()
    let store = try await bench.inference()
    let status: Int32 = name == "error-send" ? 1 : name == "export" ? 2 : 0
    try expect(bench, "inference-\(name)", status, arguments.map { $0 == "STORE" ? store : $0 } + ["--json"])
  }

  @Test("send: the documents of one that took, sent and was refused something, of what was set aside then, and of what lost")
  func send() async throws {
    let bench = try Workbench()
    let store = try await bench.inference()
    let model = #"{"id":"phi","name":"Phi 4","framework":"MLX","updatedAt":900000000.0}"#
    let server = try SendCommandTests.server(
      refusing: ["e2"],
      pages: [
        "/v1/configuration": #"{"id":"default","generation":{"defaults":{"maxTokens":999}},"updatedAt":900000000.0}"#,
        "/v1/models?page=1&pageSize=100": #"{"models":[\#(model)],"totalCount":1,"page":1,"pageSize":100}"#,
      ])
    defer { server.stop() }
    let arguments = ["send", store, "--to", server.address.absoluteString, "--json"]
    try expect(bench, "inference-send", 2, arguments, SendCommandTests.key)
    for _ in 2...DataSyncService.mostTries {
      _ = try Running(Workbench.binary, arguments, in: bench.folder, environment: SendCommandTests.key).finish()
    }
    try expect(bench, "inference-send-set-aside", 2, "send", store, "--status", "--json")
    try expect(bench, "inference-list-conflicts", 0, "list", store, "conflicts", "--json")
  }

  @Test("restore: the documents of the list and of a restored snapshot")
  func restore() throws {
    let bench = try Workbench()
    let store = try bench.store()
    var options = StoreOptions.production
    options.now = { Date(timeIntervalSince1970: 1_762_342_882) }
    let library = try AudiobookLibrary.open(at: URL(fileURLWithPath: store), options: options)
    let snapshot = try library.store.snapshot(label: "before the change")
    try library.store.close()
    try expect(bench, "restore-list", 0, "restore", store, "--json")
    try expect(bench, "restore", 0, "restore", store, "--snapshot", snapshot.id, "--yes", "--json")
  }

  @Test("errors: the documents of a missing file, wrong usage and a source that is cut off")
  func errors() throws {
    let bench = try Workbench()
    try expect(bench, "error-not-found", 66, "info", bench.path("missing.sqlite"), "--json")
    try expect(bench, "error-usage", 64, "list", "--json")
    let source = try bench.write("{\"schemaVersion\": 3, \"collections\": [", to: "library.json")
    try expect(bench, "error-cut-off", 65, "import", source, "--into", bench.path("library.sqlite"), "--json")
  }

  private func expect(_ bench: borrowing Workbench, _ name: String, _ status: Int32, _ arguments: String...) throws {
    try expect(bench, name, status, arguments)
  }

  private func expect(
    _ bench: borrowing Workbench, _ name: String, _ status: Int32, _ arguments: [String], _ environment: [String: String] = [:]
  ) throws {
    // On a slow machine an import takes long enough to report its progress.
    let quiet = arguments.first == "import" ? ["--progress", "none"] : []
    let finished = try Running(Workbench.binary, arguments + quiet, in: bench.folder, environment: environment).finish()
    #expect(finished.status == status, "\(finished.output)\(finished.errors)")
    #expect(finished.errors.isEmpty || name == "restore")
    let found = Self.normalised(finished.output, bench.folder)
    let file = Workbench.tests.appendingPathComponent("Golden/\(name).json")
    if ProcessInfo.processInfo.environment["HOLDFAST_WRITE_GOLDEN"] != nil { try Data(found.utf8).write(to: file) }
    let golden = try String(contentsOf: file, encoding: .utf8)
    #expect(found == golden, "\(name).json")
  }

  /// What differs from run to run, and only that: the folder; the id of the snapshot that a restore makes, which is its time; when a
  /// server took or refused something; the free space of the disk; the sizes of tables, which depend on SQLite's version;
  /// sizes and checksums of files that hold the time of the import.
  static func normalised(_ text: String, _ folder: URL) -> String {
    var text = text.replacingOccurrences(of: folder.path, with: "/folder")
    for (pattern, replacement) in [
      (#""kept_snapshot": "\d{8}T\d{6}Z-\d+""#, #""kept_snapshot": "20251105T114123Z-1""#),
      (#"--snapshot \d{8}T\d{6}Z-\d+"#, "--snapshot 20251105T114123Z-1"),
      (#""(bytes|log_bytes|pages|free_pages|(file|free|disk_free|rewind_needs)_bytes)": \d+"#, #""$1": 0"#),
      (#""objects": \[[^\]]*\]"#, #""objects": []"#),
      (#""sha256": "[0-9a-f]{64}""#, #""sha256": "0""#),
      (#""(last_acknowledged|noticed_at|tried_at)": "[0-9TZ:.-]+""#, #""$1": "2025-11-05T11:41:23.000Z""#),
    ] {
      guard let expression = try? NSRegularExpression(pattern: pattern) else { continue }
      text = expression.stringByReplacingMatches(in: text, range: NSRange(text.startIndex..., in: text), withTemplate: replacement)
    }
    return text
  }
}
