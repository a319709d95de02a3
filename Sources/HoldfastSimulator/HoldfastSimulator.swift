internal import Foundation
internal import Holdfast

/// Runs seeds of the sync simulator: `holdfast-simulate [COUNT] [FIRST]`. Prints each seed that fails, and how often each event came; exits
/// with 1 where a seed failed, or an event never came.
///
/// `holdfast-simulate COUNT FIRST STRIDE` ends one device's process instead, in each seed, at every STRIDE-th statement of a round.
@main
struct HoldfastSimulator {
  static func main() {
    let numbers = CommandLine.arguments.dropFirst().compactMap(UInt64.init)
    guard numbers.count == CommandLine.arguments.count - 1, numbers.count <= 3, numbers.dropFirst(2).allSatisfy({ 1...10_000 ~= $0 }) else {
      print("usage: holdfast-simulate [COUNT] [FIRST] [STRIDE]")
      exit(64)
    }
    let (count, first) = (numbers.first ?? 100, numbers.count > 1 ? numbers[1] : 0)
    let stride = numbers.count > 2 ? Int(numbers[2]) : nil
    let began = Date()
    let result = SimulatedSeeds.run(first..<(first &+ count), stride: stride)
    for (seed, failure) in result.failures.sorted(by: { $0.key < $1.key }) { print("seed \(seed): \(failure)") }
    let seconds = Int(Date().timeIntervalSince(began))
    if stride != nil {
      print("\(count) seeds, \(result.crashes) ends of a process, \(result.failures.count) failures, \(seconds) s")
      exit(result.failures.isEmpty && result.crashes > 0 ? 0 : 1)
    }
    print(Simulated.Event.allCases.map { "\($0.rawValue) \(result.events[$0] ?? 0)" }.joined(separator: ", "))
    print("\(count) seeds, \(result.failures.count) failures, \(seconds) s")
    exit(result.failures.isEmpty && result.missing.isEmpty ? 0 : 1)
  }
}
