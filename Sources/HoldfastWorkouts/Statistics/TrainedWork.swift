/// The sums of sets, repetitions and volume.
///
/// Only completed sets of finished workouts count, without warm-ups. Sums stop at the greatest possible number.
public struct TrainedWork: Sendable, Hashable, Codable {
  /// The number of sets.
  public var sets = 0
  /// The sum of repetitions; missing or negative ones count as 0.
  public var reps = 0
  /// Σ weight × repetitions, in the requested unit.
  ///
  /// The entered weight counts: for body-weight exercises the added weight; without a weight 0; for help by a machine a negative weight.
  /// A weight in the unit `bodyweight` counts as a weight in the requested unit; a weight in an unknown unit counts as 0.
  public var volume: Double = 0

  mutating func add(_ set: CountedSet) {
    sets += 1
    reps = reps.adding(set.reps)
    volume = volume.adding(set.volume)
  }

  mutating func add(_ other: TrainedWork) {
    sets = sets.adding(other.sets)
    reps = reps.adding(other.reps)
    volume = volume.adding(other.volume)
  }
}

extension Int {
  /// The sum, or the greatest or least possible number.
  func adding(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}

extension Double {
  /// The sum, or the greatest or least finite number: JSON cannot express infinity.
  func adding(_ other: Double) -> Double { (self + other).finite }

  /// The number itself, or the nearest finite one. NaN becomes 0.
  var finite: Double {
    isNaN ? 0 : Swift.min(Swift.max(self, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
  }
}
