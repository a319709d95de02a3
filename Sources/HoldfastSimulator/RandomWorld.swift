internal import Holdfast
internal import HoldfastSync
internal import HoldfastTesting

extension Simulated {
  /// How one seed ended.
  struct Run: Equatable {
    let rows: [SyncRow.Name: SyncRow]
    let events: [Event: Int]
    let messages: Int
    let now: Int64
  }

  private static let minute: Int64 = 60_000
  private static let year: Int64 = 365 * 24 * 60 * minute
  private static let skews: [Int64] = [0, 0, 5_000, -5_000, 50_000, -50_000, 60 * minute, -60 * minute, year, -year]

  /// A run of one seed, from new devices to the last check.
  ///
  /// - Parameter key: seals the space.
  /// - Throws: `Violation`, and the errors of the parts.
  static func run(seed: UInt64, steps: Int = 150, key: StoreKey? = nil) throws -> Run {
    let world = try world(seed: seed, steps: steps, key: key)
    try world.settle()
    return Run(rows: try world.server.rows(at: world.now), events: world.events, messages: world.messages, now: world.now)
  }

  /// Devices and a server after random steps of one seed.
  static func world(seed: UInt64, steps: Int, key: StoreKey? = nil) throws -> World {
    var random = SeededGenerator(seed: seed)
    let count = Int.random(in: 2...4, using: &random)
    let errors = (0..<count).map { _ in random.pick(skews) }
    let versions = (0..<count).map { _ in random.chance(25) ? 1 : 2 }
    let world = try World(seed: random.next(), skews: errors, versions: versions, key: key)
    // Copies of an app's file from before the first connection.
    if random.chance(30) { try world.add(version: 2, skew: random.pick(skews)) { tx in try world.fill(tx) } }
    var accidents = Accidents(&random, ServerTroubles(seed: seed))
    if let isSynchronous = accidents.isSynchronous { try world.server.replicate(isSynchronous: isSynchronous) }
    for _ in 0..<steps { try accidents.step(world) }
    return world
  }

  /// The network and the accidents of one run.
  private struct Accidents {
    private let lost: Int
    private let doubled: Int
    private let restoresDevices: Bool
    private let restoresServer: Bool
    private let rewinds: Bool
    /// Of the server's replicas; nil where it has none.
    let isSynchronous: Bool?
    private var copies: [Device.Copy] = []
    private var serverCopies: [Server.Copy] = []
    private var moments: [Device.Moment] = []
    private var troubles: ServerTroubles

    init(_ random: inout SeededGenerator, _ troubles: ServerTroubles) {
      self.troubles = troubles
      lost = random.pick([0, 10, 40])
      doubled = random.pick([0, 20])
      restoresDevices = random.chance(40)
      isSynchronous = random.pick([nil, nil, false, false, true])
      // A backup lacks what was acknowledged since, which a synchronous replica never does.
      restoresServer = isSynchronous != true && random.chance(50)
      // Snapshots need files, which take time.
      rewinds = random.chance(10)
    }

    mutating func step(_ world: World) throws {
      world.now += world.random.pick([1, 50, 1_000, 1_000, 20_000])
      try deliver(in: world)
      try troubles.step(world)
      let number = Int.random(in: world.devices.indices, using: &world.random)
      let device = world.devices[number]
      device.clock.now = world.now
      if rewinds { try rewind(device, in: world) }
      if isSynchronous != nil { try replicate(in: world) }
      switch Int.random(in: 0..<100, using: &world.random) {
      case 0..<45: try world.edit(number)
      case 45..<80:
        // Without an answer, the process gives up and begins again.
        guard device.waiting == nil || world.random.chance(30) else { return }
        device.sync.beginRound()
        try next(device, in: world)
      case 80..<82: world.links[number].sends.toggle()
      case 82..<84: world.links[number].hears.toggle()
      case 84..<88: try device.restart(node: world.node())
      case 88..<90: device.clock.skew += Int64.random(in: -100_000...100_000, using: &world.random)
      case 90:
        guard device.version < Simulated.newest else { return }
        let app = Int.random(in: (device.version + 1)...Simulated.newest, using: &world.random)
        world.count(.migrated, try device.upgrade(node: world.node(), app: app))
      case 91, 92: if restoresDevices { copies.append(try device.copy()) }
      case 93:
        guard restoresDevices, !copies.isEmpty else { return }
        if world.tearsTransactions { world.keepsHalves = true }
        world.count(.migrated, try device.restore(world.random.pick(copies), node: world.node()))
      case 94: if restoresDevices { try clone(device, in: world) }
      case 95, 96: if restoresServer { serverCopies.append(try world.server.copy()) }
      // Among them copies of branches that were abandoned.
      case 97: if restoresServer, !serverCopies.isEmpty { try world.server.restore(world.random.pick(serverCopies)) }
      case 98: if world.devices.count < 5 { try world.addTaking(skew: device.clock.skew) }
      default: break
      }
    }

