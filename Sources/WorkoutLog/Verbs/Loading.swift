public import Foundation
public import Holdfast

// Nested values are read with one ordered scan per table and joined in memory.

extension WorkoutLog {
  /// All finished workouts with everything in them, newest first: by `startedAt`, then by id.
  ///
  /// Neither the one in progress nor templates are among them.
  /// - Throws: `.decoding` naming table, column and row when a stored value is damaged.
  public func workouts() throws -> [Workout] { try store.read(Self.workouts(in:)) }
  public func workouts() async throws -> [Workout] { try await store.read { try Self.workouts(in: $0) } }

  /// A page of finished workouts, newest first, each with everything in it.
  ///
  /// - Parameters:
  ///   - key: the last page's `next`; nil begins at the newest.
  ///   - limit: how many; values below 1 count as 1.
  /// - Throws: `.misuse` for a key of another list; `.decoding`.
  public func workouts(after key: PageKey? = nil, limit: Int) throws -> Page<Workout> {
    try store.read { try Self.workouts(after: key, limit: limit, in: $0) }
  }
  public func workouts(after key: PageKey? = nil, limit: Int) async throws -> Page<Workout> {
    try await store.read { try Self.workouts(after: key, limit: limit, in: $0) }
  }

  /// One workout with everything in it, finished or in progress; nil when there is none, or it is a template.
  public func workout(_ id: UUID) throws -> Workout? { try store.read { try Self.workout(id, in: $0) } }
  public func workout(_ id: UUID) async throws -> Workout? { try await store.read { try Self.workout(id, in: $0) } }

  /// All finished workouts now, and after each change of one.
  public func workoutUpdates() -> Updates<[Workout]> { store.updates(of: Self.tables) { try Self.workouts(in: $0) } }

  /// The newest finished workouts now, and after each change of one.
  public func workoutUpdates(limit: Int) -> Updates<[Workout]> {
    store.updates(of: Self.tables) { try Self.workouts(after: nil, limit: limit, in: $0).items }
  }

  /// One workout now, and after each change of the log; nil while it does not exist.
  public func workoutUpdates(_ id: UUID) -> Updates<Workout?> { store.updates(of: Self.tables) { try Self.workout(id, in: $0) } }

  public static func workouts(in reader: Reader) throws -> [Workout] {
    var rows: [WorkoutRow] = []
    try reader.rows(
      "SELECT \(raw: loadedWorkout) FROM workouts WHERE state = 'finished' ORDER BY started_at DESC, id DESC", of: "workouts"
    ) { row in rows.append(try WorkoutRow(loading: &row)) }
    return try Assembly(rows).filled(in: reader)
  }

  public static func workouts(after key: PageKey? = nil, limit: Int, in reader: Reader) throws -> Page<Workout> {
    let listing = Listing(
      condition: "state = 'finished'", columns: [("started_at", .number), ("id", .text)], isDescending: true)
    let page = try reader.page(
      SQL(raw: loadedWorkout), from: "workouts", listing, after: key, limit: limit, of: "workouts", WorkoutRow.init(loading:))
    return Page(items: try filled(page.items, in: reader), next: page.next)
  }

  public static func workout(_ id: UUID, in reader: Reader) throws -> Workout? {
    guard let row = try reader.find(WorkoutRow.self, id: id), row.state != .template else { return nil }
    return try filled([row], in: reader).first
  }

  /// A few workouts with what is in them, in the same order.
  static func filled(_ rows: [WorkoutRow], in reader: Reader) throws -> [Workout] {
    try Assembly(rows).filled(of: oneOf(rows.map(\.id)), in: reader)
  }

  /// `IN (…)`, however many they are: SQLite binds one value.
  static func oneOf(_ ids: [UUID]) -> SQL {
    "IN (SELECT value FROM json_each(\(JSONValue.array(ids.map { .string(IDCodec.lowercase($0)) }).canonicalText())))"
  }

  static let loadedWorkout = WorkoutRow.loadedColumns.joined(separator: ", ")
}

/// Puts exercises and sets into their workouts.
private struct Assembly {
  private var workouts: [Workout]
  private var places: [UUID: Int] = [:]

