import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

@Suite("A configuration") struct ConfigurationTests {
  /// One field that is changed in the defaults.
  struct Change: Sendable {
    let name: String
    let make: @Sendable (inout InferenceConfiguration) -> Void

    init<Value: Sendable>(_ path: any WritableKeyPath<InferenceConfiguration, Value> & Sendable, _ value: Value) {
      name = "\(path)"
      make = { $0[keyPath: path] = value }
    }
  }

  static let changes: [Change] = {
    let sample = Sample.configuration
    return [
      Change(\.apiKeyReference, sample.apiKeyReference), Change(\.baseURL, sample.baseURL),
      Change(\.modelCacheSize, sample.modelCacheSize), Change(\.maxMemoryUsageMegabytes, sample.maxMemoryUsageMegabytes),
      Change(\.routing.policy, .automatic), Change(\.routing.policy, RoutingPolicy(rawValue: "of tomorrow")),
      Change(\.routing.isCloudEnabled, true), Change(\.routing.privacyMode, .standard),
      Change(\.routing.customRules, sample.routing.customRules), Change(\.routing.customRules, Data()),
      Change(\.routing.maxLatencyThreshold, 1.5), Change(\.routing.minConfidenceScore, 0.5), Change(\.routing.onDeviceThreshold, 0.5),
      Change(\.routing.maxCloudCostPerRequest, 0.5), Change(\.routing.prefersOnDevice, true), Change(\.routing.prefersOnDevice, false),
      Change(\.otherRoutings, sample.otherRoutings), Change(\.analytics.isEnabled, true), Change(\.analytics.level, .detailed),
      Change(\.analytics.areLiveMetricsEnabled, true), Change(\.analytics.telemetryConsent, .granted),
      Change(\.analytics.telemetryConsent, .limited), Change(\.analytics.telemetryConsent, TelemetryConsent(rawValue: "anonymous")),
      Change(\.analytics.includesDeviceInfo, true), Change(\.analytics.includesModelInfo, true), Change(\.analytics.batchSize, 1),
      Change(\.analytics.submissionIntervalSeconds, 0.5), Change(\.analytics.areMetricsEnabled, false),
      Change(\.analytics.isErrorReportingEnabled, true), Change(\.analytics.isPerformanceTrackingEnabled, true),
      Change(\.generation.temperature, 0), Change(\.generation.maxTokens, 0), Change(\.generation.topP, 1), Change(\.generation.topK, 1),
      Change(\.generation.repetitionPenalty, 1.5), Change(\.generation.stopSequences, []),
      Change(\.generation.stopSequences, ["", "\u{0}"]),
      Change(\.generation.tokenBudget, .init()), Change(\.generation.tokenBudget, sample.generation.tokenBudget),
      Change(\.generation.frameworkPreferences, sample.generation.frameworkPreferences), Change(\.generation.maxContextLength, 1),
      Change(\.generation.isThinkingExtractionEnabled, true), Change(\.generation.thinkingTags, sample.generation.thinkingTags),
      Change(\.storage.maxCacheSizeBytes, .max), Change(\.storage.evictionPolicy, .firstInFirstOut), Change(\.storage.directoryName, ""),
      Change(\.storage.isAutoCleanupEnabled, false), Change(\.storage.autoCleanupIntervalSeconds, 1),
      Change(\.storage.minimumFreeSpaceBytes, 0), Change(\.storage.isCompressionEnabled, true),
      Change(\.storage.cleanupThresholdPercent, 1),
      Change(\.storage.modelRetentionDays, 1), Change(\.allowsUserOverride, true),
      Change(\.createdAt, Sample.date.addingTimeInterval(-1)), Change(\.updatedAt, Sample.date.addingTimeInterval(1)),
    ]
  }()

  @Test("a configuration comes back equal, whichever field is changed")
  func comesBack() async throws {
    let world = try World.temporary()
    for (number, change) in Self.changes.enumerated() {
      var configuration = InferenceConfiguration(id: "\(number)", createdAt: Sample.date)
      try await world.inference.save(configuration)
      let before = configuration
      change.make(&configuration)
      #expect(configuration != before, "the test changes nothing: \(change.name)")
      try await world.inference.save(configuration)
      #expect(try await world.inference.configuration(configuration.id) == configuration, "\(change.name)")
    }
    #expect(try world.isHealthy())
  }

  @Test("one with everything comes back equal beside one with nothing, and what is not named any more is gone")
  func whole() async throws {
    let world = try World.temporary()
    let bare = InferenceConfiguration(createdAt: Sample.date)
    try await world.inference.save(Sample.configuration)
    try await world.inference.save(bare)
    #expect(try await world.inference.configurations() == [bare, Sample.configuration])
    var emptied = bare
    emptied.id = Sample.configuration.id
    try await world.inference.save(emptied)
    emptied.apiKeyReference = Sample.configuration.apiKeyReference
    #expect(try await world.inference.configuration("work") == emptied)
    #expect(try await world.inference.deleteConfiguration("work"))
    #expect(try await world.inference.configurations() == [bare])
    #expect(try await world.store.read { try $0.count("SELECT count(*) FROM routing_policies") } == 1)
  }

