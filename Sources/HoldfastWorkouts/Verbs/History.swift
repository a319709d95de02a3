public import Foundation
public import Holdfast

/// One exercise in one finished workout.
public struct PerformedExercise: Sendable, Hashable, Identifiable {
  /// The workout's id.
  public var workoutID: UUID
  /// The workout's name.
  public var workoutName: String
  /// When the workout began, to the millisecond.
  public var startedAt: Date
  /// The exercise with its sets, completed or not.
  public var exercise: Exercise

  /// The exercise's id: a workout may contain an exercise more than once.
  public var id: UUID { exercise.id }
}

extension WorkoutLog {
  /// A page of an exercise's entries in finished workouts, newest first; within a workout the last entry comes first.
  ///
  /// - Parameters:
  ///   - name: the exercise's name, ignoring case and accents; empty for exercises without a name.
  ///   - key: the last page's `next`; nil begins at the newest.
  ///   - limit: how many; values below 1 count as 1.
  /// - Throws: `.misuse` for a page key of another list, or of another exercise's history; `.decoding`.
  public func history(of name: String, after key: PageKey? = nil, limit: Int = 50) async throws -> Page<PerformedExercise> {
    try await store.read { try Self.history(of: name, after: key, limit: limit, in: $0) }
  }

  /// The newest entries of an exercise now, and after each change of the log.
  public func historyUpdates(of name: String, limit: Int = 50) -> Updates<[PerformedExercise]> {
    store.updates { try Self.history(of: name, limit: limit, in: $0).items }
  }

  /// Reads a page of an exercise's entries in finished workouts inside your transaction; as `history(of:after:limit:)`.
  public static func history(
    of name: String, after key: PageKey? = nil, limit: Int = 50, in reader: Reader
  ) throws -> Page<PerformedExercise> {
    let listing = Listing(
      condition: "w.state = 'finished' AND e.name_key = \(SortText.folded(name))",
      columns: [("w.started_at", .number), ("w.id", .text), ("e.position", .number), ("e.id", .text)], isDescending: true)
    let columns = Exercise.loadedColumns.map { "e.\($0)" }.joined(separator: ", ")
    // CROSS: workouts are already in order, and reading each of them costs less than sorting all entries of an exercise.
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
