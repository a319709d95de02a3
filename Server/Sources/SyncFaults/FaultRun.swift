internal import Foundation
internal import SyncHistory

/// One run: starts everything, breaks it for a while, lets it settle, and judges.
final class FaultRun {
  /// The longest time without progress, in seconds: a machine may be slow.
  static let patience = 180.0

  let seed: UInt64
  let folder: URL
  let tally = Tally()
  let side: any ServerSide
  private let devices: Int
  /// What the run must find; nil: nothing.
  private let expected: Violation.Kind?
  var stations: [Station] = []
  var chance: Chance
  /// When the server last lost pushes: what was acknowledged before does not count on it. Nanoseconds.
  var rewoundAt: UInt64 = 0
  /// The server's port.
  private(set) var port: Int?

  /// - Parameters:
  ///   - expected: what a sabotaged run must find.
  ///   - side: makes the server side, which may keep its files in the folder.
  init(devices: Int, seed: UInt64, expecting expected: Violation.Kind? = nil, _ side: (URL, Tally) throws -> any ServerSide) throws {
    (self.devices, self.seed, self.expected, chance) = (devices, seed, expected, Chance(seed))
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("sync-faults-\(seed)-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    self.side = try side(folder, tally)
  }

  /// Starts all, does `body`, lets all settle, and judges. Returns `isFine`, and removes the files then.
  ///
  /// - Parameter needed: the faults that must have happened.
  func run(_ needed: [Fault] = [], _ body: () throws -> Void) -> Bool {
    // A pipe whose reader is gone, and a file at its limit, must be errors, here and in all processes that are started.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    let interruption = Interruption(removing: folder)
    defer {
      for station in stations { station.kill() }
      side.kill()
      interruption.end()
      if isFine { try? FileManager.default.removeItem(at: folder) }
    }
    do {
      try start()
      try body()
      // A slow machine may not have come to all of them, and one may have had no effect: a lagging replica may have lacked nothing.
      for fault in needed where side.faults.contains(fault) { try insist(on: fault) { tally[fault.rawValue] > 0 } }
      try settle()
      try judge()
    } catch {
      tally.report(.stuck, "\(error)")
    }
    for station in stations { tally.report(station.history.violations) }
    for fault in needed where tally[fault.rawValue] == 0 { tally.report(.missing, fault.rawValue) }
    return isFine
  }

  /// Whether every promise held; of a sabotaged run, whether it has found that.
  var isFine: Bool { expected.map(hasFound) ?? tally.violations.isEmpty }

  func hasFound(_ kind: Violation.Kind) -> Bool { tally.violations.contains { $0.kind == kind } }

  private func start() throws {
    try side.prepare()
    try side.run("space", "create", "anna")
    for number in 0..<devices {
      let token = try side.run("token", "create", "anna")
      let proxy = try Proxy(Chance(seed &+ UInt64(number) &+ 100), tally)
      stations.append(try Station(number, of: devices, in: folder, token: token, proxy))
    }
    lead(to: try side.start())
    for station in stations { try startDevice(station) }
  }

  /// Lets the devices to the server.
  func lead(to port: Int) {
    for station in stations { station.proxy.lead(to: port) }
    self.port = port
  }

  /// Checks that the server has what it acknowledged until now.
  func check() throws {
    let acknowledged = stations.map { $0.history.acknowledged(since: rewoundAt) }
    let sight = try side.sight(of: devices)
    tally.report(sight.violations + sight.lost(of: acknowledged))
    tally.count("checks of the server")
  }

  func startDevice(_ station: Station) throws { try station.start(seed: chance.next()) }

  /// Does all kinds of faults for a while.
  func breakThings(seconds: Double) throws {
    let proxies = stations.map(\.proxy) + side.proxies
    for proxy in proxies { proxy.cut(true) }
    let end = Clock.nanoseconds + UInt64(max(0, seconds) * 1e9)
    var deck: [Fault] = []
    while Clock.nanoseconds < end {
      usleep(UInt32(300_000 + chance.below(700_000)))
      if deck.isEmpty {
        deck = side.faults.shuffled(using: &chance)
        try side.rest()
      }
      if let fault = deck.popLast() { try happen(fault) }
      try noticeEnds()
    }
    for proxy in proxies { proxy.cut(false) }
  }

  /// Does a fault until `isDone`, three times at most: a short run may not come to it, and a fault may have no effect.
  func insist(on fault: Fault, until isDone: () -> Bool) throws {
    for _ in 0..<3 where !isDone() {
      let since = Clock.nanoseconds
      wait(seconds: Self.patience) { stations.contains { $0.recovery(since: since) != nil } }
      try happen(fault)
    }
  }

  /// No process may end but by a fault.
  private func noticeEnds() throws {
    for station in stations {
      guard let end = station.child?.end else { continue }
      tally.report(.ended, "device \(station.number) \(end)")
      try startDevice(station)
    }
    for end in try side.revive() { tally.report(.ended, end) }
  }

  /// Until nothing waits anywhere, and a whole turn of all devices changes nothing at the server.
  private func settle() throws {
    var head = ""
    for turn in 1...30 {
      for station in stations { station.child?.order("settle \(turn)") }
      guard wait(seconds: Self.patience, for: { stations.allSatisfy { $0.history.settled == turn } }) else {
        try noticeEnds()
        throw ServerProgram.Failure("not all devices could send what waits: \(stations.map(\.history.failures))")
      }
      let now = try side.run("space", "list")
      if now == head { return }
      head = now
    }
    throw ServerProgram.Failure("devices send something new in each of 30 rounds")
  }

  /// The sum over all devices.
  func sum(_ number: (DeviceHistory) -> Int) -> Int { stations.map { number($0.history) }.reduce(0, +) }

  /// Prints what happened and what was found.
  func report() {
    let happened = Fault.allCases.filter { tally[$0.rawValue] > 0 }
    print("faults: " + happened.map { "\(tally[$0.rawValue]) \($0.rawValue)" }.joined(separator: ", "))
    print("\(sum { $0.committed }) transactions, acknowledged in \(sum { $0.acknowledgementCount }) steps; \(sum { $0.sights }) snapshots")
    let checks = tally.counts.filter { $0.key.hasPrefix("checks ") }.sorted { $0.key < $1.key }
    print("checks: " + checks.map { "\($0.value) \($0.key.dropFirst(7))" }.joined(separator: ", "))
    reportViolations()
    print("\(tally.violations.count) violations; seed \(seed)")
  }

  func reportViolations() {
    for violation in tally.violations.prefix(20) { print("VIOLATION: \(violation.kind.rawValue): \(violation.text)") }
    if !isFine { print("The files are in \(folder.path)") }
  }
}
