public import Foundation
public import Holdfast

extension WorkoutLog {
  /// Makes the stored workout equal to this one; unchanged rows are not written.
  ///
  /// Exercises and sets that the workout does not contain are removed; a set may move from one of its exercises to another. A
  /// new workout counts as finished. A workout in progress stays in progress, without an end and a duration, and its clock
  /// counts the call as activity.
  /// - Throws: `.constraint` when it contains an exercise or a set twice, when an exercise's or set's id belongs to another
  ///   workout, or when the workout's id is a template's; `.invalidValue` for a value that a column cannot hold; `.readOnly`.
  ///   Then nothing is changed.
  public func save(_ workout: Workout) async throws { try await store.write { try Self.save(workout, in: $0) } }

  /// Saves many workouts, one after the other in one transaction.
  ///
  /// - Throws: as for one workout; `.constraint` also when the list contains a workout twice. Then none is saved.
  public func save(_ workouts: [Workout]) async throws { try await store.write { try Self.save(workouts, in: $0) } }

  /// Deletes a workout, finished or in progress, with its exercises and sets. Returns whether there was one.
  @discardableResult
  public func deleteWorkout(_ id: UUID) async throws -> Bool { try await store.write { try Self.deleteWorkout(id, in: $0) } }

  /// Saves many workouts inside your transaction; as `save(_:)`.
  public static func save(_ workouts: [Workout], in tx: Writer) throws {
    guard Set(workouts.map(\.id)).count == workouts.count else {
      throw StoreError(.constraint, "the list of workouts to save contains one workout twice")
    }
    for workout in workouts { try save(workout, in: tx) }
  }

  /// Saves a workout inside your transaction; as `save(_:)`.
  public static func save(_ workout: Workout, in tx: Writer) throws {
    let stored = try tx.find(WorkoutRow.self, id: workout.id)
    guard stored?.state != .template else {
      throw StoreError(.constraint, "the id \(IDCodec.lowercase(workout.id)) belongs to a template")
    }
    var row = WorkoutRow(workout, stored?.state ?? .finished)
    // Finishing the workout writes them.
    if row.state == .active { (row.workout.endedAt, row.workout.durationSeconds) = (nil, nil) }
    try save(row, over: stored, workout.exercises, in: tx)
    if stored?.state == .active { try recordActivity(Activity.ofWorkout, workout.id, in: tx) }
  }

  /// Deletes a workout inside your transaction; as `deleteWorkout(_:)`.
  public static func deleteWorkout(_ id: UUID, in tx: Writer) throws -> Bool {
    guard let stored = try tx.find(WorkoutRow.self, id: id), stored.state != .template else { return false }
    return try tx.delete(WorkoutRow.self, id: id)
  }

  /// Writes the row, its exercises and its sets where they differ from the stored ones.
  static func save(_ row: WorkoutRow, over stored: WorkoutRow?, _ exercises: [Exercise], in tx: Writer) throws {
    var workout: String { "\(row.state.noun) \(IDCodec.lowercase(row.workout.id))" }
    let exerciseIDs = Set(exercises.map(\.id))
    let setIDs = Set(exercises.flatMap(\.sets).map(\.id))
    guard exerciseIDs.count == exercises.count, setIDs.count == exercises.reduce(0, { $0 + $1.sets.count }) else {
      throw StoreError(.constraint, "the \(workout) names one exercise or one set twice")
    }
    var old = StoredParts()
    if let stored {
      if stored != row { try tx.upsert(row) }
      old = try StoredParts(of: row.workout.id, in: tx)
    } else {
      try tx.insert(row)
    }
    var changes = (exercises: Changes<ExerciseRow>(), sets: Changes<SetRow>())
    let positions = SparseOrder.assign(existing: exercises.map { old.exercises[$0.id]?.position })
    for (exercise, position) in zip(exercises, positions) {
      changes.exercises.add(ExerciseRow(exercise, in: row.workout.id, at: position), over: old.exercises[exercise.id])
      let stored = exercise.sets.map { old.sets[$0.id] }
      let places = SparseOrder.assign(existing: stored.map { $0?.exerciseID == exercise.id ? $0?.position : nil })
      for (set, (stored, place)) in zip(exercise.sets, zip(stored, places)) {
        changes.sets.add(SetRow(set, in: exercise.id, at: place), over: stored)
      }
    }
    do {
      // Inserted, not upserted: rows of another workout must not be taken over.
      try tx.insert(contentsOf: changes.exercises.new)
      for row in changes.exercises.changed { try tx.upsert(row) }
      // Before exercises are removed, because their sets may now be in another exercise.
      for row in changes.sets.changed { try tx.upsert(row) }
      for (id, set) in old.sets where !setIDs.contains(id) && exerciseIDs.contains(set.exerciseID) { try tx.delete(SetRow.self, id: id) }
      for id in old.exercises.keys where !exerciseIDs.contains(id) { try tx.delete(ExerciseRow.self, id: id) }
      try tx.insert(contentsOf: changes.sets.new)
    } catch let error as StoreError where error.code == .constraint {
      throw StoreError(
        .constraint, "the \(workout) contains an exercise or a set of another workout or template",
        suggestion: "Give it a new id.", cause: error)
    }
  }
}

/// The rows in one workout, by id.
private struct StoredParts {
  var exercises: [UUID: ExerciseRow] = [:]
  var sets: [UUID: SetRow] = [:]

  init() {}

  init(of workoutID: UUID, in reader: Reader) throws {
    for row in try reader.all(ExerciseRow.self, "WHERE workout_id = \(workoutID)") { exercises[row.exercise.id] = row }
    let sets = try reader.all(SetRow.self, "WHERE exercise_id IN (SELECT id FROM exercises WHERE workout_id = \(workoutID))")
    for row in sets { self.sets[row.set.id] = row }
  }
}

/// The rows of a workout that differ from the stored ones.
private struct Changes<Row: Equatable> {
  var new: [Row] = []
  var changed: [Row] = []

  mutating func add(_ row: Row, over stored: Row?) {
    if stored == nil { new.append(row) } else if stored != row { changed.append(row) }
  }
}
