public import Foundation
public import Holdfast

extension WorkoutLog {
  /// Makes a superset of exercises of one workout, which are then done in turns: one row each. Their order stays.
  ///
  /// They leave their former supersets; a former superset with only one exercise left ends.
  /// - Returns: the superset's number, the lowest that no other exercise of the workout has.
  /// - Throws: `.invalidValue` for fewer than two exercises, or exercises of several workouts; `.notFound` when an exercise
  ///   does not exist.
  @discardableResult
  public func makeSuperset(_ exerciseIDs: [UUID]) async throws -> Int {
    try await store.write { try Self.makeSuperset(exerciseIDs, in: $0) }
  }

  /// Ends the superset of an exercise, for all its exercises. Returns false when the exercise is in none.
  ///
  /// - Throws: `.notFound` when there is no such exercise.
  @discardableResult
  public func clearSuperset(of exerciseID: UUID) async throws -> Bool {
    try await store.write { try Self.clearSuperset(of: exerciseID, in: $0) }
  }

  /// Makes a superset of exercises inside your transaction; as `makeSuperset(_:)`.
  public static func makeSuperset(_ exerciseIDs: [UUID], in tx: Writer) throws -> Int {
    let members = try Set(exerciseIDs).map { try exerciseRow($0, in: tx) }
    guard members.count >= 2, let workoutID = members.first?.workoutID, members.allSatisfy({ $0.workoutID == workoutID }) else {
      throw StoreError(.invalidValue, "a superset has two exercises or more, all of one workout")
    }
    var taken: Set<Int64> = []
    try tx.rows("SELECT id, superset FROM exercises WHERE workout_id = \(workoutID) AND superset > 0") { row in
      let (id, number) = (try row.id(), try row.int64())
      if !members.contains(where: { $0.exercise.id == id }) { taken.insert(number) }
    }
    var number = 1
    while taken.contains(Int64(number)) { number += 1 }
    for member in members where member.exercise.superset != number {
      try tx.execute("UPDATE exercises SET superset = \(number) WHERE id = \(member.exercise.id)")
    }
    for left in Set(members.map(\.exercise.superset)) where left != number { try dissolve(left, of: workoutID, in: tx) }
    try recordActivity(Activity.ofWorkout, workoutID, in: tx)
    return number
  }

  /// Ends the superset of an exercise inside your transaction; as `clearSuperset(of:)`.
  public static func clearSuperset(of exerciseID: UUID, in tx: Writer) throws -> Bool {
    let row = try exerciseRow(exerciseID, in: tx)
    guard let superset = row.exercise.superset else { return false }
    try tx.execute("UPDATE exercises SET superset = NULL WHERE workout_id = \(row.workoutID) AND superset = \(superset)")
    try recordActivity(Activity.ofWorkout, row.workoutID, in: tx)
    return true
  }

  /// Ends a superset that has only one exercise left.
  static func dissolve(_ superset: Int?, of workoutID: UUID, in tx: Writer) throws {
    guard let superset else { return }
    let members: BoundSQL = "workout_id = \(workoutID) AND superset = \(superset)"
    try tx.execute(
      """
      UPDATE exercises SET superset = NULL WHERE \(sql: members) AND (SELECT count(*) FROM exercises WHERE \(sql: members)) < 2
      """)
  }
}
