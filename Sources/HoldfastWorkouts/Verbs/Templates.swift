public import Foundation
public import Holdfast

extension WorkoutLog {
  /// All templates with everything in them, by name.
  ///
  /// - Throws: `.decoding` naming table, column and row when a stored value is damaged.
  public func templates() async throws -> [WorkoutTemplate] { try await store.read { try Self.templates(in: $0) } }

  /// A page of templates by name, each with everything in it.
  ///
  /// - Parameters:
  ///   - key: the last page's `next`; nil begins at the first.
  ///   - limit: how many; values below 1 count as 1.
  /// - Throws: `.misuse` for a page key of another list; `.decoding`.
  public func templates(after key: PageKey? = nil, limit: Int) async throws -> Page<WorkoutTemplate> {
    try await store.read { try Self.templates(after: key, limit: limit, in: $0) }
  }

  /// One template with everything in it; nil when there is none with this id.
  public func template(_ id: UUID) async throws -> WorkoutTemplate? { try await store.read { try Self.template(id, in: $0) } }

  /// All templates now, and after each change of the log.
  public func templateUpdates() -> Updates<[WorkoutTemplate]> { store.updates { try Self.templates(in: $0) } }

  /// The first templates by name now, and after each change of the log.
  public func templateUpdates(limit: Int) -> Updates<[WorkoutTemplate]> {
    store.updates { try Self.templates(after: nil, limit: limit, in: $0).items }
  }

  /// One template now, and after each change of the log; nil while it does not exist.
  public func templateUpdates(_ id: UUID) -> Updates<WorkoutTemplate?> {
    store.updates { try Self.template(id, in: $0) }
  }

  /// Makes the stored template equal to this one; unchanged rows are not written.
  ///
  /// Exercises and sets that the template does not contain are removed.
  /// - Throws: `.constraint` when it contains an exercise or a set twice, when an exercise's or set's id belongs to another
  ///   template or a workout, or when the template's id is a workout's; `.invalidValue` for a value that a column cannot hold;
  ///   `.readOnly`. Then nothing is changed.
  public func save(_ template: WorkoutTemplate) async throws { try await store.write { try Self.save(template, in: $0) } }

  /// Makes a template from a workout, finished or in progress, with new ids: values that were done become suggestions.
  ///
  /// For a set that was not completed, and for values that were not entered, the old suggestion stays; a range of repetitions
  /// always stays. Units, rests, supersets and pinned notes are copied; other notes, times and distances are not.
  /// - Returns: the stored template.
  /// - Throws: `.notFound` when there is no such workout.
  @discardableResult
  public func saveTemplate(from workoutID: UUID, named name: String) async throws -> WorkoutTemplate {
    try await store.write { try Self.saveTemplate(from: workoutID, named: name, in: $0) }
  }

  /// Deletes a template with its exercises and sets; workouts started from it stay. Returns whether there was one.
  @discardableResult
  public func deleteTemplate(_ id: UUID) async throws -> Bool { try await store.write { try Self.deleteTemplate(id, in: $0) } }

  /// Reads all templates inside your transaction; as `templates()`.
  public static func templates(in reader: Reader) throws -> [WorkoutTemplate] {
    try templates(after: nil, limit: .max, in: reader).items
  }

  /// Reads a page of templates inside your transaction; as `templates(after:limit:)`.
  public static func templates(after key: PageKey? = nil, limit: Int, in reader: Reader) throws -> Page<WorkoutTemplate> {
    let listing = Listing(condition: "state = 'template'", columns: [("name_key", .text), ("name", .text), ("id", .text)])
    // The index is named because SQLite would otherwise use the index of all states, and sort.
    let page = try reader.page(
      BoundSQL(raw: loadedWorkout), from: "workouts INDEXED BY templates_by_name", listing, after: key, limit: limit, of: "workouts",
      WorkoutRow.init(loading:))
    return Page(items: try filled(page.items, in: reader).map(WorkoutTemplate.init), next: page.next)
  }

  /// Reads one template inside your transaction; as `template(_:)`.
  public static func template(_ id: UUID, in reader: Reader) throws -> WorkoutTemplate? {
    guard let row = try reader.find(WorkoutRow.self, id: id), row.state == .template else { return nil }
    return try filled([row], in: reader).first.map(WorkoutTemplate.init)
  }

  /// Saves a template inside your transaction; as `save(_:)`.
  public static func save(_ template: WorkoutTemplate, in tx: Writer) throws {
    let stored = try tx.find(WorkoutRow.self, id: template.id)
    guard (stored?.state ?? .template) == .template else {
      throw StoreError(.constraint, "the id \(IDCodec.lowercase(template.id)) belongs to a workout")
    }
    // A template begins when it is first saved.
    let start = stored?.workout.startedAt ?? tx.currentDate()
    let row = WorkoutRow(Workout(id: template.id, name: template.name, note: template.note, startedAt: start), .template)
    try save(row, over: stored, template.exercises, in: tx)
  }

  /// Makes a template from a workout inside your transaction; as `saveTemplate(from:named:)`.
  public static func saveTemplate(from workoutID: UUID, named name: String, in tx: Writer) throws -> WorkoutTemplate {
    guard let workout = try workout(workoutID, in: tx) else {
      throw StoreError(.notFound, "there is no workout \(IDCodec.lowercase(workoutID))")
    }
    let template = WorkoutTemplate(id: tx.makeID(), name: name, exercises: planned(workout.exercises.map(\.asPlan), in: tx))
    try save(template, in: tx)
    return template
  }

  /// Deletes a template inside your transaction; as `deleteTemplate(_:)`.
  public static func deleteTemplate(_ id: UUID, in tx: Writer) throws -> Bool {
    guard let stored = try tx.find(WorkoutRow.self, id: id), stored.state == .template else { return false }
    return try tx.delete(WorkoutRow.self, id: id)
  }

  /// The same exercises, still to be done: with new ids, their suggestions and notes, and no values.
  static func planned(_ exercises: [Exercise], in tx: Writer) -> [Exercise] {
    exercises.map { exercise in
      var copy = exercise
      copy.id = tx.makeID()
      copy.sets = exercise.sets.map { set in
        var copy = set
        copy.id = tx.makeID()
        (copy.actual, copy.isCompleted, copy.completedAt) = (ExerciseSet.Actual(), false, nil)
        return copy
      }
      return copy
    }
  }
}

extension Exercise {
  /// The exercise with its values as suggestions, without what belongs to that day.
  var asPlan: Exercise {
    var plan = self
    (plan.notes, plan.durationSeconds) = ([], nil)
    plan.sets = sets.map(\.asPlan)
    return plan
  }
}

extension ExerciseSet {
  fileprivate var asPlan: ExerciseSet {
    func better<Value>(_ done: Value?, _ planned: Value?) -> Value? { isCompleted ? done ?? planned : planned ?? done }
    var plan = self
    plan.note = nil
    plan.suggested = Suggested(
      weight: better(actual.weight, suggested.weight),
      reps: suggested.repRange == nil ? better(actual.reps, suggested.reps) : suggested.reps, repRange: suggested.repRange,
      durationSeconds: better(actual.durationSeconds, suggested.durationSeconds), rpe: better(actual.rpe, suggested.rpe),
      restSeconds: better(actual.restSeconds, suggested.restSeconds))
    return plan
  }
}
