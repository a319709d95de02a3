public import Foundation
public import Holdfast

extension WorkoutLog {
  /// Makes the stored workout equal to this one; rows that do not change are not written.
  ///
  /// Exercises and sets that it does not name are removed. A workout that is not stored yet counts as finished; one that is in
  /// progress stays so.
  /// - Throws: `.constraint` when an exercise or a set stands twice in it, when its id is that of another workout's, or when the
  ///   workout's id is a template's; `.invalidValue` for a value that no column holds; `.readOnly`. Then nothing is changed.
  public func save(_ workout: Workout) throws { try store.write { try Self.save(workout, in: $0) } }
  public func save(_ workout: Workout) async throws { try await store.write { try Self.save(workout, in: $0) } }

  /// The same for many, in one transaction.
  public func save(_ workouts: [Workout]) throws { try store.write { tx in try workouts.forEach { try Self.save($0, in: tx) } } }
  public func save(_ workouts: [Workout]) async throws {
    try await store.write { tx in try workouts.forEach { try Self.save($0, in: tx) } }
  }

  /// Deletes a workout, finished or in progress, with its exercises and sets. Returns whether there was one.
  @discardableResult
  public func deleteWorkout(_ id: UUID) throws -> Bool { try store.write { try Self.deleteWorkout(id, in: $0) } }
  @discardableResult
  public func deleteWorkout(_ id: UUID) async throws -> Bool { try await store.write { try Self.deleteWorkout(id, in: $0) } }

  public static func save(_ workout: Workout, in tx: Transaction) throws {
    let stored = try tx.find(WorkoutRow.self, id: workout.id)
    guard stored?.state != .template else {
      throw StoreError(.constraint, "the id \(IDCodec.lowercase(workout.id)) is that of a template")
    }
    try save(WorkoutRow(workout, stored?.state ?? .finished), over: stored, workout.exercises, in: tx)
  }

  public static func deleteWorkout(_ id: UUID, in tx: Transaction) throws -> Bool {
    guard let stored = try tx.find(WorkoutRow.self, id: id), stored.state != .template else { return false }
    return try tx.delete(WorkoutRow.self, id: id)
  }

  /// Writes the row and what is in it where it differs from what is stored.
  static func save(_ row: WorkoutRow, over stored: WorkoutRow?, _ exercises: [Exercise], in tx: Transaction) throws {
    if let stored { if stored != row { try tx.upsert(row) } } else { try tx.insert(row) }
    var old = StoredParts()
    if stored != nil { old = try StoredParts(of: row.id, in: tx) }
    let exerciseIDs = Set(exercises.map(\.id))
    let setIDs = Set(exercises.flatMap(\.sets).map(\.id))
    guard exerciseIDs.count == exercises.count, setIDs.count == exercises.reduce(0, { $0 + $1.sets.count }) else {
      throw StoreError(.constraint, "the workout \(IDCodec.lowercase(row.id)) names one exercise or one set twice")
    }
    var new: (exercises: [ExerciseRow], sets: [SetRow]) = ([], [])
    let positions = SparseOrder.assign(existing: exercises.map { old.exercises[$0.id]?.position })
    for (exercise, position) in zip(exercises, positions) {
      let row = ExerciseRow(exercise, in: row.id, at: position)
      if let stored = old.exercises[exercise.id] {
        if stored != row { try tx.upsert(row) }
      } else {
        new.exercises.append(row)
      }
      let places = SparseOrder.assign(
        existing: exercise.sets.map { set in old.sets[set.id].flatMap { $0.exerciseID == exercise.id ? $0.position : nil } })
      for (set, place) in zip(exercise.sets, places) {
        let row = SetRow(set, in: exercise.id, at: place)
        if let stored = old.sets[set.id] {
          if stored != row { old.moved.append(row) }
        } else {
          new.sets.append(row)
        }
      }
    }
    // Not an upsert: an exercise of another workout must not be taken over. Sets that change their exercise go before it is removed.
    try tx.insert(contentsOf: new.exercises)
    for row in old.moved { try tx.upsert(row) }
    for id in old.sets.keys where !setIDs.contains(id) { try tx.delete(SetRow.self, id: id) }
    for id in old.exercises.keys where !exerciseIDs.contains(id) { try tx.delete(ExerciseRow.self, id: id) }
    try tx.insert(contentsOf: new.sets)
  }
}

/// The rows in one workout, by id.
private struct StoredParts {
  var exercises: [UUID: ExerciseRow] = [:]
  var sets: [UUID: SetRow] = [:]
  /// Sets that are there already and differ.
  var moved: [SetRow] = []

  init() {}

  init(of workoutID: UUID, in reader: Reader) throws {
    var exercises: [UUID: ExerciseRow] = [:]
    var sets: [UUID: SetRow] = [:]
    try reader.each(ExerciseRow.self, "WHERE workout_id = \(workoutID)") { exercises[$0.exercise.id] = $0 }
    try reader.each(SetRow.self, "WHERE exercise_id IN (SELECT id FROM exercises WHERE workout_id = \(workoutID))") { sets[$0.set.id] = $0 }
    (self.exercises, self.sets) = (exercises, sets)
  }
}
