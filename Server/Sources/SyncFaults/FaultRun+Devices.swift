internal import Foundation
internal import SyncHistory

extension FaultRun {
  /// Does a fault, and mends it. It counts where it had an effect.
  func happen(_ fault: Fault) throws {
    let station = stations[chance.below(stations.count)]
    var hadEffect = true
    switch fault {
    case .deviceKilled:
      kill(station)
      usleep(UInt32(chance.below(500_000)))
      try startDevice(station)
    case .deviceKilledApplying: hadEffect = try killApplying(station)
    case .deviceAway:
      cutOff(station)
      station.proxy.lead(to: port)
    case .deviceFull: hadEffect = try fillDisk(of: station)
    case .clockStepped:
      // From a second to a year, forwards or back.
      let seconds = [1, 60, 3_600, 86_400, 31_536_000][chance.below(5)] * (chance.percent(50) ? 1 : -1)
      station.child?.order("clock \(seconds)")
    default: hadEffect = try side.breakIt(fault, in: self)
    }
    if hadEffect { tally.count(fault.rawValue) }
  }

  /// Returns whether it died within a transaction that writes what the server sent.
  @discardableResult
  func kill(_ station: Station) -> Bool {
    let (end, wasApplying) = station.kill()
    expectKilled("device \(station.number)", end)
    return wasApplying
  }

  /// A process that had ended before it was killed is a finding.
  func expectKilled(_ name: String, _ end: String?) {
    if end != "ended by signal 9" { tally.report(.ended, "\(name) \(end ?? "does not end")") }
  }

  /// For a second or two; the others go on.
  private func cutOff(_ station: Station) {
    station.proxy.lead(to: nil)
    usleep(UInt32(1_000_000 + chance.below(1_000_000)))
  }

  /// Returns whether a kill met a transaction that writes what the server sent.
  private func killApplying(_ station: Station) throws -> Bool {
    for _ in 0..<3 {
      // What the others push meanwhile arrives at once.
      cutOff(station)
      station.dieApplying(afterMicroseconds: UInt32(chance.below(1_500)))
      station.proxy.lead(to: port)
      wait(seconds: 8) { station.child?.end != nil }
      let wasApplying = kill(station)
      try startDevice(station)
      if wasApplying { return true }
    }
    return false
  }

  /// Returns whether a write of the device has failed.
  private func fillDisk(of station: Station) throws -> Bool {
    func failures() -> Int { station.history.failures.filter { $0.key.hasPrefix("write ") }.values.reduce(0, +) }
    wait(seconds: 60) { station.isOpen }
    let before = failures()
    try station.child?.limitFiles(to: fullSize(), errors: errors)
    let hasFailed = wait(seconds: 3) { failures() > before }
    usleep(1_000_000)
    try station.child?.limitFiles(to: nil, errors: errors)
    return hasFailed
  }

  var errors: URL { folder.appendingPathComponent("run.errors") }

  /// No byte at all, or some pages of the log.
  func fullSize() -> Int { chance.percent(60) ? 1 : 4_096 + chance.below(40_000) }
}
