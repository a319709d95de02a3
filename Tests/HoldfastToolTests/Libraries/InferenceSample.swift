import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

/// A small store with fixed ids and times: two models, two sessions with generations on two days, one of them failed, events of two types,
/// a preference and a sealed key of the API.
enum InferenceSample {
  static let keyBytes = Data((0..<32).map { UInt8($0) })
  static let key = SecretKey { keyBytes }
  static let hexadecimalKey = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
  /// What must be nowhere but in the store, sealed.
  static let apiKey = "sk-never-shown"

  static func id(_ number: Int) -> UUID { NewID.derived(from: "inference sample \(number)") }
  static func time(_ seconds: Double) -> Date { Date(timeIntervalSince1970: 1_759_773_600 + seconds) }

  static let models = [
    ModelMetadata(
      id: "small-llama", name: "Llämä Small", format: .gguf, framework: .llamaCpp, sizeBytes: 807_694_464, quantization: .q4KM,
      version: "3.2", capabilities: ["llama.block_count": .integer(16)], localPath: "/models/small.gguf", contextLength: 131_072,
      author: "Somebody", license: "apache-2.0", tags: ["chat"], createdAt: time(0)),
    ModelMetadata(id: "phi", name: "Phi", framework: .mlx, createdAt: time(1)),
  ]

  static let generations: [(session: Int, at: Double, latency: Double, prompt: Int, answer: Int, cost: Double, error: String?)] = [
    (1, 60, 400, 20, 30, 0, nil), (1, 120, 612.5, 60, 40, 0, "timeout"), (2, 90_000, 900, 100, 200, 0.0025, nil),
  ]

  static func fill(_ inference: InferenceStore) async throws {
    try await inference.save(models)
    try await inference.save(
      InferenceConfiguration(
        baseURL: "https://models.example/v1", analytics: .init(isEnabled: true, level: .detailed, telemetryConsent: .limited),
        createdAt: time(0)))
    try await inference.setAPIKey(apiKey)
    try await inference.save(GenerationSession(id: id(1), modelID: "small-llama", type: .chat, startedAt: time(0)))
    try await inference.save(GenerationSession(id: id(2), modelID: "of nobody", type: .batch, startedAt: time(89_000)))
    for (number, generation) in generations.enumerated() {
      try await inference.record(
        Generation(
          id: id(10 + number), sessionID: id(generation.session), sequenceNumber: number + 1, createdAt: time(generation.at),
          performance: .init(
            modelID: generation.session == 1 ? "small-llama" : "of nobody", executionTarget: generation.session == 1 ? .onDevice : .cloud,
            latencyMilliseconds: generation.latency, promptTokens: generation.prompt, completionTokens: generation.answer,
            timeToFirstTokenMilliseconds: 90.25, tokensPerSecond: 49.5),
          cost: generation.cost, request: ["prompt": .string("2 + 2")], response: ["text": .string("4")], errorCode: generation.error))
    }
    try await inference.endSession(id(1), at: time(300))
    try await inference.record([
      TelemetryEvent(id: "e1", type: .error, name: "load", occurredAt: time(10)),
      TelemetryEvent(id: "e2", type: .performance, occurredAt: time(20)),
      TelemetryEvent(id: "e3", type: .performance, occurredAt: time(30)),
    ])
    try await inference.setPreference(#"{"dark":true}"#, named: "theme")
  }
}

extension Workbench {
  /// A store with the sample in it.
  func inference() async throws -> String { try await put(Self.inferenceSample.value, "inference.sqlite") }

  private static let inferenceSample: Task<PreparedFiles, any Error> = Task {
    let bench = try Workbench()
    var options = StoreOptions.production
    options.now = { Date(timeIntervalSince1970: 1_762_342_882) }
    options.newID = .counting()
    let inference = try InferenceStore.open(at: bench.url("inference.sqlite"), secretKey: InferenceSample.key, options: options)
    try await InferenceSample.fill(inference)
    try inference.store.close()
    return try bench.prepared()
  }

  /// The SDK's second database, made by a fixture in SQL. Returns its path.
  func secondDatabase() throws -> String {
    for script in ["../HoldfastInferenceTests/Fixtures/sdk-second.sql", "Fixtures/runanywhere-grdb.sql"] {
      let statements = try String(contentsOf: Self.tests.appendingPathComponent(script), encoding: .utf8)
      try RawDatabase.with(url("runanywhere.db"), creating: true) { try $0.execute(statements) }
    }
    return path("runanywhere.db")
  }

  /// A folder with the description of a model, as Hugging Face has it. Returns its name.
  @discardableResult
  func modelFolder() throws -> String {
    try FileManager.default.createDirectory(at: url("tiny-model"), withIntermediateDirectories: true)
    try write(
      #"{"model_type":"llama","architectures":["LlamaForCausalLM"],"max_position_embeddings":2048,"torch_dtype":"float16"}"#,
      to: "tiny-model/config.json")
    return "tiny-model"
  }

  /// The header of a model in GGUF with so many bytes of weights behind it, which take no room on the disk.
  @discardableResult
  func gguf(_ name: String, weights: UInt64 = 0) throws -> String {
    func number(_ value: UInt64, bytes: Int = 8) -> [UInt8] { (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) } }
    func text(_ text: String) -> [UInt8] { number(UInt64(text.utf8.count)) + Array(text.utf8) }
    var header = Array("GGUF".utf8) + number(3, bytes: 4) + number(0) + number(2)
    header += text("general.architecture") + number(8, bytes: 4) + text("llama")
    header += text("llama.context_length") + number(4, bytes: 4) + number(4096, bytes: 4)
    try Data(header).write(to: url(name))
    if weights > 0 {
      let file = try FileHandle(forWritingTo: url(name))
      try file.truncate(atOffset: UInt64(header.count) + weights)
      try file.close()
    }
    return path(name)
  }
}