  @Test("a copy that was read before a key was set does not lose the key when it is saved; only the verb that removes a key does")
  func oldCopy() async throws {
    let world = try World.inMemory()
    try await world.inference.save(InferenceConfiguration(createdAt: Sample.date))
    var old = try #require(try await world.inference.configuration())
    try await world.inference.setAPIKey("sk-1")
    old.baseURL = "https://models.example"
    try await world.inference.save(old)
    #expect(try await world.inference.apiKey() == "sk-1")
    #expect(try await world.inference.configuration()?.baseURL == old.baseURL)
    let withKey = try #require(try await world.inference.configuration())
    try await world.inference.setAPIKey(nil)
    #expect(try await world.inference.configuration()?.apiKeyReference == nil)
    try await world.inference.save(old)
    #expect(try await world.inference.configuration()?.apiKeyReference == nil)
    #expect(try withKey.apiKeyReference == "api-key/default")
  }

  @Test("a number that is none is refused, and leaves everything as it was", arguments: [Double.infinity, -.infinity, .nan])
  func notFinite(number: Double) async throws {
    let world = try World.inMemory()
    try await world.inference.save(Sample.configuration)
    let changes: [(inout InferenceConfiguration) -> Void] = [
      { $0.analytics.submissionIntervalSeconds = number }, { $0.generation.temperature = number },
      { $0.storage.autoCleanupIntervalSeconds = number }, { $0.routing.maxLatencyThreshold = number },
      { $0.generation.topP = number }, { $0.generation.repetitionPenalty = number }, { $0.routing.minConfidenceScore = number },
      { $0.routing.onDeviceThreshold = number }, { $0.routing.maxCloudCostPerRequest = number },
    ]
    for change in changes {
      var configuration = Sample.configuration
      change(&configuration)
      #expect(await #expect(throws: StoreError.self) { try await world.inference.save(configuration) }?.code == .invalidValue)
      #expect(try await world.inference.configuration(configuration.id) == Sample.configuration)
    }
  }

  @Test("a secret that the app named as the key of the API goes with the configuration, unless another one names it")
  func ownKey() async throws {
    let world = try World.inMemory()
    try await world.inference.setSecret("sk-1", named: "shared")
    for id in ["a", "b"] {
      var configuration = InferenceConfiguration(id: id, createdAt: Sample.date)
      configuration.apiKeyReference = "shared"
      try await world.inference.save(configuration)
    }
    try await world.inference.deleteConfiguration("a")
    #expect(try await world.inference.apiKey(for: "b") == "sk-1")
    try await world.inference.setAPIKey(nil, for: "b")
    #expect(try await world.inference.secretNames() == [])
  }

  @Test("the defaults are the private ones")
  func defaults() {
    let configuration = InferenceConfiguration(createdAt: Sample.date)
    let routing = configuration.routing
    #expect(routing.policy == .deviceOnly && !routing.isCloudEnabled && routing.privacyMode == .strict)
    let analytics = configuration.analytics
    #expect(!analytics.isEnabled && analytics.level == .none && !analytics.areLiveMetricsEnabled)
    #expect(analytics.telemetryConsent == .denied && !analytics.includesDeviceInfo && !analytics.includesModelInfo)
    #expect(!configuration.allowsUserOverride)
  }

  /// What the SDK takes where nobody chose anything, by its own names.
  static let numbers: [(name: String, value: @Sendable (InferenceConfiguration) -> Double, expected: Double)] = [
    ("analytics.batchSize", { Double($0.analytics.batchSize) }, 100),
    ("analytics.submissionInterval", { $0.analytics.submissionIntervalSeconds }, 300),
    ("generation.defaults.temperature", { $0.generation.temperature }, 0.7),
    ("generation.defaults.maxTokens", { Double($0.generation.maxTokens) }, 256),
    ("generation.defaults.topP", { $0.generation.topP }, 0.9),
    ("generation.maxContextLength", { Double($0.generation.maxContextLength) }, 4_096),
    ("storage.maxCacheSize", { Double($0.storage.maxCacheSizeBytes) }, 1_073_741_824),
    ("storage.autoCleanupInterval", { $0.storage.autoCleanupIntervalSeconds }, 86_400),
    ("storage.minimumFreeSpace", { Double($0.storage.minimumFreeSpaceBytes) }, 500_000_000),
  ]

  @Test("a number that nobody chose is the SDK's, also when the configuration was saved")
  func number() async throws {
    let world = try World.inMemory()
    let configuration = InferenceConfiguration(createdAt: Sample.date)
    try await world.inference.save(configuration)
    let saved = try #require(try await world.inference.configuration())
    for (name, value, expected) in Self.numbers { #expect([configuration, saved].map(value) == [expected, expected], "\(name)") }
  }

  @Test("what the SDK leaves open is open")
  func open() {
    let configuration = InferenceConfiguration(createdAt: Sample.date)
    let generation = configuration.generation
    #expect(generation.topK == nil && generation.repetitionPenalty == nil && generation.stopSequences == nil)
    #expect(generation.tokenBudget == nil && generation.thinkingTags == nil && generation.frameworkPreferences == [])
    #expect(configuration.routing.customRules == nil && configuration.routing.maxLatencyThreshold == nil)
    #expect(configuration.routing.minConfidenceScore == nil && configuration.apiKeyReference == nil)
  }

  @Test("a store without a configuration has none, instead of one that nobody chose")
  func none() async throws {
    #expect(try await World.inMemory().inference.configuration() == nil)
  }
}
