internal import Foundation
internal import Holdfast
internal import HoldfastSync

/// A new device that pulls a whole space, against the same rows inserted by the kit, in as many transactions; and the registers it then has.
struct FirstPull: Sendable {
  var rows: Int
  /// Seconds of each round.
  var pulls: [Double] = []
  var inserts: [Double] = []
  var registers = Registers()

  /// Sizes in bytes, per row. Nothing waits to be sent.
  struct Registers: Sendable {
    /// The pages of `holdfast_sync_row` and its index.
    var pages = 0.0
    /// The key within them.
    var key = 0.0
  }

  static func run(_ server: BenchServer, rows: Int, rounds: Int) async throws -> FirstPull {
    let space = try await server.makeSpace("pull", rows: rows)
    let songs = Song.make(0..<rows)
    var result = FirstPull(rows: rows)
    for round in 0...rounds {
      // Round 0 only warms up. Pull and insert take turns in going first.
      let first = round.isMultiple(of: 2) ? try await result.pull(server, space) : nil
      let insert = try await result.insert(server, songs)
      let pull = if let first { first } else { try await result.pull(server, space) }
      guard round > 0 else { continue }
      result.pulls.append(pull)
      result.inserts.append(insert)
    }
    return result
  }

  private mutating func pull(_ server: BenchServer, _ space: BenchServer.Space) async throws -> Double {
    let device = try await server.newDevice(of: space)
    let seconds = try await timed { try await device.sync.finish() }
    registers = try finish(device.store)
    return seconds
  }

  private func insert(_ server: BenchServer, _ songs: [Song]) async throws -> Double {
    let store = try server.newStore()
    let seconds = try await timed { try store.insert(songs) }
    try check(store)
    return seconds
  }

  private func check(_ store: Store) throws {
    guard try store.songs() == rows else { throw Failure("a store has \(try store.songs()) of \(rows) rows") }
    try store.close()
    if let url = store.url { try FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
  }

  private func finish(_ store: Store) throws -> Registers {
    let (pages, key) = try store.read { reader in
      (
        try reader.count("SELECT sum(pgsize) FROM dbstat WHERE name IN ('holdfast_sync_row', 'holdfast_sync_dirty')"),
        try reader.count("SELECT sum(length(key)) FROM holdfast_sync_row")
      )
    }
    try check(store)
    return Registers(pages: Double(pages) / Double(rows), key: Double(key) / Double(rows))
  }
}
