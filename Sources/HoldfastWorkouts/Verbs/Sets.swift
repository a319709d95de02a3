public import Foundation
public import Holdfast

// Sets of any workout or template, by id. Usually each verb writes one row, however long the workout is.

extension WorkoutLog {
  /// Adds a set at the end of an exercise, or before one of its sets.
  ///
  /// - Throws: `.notFound` when there is no such exercise, or `other` is not one of its sets; `.constraint` when the set's id is taken;
  ///   `.invalidValue` for a number that is not finite.
  public func addSet(_ set: ExerciseSet, to exerciseID: UUID, before other: UUID? = nil) async throws {
    try await store.write { try Self.addSet(set, to: exerciseID, before: other, in: $0) }
  }

  /// Makes the stored set equal to this one, except for its place. An unchanged set is not written.
  ///
  /// - Throws: `.notFound` when there is no such set; `.invalidValue` for a value that a column cannot hold.
  public func updateSet(_ set: ExerciseSet) async throws { try await store.write { try Self.updateSet(set, in: $0) } }

  /// Removes a set. Returns whether there was one.
  @discardableResult
  public func removeSet(_ id: UUID) async throws -> Bool { try await store.write { try Self.removeSet(id, in: $0) } }

  /// Moves a set before another one of its exercise, or to the end when `other` is nil.
  ///
  /// - Throws: `.notFound` when a set does not exist, or the two are in different exercises.
  public func moveSet(_ id: UUID, before other: UUID?) async throws {
    try await store.write { try Self.moveSet(id, before: other, in: $0) }
  }

  /// Adds a set to an exercise inside your transaction; as `addSet(_:to:before:)`.
  public static func addSet(_ set: ExerciseSet, to exerciseID: UUID, before other: UUID? = nil, in tx: Writer) throws {
    _ = try exerciseRow(exerciseID, in: tx)
    try tx.insert(SetRow(set, in: exerciseID, at: setOrder(of: exerciseID).position(before: other, in: tx)))
    try recordActivity(Activity.ofExercise, exerciseID, in: tx)
  }

  /// Changes a set, but not its place, inside your transaction; as `updateSet(_:)`.
  public static func updateSet(_ set: ExerciseSet, in tx: Writer) throws {
    let stored = try setRow(set.id, in: tx)
    let row = SetRow(set, in: stored.exerciseID, at: stored.position)
    if row != stored { try tx.upsert(row) }
    try recordActivity(Activity.ofExercise, stored.exerciseID, in: tx)
  }

  /// Removes a set inside your transaction; as `removeSet(_:)`.
  public static func removeSet(_ id: UUID, in tx: Writer) throws -> Bool {
    try recordActivity(Activity.ofSet, id, in: tx)
    return try tx.delete(SetRow.self, id: id)
  }

  /// Moves a set within its exercise inside your transaction; as `moveSet(_:before:)`.
  public static func moveSet(_ id: UUID, before other: UUID?, in tx: Writer) throws {
    let exerciseID = try setRow(id, in: tx).exerciseID
    try setOrder(of: exerciseID).move(id, before: other, in: tx)
    try recordActivity(Activity.ofExercise, exerciseID, in: tx)
  }

  static func setRow(_ id: UUID, in reader: Reader) throws -> SetRow { try row("set", id, in: reader) }

  static func setOrder(of exerciseID: UUID) -> OrderedRows {
    OrderedRows("exercise_sets", of: "set", where: "exercise_id = \(exerciseID)")
  }
}
