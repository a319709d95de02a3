import Foundation
import Holdfast
import HoldfastInference

/// Values with something else in every field.
enum Sample {
  static let date = Date(timeIntervalSince1970: 1_754_400_000.123)

  static let routing = Routing(
    policy: .custom, isCloudEnabled: true, privacyMode: .custom, customRules: Data([0, 255, 10]), maxLatencyThreshold: 1_500.5,
    minConfidenceScore: 0.25, onDeviceThreshold: 0.75, maxCloudCostPerRequest: 0.01, prefersOnDevice: false)

  static let configuration = InferenceConfiguration(
    id: "work", apiKeyReference: "api-key/work", baseURL: "https://models.example/v1", modelCacheSize: 3, maxMemoryUsageMegabytes: 2_048,
    routing: routing, otherRoutings: [Routing(policy: .preferCloud), Routing(policy: RoutingPolicy(rawValue: "of tomorrow"))],
    analytics: .init(
      isEnabled: true, level: .verbose, areLiveMetricsEnabled: true, telemetryConsent: .limited, includesDeviceInfo: true,
      includesModelInfo: true, batchSize: 7, submissionIntervalSeconds: 12.5, areMetricsEnabled: true, isErrorReportingEnabled: false,
      isPerformanceTrackingEnabled: true),
    generation: GenerationSettings(
      temperature: 0.1, maxTokens: 99, topP: 0.5, topK: 40, repetitionPenalty: 1.1, stopSequences: ["\n\n", "</s>"],
      tokenBudget: .init(maxTokensPerRequest: 1, maxTokensPerDay: 2, maxTokensPerMonth: 3, isEnforcedStrictly: true),
      frameworkPreferences: [.mlx, .llamaCpp, ModelFramework(rawValue: "of tomorrow")], maxContextLength: 8_192,
      isThinkingExtractionEnabled: true, thinkingTags: ThinkingTags(open: "<think>", close: "</think>")),
    storage: .init(
      maxCacheSizeBytes: 5, evictionPolicy: .largestFirst, directoryName: "Models", isAutoCleanupEnabled: false,
      autoCleanupIntervalSeconds: 60.5, minimumFreeSpaceBytes: 6, isCompressionEnabled: true, cleanupThresholdPercent: 80,
      modelRetentionDays: 30),
    allowsUserOverride: true, createdAt: date, updatedAt: date.addingTimeInterval(1))

  static let model = ModelMetadata(
    id: "llama-3.2-1b", name: "Llama 3.2 1B", format: .gguf, framework: .llamaCpp, sizeBytes: 807_694_464, quantization: .q4KM,
    version: "3.2", capabilities: ["max_tokens": .integer(512), "languages": .array([.string("en"), .null])],
    requirements: ["min_memory": .double(1.5)], downloadURL: "https://models.example/llama.gguf", localPath: "/models/llama.gguf",
    missingSince: date, contextLength: 131_072, estimatedMemoryBytes: 1_200_000_000, downloadSizeBytes: 807_694_465, checksum: "abc",
    author: "Meta", license: "llama3.2", description: "small", tags: ["b", "a", "b"], supportsThinking: true,
    thinkingTags: ThinkingTags(open: "<t>", close: "</t>"), downloadedAt: date.addingTimeInterval(2),
    lastUsedAt: date.addingTimeInterval(3), usageCount: 4, totalTokensGenerated: 5, createdAt: date.addingTimeInterval(6),
    updatedAt: date.addingTimeInterval(7))
  static let bareModel = ModelMetadata(id: "phi", name: "", framework: .mlx, createdAt: date)

  static let session = GenerationSession(
    id: UUID(uuidString: "0190c5a0-0000-7000-8000-000000000001") ?? UUID(), modelID: model.id, type: .codeAssistant, startedAt: date,
    endedAt: date.addingTimeInterval(60), generationCount: 2, messageCount: 4, totalInputTokens: 100, totalOutputTokens: 50,
    totalTokens: 151, totalCost: 0.25, averageTimeToFirstTokenMilliseconds: 80.5, averageTokensPerSecond: 20.25,
    totalDurationMilliseconds: 1_234.5, context: ["file": .string("a.swift")], updatedAt: date.addingTimeInterval(61))
  static let bareSession = GenerationSession(id: UUID(), modelID: "never registered", type: .chat, startedAt: date)

  static let performance = Generation.Performance(
    modelID: model.id, executionTarget: .hybrid, latencyMilliseconds: 612.5, promptTokens: 60, completionTokens: 30,
    timeToFirstTokenMilliseconds: 90.25, tokensPerSecond: 49, routingFramework: .llamaCpp, routingReason: "privacy")
  static let generation = Generation(
    id: UUID(uuidString: "0190c5a0-0000-7000-8000-000000000002") ?? UUID(), sessionID: session.id, sequenceNumber: 1, createdAt: date,
    performance: performance, cost: 0.125, costSaved: 0.5, request: ["prompt": .string("2 + 2")], response: ["text": .string("4")],
    errorCode: "E1", errorMessage: "too late")
  static let bareGeneration = Generation(id: UUID(), sessionID: session.id, sequenceNumber: 2, createdAt: date)

  static let event = TelemetryEvent(
    id: "6B29FC40-CA47-1067-B31D-00DD010662DA", type: .performance, name: "load", properties: StoredJSON(text: #"{"ms":"12"}"#),
    occurredAt: date, userID: "u", sessionID: "s", deviceInfo: ["model": .string("iPhone")], sdkVersion: "0.15",
    createdAt: date.addingTimeInterval(1),
    updatedAt: date.addingTimeInterval(2))
  static let bareEvent = TelemetryEvent(id: "x", type: .custom, occurredAt: date)

  static let preference = UserPreference(name: "theme", value: #"{"dark":true}"#, createdAt: date, updatedAt: date.addingTimeInterval(1))
  static let usage = ModelUsage(
    modelID: model.id, day: "2026-01-01", generationCount: 2, totalTokens: 90, totalCost: 0.5, totalLatencyMilliseconds: 700.5,
    errorCount: 1)
}
