import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastSimulator

extension Simulated.World {
  /// Two devices that have one item.
  static func shared(_ item: Simulated.Item = Simulated.Item("i1", "old"), skews: [Int64] = [0, 0]) throws -> Simulated.World {
    let world = try Simulated.World(skews: skews)
    try world.write(0) { tx in try tx.insert(item) }
    try world.settle()
    return world
  }

  /// A second later: what a person does next on a device.
  func then(_ number: Int, _ body: (Writer) throws -> Void) throws {
    now += 1_000
    let isWritten = try write(number, body)
    #expect(isWritten)
  }

  func then(_ number: Int, _ sql: BoundSQL) throws { try then(number) { tx in try tx.execute(sql) } }

  /// Of each device the items: id, title, notes, position and slug.
  func items() throws -> [[String]] {
    try devices.map { try $0.store.rows("SELECT id, title, notes, position, slug FROM items ORDER BY id", columns: 5) }
  }
}
