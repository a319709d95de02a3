import Holdfast
import HoldfastSync
import HoldfastTesting
import Testing

@testable import HoldfastSimulator

/// Each `settle` also makes all the checks of the simulator.
@Suite("A replica takes the server's place")
struct FailoverTests {
  private typealias World = Simulated.World

  /// A second later: an edit, which the server takes.
  private func push(_ world: World, _ number: Int, _ sql: BoundSQL) throws {
    try world.then(number, sql)
    #expect(try world.exchange(number))
  }

  @Test("a device that was away through two failovers goes back to the fork of the first: it sends what was lost, and misses nothing")
  func twice() throws {
    let world = try World.shared()
    let lagging = try world.server.copy()
    try push(world, 0, "UPDATE items SET notes = 'since'")
    try world.server.restore(lagging)
    // Under the number that the lost push had.
    try push(world, 1, "UPDATE items SET position = 7")
    try world.server.restore(world.server.copy())
    try world.settle()
    #expect(try world.items() == Array(repeating: ["i1 old since 7 NULL"], count: 2))
    #expect(world.events[.skipped] == 1 && world.events[.cut] == 1)
  }

  @Test("a primary that nobody has stopped goes on in its epoch: what it takes then is not lost where the device has it")
  func former() throws {
    let world = try World.shared()
    let former = try world.server.copy()
    try world.server.restore(former)
    let promoted = try world.server.copy()
    try world.server.rewind(to: former)
    try push(world, 0, "UPDATE items SET notes = 'since'")
    try world.server.rewind(to: promoted)
    try push(world, 1, "UPDATE items SET position = 7")
    #expect(try world.exchange(0))
    let both = try world.server.copy()
    // A primary of before does not know the device's epoch.
    try world.server.rewind(to: former)
    #expect(try world.exchange(0))
    #expect(world.events[.resynced] == 1)
    try world.server.rewind(to: both)
    try world.settle()
    #expect(try world.items() == Array(repeating: ["i1 old since 7 NULL"], count: 2))
  }

  @Test("replicas that never follow lose what was acknowledged, and do not know each other's epochs; the devices bring it back")
  func lagging() throws {
    let world = try World.shared()
    try world.server.replicate(isSynchronous: false)
    try push(world, 0, "UPDATE items SET notes = 'since'")
    let first = try world.server.failOver(&world.random)
    #expect(first == [.failedOver, .abandoned])
    try world.settle()
    // To the other replica, or to the former primary.
    let second = try world.server.failOver(&world.random)
    #expect(second == [.failedOver, .abandoned, .nested])
    try world.settle()
    #expect(world.events[.resynced] == 2)
    #expect(try world.items() == Array(repeating: ["i1 old since 0 NULL"], count: 2))
  }

  @Test("the replica that a push waited for has it when it takes the primary's place: no device has to send it again")
  func synchronous() throws {
    let world = try World.shared()
    try world.server.replicate(isSynchronous: true)
    for position in 1...5 {
      try push(world, 0, "UPDATE items SET position = \(position)")
      let events = try world.server.failOver(&world.random)
      #expect(events == [.promoted])
    }
    try world.settle()
    #expect(try world.items() == Array(repeating: ["i1 old NULL 5 NULL"], count: 2))
    #expect(world.events[.cut] == nil && world.events[.resynced] == nil)
  }

  @Test("with a synchronous replica an acknowledged push that is gone everywhere is found", arguments: [false, true])
  func gone(_ isSynchronous: Bool) throws {
    let world = try World.shared()
    try world.server.replicate(isSynchronous: isSynchronous)
    let (server, device) = (try world.server.copy(), try world.devices[0].copy())
    try push(world, 0, "UPDATE items SET notes = 'since'")
    try world.server.restore(server)
    try world.devices[0].restore(device, node: world.node())
    do {
      try world.settle()
      #expect(!isSynchronous)
    } catch is Simulated.Violation {
      #expect(isSynchronous)
    }
  }
}
