import Foundation

// How the archive's queue deals with a clock that is set, or wrong.
extension Archiver {
  /// Call it before commits are archived: the commit before must still be the last one.
  func watchClock() throws {
    try readClock()
    guard let jump = clock.jump(ArchiveTime.microseconds(options.now()), last: lastClock) else { return }
    let text = "the clock was set \(jump > 0 ? "forward" : "back") by \((abs(jump) + 500_000) / 1_000_000) seconds"
    try append(.note(.init(commit: last.commit, time: last.time, text: text)))
  }

  /// Brings `trusted` up to the clock. The file `clock` holds it while the clock is ahead, or the last commit was made by such a clock.
  func readClock(beforeBase: Bool = false) throws {
    trusted?.read(ArchiveTime.microseconds(options.now()))
    guard let trusted else { return }
    if trusted.ahead == nil, (lastClock - trusted.time).magnitude <= UInt64(TrustedTime.day) {
      // While the base is made, the commit before it is the last one.
      guard !beforeBase, storedTime != nil else { return }
      try DurableFile.remove(folder.clock)
      storedTime = nil
    } else if storedTime.map({ !trusted.isLike($0) }) ?? true {
      try DurableFile.replace(folder.clock, with: JSONEncoder().encode(trusted))
      storedTime = trusted
    }
  }

  /// - Parameter time: the clock's time of the archive's last commit.
  func trustClock(of time: Int64) {
    (lastClock, storedTime) = (time, TrustedTime(folder.clock))
    trusted = storedTime ?? TrustedTime(time)
  }
}
