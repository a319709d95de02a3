import Foundation
import Holdfast
import HoldfastInference
import HoldfastTransfer
import Testing

@testable import HoldfastTool

@Suite("An inference store on the command line", .timeLimit(.minutes(10)))
final class InferenceTests {
  let bench: Workbench
  let store: String

  init() async throws {
    let bench = try Workbench()
    store = try await bench.inference()
    self.bench = bench
  }

  @Test("models are the first list, by name; sessions come newest first; telemetry is counted by type")
  func lists() async throws {
    #expect(
      try Self.cells(bench.run("list", store)) == [
        "ID|MODEL|FORMAT|FRAMEWORK|WEIGHTS|SIZE|CONTEXT|FILE|USES",
        "small-llama|Llämä Small|gguf|LlamaCpp|q4_K_M|807.6 MB|131072|recorded|2", "phi|Phi|MLX",
      ])
    let sessions = try Self.cells(bench.run("list", store, "sessions")).map { $0.split(separator: "|").dropFirst().joined(separator: "|") }
    #expect(
      sessions == [
        "STARTED|MODEL|TYPE|GENERATIONS|TOKENS|COST", "2025-10-07T18:43:20Z|of nobody|batch|1|300|0.0025",
        "2025-10-06T18:00:00Z|small-llama|chat|2|150",
      ])
    #expect(
      try Self.cells(bench.run("list", store, "telemetry")) == [
        "TYPE|EVENTS|TO BE SENT|SET ASIDE|LAST", "error|1|1|2025-10-06T18:00:10Z", "performance|2|2|2025-10-06T18:00:30Z",
      ])
    #expect(
      try Self.cells(bench.run("list", store, "preferences")) == [
        "PREFERENCE|VALUE|CHANGED", #"theme|{"dark":true}|2025-11-05T11:41:22Z"#,
      ])
    let first = try bench.run("list", store, "--limit", "1")
    #expect(first.errors == "… and 1 more.\n" && first.output.contains("small-llama"), "\(first.output)\(first.errors)")
  }

  @Test("a model is shown by its id, the beginning of it, or its name without accents, with what its file says and its days")
  func model() async throws {
    let shown = try bench.run("show", store, "small-llama", status: 0, output: "llama.block_count  16\n")
    #expect(Self.cells(shown).last == "2025-10-06|2|1|150|506.3 ms")
    for name in ["small", "SMALL-llama", "llama SMALL"] { #expect(try bench.run("show", store, name).output == shown.output) }
    #expect(try bench.run("show", store, "Nothing of this name").status == 66)
  }

  @Test("a session is a table of its generations, with what failed")
  func session() async throws {
    let id = IDCodec.lowercase(InferenceSample.id(1))
    let shown = try bench.run("show", store, String(id.prefix(13)), status: 0)
    #expect(
      Self.cells(shown).suffix(3) == [
        "NO.|TIME|WHERE|PROMPT|ANSWER|LATENCY|FIRST TOKEN|TOKENS/S|COST|ERROR",
        "1|2025-10-06T18:01:00Z|onDevice|20|30|400 ms|90.3 ms|49.5", "2|2025-10-06T18:02:00Z|onDevice|60|40|612.5 ms|90.3 ms|49.5|timeout",
      ])
    #expect(shown.output.contains("\nid           \(id)\n"), "\(shown.output)")
  }

  @Test("latencies are percentiles of what was measured; tokens and cost are charted by model and day, and no cost is no chart")
  func stats() async throws {
    let text = try bench.run("stats", store).output
    #expect(text.contains("latency      p50 612.5 ms, p95 900 ms, p99 900 ms\n"), "\(text)")
    #expect(text.contains("\nTokens of small-llama by day\n  2025-10-06  150\n"), "\(text)")
    #expect(text.contains("\nCost of of nobody by day\n  2025-10-07  0.0025\n"), "\(text)")
    #expect(!text.contains("Cost of small-llama"), "\(text)")
  }

  @Test("an export has no secret and nothing of its table, says so, and comes back; the key is then set again")
  func export() async throws {
    let exported = try bench.run("export", store, "--to", "export.json", "--json", status: 2)
    let left = try #require(exported.document["left_out"] as? [[String: Any]])
    #expect(left.map { $0["kind"] as? String } == ["secrets"] && left.map { $0["id"] as? String } == ["api-key/default"])
    let text = try String(contentsOf: bench.url("export.json"), encoding: .utf8)
    for word in ["secrets", "sealed", "sync_state", "sync_tries", InferenceSample.apiKey] { #expect(!text.contains(word), "\(word)") }
    try bench.run("import", "export.json", "--into", "again.sqlite", "--json", status: 0)
    #expect(try bench.run("stats", "again.sqlite").output == (try bench.run("stats", store).output))
    #expect(try bench.run("check", "again.sqlite").status == 0)
    try bench.run(Self.key, "send", "again.sqlite", "--to", "http://127.0.0.1:1", status: 74)
  }

  @Test("the SDK's database comes in; its key of the API is sealed with the key in the environment, or left out, and stands nowhere else")
  func database() throws {
    let source = try bench.fixture("runanywhere.db")
    let without = try bench.run("import", source, "--into", "without.sqlite", "--json", status: 0)
    #expect((without.document["skipped"] as? [String: Int])?["no key for secrets"] == 1, "\(without.output)")
    #expect(try Self.cells(bench.run("list", "without.sqlite", "sessions")).last?.hasSuffix("|llama|chat|1|90") == true)
    let with = try bench.run(Self.key, "import", source, "--into", "with.sqlite", "--json", status: 0)
    #expect((with.document["counts"] as? [String: [String: Int]])?["secrets"]?["imported"] == 1, "\(with.output)")
    let key = Data("sk-live-0123456789-abcdefghij".utf8)
    let found = try bench.content().filter { $0.value.range(of: key) != nil }.keys.sorted()
    #expect(found == ["runanywhere.db"])
    try bench.run([SecretKey.variableName: "abc"], "import", source, "--into", "wrong.sqlite", status: 77)
    #expect(!FileManager.default.fileExists(atPath: bench.path("wrong.sqlite")))
    #expect(try bench.run("send", "with.sqlite", "--to", "http://127.0.0.1:1").status == 1, "the key is not there")
  }

  @Test("the SDK's second database comes in, its checks and keys are no hindrance, and its key of the API stands nowhere else")
  func secondDatabase() throws {
    let source = try bench.secondDatabase()
    let before = try Data(contentsOf: URL(fileURLWithPath: source))
    let imported = try bench.run(Self.key, "import", source, "--into", "i.sqlite", "--json")
    #expect(imported.status == 2 && imported.document["format"] as? String == "inference-grdb", "\(imported.output)\(imported.errors)")
    #expect((imported.document["counts"] as? [String: [String: Int]])?["secrets"]?["imported"] == 1, "\(imported.output)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: source)) == before)
    let key = Data("sk-live-0123456789-abcdefghij".utf8)
    #expect(try bench.content().filter { $0.value.range(of: key) != nil }.keys.sorted() == ["runanywhere.db"])
    #expect(try Self.cells(bench.run("list", "i.sqlite", "sessions")).last?.hasSuffix("|llama|chat|1|90") == true)
    let shown = try bench.run("show", "i.sqlite", "llama", "--json").document["model"] as? [String: Any]
    #expect(shown?["format"] as? String == "gguf" && shown?["usage_count"] as? Int == 4, "\(String(describing: shown))")
    #expect(try bench.run("check", "i.sqlite").status == 0)
  }

  @Test("of a model in GGUF the header is read, however large the model is, and no copy is made")
  func gguf() throws {
    let model = try bench.gguf("tiny-q4_0.gguf", weights: 1 << 34)
    let imported = try bench.run("import", model, "--into", "i.sqlite", "--json", status: 0)
    #expect(imported.document["format"] as? String == "gguf" && imported.document["backup"] is NSNull)
    let shown = try bench.run("show", "i.sqlite", "tiny-q4_0", "--json").document["model"] as? [String: Any]
    #expect(shown?["context_length"] as? Int == 4096 && (shown?["size_bytes"] as? Int ?? 0) > 1 << 34)
    let copies = try bench.names().filter { $0.contains("backup") }
    #expect(copies == [])
    // A store of another library says so at once, too.
    try bench.run("import", model, "--into", try bench.store(), status: 65, errors: "is for inference")
  }

  @Test("a folder is its config.json, or its one model in GGUF; several models are told")
  func folder() throws {
    knowFourLibraries()
    try bench.run("import", try bench.modelFolder(), "--into", "i.sqlite", "--json", status: 0)
    let shown = try bench.run("show", "i.sqlite", "tiny-model", "--json").document["model"] as? [String: Any]
    #expect(shown?["context_length"] as? Int == 2048 && shown?["quantization"] as? String == "fp16")
    try FileManager.default.createDirectory(at: bench.url("parts"), withIntermediateDirectories: true)
    for name in ["m-00001-of-00002.gguf", "m-00002-of-00002.gguf"] { try bench.gguf("parts/\(name)") }
    let parts = try #require(FilePath(argument: bench.path("parts")))
    #expect(try SourceFile.file(of: parts, format: nil).path.hasSuffix("parts/m-00001-of-00002.gguf"))
    try bench.gguf("parts/other.gguf")
    try bench.write(#"{"model_type":"llama"}"#, to: "parts/config.json")
    #expect(try SourceFile.file(of: parts, format: nil).path.hasSuffix("parts/config.json"))
    #expect(throws: Failure.self) { try SourceFile.file(of: parts, format: "gguf") }
    try FileManager.default.removeItem(at: bench.url("parts/config.json"))
    try bench.run("import", "parts", "--into", "i.sqlite", status: 64, errors: "m-00001-of-00002.gguf, other.gguf")
    try FileManager.default.createDirectory(at: bench.url("empty"), withIntermediateDirectories: true)
    #expect(try bench.run("import", "empty", "--into", "i.sqlite").errors.contains("is a folder"))
  }

  @Test("what waits is told without a key and without a change")
  func status() async throws {
    let before = try bench.content()
    let told = try bench.run("send", store, "--status", "--json", status: 0)
    #expect((told.document["pending"] as? [String: Int])?["telemetry"] == 3 && told.document["consent"] as? String == "limited")
    #expect(told.document["acknowledged"] is NSNull && told.document["last_error"] is NSNull)
    #expect(try bench.run("send", store, "--status").errors == "The consent is limited: only errors and performance are sent.\n")
    #expect(try bench.content() == before)
  }

  @Test("without the right key nothing is sent, and no error says anything of a key")
  func keys() async throws {
    try bench.run("send", store, "--to", "http://127.0.0.1:1", status: 1, errors: "HOLDFAST_SECRET_KEY is not set; nothing was sent\nTry: ")
    for key in [String(repeating: "0", count: 64), "not-a-key-of-mine"] {
      let wrong = try bench.run([SecretKey.variableName: key], "send", store, "--to", "http://127.0.0.1:1")
      #expect(wrong.status == 77 && !wrong.errors.contains(key), "\(wrong.errors)")
    }
    let status = try bench.run("send", store, "--status", "--json").document
    #expect(status["last_error"] is NSNull)
    let inference = try InferenceStore.open(at: bench.url("gone.sqlite"))
    try await inference.save(InferenceConfiguration(apiKeyReference: "of another store", createdAt: InferenceSample.time(0)))
    try inference.store.close()
    try bench.run("send", "gone.sqlite", "--to", "http://127.0.0.1:1", status: 66, errors: "of another store, is not in")
  }

  @Test("a generation of a moment that is no date is 65 with its table and column", arguments: [Int64.max, Int64.min])
  func noDate(milliseconds: Int64) async throws {
    let inference = try InferenceStore.open(at: URL(fileURLWithPath: store))
    _ = try await inference.store.write { try $0.execute("UPDATE generations SET created_at = \(milliseconds) WHERE sequence_number = 1") }
    try inference.store.close()
    try bench.run("stats", store, status: 65, errors: "created_at")
  }

  @Test("a server that does not answer is told, and everything goes on waiting")
  func noServer() async throws {
    for key in [InferenceSample.hexadecimalKey, InferenceSample.keyBytes.base64EncodedString() + "\n"] {
      let sent = try bench.run([SecretKey.variableName: key], "send", store, "--to", "http://127.0.0.1:1")
      #expect(sent.status == 74 && sent.errors.hasPrefix("Error: the server gave no answer"), "\(sent.errors)")
      #expect(!sent.errors.contains(InferenceSample.apiKey))
      let advice = "Try: Check the network and the address of the API, then try again; unconfirmed rows still wait.\n"
      #expect(sent.errors.contains(advice), "\(sent.errors)")
    }
    let status = try bench.run("send", store, "--status", "--json").document
    #expect((status["pending"] as? [String: Int])?["telemetry"] == 3 && status["last_error"] is String && status["retry_at"] is String)
  }

  @Test(
    "an address that would give the key away, or is none, is wrong usage",
    arguments: [
      [], ["--to", "ftp://a"], ["--to", "http://models.example"], ["--to", "a"], ["--to", "https://u:p@a"], ["--to", "https://a?b=c"],
    ])
  func addresses(arguments: [String]) throws {
    let finished = try bench.run(["send", "x.sqlite"] + arguments, status: 64)
    for word in ["u:p", "b=c"] { #expect(!finished.errors.contains(word), "\(finished.errors)") }
  }

  @Test("no other library is sent anywhere, and an inference store has nothing to go on with and no unit")
  func others() async throws {
    let books = try bench.run("send", try bench.store(), "--status")
    #expect(books.status == 65 && books.errors.hasPrefix("Error: a library of audiobooks has no API to send to\n"), "\(books.errors)")
    #expect(try bench.run("resume", store, "--json").document["resume"] is NSNull)
    #expect(try bench.run("export", store, "--to", "x.json", "--unit", "kg").status == 65)
    #expect(try bench.run("import", try bench.modelFolder(), "--into", "i.sqlite", "--unit", "kg").status == 65)
  }

  @Test("models are found by every word of their name, id, author and tags")
  func search() async throws {
    for text in ["llama", "SMALL some", "chat"] {
      let hits = try bench.run("search", store, text, "--json").document["hits"] as? [[String: Any]]
      #expect(hits?.map { $0["id"] as? String } == ["small-llama"], "\(text)")
    }
    for text in ["llama phi", " "] { #expect(try bench.run("search", store, text).errors == "Nothing was found.\n") }
  }

  @Test("a key is 64 hexadecimal digits or Base64 of 32 bytes, and anything else is refused without being told")
  func secretVariable() throws {
    func isKey(_ text: String?) throws -> Bool { try SecretKey.inEnvironment(text.map { [SecretKey.variableName: $0] } ?? [:]) != nil }
    #expect(try [nil, "", " \n"].map(isKey) == [false, false, false])
    let digits = InferenceSample.hexadecimalKey
    #expect(try [digits, digits.uppercased(), InferenceSample.keyBytes.base64EncodedString()].map(isKey) == [true, true, true])
    for text in ["xyzzy", String(digits.dropLast(2)), digits + "00", "ａｂ"] {
      let error = #expect(throws: StoreError.self) { try SecretKey.inEnvironment([SecretKey.variableName: text]) }
      #expect(error?.code == .wrongKey && error?.message.contains(text) == false)
    }
  }

  private static let key = [SecretKey.variableName: InferenceSample.hexadecimalKey]

  /// The cells of each line, without the white space that aligns them; empty ones are left out.
  private static func cells(_ finished: Finished) -> [String] {
    finished.output.split(separator: "\n").map { line in
      String(line).components(separatedBy: "  ").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        .joined(separator: "|")
    }
  }
}
