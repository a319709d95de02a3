import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting

/// The typical data set, as `Documentation/InferenceStore.md` defines it. Made by the verbs that an app uses.
enum TypicalData {
  /// `make proof` fills all of it, every other run a tenth.
  static let tenths = ProofRun.isLong ? 10 : 1
  static let models = 50
  static let sessions = 250 * tenths
  static let generationsInSession = 8
  static let days = 365
  static let eventsInDay = 500
  static let daysOfEvents = 3 * tenths
  static let preferences = 100

  private static let start = Date(timeIntervalSince1970: 1_735_689_600)

  static func fill(_ world: World) async throws {
    var random = SeededGenerator(seed: 5)
    let inference = world.inference
    try await inference.save(
      InferenceConfiguration(
        routing: Routing(policy: .preferDevice),
        analytics: .init(isEnabled: true, level: .detailed, telemetryConsent: .granted, includesDeviceInfo: true),
        createdAt: start))
    try await inference.setAPIKey("sk-typical-0123456789-abcdefghij")
    let ids = (0..<models).map { "publisher/model-\($0 + 1)b-instruct-q4_k_m" }
    try await inference.save(ids.map(model))
    try write(in: world.store) { tx in
      for number in 0..<sessions { try addSession(number, ids, &random, in: tx) }
      for number in 0..<preferences {
        try InferenceStore.setPreference(
          #"{"value":"choice \#(number)"}"#, named: "settings.page \(number % 9).switch \(number)", secretProperties: .standard, in: tx)
      }
    }
    for day in 0..<daysOfEvents {
      try await inference.record((0..<eventsInDay).map { event(day, $0, ids, &random) })
    }
    // The server has all but the last day.
    let last = DateCodec.milliseconds(date(ofDay: days - 1))
    try TelemetryTests.acknowledge(world, "occurred_at < \(last ?? 0)")
  }

  private static func date(ofDay day: Int, second: Int = 0) -> Date { start.addingTimeInterval(Double(day * 86_400 + second)) }

  private static func model(_ id: String) -> ModelMetadata {
    ModelMetadata(
      id: id, name: "Model \(id) Instruct", format: .gguf, framework: .llamaCpp, sizeBytes: 807_694_464, quantization: .q4KM,
      version: "3.2",
      capabilities: [
        "general.architecture": .string("llama"), "llama.block_count": .integer(16), "llama.embedding_length": .integer(2_048),
        // The longest text of a header.
        "tokenizer.chat_template": .string(String(repeating: "{% for message in messages %}", count: 120)),
      ], requirements: ["min_memory": .integer(2_147_483_648)], downloadURL: "https://models.example/\(id).gguf",
      localPath: "/var/mobile/Containers/Data/Application/7C9E6679-7425-40DE-944B-E07FC1F90AE7/Documents/Models/\(id).gguf",
      contextLength: 131_072, estimatedMemoryBytes: 1_200_000_000, downloadSizeBytes: 807_694_464,
      checksum: String(repeating: "0f", count: 32), author: "publisher", license: "apache-2.0",
      description: "A small model that follows instructions, for conversations on a phone.", tags: ["chat", "small", "multilingual"],
      downloadedAt: start, createdAt: start)
  }

  private static func addSession(_ number: Int, _ models: [String], _ random: inout SeededGenerator, in tx: Writer) throws {
    let day = number * days / sessions
    // Few of the models are used much.
    let model = models[min(Int.random(in: 0..<models.count, using: &random), Int.random(in: 0..<models.count, using: &random)) / 4]
    let session = GenerationSession(
      id: tx.makeID(), modelID: model, type: random.chance(80) ? .chat : .document,
      startedAt: date(ofDay: day, second: Int.random(in: 0..<80_000, using: &random)),
      context: random.chance(20) ? ["title": .string("What was talked about, number \(number)")] : nil)
    try InferenceStore.save(session, in: tx)
    for place in 0..<generationsInSession {
      let isFailed = random.chance(2)
      let latency = Double(Int.random(in: 80_000...3_000_000, using: &random)) / 1_000
      let tokens = Int.random(in: 20...420, using: &random)
      try InferenceStore.record(
        Generation(
          id: tx.makeID(), sessionID: session.id, sequenceNumber: place,
          createdAt: session.startedAt.addingTimeInterval(Double(place * 40)),
          performance: .init(
            modelID: model, executionTarget: random.chance(70) ? .onDevice : .cloud, latencyMilliseconds: latency,
            promptTokens: Int.random(in: 50...3_000, using: &random), completionTokens: tokens,
            timeToFirstTokenMilliseconds: latency / 8, tokensPerSecond: Double(tokens) / latency * 1_000, routingFramework: .llamaCpp,
            routingReason: "the model is on the device"), cost: Double(Int.random(in: 0..<100, using: &random)) / 8_192,
          request: isFailed ? ["prompt": .string(String(repeating: "a word or two ", count: 100))] : nil,
          errorCode: isFailed ? "timeout" : nil, errorMessage: isFailed ? "the model did not answer in time" : nil), in: tx)
    }
    _ = try InferenceStore.endSession(session.id, at: session.startedAt.addingTimeInterval(400), in: tx)
  }

  private static func event(_ day: Int, _ number: Int, _ models: [String], _ random: inout SeededGenerator) -> TelemetryEvent {
    let types: [TelemetryEventType] = [.generationStarted, .generationCompleted, .generationCompleted, .performance, .modelLoaded, .error]
    let properties =
      #"{"duration_ms":"\#(Int.random(in: 0..<3_000, using: &random))","framework":"LlamaCpp","model":"\#(random.pick(models))","#
      + #""prompt_tokens":"\#(Int.random(in: 0..<4_000, using: &random))"}"#
    return TelemetryEvent(
      id: IDCodec.lowercase(random.id()), type: random.pick(types), name: "generate", properties: StoredJSON(text: properties),
      occurredAt: date(ofDay: days - daysOfEvents + day, second: number * 86_400 / eventsInDay),
      sessionID: IDCodec.lowercase(random.id()), deviceInfo: ["model": .string("iPhone17,1"), "os": .string("19.1")], sdkVersion: "0.15.1")
  }

  /// Not `async`: its closure changes the generator.
  private static func write(in store: Store, _ body: (Writer) throws -> Void) throws { try store.write(body) }
}
