import Foundation
import Holdfast

// The core does not know four fields of a set: distance and its unit, note, and time of completion. They are written for it
// anyway. When a set comes back without them, saving keeps the stored values.

/// A workout in the JSON of the app's core: `Codable`. `Documentation/WorkoutCapability.md` shows the format.
public struct CoreWorkout: Sendable, Hashable, Codable {
  /// The workout; a field of a set that was absent is nil.
  public var workout: Workout
  /// The absent fields of each set, by the set's id.
  var unsaid: [UUID: Unsaid] = [:]

  /// A workout with all fields: saving it changes every field.
  public init(_ workout: Workout) { self.workout = workout }

  /// - Throws: `StoreError`, code `.invalidSource`, with the problem and its place.
  public init(from decoder: any Decoder) throws { self = try JSONValue(from: decoder).core() }
  /// - Throws: `StoreError`, code `.invalidValue`, for a number or a date that JSON cannot express.
  public func encode(to encoder: any Encoder) throws { try JSONText.tree(of: self).encode(to: encoder) }

  /// The workout, with absent fields filled from the stored sets.
  func completed(in reader: Reader) throws -> Workout {
    var workout = workout
    try Unsaid.complete(&workout.exercises, unsaid, in: reader)
    return workout
  }

  /// The fields of a set that the core does not know.
  struct Unsaid: OptionSet, Hashable {
    let rawValue: Int
    static let distance = Unsaid(rawValue: 1)
    static let distanceUnit = Unsaid(rawValue: 2)
    static let completedAt = Unsaid(rawValue: 4)
    static let note = Unsaid(rawValue: 8)

    subscript(field: Unsaid) -> Bool {
      get { contains(field) }
      set { if newValue { insert(field) } else { remove(field) } }
    }
  }
}

/// A template in the core's JSON; its sets are as in `CoreWorkout`.
public struct CoreTemplate: Sendable, Hashable {
  /// The template; a field of a set that was absent is nil.
  public var template: WorkoutTemplate
  var unsaid: [UUID: CoreWorkout.Unsaid] = [:]

  /// A template with all fields: saving it changes every field.
  public init(_ template: WorkoutTemplate) { self.template = template }

  func completed(in reader: Reader) throws -> WorkoutTemplate {
    var template = template
    try CoreWorkout.Unsaid.complete(&template.exercises, unsaid, in: reader)
    return template
  }
}

/// An exercise with the id of its workout or template.
struct CoreExercise {
  var exercise: Exercise
  let workoutID: UUID?
  /// The absent fields of each set, by the set's id.
  var unsaid: [UUID: CoreWorkout.Unsaid]

  init(_ exercise: Exercise, of workoutID: UUID? = nil, without unsaid: [UUID: CoreWorkout.Unsaid] = [:]) {
    (self.exercise, self.workoutID, self.unsaid) = (exercise, workoutID, unsaid)
  }
}

/// A set in the core's JSON.
public struct CoreSet: Sendable, Hashable {
  /// The set; an absent field is nil.
  public var set: ExerciseSet
  var unsaid: CoreWorkout.Unsaid
  /// The set's place in its exercise, for the core to read; nil for a set alone.
  let index: Int?
  let exerciseID: UUID?
  let workoutID: UUID?

  /// A set with all fields.
  public init(_ set: ExerciseSet) { self.init(set, []) }

  init(_ set: ExerciseSet, _ unsaid: CoreWorkout.Unsaid, index: Int? = nil, exerciseID: UUID? = nil, workoutID: UUID? = nil) {
    (self.set, self.unsaid, self.index, self.exerciseID, self.workoutID) = (set, unsaid, index, exerciseID, workoutID)
  }

  func completed(in reader: Reader) throws -> ExerciseSet {
    try CoreWorkout.Unsaid.stored(of: [set.id: unsaid], in: reader)[set.id].map { set.taking(unsaid, from: $0) } ?? set
  }
}

/// The values of a performed set, in the core's JSON.
public struct CoreActual: Sendable, Hashable {
  /// The values; an absent distance is nil.
  public var actual: ExerciseSet.Actual
  var unsaid: CoreWorkout.Unsaid

  /// The values with all fields.
  public init(_ actual: ExerciseSet.Actual) { self.init(actual, []) }

  init(_ actual: ExerciseSet.Actual, _ unsaid: CoreWorkout.Unsaid) { (self.actual, self.unsaid) = (actual, unsaid) }

  /// The values, with the stored distance of this set if none was given.
  func completed(_ id: UUID, in reader: Reader) throws -> ExerciseSet.Actual {
    if unsaid.isEmpty { return actual }
    var actual = actual
    actual.distance = try CoreWorkout.Unsaid.stored(of: [id: .distance], in: reader)[id]?.actual.distance
    return actual
  }
}

extension CoreWorkout.Unsaid {
  fileprivate static func complete(_ exercises: inout [Exercise], _ unsaid: [UUID: Self], in reader: Reader) throws {
    let stored = try stored(of: unsaid, in: reader)
    guard !stored.isEmpty else { return }
    for exercise in exercises.indices {
      for index in exercises[exercise].sets.indices {
        let set = exercises[exercise].sets[index]
        guard let unsaid = unsaid[set.id], let stored = stored[set.id] else { continue }
        exercises[exercise].sets[index] = set.taking(unsaid, from: stored)
      }
    }
  }

  /// Stored sets, with only these four fields.
  fileprivate static func stored(of unsaid: [UUID: Self], in reader: Reader) throws -> [UUID: ExerciseSet] {
    let ids = unsaid.keys.filter { unsaid[$0]?.isEmpty == false }
    guard !ids.isEmpty else { return [:] }
    var sets: [UUID: ExerciseSet] = [:]
    try reader.rows(
      """
      SELECT id, actual_distance, distance_unit, completed_at, note FROM exercise_sets WHERE id IN \(ids)
      """, of: "exercise_sets"
    ) { row in
      var set = ExerciseSet(id: try row.id())
      set.actual.distance = try row.doubleOrNil()
      set.distanceUnit = try row.textOrNil().map(DistanceUnit.init(rawValue:))
      set.completedAt = try row.dateOrNil()
      set.note = try row.textOrNil()
      sets[set.id] = set
    }
    return sets
  }
}

extension ExerciseSet {
  fileprivate func taking(_ fields: CoreWorkout.Unsaid, from stored: ExerciseSet) -> ExerciseSet {
    var set = self
    if fields.contains(.distance) { set.actual.distance = stored.actual.distance }
    if fields.contains(.distanceUnit) { set.distanceUnit = stored.distanceUnit }
    if fields.contains(.note) { set.note = stored.note }
    // A set that is no longer completed keeps no time of completion.
    if fields.contains(.completedAt), isCompleted { set.completedAt = stored.completedAt }
    return set
  }
}
