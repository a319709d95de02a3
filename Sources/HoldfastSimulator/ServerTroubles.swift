internal import HoldfastSync
internal import HoldfastSyncServer
internal import HoldfastTesting

extension Simulated {
  /// What a server does to devices besides losing its place: it ends within a push, refuses rows, old devices and a token, and has nodes whose
  /// clocks differ.
  ///
  /// With random numbers of its own, so that a seed in which none of it happens runs as if there were none of it.
  struct ServerTroubles {
    private var random: SeededGenerator
    private let ends: Bool
    private let limits: Bool
    private let requiresSchemas: Bool
    private let endsTokens: Bool
    /// The errors of the nodes' clocks in milliseconds.
    private let clocks: [Int64]

    init(seed: UInt64) {
      random = SeededGenerator(seed: seed ^ 0x5EED)
      ends = random.chance(30)
      limits = random.chance(25)
      requiresSchemas = random.chance(25)
      endsTokens = random.chance(15)
      clocks = random.chance(15) ? [0, random.pick([-150_000, -5_000, 5_000, 150_000])] : [0]
    }

    mutating func step(_ world: World) throws {
      switch Int.random(in: 0..<30, using: &random) {
      case 0, 1: if limits { try world.limit(random.chance(60) ? few() : SyncLimits()) }
      case 2, 3: if requiresSchemas { try world.server.requireSchema(random.pick([0, 2, 3])) }
      case 4: if endsTokens { world.links[Int.random(in: world.links.indices, using: &random)].hasToken.toggle() }
      default: break
      }
    }

    /// The answer of one of the nodes. Nil: its process has ended before it was ready.
    mutating func answer(in world: World, _ body: () throws -> SyncResponse) throws -> SyncResponse? {
      world.nodeError = random.pick(clocks)
      if ends, random.chance(40) { world.server.endsAt = Int.random(in: 1...15, using: &random) }
      defer { (world.nodeError, world.server.endsAt) = (0, nil) }
      do {
        return try body()
      } catch is Server.Ended {
        world.count(.ended)
        return nil
      }
    }

    /// Fewer bytes or rows than the devices write.
    private mutating func few() -> SyncLimits {
      var limits = SyncLimits()
      switch Int.random(in: 0..<3, using: &random) {
      case 0: limits.rowBytes = random.pick([90, 110, 130])
      case 1: limits.rows = random.pick([2, 5, 10])
      default: limits.bytes = random.pick([500, 2_000])
      }
      return limits
    }
  }
}

extension Simulated.World {
  /// Gives the space other limits, as `SyncServer.setLimits` does.
  func limit(_ limits: SyncLimits) throws {
    // Of the rows of one transaction the server may take some.
    if limits != SyncLimits() { tearsTransactions = true }
    try server.limit(limits, &random)
  }
}

extension Simulated.Server {
  /// Gives the space other limits, and begins a new epoch.
  func limit(_ limits: SyncLimits, _ random: inout SeededGenerator) throws {
    guard limits != self.limits else { return }
    self.limits = limits
    try beginEpoch()
    replicas?.beginEpoch(try copy(), &random)
  }
}
