internal import Foundation
internal import HoldfastHTTP

/// Pushes to a server in another process: of 100 rows beside pgbench's, and of single rows by one device and by many.
struct LoadPushes: Sendable {
  static let clients = 8
  static let each = 40
  /// Pushes in a second, of each round.
  var pushed: [Double] = []
  var upserted: [Double] = []
  var byOne: [Double] = []
  var byMany: [Double] = []
  static let many = 64

  /// Each device has a space of its own, as each person has.
  static func beside(_ database: Database, _ server: BenchServer, rounds: Int) async throws -> LoadPushes {
    var spaces: [(BenchServer.Space, HTTPClient)] = []
    for number in 0..<clients {
      let space = try await server.makeSpace("pushes\(number)")
      spaces.append((space, server.client(of: space)))
    }
    try database.makeBenchTable()
    let lines = Song.lines(Song.make(0..<100), stamped: Song.stamp())
    var result = LoadPushes()
    for round in 0...rounds {
      // Ready before the time is taken: devices make their pushes on processors of their own.
      let bodies = spaces.map { space, _ in
        (0..<each).map { push in
          let first = (round * each + push) * 100
          return Song.push(Song.make(first..<first + 100), epoch: space.epoch)
        }
      }
      let writers = spaces
      let took = try await timed {
        try await together(clients) { writer in
          for body in bodies[writer] { try await server.push(body, to: writers[writer].0, by: writers[writer].1, zips: true) }
        }
      }
      let tps = try database.upserts(lines, clients: clients, each: each, after: round * each, in: server.folder)
      // Round 0 warms up.
      guard round > 0 else { continue }
      result.pushed.append(Double(clients * each) / took)
      result.upserted.append(tps)
    }
    return result
  }

  /// Pushes of one new row.
  static func singles(_ server: BenchServer, rounds: Int) async throws -> LoadPushes {
    let space = try await server.makeSpace("singles")
    let clients = (0..<many).map { _ in server.client(of: space) }
    var result = LoadPushes()
    var next = 0
    for round in 0...rounds {
      for devices in [1, many] {
        let each = devices == 1 ? 100 : 20
        let first = next
        next += devices * each
        let took = try await timed {
          try await together(devices) { device in
            for push in 0..<each {
              let number = first + device * each + push
              try await server.push(Song.make(number..<number + 1), to: space, by: clients[device])
            }
          }
        }
        guard round > 0 else { continue }
        if devices == 1 { result.byOne.append(Double(each) / took) } else { result.byMany.append(Double(devices * each) / took) }
      }
    }
    return result
  }
}

/// Runs `work` for the numbers below `count` at one time.
func together(_ count: Int, _ work: @escaping @Sendable (_ number: Int) async throws -> Void) async throws {
  try await withThrowingTaskGroup(of: Void.self) { tasks in
    for number in 0..<count { tasks.addTask { try await work(number) } }
    try await tasks.waitForAll()
  }
}
