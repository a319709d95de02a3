public import Foundation
public import Holdfast

/// One set of an exercise: the plan, and the values that were done.
public struct ExerciseSet: Sendable, Hashable, Identifiable {
  /// Unique in the log.
  public var id: UUID
  /// The purpose of the set.
  public var type: SetType
  /// The unit of both weights; nil means the exercise's unit.
  public var weightUnit: WeightUnit?
  /// The unit of the distance; nil means metres.
  public var distanceUnit: DistanceUnit?
  /// The plan.
  public var suggested: Suggested
  /// The values that were done, or are already entered.
  public var actual: Actual
  /// Only completed sets count in statistics and records.
  public var isCompleted: Bool
  /// When the set was completed, to the millisecond; nil when unknown.
  public var completedAt: Date?
  /// The person's note; nil when there is none.
  public var note: String?

  /// A set that is not stored yet. The date is rounded to the millisecond.
  public init(
    id: UUID, type: SetType = .working, weightUnit: WeightUnit? = nil, distanceUnit: DistanceUnit? = nil,
    suggested: Suggested = Suggested(), actual: Actual = Actual(), isCompleted: Bool = false, completedAt: Date? = nil, note: String? = nil
  ) {
    self.id = id
    self.type = type
    self.weightUnit = weightUnit
    self.distanceUnit = distanceUnit
    self.suggested = suggested
    self.actual = actual
    self.isCompleted = isCompleted
    self.completedAt = completedAt.map(DateCodec.rounded)
    self.note = note
  }

  /// The plan for a set. Nil means not planned.
  public struct Suggested: Sendable, Hashable {
    /// In the set's unit.
    public var weight: Double?
    /// Repetitions.
    public var reps: Int?
    /// The other end of a range of repetitions that begins or ends with `reps`.
    public var repRange: Int?
    /// In seconds, for timed sets.
    public var durationSeconds: Int?
    /// Rate of perceived exertion, 1 to 10.
    public var rpe: Double?
    /// Rest after the set, in seconds.
    public var restSeconds: Int?

    /// A plan with the given values; the others are nil.
    public init(
      weight: Double? = nil, reps: Int? = nil, repRange: Int? = nil, durationSeconds: Int? = nil, rpe: Double? = nil,
      restSeconds: Int? = nil
    ) {
      self.weight = weight
      self.reps = reps
      self.repRange = repRange
      self.durationSeconds = durationSeconds
      self.rpe = rpe
      self.restSeconds = restSeconds
    }
  }

  /// The values that were done in a set. Nil means not entered.
  public struct Actual: Sendable, Hashable {
    /// In the set's unit. Below 0 for help by a machine.
    public var weight: Double?
    /// Repetitions.
    public var reps: Int?
    /// In seconds, for timed sets.
    public var durationSeconds: Int?
    /// In `distanceUnit`.
    public var distance: Double?
    /// Rate of perceived exertion, 1 to 10.
    public var rpe: Double?
    /// Rest after the set, in seconds.
    public var restSeconds: Int?

    /// The given values; the others are nil.
    public init(
      weight: Double? = nil, reps: Int? = nil, durationSeconds: Int? = nil, distance: Double? = nil, rpe: Double? = nil,
      restSeconds: Int? = nil
    ) {
      self.weight = weight
      self.reps = reps
      self.durationSeconds = durationSeconds
      self.distance = distance
      self.rpe = rpe
      self.restSeconds = restSeconds
    }
  }
}

extension ExerciseSet {
  static let loadedColumns = [
    "id", "type", "weight_unit", "distance_unit", "suggested_weight", "suggested_reps", "suggested_rep_range",
    "suggested_duration_seconds", "suggested_rpe", "suggested_rest_seconds", "actual_weight", "actual_reps", "actual_duration_seconds",
    "actual_distance", "actual_rpe", "actual_rest_seconds", "is_completed", "completed_at", "note",
  ]

  init(loading row: inout StoredRow) throws {
    // All columns are read before the set is made: Swift copies a set whose initialiser may still throw.
    let id = try row.id()
    let type = SetType(rawValue: try row.text())
    let weightUnit = try row.textOrNil().map(WeightUnit.init(rawValue:))
    let distanceUnit = try row.textOrNil().map(DistanceUnit.init(rawValue:))
    let suggested = Suggested(
      weight: try row.doubleOrNil(), reps: try row.intOrNil(),
      repRange: try row.intOrNil(), durationSeconds: try row.intOrNil(),
      rpe: try row.doubleOrNil(), restSeconds: try row.intOrNil())
    let actual = Actual(
      weight: try row.doubleOrNil(), reps: try row.intOrNil(),
      durationSeconds: try row.intOrNil(), distance: try row.doubleOrNil(), rpe: try row.doubleOrNil(),
      restSeconds: try row.intOrNil())
    let isCompleted = try row.bool()
    let completedAt = try row.dateOrNil()
    let note = try row.textOrNil()
    self.id = id
    self.type = type
    self.weightUnit = weightUnit
    self.distanceUnit = distanceUnit
    self.suggested = suggested
    self.actual = actual
    self.isCompleted = isCompleted
    self.completedAt = completedAt
    self.note = note
  }
}

/// A row of `exercise_sets`: the set and its place.
struct SetRow: StoredRecord, Hashable {
  static let table = "exercise_sets"
  static let columns = ExerciseSet.loadedColumns + ["exercise_id", "position"]
  var set: ExerciseSet
  var exerciseID: UUID
  var position: Int64

  init(_ set: ExerciseSet, in exerciseID: UUID, at position: Int64) {
    self.set = set
    self.set.completedAt = set.completedAt.map(DateCodec.rounded)
    self.exerciseID = exerciseID
    self.position = position
  }

  init(row: inout StoredRow) throws {
    set = try ExerciseSet(loading: &row)
    exerciseID = try row.id()
    position = try row.int64()
  }

  func encode(into values: inout Values) throws {
    try values.id(set.id)
    try values.text(set.type.rawValue)
    try values.text(set.weightUnit?.rawValue)
    try values.text(set.distanceUnit?.rawValue)
    try values.finite(set.suggested.weight)
    try values.int(set.suggested.reps)
    try values.int(set.suggested.repRange)
    try values.int(set.suggested.durationSeconds)
    try values.finite(set.suggested.rpe)
    try values.int(set.suggested.restSeconds)
    try values.finite(set.actual.weight)
    try values.int(set.actual.reps)
    try values.int(set.actual.durationSeconds)
    try values.finite(set.actual.distance)
    try values.finite(set.actual.rpe)
    try values.int(set.actual.restSeconds)
    try values.bool(set.isCompleted)
    try values.date(set.completedAt)
    try values.text(set.note)
    try values.id(exerciseID)
    try values.int64(position)
  }
}
