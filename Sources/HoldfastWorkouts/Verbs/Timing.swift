import Foundation
public import Holdfast

// The rule of `TrainingTimer` as one small statement, which every verb that changes the workout in progress runs. A verb by id
// does not know whether its workout is in progress; if not, the statement finds no row, by a key.

extension WorkoutLog {
  /// Notes that the workout in progress is being trained; a screen may call this once a minute, for example. One row.
  ///
  /// - Throws: `.notFound` when no workout is in progress.
  public func touchWorkout() async throws { try await store.write { try Self.touchWorkout(in: $0) } }

  /// Stops the clock until `resumeWorkout()`: one row. A paused workout stays paused.
  ///
  /// Changes of the workout do not resume it.
  /// - Throws: `.notFound` when no workout is in progress.
  public func pauseWorkout() async throws { try await store.write { try Self.pauseWorkout(in: $0) } }

  /// Lets the clock count again: one row. For a workout that is not paused, this is the same as `touchWorkout()`.
  ///
  /// - Throws: `.notFound` when no workout is in progress.
  public func resumeWorkout() async throws { try await store.write { try Self.resumeWorkout(in: $0) } }

  /// Notes training in the workout in progress inside your transaction; as `touchWorkout()`.
  public static func touchWorkout(in tx: Writer) throws {
    guard try recordActivity(Activity.touched, in: tx) else { throw nothingInProgress }
  }

  /// Stops the clock of the workout in progress inside your transaction; as `pauseWorkout()`.
  public static func pauseWorkout(in tx: Writer) throws {
    guard try recordActivity(Activity.paused, in: tx) else { throw nothingInProgress }
  }

  /// Lets the clock of the workout in progress count again inside your transaction; as `resumeWorkout()`.
  public static func resumeWorkout(in tx: Writer) throws {
    guard try recordActivity(Activity.resumed, in: tx) else { throw nothingInProgress }
  }

  /// Counts the time since the last activity if the changed workout is in progress; returns whether it is.
  ///
  /// - Parameter id: of the workout, or of an exercise or a set in it, as the statement wants.
  @discardableResult
  static func recordActivity(_ statement: BoundSQL, _ id: UUID? = nil, in tx: Writer) throws -> Bool {
    let now = tx.currentDate()
    return try tx.execute(statement) { values in
      try values.date(now)
      if let id { try values.id(id) }
    } > 0
  }

  static var nothingInProgress: StoreError {
    StoreError(.notFound, "no workout is in progress", suggestion: "Start one first.")
  }
}

/// The statement, with a condition that finds the workout in progress. `?1` is the time, `?2` an id.
enum Activity {
  static let touched = statement("slot = 1")
  static let paused = statement("slot = 1", isPaused: "1")
  static let resumed = statement("slot = 1", isPaused: "0")
  static let ofWorkout = statement("workout_id = ?2")
  static let ofExercise = statement("workout_id = (SELECT workout_id FROM exercises WHERE id = ?2)")
  static let ofSet = statement(
    "workout_id = (SELECT e.workout_id FROM exercise_sets s JOIN exercises e ON e.id = s.exercise_id WHERE s.id = ?2)")

  /// The earlier `is_paused` decides whether the gap counts: SQLite computes all values from the old row.
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
