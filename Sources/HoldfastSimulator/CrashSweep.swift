internal import HoldfastTesting

extension Simulated {
  /// The crash sweep of one seed: devices and a server after random steps, and then the end of one device's process at each `stride`-th statement of
  /// its next round.
  ///
  /// - Returns: how many statements the round had; 0 where the seed leaves nothing to send.
  /// - Throws: `Violation`, and the errors of the parts.
  static func sweep(seed: UInt64, stride: Int) throws -> Int {
    let world = try world(seed: seed, steps: 60)
    world.mendNetwork()
    let waiting = try world.devices.indices.map { (number: $0, pending: try world.devices[$0].pending) }
    guard let most = waiting.max(by: { $0.pending < $1.pending }), most.pending > 0 else { return 0 }
    return try world.sweep(most.number, stride: stride)
  }
}

extension Simulated.World {
  /// Ends the process of a device at each `stride`-th statement of a round from this state; statements in triggers count. Each time the device
  /// begins again, all devices settle, and everything is checked.
  ///
  /// - Returns: the number of the first statement that the round did not reach.
  func sweep(_ number: Int, stride: Int) throws -> Int {
    let device = devices[number]
    let copies = try devices.map { try $0.copy() }
    let before = try server.copy()
    // Nothing fails over from here on, and each copy takes time.
    server.replicas = nil
    var statement = 1
    repeat {
      for (device, copy) in zip(devices, copies) { try device.restore(copy, node: node()) }
      try server.rewind(to: before)
      try device.fault.arm(device.store, at: statement)
      do {
        _ = try exchange(number)
      } catch  where device.fault.wasReached {
        // The process is gone; whatever it did not commit is gone, too.
      }
      try device.restart(node: node())
      do { try settle() } catch { throw Simulated.Violation("device \(number), statement \(statement): \(error)") }
      statement += stride
    } while device.fault.wasReached
    return statement
  }
}
