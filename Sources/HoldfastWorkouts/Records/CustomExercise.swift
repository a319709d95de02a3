public import Foundation
public import Holdfast

/// An exercise that people added to choose from. Its first use in a workout copies its fields; see `Exercise.init(id:from:sets:)`.
public struct CustomExercise: Sendable, Hashable, Identifiable {
  /// Unique in the log.
  public var id: UUID
  /// Unique among custom exercises, ignoring case and accents.
  public var name: String
  /// The equipment.
  public var type: ExerciseType
  /// What the exercise trains; nil when not given.
  public var bodyPart: BodyPart?
  /// The unit of its sets; nil means pounds.
  public var weightUnit: WeightUnit?
  /// The picture that the app shows; nil for none.
  public var imageName: String?
  /// The exercise's id in another catalogue; nil when it is in none.
  public var foreignKey: String?

  /// An exercise that is not stored yet.
  public init(
    id: UUID, name: String, type: ExerciseType = .unknown, bodyPart: BodyPart? = nil, weightUnit: WeightUnit? = nil,
    imageName: String? = nil, foreignKey: String? = nil
  ) {
    self.id = id
    self.name = name
    self.type = type
    self.bodyPart = bodyPart
    self.weightUnit = weightUnit
    self.imageName = imageName
    self.foreignKey = foreignKey
  }
}

struct CustomExerciseRow: StoredRecord, Hashable {
  static let table = "custom_exercises"
  static let columns = [
    "id", "name", "type", "body_part", "body_part_detailed", "body_part_scientific", "weight_unit", "image_name", "foreign_key", "name_key",
  ]
  var exercise: CustomExercise

  init(_ exercise: CustomExercise) { self.exercise = exercise }

  init(row: inout StoredRow) throws {
    exercise = CustomExercise(
      id: try row.id(), name: try row.text(), type: ExerciseType(rawValue: try row.text()), bodyPart: try row.bodyPartOrNil(),
      weightUnit: try row.textOrNil().map(WeightUnit.init(rawValue:)), imageName: try row.textOrNil(), foreignKey: try row.textOrNil())
    // Derived from the name. Read only to reach the end of the row.
    _ = try row.text()
  }

  func encode(into values: inout Values) throws {
    try values.id(exercise.id)
    try values.text(exercise.name)
    try values.text(exercise.type.rawValue)
    try values.text(exercise.bodyPart?.main.rawValue)
    try values.texts(exercise.bodyPart?.detailed)
    try values.texts(exercise.bodyPart?.scientific)
    try values.text(exercise.weightUnit?.rawValue)
    try values.text(exercise.imageName)
    try values.text(exercise.foreignKey)
    try values.text(SortText.folded(exercise.name))
  }
}
