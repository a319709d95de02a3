import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import HoldfastTransfer
import Testing

/// The words that the SDK has for things, all of them, and words that it does not have yet.
@Suite("Words") struct WordTests {
  /// As the SDK's enumerations write them.
  enum SDK {
    static let frameworks = words(
      "CoreML TFLite MLX SwiftTransformers ONNX ExecuTorch LlamaCpp FoundationModels PicoLLM MLC MediaPipe")
    static let formats = words("mlmodel mlpackage tflite onnx ort safetensors gguf ggml mlx pte bin weights checkpoint unknown")
    static let quantizations = words(
      "fp32 f32 fp16 f16 int8 q8_0 int4 q4_0 q4_K_S q4_K_M q5_0 q5_K_S q5_K_M q6_K q3_K_S q3_K_M q3_K_L q2_K int2 mixed")
    static let targets = words("onDevice cloud hybrid")
    static let policies = words("automatic preferDevice deviceOnly preferCloud custom")
    static let privacyModes = words("standard strict custom")
    static let consents = words("granted limited denied")
    static let levels = words("none basic detailed verbose")
    static let sessionTypes = words("chat document codeAssistant batch streaming singleGeneration")
    static let evictions = words("lru lfu fifo largest_first")
    static let eventTypes = words("model_loaded generation_started generation_completed error performance memory custom")

    private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
  }

  /// What a later SDK, a server or damage may bring: kept word for word.
  static let unknown = ["of tomorrow", "", " chat", "CHAT", "e\u{301}", "é", "a\u{0}b", "🦙", "'; DROP TABLE telemetry"]

