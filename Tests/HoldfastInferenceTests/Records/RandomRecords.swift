import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting

/// Records with anything that their fields can hold, nil where they may.
struct RandomRecords {
  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// One of each kind that hangs together: a configuration, a model with its usage, a session with generations, an event, a preference.
  mutating func write(_ number: Int, into store: Store) throws {
    let (configuration, model, session) = (configuration(number), model(number), session(number))
    let generations = (0..<Int.random(in: 0...3, using: &random)).map { _ in generation(of: session) }
    let (event, usage) = (event(number), usage(of: model.id))
    let preference = UserPreference(
      name: "\(number) \(text())", value: JSONValue.object(object()).canonicalText(), createdAt: date(), updatedAt: date())
    try store.write { tx in
      try InferenceStore.save(configuration, in: tx)
      try tx.insert(model)
      try tx.insert(session)
      for generation in generations { try tx.insert(generation) }
      try tx.insert(event)
      try tx.insert(usage)
      try tx.insert(preference)
    }
  }

  private mutating func configuration(_ number: Int) -> InferenceConfiguration {
    InferenceConfiguration(
      id: number == 0 ? InferenceConfiguration.defaultID : "\(number) \(text())", baseURL: maybe { $0.text() },
      modelCacheSize: maybe { $0.whole() }, maxMemoryUsageMegabytes: maybe { $0.whole() }, routing: routing(),
      otherRoutings: (0..<Int.random(in: 0...2, using: &random)).map { _ in routing() },
      analytics: .init(
        isEnabled: flag(), level: AnalyticsLevel(rawValue: text()), areLiveMetricsEnabled: flag(),
        telemetryConsent: TelemetryConsent(rawValue: text()), includesDeviceInfo: flag(), includesModelInfo: flag(), batchSize: whole(),
        submissionIntervalSeconds: real(), areMetricsEnabled: maybe { $0.flag() }, isErrorReportingEnabled: maybe { $0.flag() },
        isPerformanceTrackingEnabled: maybe { $0.flag() }),
      generation: GenerationSettings(
        temperature: real(), maxTokens: whole(), topP: real(), topK: maybe { $0.whole() }, repetitionPenalty: maybe { $0.real() },
        stopSequences: maybe { [$0.text(), $0.text()] },
        tokenBudget: maybe {
          .init(
            maxTokensPerRequest: $0.maybe { $0.whole() }, maxTokensPerDay: $0.maybe { $0.whole() },
            maxTokensPerMonth: $0.maybe { $0.whole() }, isEnforcedStrictly: $0.flag())
        }, frameworkPreferences: [ModelFramework(rawValue: text())], maxContextLength: whole(), isThinkingExtractionEnabled: flag(),
        thinkingTags: maybe { ThinkingTags(open: $0.text(), close: $0.text()) }),
      storage: .init(
        maxCacheSizeBytes: Int64(whole()), evictionPolicy: CacheEviction(rawValue: text()), directoryName: text(),
        isAutoCleanupEnabled: flag(), autoCleanupIntervalSeconds: real(), minimumFreeSpaceBytes: Int64(whole()),
        isCompressionEnabled: flag(), cleanupThresholdPercent: maybe { $0.whole() }, modelRetentionDays: maybe { $0.whole() }),
      allowsUserOverride: flag(), createdAt: date(), updatedAt: date())
  }

  private mutating func routing() -> Routing {
    Routing(
      policy: RoutingPolicy(rawValue: text()), isCloudEnabled: flag(), privacyMode: PrivacyMode(rawValue: text()),
      customRules: maybe { Data($0.text().utf8) + [0, 255] }, maxLatencyThreshold: maybe { $0.real() },
      minConfidenceScore: maybe { $0.real() }, onDeviceThreshold: maybe { $0.real() },
      maxCloudCostPerRequest: maybe { $0.real() }, prefersOnDevice: maybe { $0.flag() })
  }

