import Foundation
import Holdfast
import HoldfastInference
import HoldfastTransfer

/// An SDK from its settings to what it generated. `key` gives the 32 bytes that secrets are sealed with.
func generating(in folder: URL, key: @escaping @Sendable () throws -> Data) async throws -> InferenceStore {
  // snippet: inference-open
  let inference = try InferenceStore.open(at: folder.appendingPathComponent("inference.sqlite"), secretKey: SecretKey(key))
  // end

  // snippet: inference-configuration
  var configuration = try await inference.configuration() ?? InferenceConfiguration(createdAt: Date())
  configuration.routing.policy = .preferDevice
  configuration.analytics.isEnabled = true
  configuration.analytics.level = .basic
  // What the person has agreed to, and nothing else.
  configuration.analytics.telemetryConsent = .limited
  configuration.storage.maxCacheSizeBytes = 8_000_000_000
  // Where people may override what a server sets, the newer edit wins.
  configuration.updatedAt = Date()
  try await inference.save(configuration)
  // Sealed; the configuration knows its name alone.
  try await inference.setAPIKey("sk-…")
  // end

  // snippet: inference-models
  try await inference.save([
    ModelMetadata(
      id: "small-llama", name: "Small Llama", format: .gguf, framework: .llamaCpp, quantization: .q4KM, createdAt: Date())
  ])
  // From a folder of the app's own: one from the root is another after the next update of an app on iOS.
  try await inference.recordDownload(of: "small-llama", at: "small.gguf")
  // A file that is gone is marked, and its model stays.
  let check = try await inference.checkModelFiles(relativeTo: folder)
  print(check.missing)
  // end

  // snippet: inference-search
  let found = try await inference.models(.matching("llama chat"))
  print(found.items.map(\.name))
  // end

  // snippet: inference-evict
  // Before a download of 4 GB: which models must go for it, and not the one that is loaded?
  let models = try await inference.modelsToEvict(toFit: 4_000_000_000, keeping: ["small-llama"])
  for file in try await inference.evict(models.map(\.id), relativeTo: folder) where FileManager.default.fileExists(atPath: file.path) {
    try FileManager.default.removeItem(at: file)
  }
  // Before a request: what the budget leaves for it.
  let tokens = try await inference.tokensLeft()
  // end
  print(tokens ?? 0)

  // snippet: inference-generate
  let session = try await inference.startSession(with: "small-llama", type: .chat)
  try await inference.record(
    Generation(
      id: inference.store.options.newID(), sessionID: session.id, sequenceNumber: 1, createdAt: Date(),
      performance: .init(
        modelID: "small-llama", executionTarget: .onDevice, latencyMilliseconds: 612.5, promptTokens: 60, completionTokens: 30,
        timeToFirstTokenMilliseconds: 90, tokensPerSecond: 49)))
  try await inference.endSession(session.id)
  // end

  // snippet: inference-telemetry
  // Recorded as far as the consent goes: of these two only the error.
  let recorded = try await inference.record([
    TelemetryEvent(id: UUID().uuidString, type: .error, name: "load", occurredAt: Date()),
    TelemetryEvent(id: UUID().uuidString, type: .modelLoaded, occurredAt: Date()),
  ])
  // end
  print(recorded)
  return inference
}

/// Other limits for what is kept than those of the library.
func shortRetention() -> StoreOptions {
  // snippet: retention
  var options = StoreOptions.production
  options.retention.limits["telemetry"] = RetentionLimits(maxAgeSeconds: 30 * 86_400, maxCount: 10_000)
  options.retention.audit.maxAgeSeconds = 365 * 86_400
  // end
  return options
}

/// What it took.
func inferenceNumbers(_ inference: InferenceStore) async throws -> [GenerationStatistics] {
  // snippet: inference-statistics
  let statistics = try await inference.statistics(by: [.model, .target])
  for numbers in statistics {
    print(numbers.modelID ?? "", numbers.p50LatencyMilliseconds, numbers.p95LatencyMilliseconds, numbers.totalCost)
  }
  // end
  return statistics
}

/// The models on a screen.
func watchingModels(_ inference: InferenceStore) async throws {
  // snippet: inference-updates
  for try await models in inference.modelUpdates(.downloaded) {
    print("\(models.count) models are here")
  }
  // end
}

/// What stands in the folder of a model, and the SDK's old database.
func importingInference(_ model: URL, _ database: URL, into store: URL, key: @escaping @Sendable () throws -> Data) throws -> ImportReport {
  // snippet: inference-import
  // A model of any size: of GGUF only the header is read.
  let report = try InferenceStore.importModels(from: model, into: store)
  // Keys of the API that stand in it are sealed; without a key for that they are left out, and the report says so.
  if FileManager.default.fileExists(atPath: database.path) {
    _ = try InferenceStore.importLibrary(from: database, into: store, secretKey: SecretKey(key))
  }
  // end
  return report
}

/// What waits goes to the SDK's remote API.
func sendingWhatWaits(_ inference: InferenceStore, to address: URL, device: String) async throws -> SyncStatus {
  // snippet: inference-sync
  let client = URLSessionClient(address) { try await inference.apiKey() }
  let service = DataSyncService(inference, client: client, options: SyncOptions(deviceID: device))
  // From now on by itself: at each interval of the configuration, and when a batch has come together.
  await service.start()
  let status = try await inference.syncStatus()
  print(status.pending, status.setAside.count, status.lastError ?? "")
  // end
  await service.stop()
  return status
}
