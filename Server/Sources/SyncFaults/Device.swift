internal import Foundation
internal import Holdfast
internal import HoldfastSync
internal import SyncHistory
internal import Synchronization

/// What the threads of a device's process do.
final class Device: Sendable {
  private struct State {
    /// The device's last transaction that is committed.
    var committed = 0
    /// Set once the writing has stopped.
    var hasStopped = false
    /// The last order to settle; 0: it writes.
    var turn = 0
    var ends = false
    /// Since when it asks the server; nil while it does not.
    var askedAt: UInt64?
  }

  let number: Int
  let devices: Int
  let store: Store
  private let step: ClockStep
  private let state = Mutex(State())

  init(number: Int, devices: Int, store: Store, _ step: ClockStep) {
    (self.number, self.devices, self.store, self.step) = (number, devices, store, step)
  }

  /// The counter in the store.
  func begin() throws -> Int {
    let counter = try store.read { reader in try Notes.counter(of: number, in: reader) }
    state.withLock { $0.committed = counter }
    return counter
  }

  /// Writes some transactions, and pauses, until the order to settle. A device asks the server less than 20 times a second.
  func write(_ given: Chance) {
    var chance = given
    while state.withLock({ $0.turn == 0 && !$0.ends }) {
      for _ in 0...chance.below(6) {
        do {
          let written = try store.write { tx in try Notes.writeNext(of: number, &chance, in: tx) }
          // Told before it can be acknowledged.
          say(.committed(written))
          state.withLock { $0.committed = written }
        } catch {
          say("write", error)
        }
      }
      usleep(UInt32(100_000 + chance.below(400_000)))
      // On a slow machine a sync never comes to an end while all write.
      wait(seconds: 10) { state.withLock { $0.askedAt.map { Clock.nanoseconds < $0 + 1_000_000_000 } ?? true } }
    }
    state.withLock { $0.hasStopped = true }
  }

  /// Looks at snapshot after snapshot.
  func look() {
    var last: Sight?
    while state.withLock({ !$0.ends }) {
      do {
        let sight = try store.read { reader in try Notes.sight(of: devices, in: reader) }
        if sight != last {
          for violation in sight.violations { say(.violated(violation.kind, violation.text)) }
          say(.seen(sight.counters))
        }
        last = sight
      } catch {
        say("read", error)
      }
      usleep(10_000)
    }
  }

  /// Takes orders: `settle` with a number, `clock` with seconds, and `end`, which is also the end of the input.
  func obey() {
    while let line = readLine() {
      let words = line.split(separator: " ")
      if words.first == "settle", let turn = words.last.flatMap({ Int($0) }) { state.withLock { $0.turn = turn } }
      if words.first == "clock", let seconds = words.last.flatMap({ Double($0) }) { step.seconds = seconds }
      if words.first == "end" { break }
    }
    state.withLock { $0.ends = true }
  }

  /// Asks again and again until nothing waits, and tells what is acknowledged then.
  func finish(with sync: StoreSync, _ given: Chance) async {
    var (chance, settled, hasFailed) = (given, 0, false)
    while true {
      let before = state.withLock { $0 }
      guard !before.ends else { return }
      if before.turn == settled || before.hasStopped {
        let begun = Clock.nanoseconds
        state.withLock { $0.askedAt = begun }
        defer { state.withLock { $0.askedAt = nil } }
        do {
          try await sync.finish()
          say(.acknowledged(before.committed, at: begun))
          if before.turn != settled {
            say(.settled(before.turn))
            settled = before.turn
          }
          // The sync that runs beside this makes a pause after a failure.
          if hasFailed || chance.percent(20) { try sync.start() }
          hasFailed = false
        } catch {
          say("finish", error)
          hasFailed = true
        }
      }
      try? await Task.sleep(for: .milliseconds(100 + chance.below(300)))
    }
  }
}

/// How far the time of day of a device is from the system's.
final class ClockStep: Sendable {
  private let state = Mutex(0.0)

  var seconds: Double {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

/// The system's clock, which all processes share.
enum Clock {
  static var nanoseconds: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
