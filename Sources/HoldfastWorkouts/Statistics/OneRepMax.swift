/// A formula that estimates the one-repetition maximum from a set.
///
/// For one repetition the estimate is the weight itself. Up to 10 repetitions the formulas differ by less than 4 %, and at 10
/// they agree. They were made for sets that end when no further repetition is possible. Beyond 10 they differ more, and beyond
/// ``mostReps`` they measure endurance rather than strength.
public enum OneRepMax: String, Sendable, Hashable, Codable, CaseIterable {
  /// w × (1 + r / 30): B. Epley, Poundage Chart, in: Boyd Epley Workout, Lincoln 1985. The default.
  case epley
  /// w × 36 / (37 − r), for less than 37 repetitions: M. Brzycki, Strength Testing: Predicting a One-Rep Max from Reps-to-Fatigue, in:
  /// Journal of Physical Education, Recreation & Dance 64 (1), 1993, pages 88 to 90.
  case brzycki

  /// Sets with more repetitions do not count in records and progress of estimates.
  public static let mostReps = 12

  /// The estimate, in the unit of `weight`. Nil for a weight or repetitions not above 0, for repetitions outside the formula's
  /// range, and for a result that is not finite. Not limited to ``mostReps``.
  public func estimate(_ weight: Double, reps: Int) -> Double? {
    guard weight > 0, reps > 0 else { return nil }
    if reps == 1 { return weight.isFinite ? weight : nil }
    let estimate: Double
    switch self {
    case .epley: estimate = weight * (1 + Double(reps) / 30)
    case .brzycki:
      guard reps < 37 else { return nil }
      estimate = weight * 36 / Double(37 - reps)
    }
    return estimate.isFinite ? estimate : nil
  }
}
