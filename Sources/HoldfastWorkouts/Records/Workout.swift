public import Foundation
import Holdfast

/// One training: its exercises in order, and its length.
public struct Workout: Sendable, Hashable, Identifiable {
  /// Unique in the log. New ones come from `NewID`.
  public var id: UUID
  /// As people wrote it. May be empty, and need not be unique.
  public var name: String
  /// The person's note; nil when there is none.
  public var note: String?
  /// When the workout began, to the millisecond. The history shows the newest first.
  public var startedAt: Date
  /// When the workout ended, to the millisecond; nil when unknown.
  public var endedAt: Date?
  /// The trained time without pauses, in seconds; nil when unknown. Need not be the time between start and end.
  public var durationSeconds: Int?
  /// In the order in which the exercises are done.
  public var exercises: [Exercise]

  /// A workout that is not stored yet. Dates are rounded to the millisecond, so that a loaded value equals the saved one.
  public init(
    id: UUID, name: String, note: String? = nil, startedAt: Date, endedAt: Date? = nil, durationSeconds: Int? = nil,
    exercises: [Exercise] = []
  ) {
    self.id = id
    self.name = name
    self.note = note
    self.startedAt = DateCodec.rounded(startedAt)
    self.endedAt = endedAt.map(DateCodec.rounded)
    self.durationSeconds = durationSeconds
    self.exercises = exercises
  }
}

/// The kind of a row of `workouts`.
enum WorkoutState: String, Sendable {
  case finished
  /// In progress; at most one.
  case active
  /// A plan for workouts.
  case template

  var noun: String { self == .template ? "template" : "workout" }
}

/// A row of `workouts`: the workout without its exercises.
struct WorkoutRow: StoredRecord, Hashable {
  static let table = "workouts"
  static let columns = loadedColumns + ["name_key", "search_name", "search_note"]
  static let loadedColumns = ["id", "name", "note", "state", "started_at", "ended_at", "duration_seconds"]

  /// Has no exercises.
  var workout: Workout
  var state: WorkoutState

  init(_ workout: Workout, _ state: WorkoutState) {
    self.workout = Workout(
      id: workout.id, name: workout.name, note: workout.note, startedAt: workout.startedAt, endedAt: workout.endedAt,
      durationSeconds: workout.durationSeconds)
    self.state = state
  }

  init(row: inout StoredRow) throws {
    try self.init(loading: &row)
    // Derived from name and note. Read only to reach the end of the row.
    for _ in 0..<3 { _ = try row.textOrNil() }
  }

  init(loading row: inout StoredRow) throws {
    let (id, name, note) = (try row.id(), try row.text(), try row.textOrNil())
    // The table allows no other text.
    state = WorkoutState(rawValue: try row.text()) ?? .finished
    workout = Workout(
      id: id, name: name, note: note, startedAt: try row.date(), endedAt: try row.dateOrNil(), durationSeconds: try row.intOrNil())
  }

  func encode(into values: inout Values) throws {
    try values.id(workout.id)
    try values.text(workout.name)
    try values.text(workout.note)
    try values.text(state.rawValue)
    try values.date(workout.startedAt)
    try values.date(workout.endedAt)
    try values.int(workout.durationSeconds)
    try values.text(SortText.folded(workout.name))
    try values.text(SearchText.segmented(workout.name))
    try values.text(workout.note.flatMap(SearchText.segmented))
  }
}
