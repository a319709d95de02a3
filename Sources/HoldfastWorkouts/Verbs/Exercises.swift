public import Foundation
public import Holdfast

// Exercises of any workout or template, by id. Usually each verb writes one row, however long the workout is.

extension WorkoutLog {
  /// Adds an exercise with its sets at the end of a workout or template, or before one of its exercises.
  ///
  /// - Throws: `.notFound` when there is no such workout, or `other` is not one of its exercises; `.constraint` when the id of
  ///   the exercise or of a set is taken; `.invalidValue` for a number that is not finite.
  public func addExercise(_ exercise: Exercise, to workoutID: UUID, before other: UUID? = nil) async throws {
    try await store.write { try Self.addExercise(exercise, to: workoutID, before: other, in: $0) }
  }

  /// Makes the stored exercise equal to this one, except for its place and its sets, which stay.
  ///
  /// When it leaves a superset of two, the superset ends.
  /// - Throws: `.notFound` when there is no such exercise.
  public func updateExercise(_ exercise: Exercise) async throws { try await store.write { try Self.updateExercise(exercise, in: $0) } }

  /// Removes an exercise with its sets. Returns whether there was one. When it leaves a superset of two, the superset ends.
  @discardableResult
  public func removeExercise(_ id: UUID) async throws -> Bool { try await store.write { try Self.removeExercise(id, in: $0) } }

  /// Moves an exercise before another one of its workout, or to the end when `other` is nil.
  ///
  /// - Throws: `.notFound` when an exercise does not exist, or the two are in different workouts.
  public func moveExercise(_ id: UUID, before other: UUID?) async throws {
    try await store.write { try Self.moveExercise(id, before: other, in: $0) }
  }

  /// Adds an exercise to a workout or template inside your transaction; as `addExercise(_:to:before:)`.
  public static func addExercise(_ exercise: Exercise, to workoutID: UUID, before other: UUID? = nil, in tx: Writer) throws {
    _ = try workoutRow(workoutID, in: tx)
    try tx.insert(ExerciseRow(exercise, in: workoutID, at: exerciseOrder(of: workoutID).position(before: other, in: tx)))
    let sets = zip(exercise.sets, SparseOrder.positions(for: exercise.sets.count))
    try tx.insert(contentsOf: sets.map { SetRow($0, in: exercise.id, at: $1) })
    try recordActivity(Activity.ofWorkout, workoutID, in: tx)
  }

  /// Changes an exercise, but not its place and its sets, inside your transaction; as `updateExercise(_:)`.
  public static func updateExercise(_ exercise: Exercise, in tx: Writer) throws {
    let stored = try exerciseRow(exercise.id, in: tx)
    let row = ExerciseRow(exercise, in: stored.workoutID, at: stored.position)
    if row != stored { try tx.upsert(row) }
    if row.exercise.superset != stored.exercise.superset { try dissolve(stored.exercise.superset, of: stored.workoutID, in: tx) }
    try recordActivity(Activity.ofWorkout, stored.workoutID, in: tx)
  }

  /// Removes an exercise with its sets inside your transaction; as `removeExercise(_:)`.
  public static func removeExercise(_ id: UUID, in tx: Writer) throws -> Bool {
    guard let stored = try tx.find(ExerciseRow.self, id: id) else { return false }
    try tx.delete(ExerciseRow.self, id: id)
    try dissolve(stored.exercise.superset, of: stored.workoutID, in: tx)
    try recordActivity(Activity.ofWorkout, stored.workoutID, in: tx)
    return true
  }

  /// Moves an exercise within its workout inside your transaction; as `moveExercise(_:before:)`.
  public static func moveExercise(_ id: UUID, before other: UUID?, in tx: Writer) throws {
    let workoutID = try exerciseRow(id, in: tx).workoutID
    try exerciseOrder(of: workoutID).move(id, before: other, in: tx)
    try recordActivity(Activity.ofWorkout, workoutID, in: tx)
  }

  static func exerciseRow(_ id: UUID, in reader: Reader) throws -> ExerciseRow { try row("exercise", id, in: reader) }
  static func workoutRow(_ id: UUID, in reader: Reader) throws -> WorkoutRow { try row("workout", id, in: reader) }

  /// - Throws: `.notFound` when there is no row with this id, or not one that is wanted.
  static func row<Row: StoredRecord>(
    _ noun: String, _ id: UUID, in reader: Reader, where isWanted: (Row) -> Bool = { _ in true }
  ) throws -> Row {
    guard let row = try reader.find(Row.self, id: id), isWanted(row) else {
      throw StoreError(.notFound, "there is no \(noun) \(IDCodec.lowercase(id))")
    }
    return row
  }

  private static func exerciseOrder(of workoutID: UUID) -> OrderedRows {
    OrderedRows("exercises", of: "exercise", where: "workout_id = \(workoutID)")
  }
}
