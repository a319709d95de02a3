public import Foundation
public import Holdfast

/// An exercise that can be chosen for a workout, because it was used or added before.
public struct ExerciseName: Sendable, Hashable, Identifiable {
  /// The name without case and accents: exercises with the same one count as one exercise.
  public var id: String
  /// The spelling of the custom exercise; otherwise of the newest finished workout with it; otherwise of the exercise added last.
  public var name: String
  /// The equipment, from the same place.
  public var type = ExerciseType.unknown
  /// The body part that the exercise trains, from the same place; nil when not given.
  public var bodyPart: BodyPart?
  /// The unit of its sets, from the same place; nil means pounds.
  public var weightUnit: WeightUnit?
  /// How often it is in a finished workout.
  public var uses = 0
  /// When the newest of these workouts began; nil when there is none.
  public var lastUsedAt: Date?
  /// The id of the custom exercise; nil when there is none.
  public var customExerciseID: UUID?
}

extension WorkoutLog {
  /// A page of every exercise in a workout or template, and every custom exercise, by name.
  ///
  /// - Parameters:
  ///   - text: the typed text. The name must contain each of its words, at any place, ignoring case and accents; only the
  ///     first 64 words count. Empty for all.
  ///   - key: the last page's `next`; nil begins at the first.
  ///   - limit: how many; values below 1 count as 1.
  /// - Throws: `.misuse` for a page key of another list or text; `.decoding`.
  public func exerciseNames(matching text: String = "", after key: PageKey? = nil, limit: Int = 100) async throws -> Page<ExerciseName> {
    try await store.read { try Self.exerciseNames(matching: text, after: key, limit: limit, in: $0) }
  }

  /// The first of these names now, and after each change of the log.
  public func exerciseNameUpdates(matching text: String = "", limit: Int = 100) -> Updates<[ExerciseName]> {
    store.updates {
      try Self.exerciseNames(matching: text, limit: limit, in: $0).items
    }
  }

  /// Reads a page of the names of all exercises inside your transaction; as `exerciseNames(matching:after:limit:)`.
  public static func exerciseNames(
    matching text: String = "", after key: PageKey? = nil, limit: Int = 100, in reader: Reader
  ) throws -> Page<ExerciseName> {
    let words = SortText.folded(text).split(whereSeparator: \.isWhitespace).prefix(SearchText.maximumWords)
    let matches: BoundSQL = words.reduce("name_key IS NOT NULL") { "\(sql: $0) AND instr(name_key, \(String($1))) > 0" }
    let listing = Listing(condition: matches, columns: [("name_key", .text)])
    let page = try reader.page("name_key", from: "(\(sql: keys))", listing, after: key, limit: limit) { row in try row.text() }
    let these: BoundSQL = "IN \(page.items)"
    var names: [String: ExerciseName] = [:]
    // With max(), the other columns come from the same row: the newest finished workout's, or otherwise any. Among rows of one
    // moment, the greatest exercise id decides. The compared text begins with the workout's start, shifted above 0.
    let start: BoundSQL = "printf('%015d', w.started_at - (\(DateCodec.range.lowerBound)))"
    try reader.rows(
      """
      SELECT name_key, name, type, body_part, body_part_detailed, body_part_scientific, weight_unit, uses,
        iif(uses > 0, CAST(substr(newest, 2, 15) AS INTEGER) + (\(DateCodec.range.lowerBound)), NULL)
      FROM (
        SELECT e.name_key, e.name, e.type, e.body_part, e.body_part_detailed, e.body_part_scientific, e.weight_unit,
          count(iif(w.state = 'finished', 1, NULL)) AS uses,
          max(iif(w.state = 'finished', '1' || \(sql: start), '0') || e.id) AS newest
        FROM exercises e CROSS JOIN workouts w ON w.id = e.workout_id WHERE e.name_key \(sql: these) GROUP BY e.name_key) used
      """
    ) { row in
      var name = ExerciseName(id: try row.text(), name: try row.text(), type: ExerciseType(rawValue: try row.text()))
      name.bodyPart = try row.bodyPartOrNil()
      name.weightUnit = try row.textOrNil().map(WeightUnit.init(rawValue:))
      name.uses = try row.int()
      name.lastUsedAt = try row.dateOrNil()
      names[name.id] = name
    }
    for row in try reader.all(CustomExerciseRow.self, "WHERE name_key \(sql: these)") {
      let (exercise, id) = (row.exercise, SortText.folded(row.exercise.name))
      var name = names[id] ?? ExerciseName(id: id, name: exercise.name)
      (name.name, name.type, name.bodyPart) = (exercise.name, exercise.type, exercise.bodyPart)
      (name.weightUnit, name.customExerciseID) = (exercise.weightUnit, exercise.id)
      names[id] = name
    }
    return Page(items: page.items.compactMap { names[$0] }, next: page.next)
  }

  /// Finds each key once, from one to the next: reading all exercises and dropping repeated ones takes a hundred times as long.
  private static var keys: BoundSQL {
    """
    WITH RECURSIVE names (name_key) AS (
      SELECT min(k) FROM (SELECT min(name_key) AS k FROM exercises UNION ALL SELECT min(name_key) FROM custom_exercises)
      UNION ALL
      SELECT (
        SELECT min(k) FROM (
          SELECT min(name_key) AS k FROM exercises WHERE name_key > names.name_key
          UNION ALL SELECT min(name_key) FROM custom_exercises WHERE name_key > names.name_key))
      FROM names WHERE names.name_key IS NOT NULL)
    SELECT name_key FROM names
    """
  }
}
