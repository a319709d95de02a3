public import Foundation
public import Holdfast

/// One exercise of a workout or a template, with its sets.
public struct Exercise: Sendable, Hashable, Identifiable {
  /// Unique in the log.
  public var id: UUID
  /// As people wrote it. Exercises whose names differ only in case and accents are one in statistics and records.
  public var name: String
  /// The equipment.
  public var type: ExerciseType
  /// What the exercise trains; nil when not given.
  public var bodyPart: BodyPart?
  /// Exercises of one workout with the same number are done in turns. From 1; nil or 0 means no superset.
  public var superset: Int?
  /// The unit of sets without their own unit; nil means pounds.
  public var weightUnit: WeightUnit?
  /// Notes that come again in the next workout, in order.
  public var pinnedNotes: [String]
  /// Notes on this workout only, in order.
  public var notes: [String]
  /// In seconds; nil when unknown.
  public var durationSeconds: Int?
  /// Rest after a warm-up set, in seconds; nil when not given.
  public var warmUpRestSeconds: Int?
  /// Rest after any other set, in seconds; nil when not given.
  public var restSeconds: Int?
  /// In the order in which the sets are done.
  public var sets: [ExerciseSet]

  /// An exercise that is not stored yet. A superset of 0 becomes nil.
  public init(
    id: UUID, name: String, type: ExerciseType = .unknown, bodyPart: BodyPart? = nil, superset: Int? = nil, weightUnit: WeightUnit? = nil,
    pinnedNotes: [String] = [], notes: [String] = [], durationSeconds: Int? = nil, warmUpRestSeconds: Int? = nil, restSeconds: Int? = nil,
    sets: [ExerciseSet] = []
  ) {
    self.id = id
    self.name = name
    self.type = type
    self.bodyPart = bodyPart
    self.superset = superset == 0 ? nil : superset
    self.weightUnit = weightUnit
    self.pinnedNotes = pinnedNotes
    self.notes = notes
    self.durationSeconds = durationSeconds
    self.warmUpRestSeconds = warmUpRestSeconds
    self.restSeconds = restSeconds
    self.sets = sets
  }

  /// The first use of a custom exercise, with its name, type, body part and unit.
  public init(id: UUID, from custom: CustomExercise, sets: [ExerciseSet] = []) {
    self.init(
      id: id, name: custom.name, type: custom.type, bodyPart: custom.bodyPart, weightUnit: custom.weightUnit, sets: sets)
  }
}

extension Exercise {
  /// The columns that `init(loading:)` reads, except `workout_id`.
  static let loadedColumns = [
    "id", "name", "type", "body_part", "body_part_detailed", "body_part_scientific", "superset", "weight_unit", "pinned_notes", "notes",
    "duration_seconds", "warm_up_rest_seconds", "rest_seconds",
  ]

  init(loading row: inout StoredRow) throws {
    id = try row.id()
    name = try row.text()
    type = ExerciseType(rawValue: try row.text())
    bodyPart = try row.bodyPartOrNil()
    superset = try row.intOrNil()
    weightUnit = try row.textOrNil().map(WeightUnit.init(rawValue:))
    pinnedNotes = try row.textsOrNil() ?? []
    notes = try row.textsOrNil() ?? []
    durationSeconds = try row.intOrNil()
    warmUpRestSeconds = try row.intOrNil()
    restSeconds = try row.intOrNil()
    sets = []
  }
}

/// A row of `exercises`: the exercise without its sets, and its place.
struct ExerciseRow: StoredRecord, Hashable {
  static let table = "exercises"
  static let columns = Exercise.loadedColumns + ["workout_id", "position", "name_key", "search_name", "search_notes"]
  static let insertOnly = ["workout_id"]
  /// Has no sets.
  var exercise: Exercise
  var workoutID: UUID
  var position: Int64

  init(_ exercise: Exercise, in workoutID: UUID, at position: Int64) {
    self.exercise = exercise
    self.exercise.sets = []
    if exercise.superset == 0 { self.exercise.superset = nil }
    self.workoutID = workoutID
    self.position = position
  }

  init(row: inout StoredRow) throws {
    exercise = try Exercise(loading: &row)
    workoutID = try row.id()
    position = try row.int64()
    // Derived from the name and the notes. Read only to reach the end of the row.
    for _ in 0..<3 { _ = try row.textOrNil() }
  }

  func encode(into values: inout Values) throws {
    try values.id(exercise.id)
    try values.text(exercise.name)
    try values.text(exercise.type.rawValue)
    try values.text(exercise.bodyPart?.main.rawValue)
    try values.texts(exercise.bodyPart?.detailed)
    try values.texts(exercise.bodyPart?.scientific)
    try values.int(exercise.superset)
    try values.text(exercise.weightUnit?.rawValue)
    try values.texts(exercise.pinnedNotes.isEmpty ? nil : exercise.pinnedNotes)
    try values.texts(exercise.notes.isEmpty ? nil : exercise.notes)
    try values.int(exercise.durationSeconds)
    try values.int(exercise.warmUpRestSeconds)
    try values.int(exercise.restSeconds)
    try values.id(workoutID)
    try values.int64(position)
    try values.text(SortText.folded(exercise.name))
    try values.text(SearchText.segmented(exercise.name))
    let notes = exercise.pinnedNotes + exercise.notes
    try values.text(notes.isEmpty ? nil : SearchText.segmented(notes.joined(separator: "\n")) ?? notes.joined(separator: "\n"))
  }
}

extension StoredRow {
  /// Reads three columns: the main part, and two JSON lists of muscles.
  mutating func bodyPartOrNil() throws -> BodyPart? {
    let main = try textOrNil()
    let (detailed, scientific) = (try textsOrNil(), try textsOrNil())
    return main.map { BodyPart(BodyPart.Main(rawValue: $0), detailed: detailed, scientific: scientific) }
  }
}
