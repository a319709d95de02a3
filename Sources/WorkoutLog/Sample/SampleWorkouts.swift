public import Foundation
public import Holdfast

// For development: there is no option, no setting and no build configuration by which a log is filled with these by itself. It takes
// one of these calls, and the one that writes refuses a log that has anything in it.

extension WorkoutLog {
  /// Workouts as someone might have done them: three or four a week, heavier as time goes by, with warm-ups, supersets, notes, light weeks
  /// and holidays; weights in kilograms and pounds.
  ///
  /// A pure function: the same parameters give the same workouts with the same ids, on every machine.
  ///
  /// - Parameters:
  ///   - years: of 52 weeks, about 170 workouts each; below 1 counts as 1, above 50 as 50.
  ///   - end: the newest workout begins before it.
  ///   - seed: another one is someone else's training.
  /// - Returns: the oldest first.
  public static func sampleWorkouts(years: Int = 1, endingAt end: Date = Date(), seed: UInt64 = 1) -> [Workout] {
    var training = SampleTraining(years: years, endingAt: end, seed: seed)
    return training.workouts()
  }

  /// A log in memory that has sample workouts in it, for previews.
  public static func inMemorySample(years: Int = 1, endingAt end: Date = Date(), seed: UInt64 = 1) throws -> WorkoutLog {
    let log = try inMemory()
    try log.addSampleWorkouts(years: years, endingAt: end, seed: seed)
    return log
  }

  /// Fills an empty log with ``sampleWorkouts(years:endingAt:seed:)``, in one transaction.
  ///
  /// - Throws: `.constraint` when there is a workout already, finished, in progress or a template; then nothing is changed. `.readOnly`.
  public func addSampleWorkouts(years: Int = 1, endingAt end: Date = Date(), seed: UInt64 = 1) throws {
    try store.write { try Self.addSampleWorkouts(years: years, endingAt: end, seed: seed, in: $0) }
  }
  public func addSampleWorkouts(years: Int = 1, endingAt end: Date = Date(), seed: UInt64 = 1) async throws {
    try await store.write { try Self.addSampleWorkouts(years: years, endingAt: end, seed: seed, in: $0) }
  }

  public static func addSampleWorkouts(years: Int = 1, endingAt end: Date = Date(), seed: UInt64 = 1, in tx: Transaction) throws {
    guard try tx.count("SELECT EXISTS (SELECT 1 FROM workouts)") == 0 else {
      throw StoreError(
        .constraint, "sample workouts are only added to a log that has none of its own, and this one has workouts",
        suggestion: "Use another file, or WorkoutLog.inMemorySample().")
    }
    for workout in sampleWorkouts(years: years, endingAt: end, seed: seed) { try save(workout, in: tx) }
  }
}
