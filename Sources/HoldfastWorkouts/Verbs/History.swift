public import Foundation
public import Holdfast

/// One exercise as it was done in one finished workout.
public struct PerformedExercise: Sendable, Hashable, Identifiable {
  /// The workout that it is in.
  public var workoutID: UUID
  /// As people wrote it.
  public var workoutName: String
  /// When the workout began, to the millisecond.
  public var startedAt: Date
  /// With its sets, completed or not.
  public var exercise: Exercise

  /// The exercise's: a workout may have it more than once.
  public var id: UUID { exercise.id }

  /// One entry of the list.
  public init(workoutID: UUID, workoutName: String, startedAt: Date, exercise: Exercise) {
    self.workoutID = workoutID
    self.workoutName = workoutName
    self.startedAt = startedAt
    self.exercise = exercise
  }
}

extension WorkoutLog {
  /// A page of the times that an exercise stands in a finished workout, newest first; of one workout the last comes first.
  ///
  /// - Parameters:
  ///   - name: case and accents apart; the empty name is that of exercises without one.
  ///   - key: the last page's `next`; nil begins at the newest.
  ///   - limit: how many; values below 1 count as 1.
  /// - Throws: `.misuse` for a key of another list, or of the history of another exercise; `.decoding`.
  public func history(of name: String, after key: PageKey? = nil, limit: Int = 50) throws -> Page<PerformedExercise> {
    try store.read { try Self.history(of: name, after: key, limit: limit, in: $0) }
  }
  public func history(of name: String, after key: PageKey? = nil, limit: Int = 50) async throws -> Page<PerformedExercise> {
    try await store.read { try Self.history(of: name, after: key, limit: limit, in: $0) }
  }

  /// The newest times of an exercise now, and after each change of the log.
  public func historyUpdates(of name: String, limit: Int = 50) -> Updates<[PerformedExercise]> {
    store.updates(of: Self.tables) { try Self.history(of: name, limit: limit, in: $0).items }
  }

  public static func history(
    of name: String, after key: PageKey? = nil, limit: Int = 50, in reader: Reader
  ) throws -> Page<PerformedExercise> {
    let listing = Listing(
      condition: "w.state = 'finished' AND e.name_key = \(SortText.folded(name))",
      columns: [("w.started_at", .number), ("w.id", .text), ("e.position", .number), ("e.id", .text)], isDescending: true)
    let columns = Exercise.loadedColumns.map { "e.\($0)" }.joined(separator: ", ")
    // CROSS: the workouts have the order, and a look into each of them costs less than to sort what an exercise has in all.
    var page = try reader.page(
      "\(raw: columns), w.id, w.name, w.started_at", from: "workouts w CROSS JOIN exercises e ON e.workout_id = w.id", listing, after: key,
      limit: limit
    ) { row in
      let exercise = try Exercise(loading: &row)
      return PerformedExercise(workoutID: try row.id(), workoutName: try row.text(), startedAt: try row.date(), exercise: exercise)
    }
    let ids = page.items.map(\.id)
    var sets = try Gathered<ExerciseSet>(of: ids, "WHERE exercise_id IN \(ids)", in: reader)
    for place in ids.indices { swap(&sets.lists[place], &page.items[place].exercise.sets) }
    return page
  }
}
