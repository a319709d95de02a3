import Foundation
import Holdfast
import InferenceStore

/// The child of the kill test of sync: records events, sets preferences and sends both without end, until it is killed.
enum SyncDriver {
  /// What the ids of events end with that no server takes.
  static let poison = "-poison"

  /// `recorded` and the ids when these events and preferences are in the store, `sending` and `answered` around each request, `synced` after each attempt.
  static func run(_ store: String, to server: String, seed: UInt64) -> Never {
    work {
      let inference = try InferenceStore.open(at: URL(fileURLWithPath: store))
      let service = try makeService(inference, to: server, batchSize: 1 + Int(seed % 9))
      var number = 0
      while true {
        number += 1
        var random = SeededRandom(seed: seed, number: number)
        var events: [TelemetryEvent] = []
        for place in 0..<Int.random(in: 1...12, using: &random) {
          let end = Int.random(in: 0..<60, using: &random) == 0 ? poison : ""
          events.append(TelemetryEvent(id: "\(seed)-\(number)-\(place)\(end)", type: .custom, occurredAt: Date()))
        }
        _ = try await inference.record(events)
        let preferences = (0..<Int.random(in: 0...3, using: &random)).map { "\(seed)-\(number)-\($0)-preference" }
        for name in preferences { try await inference.setPreference("1", named: name) }
        say("recorded \((events.map(\.id) + preferences).joined(separator: " "))")
        // Why it ended is in the status; the next attempt follows at once.
        _ = try? await service.sync()
        say("synced")
      }
    }
  }

  /// One attempt: `acknowledged` and how many.
  static func once(_ store: String, to server: String) -> Never {
    work {
      let inference = try InferenceStore.open(at: URL(fileURLWithPath: store))
      let report = try await makeService(inference, to: server, batchSize: 10).sync()
      let count = report.acknowledged[TelemetryEvent.table] ?? 0
      say("acknowledged \(count)")
    }
  }

  static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

  private static func makeService(_ inference: InferenceStore, to server: String, batchSize: Int) throws -> DataSyncService {
    guard let address = URL(string: server) else { throw StoreError(.misuse, "\(server) is no address") }
    var options = SyncOptions(deviceID: "device")
    options.batchSize = batchSize
    options.kinds = [.telemetry, .preferences]
    (options.configurationPath, options.catalogPath) = (nil, nil)
    let client = TalkingClient(client: URLSessionClient(address, timeoutSeconds: 1) { "sk-1" })
    return DataSyncService(inference, client: client, options: options)
  }

  /// Ends the process with the work.
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

/// Says when a request goes and when its answer is there, which nobody has acknowledged by then.
private struct TalkingClient: APIClient {
  let client: URLSessionClient

  func send(_ request: APIRequest) async throws -> APIResponse {
    SyncDriver.say("sending")
    let answer = try await client.send(request)
    SyncDriver.say("answered")
    return answer
  }
}
