public import Foundation
public import Holdfast

// For development. No option, setting or build configuration fills a log with sample workouts; only these calls do. The call
// that writes refuses a log that is not empty, and a log in a file unless a parameter allows it.

extension WorkoutLog {
  /// Invented workouts: three or four a week, with growing weights, warm-ups, supersets, notes, light weeks and holidays;
  /// weights in kilograms and pounds.
  ///
  /// A pure function: the same parameters give the same workouts with the same ids, on every machine.
  ///
  /// - Parameters:
  ///   - years: years of 52 weeks, with about 170 workouts each; below 1 counts as 1, above 50 as 50.
  ///   - end: the newest workout begins before it.
  ///   - seed: another seed gives another person's training.
  /// - Returns: the workouts, oldest first.
  public static func sampleWorkouts(years: Int = 1, endingAt end: Date = Date(), seed: UInt64 = 1) -> [Workout] {
    var training = SampleTraining(years: years, endingAt: end, seed: seed)
    return training.workouts()
  }

  /// A log in memory with sample workouts, a template and a custom exercise, for previews.
  public static func inMemorySample(years: Int = 1, endingAt end: Date = Date(), seed: UInt64 = 1) async throws -> WorkoutLog {
    let log = try inMemory()
    try await log.addSampleWorkouts(years: years, endingAt: end, seed: seed)
    return log
  }

  /// Fills an empty log with ``sampleWorkouts(years:endingAt:seed:)``, a template made from the newest and one custom exercise,
  /// in one transaction.
  ///
  /// - Parameter inFile: true also allows a log in a file. Refused by default, so that no user's log begins with sample workouts.
  /// - Throws: `.constraint` when the log already has a workout, a template or a custom exercise; `.misuse` for a log in a
  ///   file; then nothing is changed. `.readOnly`.
  public func addSampleWorkouts(
    years: Int = 1, endingAt end: Date = Date(), seed: UInt64 = 1, inFile: Bool = false
  ) async throws {
    try await store.write { try Self.addSampleWorkouts(years: years, endingAt: end, seed: seed, inFile: inFile, in: $0) }
  }

  /// Fills an empty log with a sample inside your transaction; as `addSampleWorkouts(years:endingAt:seed:inFile:)`.
  public static func addSampleWorkouts(
    years: Int = 1, endingAt end: Date = Date(), seed: UInt64 = 1, inFile: Bool = false, in tx: Writer
  ) throws {
    guard try inFile || tx.count("SELECT count(*) FROM pragma_database_list WHERE name = 'main' AND file <> ''") == 0 else {
      throw StoreError(
        .misuse, "sample workouts are not added to a log in a file", suggestion: "Use WorkoutLog.inMemorySample(), or say inFile: true.")
    }
    guard try tx.count("SELECT EXISTS (SELECT 1 FROM workouts) OR EXISTS (SELECT 1 FROM custom_exercises)") == 0 else {
      throw StoreError(
        .constraint, "sample workouts are only added to a log that is empty, and this one has workouts or exercises of its own",
        suggestion: "Use another file, or WorkoutLog.inMemorySample().")
    }
    let workouts = sampleWorkouts(years: years, endingAt: end, seed: seed)
    for workout in workouts { try save(workout, in: tx) }
    if let newest = workouts.last { _ = try saveTemplate(from: newest.id, named: newest.name, in: tx) }
    try save(
      CustomExercise(id: tx.makeID(), name: "Sled Push", type: .machine, bodyPart: BodyPart(.legs), weightUnit: .kilograms), in: tx)
  }
}