  init(_ rows: [WorkoutRow]) {
    workouts = rows.map(\.workout)
    places.reserveCapacity(rows.count)
    for (place, row) in rows.enumerated() { places[row.id] = place }
  }

  /// `ids` selects the same workouts by their ids, `IN (…)`; nil is all that there are.
  consuming func filled(of ids: SQL? = nil, in reader: Reader) throws -> [Workout] {
    let ofExercises: SQL? = if let ids { "IN (SELECT id FROM exercises WHERE workout_id \(sql: ids))" } else { nil }
    var sets = try SetsByExercise(of: ofExercises, in: reader)
    var current: UUID?
    var place: Int?
    // The exercises of one workout follow each other: they are gathered here and handed over together.
    var exercises: [Exercise] = []
    let condition: SQL = if let ids { "WHERE workout_id \(sql: ids)" } else { "" }
    let columns = Exercise.loadedColumns.joined(separator: ", ")
    try reader.rows(
      "SELECT \(raw: columns), workout_id FROM exercises \(sql: condition) ORDER BY workout_id, position, id", of: "exercises"
    ) { row in
      // First, because an error names the row by its first column.
      var exercise = try Exercise(loading: &row)
      let workoutID = try row.id()
      if workoutID != current {
        if let place { swap(&workouts[place].exercises, &exercises) }
        exercises = []
        current = workoutID
        place = places[workoutID]
      }
      guard place != nil else { return }
      sets.hand(over: exercise.id, to: &exercise.sets)
      exercises.append(consume exercise)
    }
    if let place { swap(&workouts[place].exercises, &exercises) }
    return workouts
  }
}

/// The sets of many exercises, each gathered in its order.
///
/// They are read as they are stored, which is nearly always in order: following an index from each set to the next costs as much as
/// all the rest. Where sets were put into another order, those of their exercises are read again, by the index.
struct SetsByExercise {
  private var lists: [[ExerciseSet]] = []
  /// Of the last set in each list.
  private var positions: [Int64] = []
  private var places: [UUID: Int] = [:]

  /// `ids` selects the exercises, `IN (…)`; nil is all that there are.
  init(of ids: SQL?, in reader: Reader) throws {
    if ids == nil { places.reserveCapacity(try reader.count("SELECT count(*) FROM exercises")) }
    let disordered = try gather(ids.map { "WHERE exercise_id \(sql: $0)" } ?? "", reader)
    guard !disordered.isEmpty else { return }
    for id in disordered { if let place = places.removeValue(forKey: id) { lists[place] = [] } }
    let list = JSONValue.array(disordered.map { .string(IDCodec.lowercase($0)) }).canonicalText()
    _ = try gather("WHERE exercise_id IN (SELECT value FROM json_each(\(list))) ORDER BY exercise_id, position, id", reader)
  }

  /// Returns the exercises whose sets did not come in order.
  private mutating func gather(_ condition: SQL, _ reader: Reader) throws -> Set<UUID> {
    var disordered: Set<UUID> = []
    var current: UUID?
    var place = 0
    let columns = ExerciseSet.loadedColumns.joined(separator: ", ")
    try reader.rows(
      "SELECT \(raw: columns), exercise_id, position FROM exercise_sets \(sql: condition)", of: "exercise_sets"
    ) { row in
      // First, because an error names the row by its first column.
      let set = try ExerciseSet(loading: &row)
      let (exerciseID, position) = (try row.id(), try row.int64())
      if exerciseID != current {
        current = exerciseID
        place = openList(of: exerciseID)
      }
      // Two sets with the same position, which only damage makes, are ordered by id.
      if !lists[place].isEmpty, position <= positions[place] { disordered.insert(exerciseID) }
      positions[place] = position
      lists[place].append(consume set)
    }
    return disordered
  }

  private mutating func openList(of exerciseID: UUID) -> Int {
    if let place = places[exerciseID] { return place }
    places[exerciseID] = lists.count
    // As many sets as the exercise before, for a start.
    var list: [ExerciseSet] = []
    list.reserveCapacity(lists.last?.count ?? 0)
    lists.append(list)
    positions.append(.min)
    return lists.count - 1
  }

  mutating func hand(over exerciseID: UUID, to sets: inout [ExerciseSet]) {
    if let place = places[exerciseID] { swap(&lists[place], &sets) }
  }
}
