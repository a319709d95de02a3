import Foundation
import Holdfast
import HoldfastInference

/// Generations and events, the same at each run.
struct InferenceSeed {
  private static let start = 1_750_000_000_000
  private static let models = (1...12).map { "publisher/model-\($0 * 3)b-instruct-q4_k_m" }
  private static let types: [TelemetryEventType] = [
    .modelLoaded, .generationStarted, .generationCompleted, .generationCompleted, .error, .performance, .memory, .custom,
  ]
  private var random = SplitMix(state: 5)
  private var made: UInt64 = 0

  /// Ids in the order of time, as the product makes them.
  private mutating func makeID() -> UUID {
    made += 1
    let high = (UInt64(Self.start) + made / 4) << 16 | 0x7000 | made % 4
    return UUID(uuid: unsafeBitCast((high.bigEndian, (random.next() & 0x3FFF_FFFF_FFFF_FFFF | 1 << 63).bigEndian), to: uuid_t.self))
  }

  mutating func generations(_ count: Int, of sessions: [UUID]) -> [Generation] {
    (0..<count).map { number in
      let latency = 80 + Double(random.below(900_000)) / 300
      let tokens = 20 + random.below(400)
      let performance = Generation.Performance(
        modelID: Self.models[random.below(Self.models.count)], executionTarget: random.below(3) == 0 ? .cloud : .onDevice,
        latencyMilliseconds: latency, promptTokens: 50 + random.below(3000), completionTokens: tokens,
        timeToFirstTokenMilliseconds: random.below(10) == 0 ? nil : latency / 8,
        tokensPerSecond: random.below(10) == 0 ? nil : Double(tokens) / latency * 1000,
        routingFramework: .llamaCpp, routingReason: "the model is on the device")
      return Generation(
        id: makeID(), sessionID: sessions[number % sessions.count], sequenceNumber: number,
        createdAt: Date(milliseconds: Int64(Self.start + number * 60_000)), performance: performance,
        cost: Double(random.below(100)) / 8192, errorCode: random.below(50) == 0 ? "timeout" : nil)
    }
  }

  mutating func events(_ count: Int) -> [TelemetryEvent] {
    (0..<count).map { number in
      let properties =
        "{\"duration_ms\":\"\(random.below(3000))\",\"framework\":\"LlamaCpp\","
        + "\"model\":\"\(Self.models[random.below(Self.models.count)])\",\"prompt_tokens\":\"\(random.below(4000))\"}"
      return TelemetryEvent(
        id: IDCodec.lowercase(makeID()), type: Self.types[random.below(Self.types.count)], name: "generate",
        properties: StoredJSON(text: properties), occurredAt: Date(milliseconds: Int64(Self.start + number * 1000)),
        sessionID: "session \(number / 20)", sdkVersion: "0.15.1")
    }
  }
}
