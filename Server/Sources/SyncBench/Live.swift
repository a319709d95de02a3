internal import Foundation
internal import Holdfast
internal import HoldfastSync

/// A device in use: what it asks when there is nothing to do, and how soon it has a row of another device.
struct Live: Sendable {
  static let pokes = 300
  /// The requests of one round of sync without news and without changes.
  var idleRequests = 0
  /// Milliseconds from the sending of a push of one row to the moment when an observer of the other device's store has the row: so with the push
  /// itself and its flush to the disk.
  var milliseconds: [Double] = []

  static func run(_ server: BenchServer) async throws -> Live {
    let space = try await server.makeSpace("live")
    let (device, client) = (try await server.newDevice(of: space), server.client(of: space))
    var result = Live()
    try await device.sync.finish()
    let before = requests(try await server.metrics(by: client))
    try await device.sync.finish()
    result.idleRequests = requests(try await server.metrics(by: client)) - before

    try device.sync.start()
    var counts = device.store.updates { reader in try reader.count("SELECT count(*) FROM songs") }.makeAsyncIterator()
    for (number, song) in Song.make(0..<pokes + 1).enumerated() {
      // Until the device waits for news.
      while try await server.metrics(by: client)["holdfast_waiting_polls"] != 1 { try await Task.sleep(for: .milliseconds(5)) }
      let start = ContinuousClock.now
      async let pushed: Void = server.push([song], to: space, by: client)
      while let count = try await counts.next(), count <= number {}
      let took = (ContinuousClock.now - start) / .milliseconds(1)
      try await pushed
      // The first one warms up.
      if number > 0 { result.milliseconds.append(took) }
    }
    await device.sync.stop()
    return result
  }

  /// The number of requests so far, without those to `/metrics`, which are the benchmark's own.
  private static func requests(_ samples: [String: Int]) -> Int {
    samples.filter { $0.key.hasPrefix("holdfast_requests_total") && !$0.key.contains("\"metrics\"") }.values.reduce(0, +)
  }
}
