public import Foundation
public import Holdfast

// People wait for this between two sets, so it is short: two statements for a planned set, three for a new one.

extension WorkoutLog {
  /// Completes a set of the workout in progress, with its values and the present time. Writes two rows, one for the clock.
  ///
  /// A set that is already completed keeps its time.
  /// - Parameter actual: all values of the set, in its units; nil keeps the entered values, or takes the suggested ones if none
  ///   are entered.
  /// - Throws: `.notFound` when the set is not in the workout in progress; `.invalidValue` for a number that is not finite.
  public func logSet(_ id: UUID, _ actual: ExerciseSet.Actual? = nil) async throws {
    try await store.write { try Self.logSet(id, actual, in: $0) }
  }

  /// Adds a completed set at the end of an exercise of the workout in progress. Writes two rows, one for the clock.
  ///
  /// - Parameters:
  ///   - weightUnit: the unit of the weight; nil for the exercise's unit.
  ///   - distanceUnit: the unit of the distance; nil for metres.
  /// - Returns: the new set.
  /// - Throws: `.notFound` when the exercise is not in the workout in progress; `.invalidValue` for a number that is not finite.
  @discardableResult
  public func logSet(
    in exerciseID: UUID, _ actual: ExerciseSet.Actual, type: SetType = .working, weightUnit: WeightUnit? = nil,
    distanceUnit: DistanceUnit? = nil
  ) async throws -> ExerciseSet {
    try await store.write {
      try Self.logSet(in: exerciseID, actual, type: type, weightUnit: weightUnit, distanceUnit: distanceUnit, in: $0)
    }
  }

  /// Makes a completed set of any workout not completed; its values stay. Returns false when it was not completed.
  ///
  /// - Throws: `.notFound` when there is no such set.
  @discardableResult
  public func reopenSet(_ id: UUID) async throws -> Bool { try await store.write { try Self.reopenSet(id, in: $0) } }

  /// Completes a set of the workout in progress inside your transaction; as `logSet(_:_:)`.
  public static func logSet(_ id: UUID, _ actual: ExerciseSet.Actual? = nil, in tx: Writer) throws {
    try actual?.checkFinite()
    // First, because it also checks whether the set is in the workout in progress.
    guard try recordActivity(Activity.ofSet, id, in: tx) else { throw notInProgress("set", id) }
    let now = tx.currentDate()
    try tx.execute(actual == nil ? logsEntered : logsActual) { values in
      try values.date(now)
      try values.id(id)
      guard let actual else { return }
      try values.finite(actual.weight)
      try values.int(actual.reps)
      try values.int(actual.durationSeconds)
      try values.finite(actual.distance)
      try values.finite(actual.rpe)
      try values.int(actual.restSeconds)
    }
  }

  /// Adds a completed set to an exercise inside your transaction; as `logSet(in:_:type:weightUnit:distanceUnit:)`.
  public static func logSet(
    in exerciseID: UUID, _ actual: ExerciseSet.Actual, type: SetType = .working, weightUnit: WeightUnit? = nil,
    distanceUnit: DistanceUnit? = nil, in tx: Writer
  ) throws -> ExerciseSet {
    try actual.checkFinite()
    guard try recordActivity(Activity.ofExercise, exerciseID, in: tx) else { throw notInProgress("exercise", exerciseID) }
    let set = ExerciseSet(
      id: tx.makeID(), type: type, weightUnit: weightUnit, distanceUnit: distanceUnit, actual: actual, isCompleted: true,
      completedAt: tx.currentDate())
    try tx.insert(SetRow(set, in: exerciseID, at: setOrder(of: exerciseID).position(in: tx)))
    return set
  }

  /// Makes a completed set not completed inside your transaction; as `reopenSet(_:)`.
  public static func reopenSet(_ id: UUID, in tx: Writer) throws -> Bool {
    let row = try setRow(id, in: tx)
    guard row.set.isCompleted else { return false }
    try recordActivity(Activity.ofExercise, row.exerciseID, in: tx)
    return try tx.execute("UPDATE exercise_sets SET is_completed = 0, completed_at = NULL WHERE id = \(id)") > 0
  }

  private static let logsActual: BoundSQL = """
    UPDATE exercise_sets SET completed_at = iif(is_completed, completed_at, ?1), is_completed = 1, actual_weight = ?3, actual_reps = ?4,
      actual_duration_seconds = ?5, actual_distance = ?6, actual_rpe = ?7, actual_rest_seconds = ?8 WHERE id = ?2
    """
  private static let logsEntered: BoundSQL = """
    UPDATE exercise_sets SET completed_at = iif(is_completed, completed_at, ?1), is_completed = 1,
      actual_weight = coalesce(actual_weight, suggested_weight), actual_reps = coalesce(actual_reps, suggested_reps),
      actual_duration_seconds = coalesce(actual_duration_seconds, suggested_duration_seconds) WHERE id = ?2
    """

  private static func notInProgress(_ noun: String, _ id: UUID) -> StoreError {
    StoreError(
      .notFound, "the workout in progress has no \(noun) \(IDCodec.lowercase(id))",
      suggestion: "Change sets of other workouts with updateSet(_:).")
  }
}

extension ExerciseSet.Actual {
  fileprivate func checkFinite() throws {
    for number in [weight, distance, rpe].compactMap(\.self) where !number.isFinite {
      throw StoreError(.invalidValue, "a set cannot store the number \(number)")
    }
  }
}
