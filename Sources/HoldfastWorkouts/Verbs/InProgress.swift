public import Foundation
public import Holdfast

// The workout in progress is a row of `workouts` in the state `active`, plus the one row of `active_workout`. Each verb is one
// transaction: after the process is killed, the store has the result of the last verb, and there is no other file.

extension WorkoutLog {
  /// Starts an empty workout now.
  ///
  /// - Parameter idleLimitSeconds: longer gaps between two activities do not count; default 15 minutes. 0 counts no time.
  /// - Throws: `.constraint` when a workout is already in progress, which is not changed; `.invalidValue` for a limit below 0.
  @discardableResult
  public func startWorkout(named name: String, idleLimitSeconds: Int = 900) async throws -> WorkoutInProgress {
    try await store.write { try Self.startWorkout(named: name, idleLimitSeconds: idleLimitSeconds, in: $0) }
  }

  /// Starts a workout now with the exercises and sets of a template, under new ids; the template is not changed.
  ///
  /// - Parameter idleLimitSeconds: as for `startWorkout(named:)`.
  /// - Throws: `.notFound` when there is no such template; otherwise as `startWorkout(named:)`.
  @discardableResult
  public func startWorkout(from templateID: UUID, idleLimitSeconds: Int = 900) async throws -> WorkoutInProgress {
    try await store.write { try Self.startWorkout(from: templateID, idleLimitSeconds: idleLimitSeconds, in: $0) }
  }

  /// Starts a workout now with the exercises of a finished one: its values become the suggestions of the new sets.
  ///
  /// - Parameter idleLimitSeconds: as for `startWorkout(named:)`.
  /// - Throws: `.notFound` when there is no such finished workout; otherwise as `startWorkout(named:)`.
  @discardableResult
  public func startWorkout(repeating workoutID: UUID, idleLimitSeconds: Int = 900) async throws -> WorkoutInProgress {
    try await store.write { try Self.startWorkout(repeating: workoutID, idleLimitSeconds: idleLimitSeconds, in: $0) }
  }

  /// The workout in progress with everything in it; nil when there is none.
  public func currentWorkout() async throws -> WorkoutInProgress? { try await store.read { try Self.currentWorkout(in: $0) } }

  /// The workout in progress now, and after each change of it or its clock; nil while there is none.
  public func currentWorkoutUpdates() -> Updates<WorkoutInProgress?> {
    store.updates { try Self.currentWorkout(in: $0) }
  }

  /// Finishes the workout in progress. One transaction.
  ///
  /// Its duration is the trained time in whole seconds. Its end is now; if the last activity is longer ago than the idle limit,
  /// its end is the last activity.
  /// - Parameter droppingEmptySets: true removes sets that are not completed and have no entered value. By default they stay,
  ///   not completed. Entered values always stay.
  /// - Throws: `.notFound` when no workout is in progress.
  @discardableResult
  public func finishWorkout(droppingEmptySets: Bool = false) async throws -> Workout {
    try await store.write { try Self.finishWorkout(droppingEmptySets: droppingEmptySets, in: $0) }
  }

  /// Deletes the workout in progress with its exercises and sets. Returns it, or nil when there was none.
  @discardableResult
  public func discardWorkout() async throws -> WorkoutInProgress? { try await store.write { try Self.discardWorkout(in: $0) } }

  /// Starts an empty workout inside your transaction; as `startWorkout(named:idleLimitSeconds:)`.
  public static func startWorkout(
    named name: String, idleLimitSeconds: Int = 900, in tx: Writer
  ) throws -> WorkoutInProgress {
    try begin(Workout(id: tx.makeID(), name: name, startedAt: tx.currentDate()), idleLimitSeconds, in: tx)
  }

  /// Starts a workout from a template inside your transaction; as `startWorkout(from:idleLimitSeconds:)`.
  public static func startWorkout(
    from templateID: UUID, idleLimitSeconds: Int = 900, in tx: Writer
  ) throws -> WorkoutInProgress {
    let row: WorkoutRow = try row("template", templateID, in: tx) { $0.state == .template }
    return try begin(planned(row, \.self, note: row.workout.note, in: tx), idleLimitSeconds, in: tx)
  }

