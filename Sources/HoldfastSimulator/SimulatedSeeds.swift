internal import Dispatch
internal import Foundation
internal import Holdfast

/// What a number of seeds gave.
struct SimulatedSeeds {
  private(set) var events: [Simulated.Event: Int] = [:]
  /// How often a device's process was ended by a crash sweep.
  private(set) var crashes = 0
  /// By seed.
  private(set) var failures: [UInt64: String] = [:]

  /// The events that never came: then the seeds prove nothing about them.
  var missing: [Simulated.Event] { Simulated.Event.allCases.filter { events[$0] == nil } }

  /// Runs the seeds on all cores.
  ///
  /// - Parameter stride: of crash sweeps, which are then made instead of whole runs.
  static func run(_ seeds: Range<UInt64>, stride: Int? = nil) -> SimulatedSeeds {
    let lock = NSLock()
    nonisolated(unsafe) var all = SimulatedSeeds()
    DispatchQueue.concurrentPerform(iterations: seeds.count) { index in
      let seed = seeds.lowerBound + UInt64(index)
      let result = Result { () throws -> SimulatedSeeds in
        guard let stride else { return SimulatedSeeds(events: try Simulated.run(seed: seed).events) }
        return SimulatedSeeds(crashes: try Simulated.sweep(seed: seed, stride: stride) / stride)
      }
      lock.withLock {
        switch result {
        case .success(let one):
          all.events.merge(one.events) { $0 + $1 }
          all.crashes += one.crashes
        case .failure(let error): all.failures[seed] = "\(error)"
        }
      }
    }
    return all
  }
}