  @Test("every word of the SDK has a name here, and none is spelled otherwise")
  func names() {
    #expect(
      [
        ModelFramework.coreML, .tensorFlowLite, .mlx, .swiftTransformers, .onnx, .execuTorch, .llamaCpp, .foundationModels, .picoLLM, .mlc,
        .mediaPipe,
      ].map(\.rawValue) == SDK.frameworks)
    #expect(
      [
        ModelFormat.mlmodel, .mlpackage, .tflite, .onnx, .ort, .safetensors, .gguf, .ggml, .mlx, .pte, .bin, .weights, .checkpoint,
        .unknown,
      ].map(\.rawValue) == SDK.formats)
    #expect(
      [
        Quantization.fp32, .f32, .fp16, .f16, .int8, .q80, .int4, .q40, .q4KS, .q4KM, .q50, .q5KS, .q5KM, .q6K, .q3KS, .q3KM, .q3KL, .q2K,
        .int2, .mixed,
      ].map(\.rawValue) == SDK.quantizations)
    #expect([ExecutionTarget.onDevice, .cloud, .hybrid].map(\.rawValue) == SDK.targets)
    #expect([RoutingPolicy.automatic, .preferDevice, .deviceOnly, .preferCloud, .custom].map(\.rawValue) == SDK.policies)
    #expect([PrivacyMode.standard, .strict, .custom].map(\.rawValue) == SDK.privacyModes)
    #expect([TelemetryConsent.granted, .limited, .denied].map(\.rawValue) == SDK.consents)
    #expect([AnalyticsLevel.none, .basic, .detailed, .verbose].map(\.rawValue) == SDK.levels)
    #expect(
      [SessionType.chat, .document, .codeAssistant, .batch, .streaming, .singleGeneration].map(\.rawValue) == SDK.sessionTypes)
    #expect(
      [CacheEviction.leastRecentlyUsed, .leastFrequentlyUsed, .firstInFirstOut, .largestFirst].map(\.rawValue) == SDK.evictions)
    #expect(
      [TelemetryEventType.modelLoaded, .generationStarted, .generationCompleted, .error, .performance, .memory, .custom].map(\.rawValue)
        == SDK.eventTypes)
  }

  /// A place that holds a word, and where its column is; nil where it is among others in one.
  struct Place<Record: Sendable>: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let column: BoundSQL?
    let words: [String]
    let put: @Sendable (String, inout Record) -> Void

    init(_ name: String, _ column: BoundSQL?, _ words: [String], _ put: @escaping @Sendable (String, inout Record) -> Void) {
      (testDescription, self.column, self.words, self.put) = (name, column, words, put)
    }
  }

  /// Saves a record with each word, and compares what comes back, and the column, byte by byte.
  private func check<Record: Equatable & Sendable>(
    _ place: Place<Record>, _ plain: Record, save: (InferenceStore, Record) async throws -> Void,
    load: (InferenceStore) async throws -> Record?
  ) async throws {
    let world = try World.temporary()
    for word in place.words + Self.unknown {
      var record = plain
      place.put(word, &record)
      try await save(world.inference, record)
      let loaded = try #require(try await load(world.inference))
      // Swift's texts are equal where their letters are: bytes are not.
      #expect(loaded == record && Array("\(loaded)".utf8) == Array("\(record)".utf8), "\(word)")
      guard let column = place.column else { continue }
      let stored = try await world.store.read { try $0.value(column) { row in try row.text() } }
      #expect(stored.map { Array($0.utf8) } == Array(word.utf8), "\(word)")
    }
    #expect(try world.isHealthy())
  }

  static let configurationPlaces: [Place<InferenceConfiguration>] = [
    Place("policy", "SELECT policy FROM routing_policies", SDK.policies) { $1.routing.policy = RoutingPolicy(rawValue: $0) },
    Place("privacy mode", "SELECT privacy_mode FROM routing_policies", SDK.privacyModes) {
      $1.routing.privacyMode = PrivacyMode(rawValue: $0)
    },
    Place("consent", "SELECT telemetry_consent FROM analytics_config", SDK.consents) {
      $1.analytics.telemetryConsent = TelemetryConsent(rawValue: $0)
    },
    Place("level", "SELECT level FROM analytics_config", SDK.levels) { $1.analytics.level = AnalyticsLevel(rawValue: $0) },
    Place("eviction", "SELECT eviction_policy FROM storage_config", SDK.evictions) {
      $1.storage.evictionPolicy = CacheEviction(rawValue: $0)
    },
    Place("framework", nil, SDK.frameworks) {
      $1.generation.frameworkPreferences = [ModelFramework(rawValue: $0)]
    },
  ]

  @Test("a configuration keeps each word", arguments: configurationPlaces)
  func configuration(place: Place<InferenceConfiguration>) async throws {
    try await check(place, InferenceConfiguration(createdAt: Sample.date)) {
      try await $0.save($1)
    } load: {
      try await $0.configuration()
    }
  }

  static let modelPlaces: [Place<ModelMetadata>] = [
    Place("framework", "SELECT framework FROM model_metadata", SDK.frameworks) { $1.framework = ModelFramework(rawValue: $0) },
    Place("format", "SELECT format FROM model_metadata", SDK.formats) { $1.format = ModelFormat(rawValue: $0) },
    Place("quantization", "SELECT quantization FROM model_metadata", SDK.quantizations) { $1.quantization = Quantization(rawValue: $0) },
  ]

  @Test("a model keeps each word", arguments: modelPlaces)
  func model(place: Place<ModelMetadata>) async throws {
    try await check(place, Sample.bareModel) {
      try await $0.save($1)
    } load: {
      try await $0.model(Sample.bareModel.id)
    }
  }

  @Test("a session keeps each word")
  func session() async throws {
    let place = Place<GenerationSession>("type", "SELECT type FROM generation_sessions", SDK.sessionTypes) {
      $1.type = SessionType(rawValue: $0)
    }
    try await check(place, Sample.session) {
      try await $0.save($1)
    } load: {
      try await $0.session(Sample.session.id)
    }
  }

  static let generationPlaces: [Place<Generation>] = [
    Place("target", "SELECT execution_target FROM generations", SDK.targets) {
      $1.performance?.executionTarget = ExecutionTarget(rawValue: $0)
    },
    Place("framework", "SELECT routing_framework FROM generations", SDK.frameworks) {
      $1.performance?.routingFramework = ModelFramework(rawValue: $0)
    },
  ]

  @Test("a generation keeps each word", arguments: generationPlaces)
  func generation(place: Place<Generation>) async throws {
    try await check(place, Sample.generation) { inference, generation in
      try await inference.save(Sample.session)
      try await inference.save(generation)
    } load: {
      try await $0.generation(Sample.generation.id)
    }
  }

  @Test("an event keeps each word")
  func event() async throws {
    let place = Place<TelemetryEvent>("type", "SELECT type FROM telemetry", SDK.eventTypes) { $1.type = TelemetryEventType(rawValue: $0) }
    try await check(place, Sample.bareEvent) { inference, event in
      try await TelemetryTests.consent(inference)
      try await inference.deleteEvent(event.id)
      try await inference.record([event])
    } load: {
      try await $0.event(Sample.bareEvent.id)
    }
  }

  @Test("the SDK's first database brings in each word, and those that nobody knows")
  func imported() throws {
    let world = try LegacyWorld()
    let unknown = Self.unknown.filter { !$0.utf8.contains(0) && !$0.isEmpty }
    let models = SDK.frameworks.map { ($0, "gguf") } + (SDK.formats + unknown).map { ("MLX", $0) }
    func quoted(_ text: String) -> String { JSONValue.string(text).canonicalText() }
    typealias Base = SDKDatabase
    let sessionTypes = SDK.sessionTypes + unknown
    let targets = SDK.targets + unknown
    try world.database(
      [Base.first]
        + models.enumerated().map { number, model in
          Base.row(
            "model_metadata", "m\(number)",
            #"{"id":"m\#(number)","name":"M","framework":\#(quoted(model.0)),"format":\#(quoted(model.1)),"createdAt":1,"updatedAt":2}"#)
        }
        + (SDK.eventTypes + unknown).enumerated().map { number, type in
          Base.row("telemetry", "e\(number)", #"{"id":"e\#(number)","eventType":\#(quoted(type)),"timestamp":1,"updatedAt":2}"#)
        }
        + sessionTypes.enumerated().map { number, type in
          let id = Base.id(number)
          let json = #"{"id":"\#(id)","modelId":"m","sessionType":\#(quoted(type)),"startTime":1}"#
          return "INSERT INTO generation_sessions (id, data) VALUES ('\(id)', '\(json.replacingOccurrences(of: "'", with: "''"))')"
        }
        + targets.enumerated().map { number, target in
          let performance =
            #"{"totalGenerationTime":1,"inputTokens":1,"outputTokens":1,"modelId":"m","executionTarget":\#(quoted(target))}"#
          let json = #"{"id":"\#(Base.id(100 + number))","sessionId":"\#(Base.id(0))","sequenceNumber":\#(number),"timestamp":1,"#
          return Base.row("generation_history", Base.id(100 + number), json + #""performance":\#(performance)}"#)
        })
    let report = try world.report()
    #expect(report.isClean, "\(report.text)")
    let stored = try world.all(ModelMetadata.self)
    #expect(stored.map(\.framework.rawValue) == models.map(\.0) && stored.map(\.format.rawValue) == models.map(\.1))
    #expect(try world.all(TelemetryEvent.self).map(\.type.rawValue) == SDK.eventTypes + unknown)
    #expect(try world.all(GenerationSession.self).map(\.type.rawValue) == sessionTypes)
    #expect(try world.all(Generation.self).map { $0.performance?.executionTarget.rawValue } == targets)
  }
}