  private mutating func model(_ number: Int) -> ModelMetadata {
    ModelMetadata(
      id: "\(number) \(text())", name: text(), format: ModelFormat(rawValue: text()), framework: ModelFramework(rawValue: text()),
      sizeBytes: maybe { Int64($0.whole()) }, quantization: maybe { Quantization(rawValue: $0.text()) }, version: maybe { $0.text() },
      capabilities: object(), requirements: maybe { $0.object() }, downloadURL: maybe { $0.text() }, localPath: maybe { $0.text() },
      missingSince: maybe { $0.date() }, contextLength: maybe { $0.whole() }, estimatedMemoryBytes: maybe { Int64($0.whole()) },
      downloadSizeBytes: maybe { Int64($0.whole()) }, checksum: maybe { $0.text() }, author: maybe { $0.text() },
      license: maybe { $0.text() }, description: maybe { $0.text() }, tags: [text(), text()], supportsThinking: flag(),
      thinkingTags: maybe { ThinkingTags(open: $0.text(), close: $0.text()) }, downloadedAt: maybe { $0.date() },
      lastUsedAt: maybe { $0.date() }, usageCount: whole(), totalTokensGenerated: Int64(whole()), createdAt: date(), updatedAt: date())
  }

  private mutating func usage(of id: String) -> ModelUsage {
    ModelUsage(
      modelID: id, day: "2026-01-01", generationCount: whole(), totalTokens: Int64(whole()), totalCost: real(),
      totalLatencyMilliseconds: real(), errorCount: whole())
  }

  private mutating func session(_ number: Int) -> GenerationSession {
    GenerationSession(
      id: random.id(), modelID: "\(number) \(text())", type: SessionType(rawValue: text()), startedAt: date(), endedAt: maybe { $0.date() },
      generationCount: whole(), messageCount: maybe { $0.whole() }, totalInputTokens: Int64(whole()), totalOutputTokens: Int64(whole()),
      totalTokens: Int64(whole()), totalCost: real(), averageTimeToFirstTokenMilliseconds: maybe { $0.real() },
      averageTokensPerSecond: maybe { $0.real() }, totalDurationMilliseconds: real(), context: maybe { $0.object() },
      updatedAt: date())
  }

  private mutating func generation(of session: GenerationSession) -> Generation {
    Generation(
      id: random.id(), sessionID: session.id, sequenceNumber: whole(), createdAt: date(),
      performance: maybe {
        .init(
          modelID: "m \($0.text())", executionTarget: ExecutionTarget(rawValue: $0.text()), latencyMilliseconds: $0.real(),
          promptTokens: $0.whole(), completionTokens: $0.whole(), timeToFirstTokenMilliseconds: $0.maybe { $0.real() },
          tokensPerSecond: $0.maybe { $0.real() }, routingFramework: $0.maybe { ModelFramework(rawValue: $0.text()) },
          routingReason: $0.maybe { $0.text() })
      }, cost: real(), costSaved: real(), request: maybe { $0.object() }, response: maybe { $0.object() },
      errorCode: maybe { $0.text() }, errorMessage: maybe { $0.text() })
  }

  private mutating func event(_ number: Int) -> TelemetryEvent {
    let properties = JSONValue.object(["a": .string(text()), text(): .string(text())]).canonicalText()
    return TelemetryEvent(
      id: "\(number) \(text())", type: TelemetryEventType(rawValue: text()), name: maybe { $0.text() },
      properties: StoredJSON(text: properties), occurredAt: date(), userID: maybe { $0.text() }, sessionID: maybe { $0.text() },
      deviceInfo: maybe { $0.object() }, sdkVersion: maybe { $0.text() }, createdAt: date(), updatedAt: date())
  }

  // MARK: Values

  private mutating func maybe<T>(_ value: (inout RandomRecords) -> T) -> T? { random.chance(60) ? value(&self) : nil }

  private mutating func flag() -> Bool { random.chance(50) }

  private mutating func whole() -> Int { random.pick([0, 1, -1, 4_096, .max, .min, 9_007_199_254_740_993]) }

  private mutating func real() -> Double { random.pick([0, -0.0, 0.1, 1.5, -2.25, 1e300, 2.5e-308, 49, 1.7976931348623157e308]) }

  private mutating func text() -> String {
    random.pick(["", "plain", "a \"b\" \\ c", "päivää 🦙", "e\u{301}", "a\u{0}b", "line\nline\u{2028}", "'; DROP TABLE telemetry", "夜/曲"])
  }

  private mutating func object() -> [String: JSONValue] {
    [text(): .string(text()), "list": .array([.null, .bool(flag()), .integer(Int64(whole())), .double(real())]), "deep": .object([:])]
  }

  /// From the year 1 to 9999, to the millisecond.
  private mutating func date() -> Date {
    random.pick([random.date(), random.date(), Date(timeIntervalSince1970: -62_135_596_800), Date(timeIntervalSince1970: -0.001)])
  }
}