    /// Remembers a snapshot now and then, or goes back to one. The process may go on.
    private mutating func rewind(_ device: Device, in world: World) throws {
      switch Int.random(in: 0..<40, using: &world.random) {
      case 0, 1: if let moment = try device.moment() { moments.append(moment) }
      case 2:
        let own = moments.filter { $0.device == device.number }
        guard !own.isEmpty else { return }
        try world.rewind(device, to: world.random.pick(own))
        if world.random.chance(50) { try device.restart(node: world.node()) }
      default: break
      }
    }

    /// The replicas follow the primary, until one of them takes its place.
    private func replicate(in world: World) throws {
      switch Int.random(in: 0..<50, using: &world.random) {
      case 0: for event in try world.server.failOver(&world.random) { world.count(event) }
      case 1..<8: world.server.replicas?.follow(&world.random)
      default: break
      }
    }

    /// A second device goes on from the same file.
    private func clone(_ device: Device, in world: World) throws {
      guard world.devices.count < 5 else { return }
      let copy = try device.copy()
      try world.add(version: copy.version, skew: device.clock.skew).restore(copy, node: world.node())
    }

    // MARK: The network

    private func next(_ device: Device, in world: World) throws {
      device.waiting = nil
      try device.setTime()
      guard let request = try device.sync.next() else { return }
      world.messages += 1
      device.waiting = (world.messages, request)
      let message = World.Message(
        at: 0, order: 0, device: device.number, life: device.life, fileLife: device.fileLife, number: world.messages, request: request)
      send(message, world.links[device.number].sends, in: world)
    }

    private func send(_ message: World.Message, _ isOpen: Bool, in world: World) {
      for _ in 0..<(world.random.chance(doubled) ? 2 : 1) where isOpen && !world.random.chance(lost) {
        // Some come when everybody has forgotten them.
        let delay = Int64.random(in: 1...(world.random.chance(3) ? 200_000 : 5_000), using: &world.random)
        world.messages += 1
        world.network.append(message.sent(at: world.now + delay, order: world.messages))
      }
    }

    /// Everything that has arrived by now, in its order.
    private mutating func deliver(in world: World) throws {
      while let place = world.network.indices.min(by: { world.network[$0] < world.network[$1] }), world.network[place].at <= world.now {
        let message = world.network.remove(at: place)
        let device = world.devices[message.device]
        device.clock.now = world.now
        if let response = message.response {
          // An answer belongs to its request: a process that has given that up does not hear it.
          guard device.life == message.life, device.waiting?.number == message.number else { continue }
          device.waiting = nil
          try world.receive(response, to: message.request, device)
          if world.random.chance(5) { try device.restart(node: world.node()) } else { try next(device, in: world) }
        } else {
          var answer = message
          guard let response = try self.answer(message, in: world) else { continue }
          answer.response = response
          send(answer, world.links[message.device].hears, in: world)
        }
      }
    }

    /// The answer of the node that a request reaches. Nil: none comes.
    private mutating func answer(_ message: World.Message, in world: World) throws -> SyncResponse? {
      func answer() throws -> SyncResponse {
        try world.answer(
          message.request, of: world.devices[message.device], fileLife: message.fileLife, pageRows: world.random.pick([1, 2, 1_000]))
      }
      guard let replicas = world.server.replicas, replicas.hasFormer, world.random.chance(30) else {
        return try troubles.answer(in: world, answer)
      }
      // No replica follows a former primary: a push there waits for one for ever.
      if replicas.isSynchronous, message.request.verb != .pull { return nil }
      world.count(.strayed)
      return try world.server.asFormer(answer)
    }
  }
}

extension Simulated.World.Message {
  fileprivate func sent(at time: Int64, order: Int) -> Self {
    Self(
      at: time, order: order, device: device, life: life, fileLife: fileLife, number: number, request: request, response: response)
  }

  fileprivate static func < (first: Self, second: Self) -> Bool { (first.at, first.order) < (second.at, second.order) }
}
