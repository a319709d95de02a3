import Foundation
public import Holdfast

extension WorkoutLog {
  /// A page of finished workouts that contain every word in their own and their exercises' names and notes; newest first.
  ///
  /// A word may be the beginning of a longer one. Accents and case do not matter; Chinese, Japanese and other scripts without spaces are
  /// found inside a sentence. One word may be in the workout, the next in an exercise.
  /// - Parameters:
  ///   - key: the last page's `next`; nil begins at the newest.
  ///   - limit: how many; values below 1 count as 1.
  /// - Returns: an empty page for a text without a word.
  /// - Throws: `.misuse` for a page key of another list, or of a search for another text; `.decoding`.
  public func search(_ text: String, after key: PageKey? = nil, limit: Int = 50) async throws -> Page<Workout> {
    try await store.read { try Self.search(text, after: key, limit: limit, in: $0) }
  }

  /// The newest results of a search now, and after each change of the log.
  public func searchUpdates(_ text: String, limit: Int = 50) -> Updates<[Workout]> {
    store.updates { try Self.search(text, limit: limit, in: $0).items }
  }

  /// Finds finished workouts by words inside your transaction; as `search(_:after:limit:)`.
  public static func search(_ text: String, after key: PageKey? = nil, limit: Int = 50, in reader: Reader) throws -> Page<Workout> {
    let words = SearchText.queries(text)
    guard !words.isEmpty else { return Page(items: [], next: nil) }
    let found: BoundSQL = words.reduce("state = 'finished'") { "\(sql: $0) AND \(sql: has($1))" }
    let listing = Listing(condition: found, columns: [("started_at", .number), ("id", .text)], isDescending: true)
    let page = try reader.page(
      BoundSQL(raw: loadedWorkout), from: "workouts", listing, after: key, limit: limit, of: "workouts", WorkoutRow.init(loading:))
    return Page(items: try filled(page.items, in: reader), next: page.next)
  }

  /// The plus keeps SQLite from looking up each match and sorting all: read in order, the page ends soon. CROSS keeps SQLite
  /// from starting with all workouts or all exercises.
  private static func has(_ word: String) -> BoundSQL {
    """
    +id IN (
      SELECT w.id FROM workouts_search f CROSS JOIN workouts w ON w.rowid = f.rowid WHERE workouts_search MATCH \(word)
      UNION ALL
      SELECT e.workout_id FROM exercises_search f CROSS JOIN exercises e ON e.rowid = f.rowid WHERE exercises_search MATCH \(word))
    """
  }
}
