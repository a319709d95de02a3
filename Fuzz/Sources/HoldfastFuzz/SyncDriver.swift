import Foundation
import Holdfast
import HoldfastInference

/// The child process of the kill test of sync: in a loop, records rows of every table that is sent, pulls and pushes, until it is killed.
enum SyncDriver {
  /// The end of the ids of those events and models that the test's server refuses.
  static let poison = "-poison"
  /// The name of a preference that is changed before each attempt.
  static let edited = "edited"

  /// Prints `recorded` and the ids when the store has these rows, `sending` and `answered` around each request, `synced` after an attempt.
  static func run(_ store: String, to server: String, seed: UInt64) -> Never {
    work {
      let inference = try InferenceStore.open(at: URL(fileURLWithPath: store))
      let service = try makeService(inference, to: server, batchSize: 1 + Int(seed % 9))
      var number = 0
      while true {
        number += 1
        var random = SeededRandom(seed: seed, number: number)
        let ids = try await record("\(seed)-\(number)", in: inference, &random)
        say("recorded \(ids.joined(separator: " "))")
        // The sync status has the reason of a failure. The next attempt follows at once.
        _ = try? await service.sync()
        say("synced")
      }
    }
  }

  /// Records some rows of every table that is sent, with `name` in their ids. Returns the ids.
  private static func record(_ name: String, in inference: InferenceStore, _ random: inout SeededRandom) async throws -> [String] {
    func end() -> String { Int.random(in: 0..<60, using: &random) == 0 ? poison : "" }
    let events = (0..<Int.random(in: 1...12, using: &random)).map { place in
      TelemetryEvent(id: "\(name)-\(place)\(end())", type: .custom, occurredAt: Date())
    }
    _ = try await inference.record(events)
    let preferences = (0..<Int.random(in: 0...3, using: &random)).map { "\(name)-\($0)-preference" }
    for preference in preferences { try await inference.setPreference("1", named: preference) }
    try await inference.setPreference("\"\(name)\"", named: edited)
    let models = (0..<Int.random(in: 0...2, using: &random)).map { place in
      ModelMetadata(id: "\(name)-\(place)-model\(end())", name: "A model", framework: .mlx, createdAt: Date())
    }
    try await inference.save(models)
    var ids = events.map(\.id) + preferences + [edited] + models.map(\.id)
    if Int.random(in: 0..<4, using: &random) == 0 {
      let configuration = InferenceConfiguration(id: "\(name)-configuration", createdAt: Date())
      try await inference.save(configuration)
      ids.append(configuration.id)
    }
    if Bool.random(using: &random) {
      let session = try await inference.startSession(with: models.first?.id ?? "of nobody", type: .chat)
      ids.append(IDCodec.lowercase(session.id))
      for place in 0..<Int.random(in: 0...3, using: &random) {
        let generation = Generation(id: NewID.v7(), sessionID: session.id, sequenceNumber: place, createdAt: Date())
        try await inference.record(generation)
        ids.append(IDCodec.lowercase(generation.id))
      }
      if Bool.random(using: &random) { try await inference.endSession(session.id) }
    }
    return ids
  }

  /// Runs one attempt, and prints `acknowledged` and the number of events.
  static func once(_ store: String, to server: String) -> Never {
    work {
      let inference = try InferenceStore.open(at: URL(fileURLWithPath: store))
      let report = try await makeService(inference, to: server, batchSize: 10).sync()
      let count = report.acknowledged[TelemetryEvent.table] ?? 0
      say("acknowledged \(count)")
    }
  }

  private static func makeService(_ inference: InferenceStore, to server: String, batchSize: Int) throws -> DataSyncService {
    guard let address = URL(string: server) else { throw StoreError(.misuse, "\(server) is not an address") }
    var options = SyncOptions(deviceID: "device")
    options.batchSize = batchSize
    let client = TalkingClient(client: URLSessionClient(address, timeoutSeconds: 1) { "sk-1" })
    return DataSyncService(inference, client: client, options: options)
  }

  /// Runs the work, and then ends the process.
  static func work(_ body: @escaping @Sendable () async throws -> Void) -> Never {
    Task.detached {
      do {
        try await body()
        exit(0)
      } catch {
        say("failed \(error)")
        exit(1)
      }
    }
    while true { Thread.sleep(forTimeInterval: 1_000) }
  }
}

/// Prints a line at once: a kill leaves it whole or out.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

/// Prints when a request is sent and when its answer has arrived, before the store records that answer.
private struct TalkingClient: APIClient {
  let client: URLSessionClient

  func send(_ request: APIRequest) async throws -> APIResponse {
    say("sending")
    let answer = try await client.send(request)
    say("answered")
    return answer
  }
}
