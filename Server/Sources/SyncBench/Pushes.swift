internal import Foundation
internal import Holdfast

/// Devices that push 100 new rows at a time over HTTP, against as many tasks of one process that upsert the same rows into a table of a store, 100
/// in a transaction. Both return when the rows are on the disk.
struct Pushes: Sendable {
  static let writers = 8
  static let rows = 100
  private static let each = 25
  /// Rows in a second, of each round.
  var pushed: [Double] = []
  var upserted: [Double] = []

  static func run(_ server: BenchServer, rounds: Int) async throws -> Pushes {
    let space = try await server.makeSpace("pushes")
    var options = StoreOptions.production
    options.durability = .durable
    let store = try server.newStore(options)
    let clients = (0..<writers).map { _ in server.client(of: space) }
    var result = Pushes()
    for round in 0...rounds {
      let groups = groups(of: round)
      let pushing = try await timed {
        try await together(writers) { writer in
          for songs in groups[writer] { try await server.push(songs, to: space, by: clients[writer]) }
        }
      }
      let upserting = try await timed {
        try await together(writers) { writer in
          for songs in groups[writer] { try await store.write { tx in for song in songs { try tx.upsert(song) } } }
        }
      }
      // Round 0 warms up.
      guard round > 0 else { continue }
      let count = Double(writers * each * rows)
      result.pushed.append(count / pushing)
      result.upserted.append(count / upserting)
    }
    return result
  }

  /// New songs: by writer, then by push.
  private static func groups(of round: Int) -> [[[Song]]] {
    (0..<writers).map { writer in
      (0..<each).map { push in
        let first = ((round * writers + writer) * each + push) * rows
        return Song.make(first..<first + rows)
      }
    }
  }
}