  /// Starts a workout with the exercises of a finished one inside your transaction; as `startWorkout(repeating:idleLimitSeconds:)`.
  public static func startWorkout(
    repeating workoutID: UUID, idleLimitSeconds: Int = 900, in tx: Writer
  ) throws -> WorkoutInProgress {
    let row: WorkoutRow = try row("finished workout", workoutID, in: tx) { $0.state == .finished }
    return try begin(planned(row, \.asPlan, note: nil, in: tx), idleLimitSeconds, in: tx)
  }

  /// Reads the workout in progress inside your transaction; as `currentWorkout()`.
  public static func currentWorkout(in reader: Reader) throws -> WorkoutInProgress? {
    guard let active = try active(in: reader), let workout = try workout(active.workoutID, in: reader) else { return nil }
    return WorkoutInProgress(workout: workout, timer: active.timer)
  }

  /// Finishes the workout in progress inside your transaction; as `finishWorkout(droppingEmptySets:)`.
  public static func finishWorkout(droppingEmptySets: Bool = false, in tx: Writer) throws -> Workout {
    guard let active = try active(in: tx), var row = try tx.find(WorkoutRow.self, id: active.workoutID) else { throw nothingInProgress }
    let now = tx.currentDate()
    row.state = .finished
    row.workout.durationSeconds = Int(clamping: active.timer.trainedMilliseconds(at: now) / 1000)
    // The clock may have been set back since the start.
    row.workout.endedAt = max(row.workout.startedAt, active.timer.end(at: now))
    if droppingEmptySets { try dropEmptySets(of: row.workout.id, in: tx) }
    try tx.upsert(row)
    try tx.execute("DELETE FROM active_workout WHERE slot = 1")
    return try filled([row], in: tx).first ?? row.workout
  }

  /// Deletes the workout in progress inside your transaction; as `discardWorkout()`.
  public static func discardWorkout(in tx: Writer) throws -> WorkoutInProgress? {
    guard let current = try currentWorkout(in: tx) else { return nil }
    try tx.delete(WorkoutRow.self, id: current.id)
    return current
  }

  static func active(in reader: Reader) throws -> ActiveRow? { try reader.first(ActiveRow.self, "WHERE slot = 1") }

  /// Puts a new workout into the slot; throws when the slot is taken.
  private static func begin(_ workout: Workout, _ idleLimitSeconds: Int, in tx: Writer) throws -> WorkoutInProgress {
    guard idleLimitSeconds >= 0 else { throw StoreError(.invalidValue, "an idle limit cannot be below 0: \(idleLimitSeconds) s") }
    if let other = try active(in: tx) {
      throw StoreError(
        .constraint, "the workout \(IDCodec.lowercase(other.workoutID)) is in progress, and there is one at a time",
        suggestion: "Finish it or discard it, then start the new one.")
    }
    let timer = TrainingTimer(lastActiveAt: workout.startedAt, idleLimitSeconds: idleLimitSeconds)
    try save(WorkoutRow(workout, .active), over: nil, workout.exercises, in: tx)
    try tx.insert(ActiveRow(workout.id, timer))
    return WorkoutInProgress(workout: workout, timer: timer)
  }

  private static func planned(
    _ row: WorkoutRow, _ plan: (Exercise) -> Exercise, note: String?, in tx: Writer
  ) throws -> Workout {
    let exercises = try filled([row], in: tx).first?.exercises.map(plan) ?? []
    return Workout(
      id: tx.makeID(), name: row.workout.name, note: note, startedAt: tx.currentDate(), exercises: planned(exercises, in: tx))
  }

  private static func dropEmptySets(of workoutID: UUID, in tx: Writer) throws {
    try tx.execute(
      """
      DELETE FROM exercise_sets WHERE exercise_id IN (SELECT id FROM exercises WHERE workout_id = \(workoutID)) AND is_completed = 0
        AND coalesce(actual_weight, actual_reps, actual_duration_seconds, actual_distance, actual_rpe, actual_rest_seconds, note) IS NULL
      """)
  }
}
