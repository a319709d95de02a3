import Foundation
import Holdfast
import HoldfastInference

/// Proves that a store with telemetry does not grow without limit and loses no event: records, sends and removes events without a pause,
/// and prints how much memory the process has after a tenth of its time and at the end.
enum TelemetryDriver {
  /// More growth than this, from the first measure to the last, is a finding.
  private static let growth = (factor: 1.2, bytes: 8 << 20)
  private static let kept = 10_000
  private static let batch = 50

  /// Prints `after n s: …` twice, and then `right`, or `WRONG:` with the findings and the exit code 1.
  ///
  /// - Parameter seconds: counted from the time when the store has as many events as its retention keeps.
  static func run(_ store: String, seconds: Double) -> Never {
    SyncDriver.work {
      let url = URL(fileURLWithPath: store)
      var storeOptions = StoreOptions.production
      storeOptions.retention.limits["telemetry"] = RetentionLimits(maxAgeSeconds: 30 * 86_400, maxCount: kept)
      let inference = try InferenceStore.open(at: url, options: storeOptions)
      try await inference.save(
        InferenceConfiguration(analytics: .init(isEnabled: true, level: .verbose, telemetryConsent: .granted), createdAt: Date()))
      let server = TakingServer()
      var options = SyncOptions(deviceID: "device")
      options.batchSize = 500
      options.kinds = [.telemetry]
      (options.configurationPath, options.catalogPath) = (nil, nil)
      let service = DataSyncService(inference, client: server, options: options)
      // An app watches this number to show it.
      let watching = Task { for try await _ in inference.pendingEventCountUpdates() {} }
      var recorded = 0
      func take() async throws {
        for _ in 0..<10 {
          recorded += try await inference.record((0..<batch).map { event(recorded + $0) })
        }
        try await service.sync()
        try await inference.store.applyRetention()
      }
      while recorded < 2 * kept { try await take() }
      var measures: [Measure] = []
      let began = ContinuousClock.now
      for mark in [seconds / 10, seconds] {
        while ContinuousClock.now - began < .seconds(mark) { try await take() }
        let measure = Measure(
          memory: ResidentMemory.bytes(), events: try await inference.telemetryCounts().total, recorded: recorded, file: fileBytes(url))
        say("after \(Int(mark.rounded())) s: \(measure)")
        measures.append(measure)
      }
      watching.cancel()
      let problems = findings(measures, arrived: server.arrived)
      say(problems.isEmpty ? "right" : "WRONG: \(problems.joined(separator: "; "))")
      try inference.store.close()
      if !problems.isEmpty { exit(1) }
    }
  }

  private struct Measure: CustomStringConvertible {
    var memory: Int?
    var events: Int
    var recorded: Int
    var file: Int

    var description: String {
      "\(memory.map(TelemetryDriver.megabytes) ?? "unknown") in memory, \(events) events kept of \(recorded), "
        + "\(TelemetryDriver.megabytes(file)) in the file and its log"
    }
  }

  private static func findings(_ measures: [Measure], arrived: Int) -> [String] {
    guard let first = measures.first, let last = measures.last else { return ["nothing was measured"] }
    var findings: [String] = []
    func most(_ bytes: Int) -> Int { Int(Double(bytes) * growth.factor) + growth.bytes }
    if let before = first.memory, let after = last.memory, after > most(before) {
      findings.append("the memory grew from \(megabytes(before)) to \(megabytes(after))")
    }
    if last.file > most(first.file) { findings.append("the file grew from \(megabytes(first.file)) to \(megabytes(last.file))") }
    if last.events > kept { findings.append("\(last.events) events were kept instead of \(kept)") }
    if arrived != last.recorded { findings.append("\(last.recorded) events were recorded, and \(arrived) arrived") }
    return findings
  }

  private static func event(_ number: Int) -> TelemetryEvent {
    TelemetryEvent(
      id: "event-\(number)", type: number % 50 == 0 ? .error : .generationCompleted, name: "generate",
      properties: StoredJSON(text: #"{"duration_ms":"\#(number % 3_000)","model":"llama-3.2-1b"}"#), occurredAt: Date(),
      sessionID: "session-\(number / 20)", sdkVersion: "0.15.1")
  }

  private static func fileBytes(_ url: URL) -> Int {
    ["", "-wal"].reduce(0) { sum, suffix in
      let attributes = try? FileManager.default.attributesOfItem(atPath: url.path + suffix)
      return sum + ((attributes?[.size] as? NSNumber)?.intValue ?? 0)
    }
  }

  private static func megabytes(_ bytes: Int) -> String { "\((Double(bytes) / 104_857.6).rounded() / 10) MB" }
}

/// A server that accepts every event, and counts them.
private final class TakingServer: APIClient, @unchecked Sendable {
  // Guarded by `lock`.
  private var count = 0
  private let lock = NSLock()

  var arrived: Int { lock.withLock { count } }

  func send(_ request: APIRequest) async throws -> APIResponse {
    struct Batch: Decodable {
      struct Event: Decodable { var id: String }
      var events: [Event]
    }
    let events = try JSONDecoder().decode(Batch.self, from: request.body).events.count
    lock.withLock { count += events }
    return APIResponse(status: 200, body: Data(#"{"accepted":\#(events)}"#.utf8))
  }
}
