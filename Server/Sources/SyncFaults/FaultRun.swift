internal import Foundation
internal import SyncHistory

/// One run: starts everything, breaks it for a while, lets it settle, and judges.
final class FaultRun {
  static let devices = 3

  let seconds: Double
  let seed: UInt64
  let isSabotaged: Bool
  let folder: URL
  let tally = Tally()
  let server: ServerProgram
  var stations: [Station] = []
  var chance: Chance
  /// Copies of the server's store, the oldest first.
  var backups: [URL] = []
  /// When the server last lost pushes: what was acknowledged before does not count on it. Nanoseconds.
  var rewoundAt: UInt64 = 0

  init(seconds: Double, seed: UInt64, isSabotaged: Bool) throws {
    (self.seconds, self.seed, self.isSabotaged, chance) = (seconds, seed, isSabotaged, Chance(seed))
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-faults-\(seed)-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    server = ServerProgram(in: folder)
  }

  /// Returns whether every promise held, and removes the files then.
  func run() throws -> Bool {
    // A pipe whose reader is gone, and a file at its limit, must be errors, here and in all processes that are started.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    defer {
      for station in stations { station.kill() }
      server.kill()
    }
    do {
      try start()
      try breakThings()
      try settle()
      try judge()
    } catch {
      tally.report(.stuck, "\(error)")
    }
    return report()
  }

  private func start() throws {
    try server.run("space", "create", "anna")
    for number in 0..<Self.devices {
      let token = try server.run("token", "create", "anna")
      let proxy = try Proxy(Chance(seed &+ UInt64(number) &+ 100), tally)
      stations.append(try Station(number, of: Self.devices, in: folder, token: token, proxy))
    }
    try startServer()
    for station in stations { try startDevice(station) }
  }

  /// Starts the server, checks that it has what it acknowledged, and lets the devices to it.
  func startServer() throws {
    let port = try server.start()
    let acknowledged = stations.map { $0.history.acknowledged(since: rewoundAt) }
    let sight = try server.sight(of: Self.devices)
    tally.report(sight.violations + sight.lost(of: acknowledged))
    tally.count("checks of the server")
    for station in stations { station.proxy.lead(to: port) }
    self.port = port
  }

  /// The server's port.
  private(set) var port: Int?

  func startDevice(_ station: Station) throws { try station.start(seed: chance.next()) }

  private func breakThings() throws {
    for station in stations { station.proxy.cut(true) }
    let end = Clock.nanoseconds + UInt64(max(0, seconds) * 1e9)
    var deck: [Fault] = []
    while Clock.nanoseconds < end {
      usleep(UInt32(300_000 + chance.below(700_000)))
      if deck.isEmpty {
        deck = Fault.inTurn.shuffled(using: &chance)
        try backUp()
      }
      if let fault = deck.popLast() { try happen(fault) }
      try noticeEnds()
    }
    for station in stations { station.proxy.cut(false) }
  }

  /// No process may end but by a fault.
  func noticeEnds() throws {
    for station in stations {
      guard let end = station.child?.end else { continue }
      tally.report(.ended, "device \(station.number) \(end)")
      try startDevice(station)
    }
    if let end = server.child?.end {
      tally.report(.ended, "the server \(end)")
      try startServer()
    }
  }

  /// Until nothing waits anywhere, and a whole turn of all devices changes nothing at the server.
  private func settle() throws {
    var head = ""
    for turn in 1...30 {
      for station in stations { station.child?.order("settle \(turn)") }
      guard wait(seconds: 60, for: { stations.allSatisfy { $0.history.settled == turn } }) else {
        try noticeEnds()
        throw ServerProgram.Failure("in a minute not all devices could send what waits: \(stations.map(\.history.failures))")
      }
      let now = try server.run("space", "list")
      if now == head { return }
      head = now
    }
    throw ServerProgram.Failure("devices send something new in each of 30 rounds")
  }

  private func report() -> Bool {
    for fault in Fault.allCases where seconds >= 60 && tally[fault.rawValue] == 0 { tally.report(.missing, fault.rawValue) }
    for station in stations { tally.report(station.history.violations) }
    print("faults: " + Fault.allCases.map { "\(tally[$0.rawValue]) \($0.rawValue)" }.joined(separator: ", "))
    let histories = stations.map(\.history)
    let sum = { (number: (DeviceHistory) -> Int) in histories.map(number).reduce(0, +) }
    print("\(sum { $0.committed }) transactions, acknowledged in \(sum { $0.acknowledgementCount }) steps; \(sum { $0.sights }) snapshots")
    let checks = tally.counts.filter { $0.key.hasPrefix("checks ") }.sorted { $0.key < $1.key }
    print("checks: " + checks.map { "\($0.value) \($0.key.dropFirst(7))" }.joined(separator: ", "))
    for violation in tally.violations.prefix(20) { print("VIOLATION: \(violation.kind.rawValue): \(violation.text)") }
    print("\(tally.violations.count) violations; seed \(seed)" + (tally.violations.isEmpty ? "" : "; the files are in \(folder.path)"))
    if tally.violations.isEmpty { try? FileManager.default.removeItem(at: folder) }
    return tally.violations.isEmpty
  }
}
