internal import Foundation
internal import Holdfast

/// Runs seeds of the sync simulator: `holdfast-simulate [COUNT] [FIRST]`. Prints each seed that fails, and how often each event came; exits
/// with 1 where a seed failed, or an event never came.
@main
struct HoldfastSimulator {
  static func main() {
    let numbers = CommandLine.arguments.dropFirst().compactMap(UInt64.init)
    guard numbers.count == CommandLine.arguments.count - 1, numbers.count <= 2 else {
      print("usage: holdfast-simulate [COUNT] [FIRST]")
      exit(64)
    }
    let (count, first) = (numbers.first ?? 100, numbers.count > 1 ? numbers[1] : 0)
    let began = Date()
    let result = SimulatedSeeds.run(first..<(first &+ count))
    for (seed, failure) in result.failures.sorted(by: { $0.key < $1.key }) { print("seed \(seed): \(failure)") }
    print(Simulated.Event.allCases.map { "\($0.rawValue) \(result.events[$0] ?? 0)" }.joined(separator: ", "))
    let seconds = Date().timeIntervalSince(began)
    print("\(count) seeds, \(result.failures.count) failures, \(Int(seconds)) s")
    exit(result.failures.isEmpty && result.missing.isEmpty ? 0 : 1)
  }
}
