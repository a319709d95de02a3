internal import Dispatch
internal import Foundation
internal import Holdfast

/// What a number of seeds gave.
struct SimulatedSeeds {
  private(set) var events: [Simulated.Event: Int] = [:]
  /// By seed.
  private(set) var failures: [UInt64: String] = [:]

  /// The events that never came: then the seeds prove nothing about them.
  var missing: [Simulated.Event] { Simulated.Event.allCases.filter { events[$0] == nil } }

  /// Runs the seeds on all cores.
  static func run(_ seeds: Range<UInt64>) -> SimulatedSeeds {
    let lock = NSLock()
    nonisolated(unsafe) var all = SimulatedSeeds()
    DispatchQueue.concurrentPerform(iterations: seeds.count) { index in
      let seed = seeds.lowerBound + UInt64(index)
      let result = Result { try Simulated.run(seed: seed) }
      lock.withLock {
        switch result {
        case .success(let run): all.events.merge(run.events) { $0 + $1 }
        case .failure(let error): all.failures[seed] = "\(error)"
        }
      }
    }
    return all
  }
}
