/// Sets, repetitions and volume, summed up.
///
/// Only completed sets of finished workouts count, and no warm-ups. Sums stop at the greatest number that there is.
public struct TrainedWork: Sendable, Hashable, Codable {
  /// How many.
  public var sets: Int
  /// Sets without repetitions, or with less than 0, count as 0.
  public var reps: Int
  /// Σ weight × repetitions, in the unit that was asked for.
  ///
  /// The weight is the one that was entered: for exercises with the body's weight what was added to it, where nothing was entered 0, where
  /// a machine helped less than 0. One in the unit `bodyweight` is taken to be in the unit asked for, because it names none; one in a unit
  /// that nobody can convert counts as 0.
  public var volume: Double

  /// Nothing, or the numbers given.
  public init(sets: Int = 0, reps: Int = 0, volume: Double = 0) {
    self.sets = sets
    self.reps = reps
    self.volume = volume
  }

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
  /// The sum, or the greatest or least number that there is.
  func adding(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}

extension Double {
  /// The sum, or the greatest or least finite number: JSON has no word for infinity.
  func adding(_ other: Double) -> Double { (self + other).finite }

  /// Itself, or the finite number next to it. No number is 0.
  var finite: Double {
    isNaN ? 0 : Swift.min(Swift.max(self, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
  }
}
