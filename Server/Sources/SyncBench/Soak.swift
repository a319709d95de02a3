internal import Foundation
internal import Holdfast
internal import HoldfastSync
internal import HoldfastSyncServer
internal import Synchronization

/// Devices that edit and sync for a while, ten to a space. A share of the rounds is cut off at a random moment: the request or its answer is
/// lost. At the end every device has the same rows, and so has a new one.
struct Soak: Sendable {
  var rounds = 0
  var cut = 0
  var failed = 0
  /// MB of the server's process, from a fifth of the time on: each second.
  var memory: [Double] = []
  /// Devices that have other rows than the first of their space.
  var differing = 0
  var problems: [String] = []

  /// Whether the server's process had memory at each look: it runs, and the system tells of it.
  var isMeasured: Bool { !memory.isEmpty && memory.allSatisfy { $0 > 0 } }

  /// Between the medians of the first and of the last tenth, as a share of the first.
  var drift: Double {
    let start = Array(memory.prefix(max(1, memory.count / 10))).median
    let end = Array(memory.suffix(max(1, memory.count / 10))).median
    return start > 0 ? abs(end - start) / start : 0
  }

  static func run(_ server: BenchServer, process: Int32, minutes: Double, devices: Int, faults: Int) async throws -> Soak {
    try raiseFileLimit()
    var all: [(space: BenchServer.Space, store: Store, sync: StoreSync)] = []
    for number in stride(from: 0, to: devices, by: 10) {
      let space = try await server.makeSpace("soak\(number / 10)")
      for _ in number..<min(number + 10, devices) {
        let device = try await server.newDevice(of: space)
        all.append((space, device.store, device.sync))
      }
    }
    let group = all
    let result = Mutex(Soak())
    let end = ContinuousClock.now + .seconds(minutes * 60)
    let warm = ContinuousClock.now + .seconds(minutes * 12)
    let sampling = Task {
      while !Task.isCancelled {
        try await Task.sleep(for: .seconds(1))
        if .now > warm { result.withLock { $0.memory.append(ProcessFigures.memory(of: process)) } }
      }
    }
    try await together(devices) { device in
      while .now < end {
        try await Task.sleep(for: .milliseconds(.random(in: 500...3_500)))
        // Rows that other devices edit, too: a space has at most 2,000.
        let number = device / 10 * 10_000 + .random(in: 0..<2_000)
        for var song in Song.make(number..<number + 1) {
          song.playCount = .random(in: 0..<1_000_000)
          let edited = song
          try await group[device].store.write { tx in try tx.upsert(edited) }
        }
        let sync = group[device].sync
        let round = Task { try await sync.finish() }
        let isCut = Int.random(in: 0..<100) < faults
        if isCut {
          try await Task.sleep(for: .milliseconds(.random(in: 0...40)))
          round.cancel()
        }
        let isWhole = await round.result.isSuccess
        result.withLock { soak in
          soak.rounds += 1
          soak.cut += isCut ? 1 : 0
          soak.failed += isWhole || isCut ? 0 : 1
        }
      }
    }
    sampling.cancel()
    return try await settle(server, group, result.withLock { $0 })
  }

  private static func settle(
    _ server: BenchServer, _ group: [(space: BenchServer.Space, store: Store, sync: StoreSync)], _ soak: Soak
  ) async throws -> Soak {
    var result = soak
    // Once to send everything, once to have what others sent.
    for _ in 1...2 { for device in group { try await device.sync.finish() } }
    var rows: [String: String] = [:]
    for device in group {
      if rows[device.space.name] == nil {
        let new = try await server.newDevice(of: device.space)
        try await new.sync.finish()
        rows[device.space.name] = try digest(new.store)
        try new.store.close()
      }
      if try digest(device.store) != rows[device.space.name] { result.differing += 1 }
      try device.store.close()
    }
    result.problems = try await server.server.problems().map(\.message)
    return result
  }

  /// All rows, by id.
  private static func digest(_ store: Store) throws -> String {
    try store.read { reader in
      try reader.values(
        "SELECT json_array(id, title, artist, album, genre, rating, play_count, last_played_at) FROM songs ORDER BY id"
      ) { row in try row.text() }.joined(separator: "\n")
    }
  }
}

extension Result {
  fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
