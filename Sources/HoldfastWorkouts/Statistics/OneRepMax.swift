/// A formula that estimates from a set the greatest weight that can be lifted once.
///
/// One repetition is the weight itself, whatever the formula. Both differ by less than 4 % up to 10 repetitions, where they agree, and were
/// made for sets that end where no further repetition is possible. Beyond ten they drift apart, and beyond ``mostReps`` they say more
/// about endurance than about strength.
public enum OneRepMax: String, Sendable, Hashable, Codable, CaseIterable {
  /// w × (1 + r / 30): B. Epley, Poundage Chart, in: Boyd Epley Workout, Lincoln 1985. The default.
  case epley
  /// w × 36 / (37 − r), for less than 37 repetitions: M. Brzycki, Strength Testing: Predicting a One-Rep Max from Reps-to-Fatigue, in:
  /// Journal of Physical Education, Recreation & Dance 64 (1), 1993, pages 88 to 90.
  case brzycki

  /// Sets of more repetitions are in no record and no progress of estimates.
  public static let mostReps = 12

  /// The estimate, in the unit of `weight`. Nil without a weight above 0 or a repetition, where the formula has no value, and where the
  /// result would not be finite. Not limited to ``mostReps``.
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
