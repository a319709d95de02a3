public import Foundation
public import Holdfast

extension WorkoutLog {
  /// All custom exercises, by name.
  ///
  /// - Throws: `.decoding` naming table, column and row when a stored value is damaged.
  public func customExercises() async throws -> [CustomExercise] { try await store.read { try Self.customExercises(in: $0) } }

  /// A page of custom exercises, by name.
  ///
  /// - Parameters:
  ///   - key: the last page's `next`; nil begins at the first.
  ///   - limit: how many; values below 1 count as 1.
  /// - Throws: `.misuse` for a page key of another list; `.decoding`.
  public func customExercises(after key: PageKey? = nil, limit: Int) async throws -> Page<CustomExercise> {
    try await store.read { try Self.customExercises(after: key, limit: limit, in: $0) }
  }

  /// One custom exercise; nil when there is none with this id.
  public func customExercise(_ id: UUID) async throws -> CustomExercise? { try await store.read { try Self.customExercise(id, in: $0) } }

  /// All custom exercises now, and after each change of one.
  public func customExerciseUpdates() -> Updates<[CustomExercise]> {
    store.updates { try Self.customExercises(in: $0) }
  }

  /// Adds a custom exercise, or changes the one with its id; an unchanged one is not written. Workouts are not changed.
  ///
  /// - Throws: `.constraint` when another one has this name, ignoring case and accents; `.invalidValue` for a value that a
  ///   column cannot hold.
  public func save(_ exercise: CustomExercise) async throws { try await store.write { try Self.save(exercise, in: $0) } }

  /// Removes a custom exercise from the choice; workouts with it stay. Returns whether there was one.
  @discardableResult
  public func deleteCustomExercise(_ id: UUID) async throws -> Bool { try await store.write { try Self.deleteCustomExercise(id, in: $0) } }

  /// Renames a custom exercise. Returns false when there is none with this id.
  ///
  /// - Parameter inHistory: true also renames it in every workout, finished or in progress, and in every template. Then its
  ///   records stay together, and join the records of an exercise that already has the new name. False: workouts keep the old name.
  /// - Throws: `.constraint` when another custom exercise has this name, ignoring case and accents. Then nothing is changed.
  @discardableResult
  public func renameCustomExercise(_ id: UUID, to name: String, inHistory: Bool) async throws -> Bool {
    try await store.write { try Self.renameCustomExercise(id, to: name, inHistory: inHistory, in: $0) }
  }

  /// Reads all custom exercises inside your transaction; as `customExercises()`.
  public static func customExercises(in reader: Reader) throws -> [CustomExercise] {
    try reader.all(CustomExerciseRow.self, "ORDER BY name_key").map(\.exercise)
  }

  /// Reads a page of custom exercises inside your transaction; as `customExercises(after:limit:)`.
  public static func customExercises(after key: PageKey? = nil, limit: Int, in reader: Reader) throws -> Page<CustomExercise> {
    let page = try reader.page(
      "\(columns: CustomExerciseRow.self)", from: "custom_exercises", Listing(columns: [("name_key", .text)]), after: key, limit: limit,
      of: "custom_exercises", CustomExerciseRow.init(row:))
    return Page(items: page.items.map(\.exercise), next: page.next)
  }

  /// Reads one custom exercise inside your transaction; as `customExercise(_:)`.
  public static func customExercise(_ id: UUID, in reader: Reader) throws -> CustomExercise? {
    try reader.find(CustomExerciseRow.self, id: id)?.exercise
  }

  /// Adds or changes a custom exercise inside your transaction; as `save(_:)`.
  public static func save(_ exercise: CustomExercise, in tx: Writer) throws {
    guard try customExercise(exercise.id, in: tx) != exercise else { return }
    let sameName: BoundSQL =
      "SELECT count(*) FROM custom_exercises WHERE name_key = \(SortText.folded(exercise.name)) AND id <> \(exercise.id)"
    guard try tx.count(sameName) == 0 else {
      throw StoreError(
        .constraint, "there is an exercise “\(exercise.name)” already", suggestion: "Choose another name, or change the one that is there.")
    }
    try tx.upsert(CustomExerciseRow(exercise))
  }

  /// Removes a custom exercise from the choice inside your transaction; as `deleteCustomExercise(_:)`.
  public static func deleteCustomExercise(_ id: UUID, in tx: Writer) throws -> Bool { try tx.delete(CustomExerciseRow.self, id: id) }

  /// Renames a custom exercise inside your transaction; as `renameCustomExercise(_:to:inHistory:)`.
  public static func renameCustomExercise(_ id: UUID, to name: String, inHistory: Bool, in tx: Writer) throws -> Bool {
    guard var exercise = try customExercise(id, in: tx) else { return false }
    let oldKey = SortText.folded(exercise.name)
    exercise.name = name
    try save(exercise, in: tx)
    guard inHistory else { return true }
    let changed: BoundSQL = "name_key = \(oldKey) AND name <> \(name)"
    if let active = try active(in: tx)?.workoutID,
      try tx.count("SELECT EXISTS (SELECT 1 FROM exercises WHERE \(sql: changed) AND workout_id = \(active))") > 0
    {
      try recordActivity(Activity.ofWorkout, active, in: tx)
    }
    try tx.execute(
      """
      UPDATE exercises SET name = \(name), name_key = \(SortText.folded(name)), search_name = \(SearchText.segmented(name))
      WHERE \(sql: changed)
      """)
    return true
  }
}
