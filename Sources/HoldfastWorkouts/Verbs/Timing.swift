import Foundation
public import Holdfast

// The rule of `TrainingTimer`, as one small statement: every verb that changes the workout in progress runs it. A verb by id does not
// know whether its workout is that one; for any other the statement finds no row, by a key.

extension WorkoutLog {
  /// Says that the workout in progress is being trained: a sign that a screen gives once a minute, say. One row.
  ///
  /// - Throws: `.notFound` when no workout is in progress.
  public func touchWorkout() throws { try store.write { try Self.touchWorkout(in: $0) } }
  public func touchWorkout() async throws { try await store.write { try Self.touchWorkout(in: $0) } }

  /// Lets no time count until `resumeWorkout()`: one row. A workout that is paused stays so.
  ///
  /// It can be changed meanwhile, and stays paused.
  /// - Throws: `.notFound` when no workout is in progress.
  public func pauseWorkout() throws { try store.write { try Self.pauseWorkout(in: $0) } }
  public func pauseWorkout() async throws { try await store.write { try Self.pauseWorkout(in: $0) } }

  /// Lets time count again: one row. A workout that is not paused goes on, as after `touchWorkout()`.
  ///
  /// - Throws: `.notFound` when no workout is in progress.
  public func resumeWorkout() throws { try store.write { try Self.resumeWorkout(in: $0) } }
  public func resumeWorkout() async throws { try await store.write { try Self.resumeWorkout(in: $0) } }

  public static func touchWorkout(in tx: Writer) throws {
    guard try recordActivity(Activity.touched, in: tx) else { throw nothingInProgress }
  }

  public static func pauseWorkout(in tx: Writer) throws {
    guard try recordActivity(Activity.paused, in: tx) else { throw nothingInProgress }
  }

  public static func resumeWorkout(in tx: Writer) throws {
    guard try recordActivity(Activity.resumed, in: tx) else { throw nothingInProgress }
  }

  /// Counts the time since the last activity where it is the workout in progress that was changed; returns whether it was.
  @discardableResult
  static func recordActivity(of workoutID: UUID, in tx: Writer) throws -> Bool {
    try recordActivity(Activity.ofWorkout, workoutID, in: tx)
  }

  /// The same by one of the workout's exercises.
  @discardableResult
  static func recordActivity(ofExercise id: UUID, in tx: Writer) throws -> Bool {
    try recordActivity(Activity.ofExercise, id, in: tx)
  }

  /// The same by one of the workout's sets.
  @discardableResult
  static func recordActivity(ofSet id: UUID, in tx: Writer) throws -> Bool {
    try recordActivity(Activity.ofSet, id, in: tx)
  }

  static var nothingInProgress: StoreError {
    StoreError(.notFound, "no workout is in progress", suggestion: "Start one first.")
  }

  private static func recordActivity(_ statement: BoundSQL, _ id: UUID? = nil, in tx: Writer) throws -> Bool {
    let now = tx.currentDate()
    return try tx.execute(statement) { values in
      try values.date(now)
      if let id { try values.id(id) }
    } > 0
  }
}

/// The statement, by what it knows the workout in progress from. `?1` is the time, `?2` an id.
private enum Activity {
  static let touched = statement("slot = 1")
  static let paused = statement("slot = 1", isPaused: "1")
  static let resumed = statement("slot = 1", isPaused: "0")
  static let ofWorkout = statement("workout_id = ?2")
  static let ofExercise = statement("workout_id = (SELECT workout_id FROM exercises WHERE id = ?2)")
  static let ofSet = statement(
    "workout_id = (SELECT e.workout_id FROM exercise_sets s JOIN exercises e ON e.id = s.exercise_id WHERE s.id = ?2)")

  /// Whether it was paused before decides about the gap: SQLite computes all values from the row as it was.
  private static func statement(_ condition: BoundSQL, isPaused: BoundSQL = "is_paused") -> BoundSQL {
    """
    UPDATE active_workout SET
      trained_ms = trained_ms + min(9223372036854775807 - trained_ms, iif(
        is_paused = 0 AND ?1 - last_active_at BETWEEN 0 AND idle_limit_seconds * 1000, ?1 - last_active_at, 0)),
      last_active_at = ?1, is_paused = \(sql: isPaused)
    WHERE \(sql: condition)
    """
  }
}
