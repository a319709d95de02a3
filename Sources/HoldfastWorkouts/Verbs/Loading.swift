public import Foundation
public import Holdfast

// Nested values are read with one ordered scan per table and joined in memory.

extension WorkoutLog {
  /// All finished workouts with everything in them, newest first: by `startedAt`, then by id.
  ///
  /// The workout in progress and templates are not included.
  /// - Throws: `.decoding` naming table, column and row when a stored value is damaged.
  public func workouts() async throws -> [Workout] { try await store.read { try Self.workouts(in: $0) } }

  /// A page of finished workouts, newest first, each with everything in it.
  ///
  /// - Parameters:
  ///   - key: the last page's `next`; nil begins at the newest.
  ///   - limit: how many; values below 1 count as 1.
  /// - Throws: `.misuse` for a page key of another list; `.decoding`.
  public func workouts(after key: PageKey? = nil, limit: Int) async throws -> Page<Workout> {
    try await store.read { try Self.workouts(after: key, limit: limit, in: $0) }
  }

  /// One workout with everything in it, finished or in progress; nil when there is none, or the id is a template's.
  public func workout(_ id: UUID) async throws -> Workout? { try await store.read { try Self.workout(id, in: $0) } }

  /// All finished workouts now, and after each change of one.
  public func workoutUpdates() -> Updates<[Workout]> { store.updates { try Self.workouts(in: $0) } }

  /// The newest finished workouts now, and after each change of one.
  public func workoutUpdates(limit: Int) -> Updates<[Workout]> {
    store.updates { try Self.workouts(after: nil, limit: limit, in: $0).items }
  }

  /// One workout now, and after each change of the log; nil while it does not exist.
  public func workoutUpdates(_ id: UUID) -> Updates<Workout?> { store.updates { try Self.workout(id, in: $0) } }

  /// Reads all finished workouts inside your transaction; as `workouts()`.
  public static func workouts(in reader: Reader) throws -> [Workout] {
    var rows: [WorkoutRow] = []
    try reader.rows(
      "SELECT \(raw: loadedWorkout) FROM workouts WHERE state = 'finished' ORDER BY started_at DESC, id DESC", of: "workouts"
    ) { row in rows.append(try WorkoutRow(loading: &row)) }
    return try filled(rows, where: nil, in: reader)
  }

  /// Reads a page of finished workouts inside your transaction; as `workouts(after:limit:)`.
  public static func workouts(after key: PageKey? = nil, limit: Int, in reader: Reader) throws -> Page<Workout> {
    let listing = Listing(
      condition: "state = 'finished'", columns: [("started_at", .number), ("id", .text)], isDescending: true)
    let page = try reader.page(
      BoundSQL(raw: loadedWorkout), from: "workouts", listing, after: key, limit: limit, of: "workouts", WorkoutRow.init(loading:))
    return Page(items: try filled(page.items, in: reader), next: page.next)
  }

  /// Reads one workout inside your transaction; as `workout(_:)`.
  public static func workout(_ id: UUID, in reader: Reader) throws -> Workout? {
    guard let row = try reader.find(WorkoutRow.self, id: id), row.state != .template else { return nil }
    return try filled([row], in: reader).first
  }

  /// A few workouts with their exercises and sets, in the same order.
  static func filled(_ rows: [WorkoutRow], in reader: Reader) throws -> [Workout] {
    try filled(rows, where: "IN \(rows.map(\.workout.id))", in: reader)
  }

  /// `ids` selects the same workouts by their ids, `IN (…)`; nil for all.
  private static func filled(_ rows: [WorkoutRow], where ids: BoundSQL?, in reader: Reader) throws -> [Workout] {
    guard !rows.isEmpty else { return [] }
    var exercises = try Gathered<Exercise>(of: rows.map(\.workout.id), ids.map { "WHERE workout_id \(sql: $0)" } ?? "", in: reader)
    var sets = try Gathered<ExerciseSet>(
      of: exercises.met.flatMap { exercises.lists[$0].map(\.id) },
      ids.map { "WHERE exercise_id IN (SELECT id FROM exercises WHERE workout_id \(sql: $0))" } ?? "", in: reader)
    var place = 0
    for workout in exercises.met {
      for exercise in exercises.lists[workout].indices {
        swap(&sets.lists[place], &exercises.lists[workout][exercise].sets)
        place += 1
      }
    }
    var workouts = rows.map(\.workout)
    for place in workouts.indices { swap(&workouts[place].exercises, &exercises.lists[place]) }
    return workouts
  }

  static let loadedWorkout = WorkoutRow.loadedColumns.joined(separator: ", ")
}
