import Foundation
import Holdfast
import HoldfastTransfer

// Every key of the core must be there: what is absent was not said, and taking it for null would delete it. A key that nobody
// knows is refused, because it would be lost. What a workout holds, its nesting says: ids of parents and `set_index` are not read.

extension CoreWorkout {
  private static let keys: [StaticString] = ["id", "name", "note", "duration", "start_timestamp", "end_timestamp", "exercises"]
  private static let exerciseKeys: [StaticString] = [
    "id", "superset_id", "name", "pinned_notes", "notes", "duration", "type", "weight_unit", "default_warm_up_time", "default_rest_time",
    "sets", "body_part", "workout_id",
  ]
  private static let partKeys: [StaticString] = ["main", "detailed", "scientific"]

  /// Reads the value at the scanner.
  ///
  /// - Throws: `.invalidSource` with the path of the object that is wrong; `JSONScanError` where it is not the JSON that should be there.
  init(_ scanner: inout JSONScanner) throws {
    var workout = Workout(id: .zero, name: "", startedAt: Date(timeIntervalSince1970: 0))
    var unsaid: [UUID: Unsaid] = [:]
    try scanner.members(Self.keys, required: 7) { fields, number, value in
      switch number {
      case 0: workout.id = try fields.id("id", &value)?.value ?? .zero
      case 1: workout.name = try fields.text("name", &value)
      case 2: workout.note = try fields.textOrNil("note", &value)
      case 3: workout.durationSeconds = try fields.intOrNil("duration", &value)
      case 4: workout.startedAt = try fields.date("start_timestamp", &value)?.value ?? workout.startedAt
      case 5: workout.endedAt = try fields.dateOrNil("end_timestamp", &value)?.value
      default: try value.array { _, element in workout.exercises.append(try Self.exercise(&element, &unsaid)) }
      }
    }
    self.workout = workout
    self.unsaid = unsaid
  }

  /// One whose sets say everything, or are not asked for.
  static func exercise(_ scanner: inout JSONScanner) throws -> Exercise {
    var unsaid: [UUID: Unsaid] = [:]
    return try exercise(&scanner, &unsaid)
  }

  static func exercise(_ scanner: inout JSONScanner, _ unsaid: inout [UUID: Unsaid]) throws -> Exercise {
    var exercise = Exercise(id: .zero, name: "")
    var left = unsaid
    try scanner.members(exerciseKeys, required: 12) { fields, number, value in
      switch number {
      case 0: exercise.id = try fields.id("id", &value)?.value ?? .zero
      case 1:
        let superset = try fields.intOrNil("superset_id", &value)
        exercise.superset = superset == 0 ? nil : superset
      case 2: exercise.name = try fields.text("name", &value)
      case 3: exercise.pinnedNotes = try value.texts()
      case 4: exercise.notes = try value.texts()
      case 5: exercise.durationSeconds = try fields.intOrNil("duration", &value)
      case 6: exercise.type = ExerciseType(rawValue: try fields.text("type", &value))
      case 7: exercise.weightUnit = try fields.textOrNil("weight_unit", &value).map(WeightUnit.init(rawValue:))
      case 8: exercise.warmUpRestSeconds = try fields.intOrNil("default_warm_up_time", &value)
      case 9: exercise.restSeconds = try fields.intOrNil("default_rest_time", &value)
      case 10:
        try value.array { _, element in
          let set = try CoreSet(&element)
          exercise.sets.append(set.set)
          if !set.unsaid.isEmpty { left[set.set.id] = set.unsaid }
        }
      case 11: exercise.bodyPart = try bodyPart(&value)
      default: try value.skip()
      }
    }
    unsaid = left
    return exercise
  }

  static func bodyPart(_ scanner: inout JSONScanner) throws -> BodyPart? {
    guard try !scanner.null() else { return nil }
    var part = BodyPart(.other)
    try scanner.members(partKeys, required: 3) { fields, number, value in
      switch number {
      case 0: part.main = BodyPart.Main(rawValue: try fields.text("main", &value))
      case 1: part.detailed = try value.null() ? nil : value.texts()
      default: part.scientific = try value.null() ? nil : value.texts()
      }
    }
    return part
  }
}

extension CoreSet {
  private static let keys: [StaticString] = [
    "id", "type", "weight_unit", "suggest", "actual", "is_completed", "distance_unit", "completed_at", "note", "exercise_id",
    "workout_id", "set_index",
  ]
  private static let suggestKeys: [StaticString] = ["weight", "reps", "rep_range", "duration", "rpe", "rest_time"]

  /// - Throws: as a workout.
  init(_ scanner: inout JSONScanner) throws {
    var set = ExerciseSet(id: .zero)
    var left: CoreWorkout.Unsaid = [.distance, .distanceUnit, .completedAt, .note]
    try scanner.members(Self.keys, required: 6) { fields, number, value in
      switch number {
      case 0: set.id = try fields.id("id", &value)?.value ?? .zero
      case 1: set.type = SetType(rawValue: try fields.text("type", &value))
      case 2: set.weightUnit = try fields.textOrNil("weight_unit", &value).map(WeightUnit.init(rawValue:))
      case 3: set.suggested = try Self.suggested(&value)
      case 4:
        let sent = try CoreActual(&value)
        set.actual = sent.actual
        if sent.saysDistance { left.remove(.distance) }
      case 5: set.isCompleted = try fields.bool("is_completed", &value)
      case 6:
        set.distanceUnit = try fields.textOrNil("distance_unit", &value).map(DistanceUnit.init(rawValue:))
        left.remove(.distanceUnit)
      case 7:
        set.completedAt = try fields.dateOrNil("completed_at", &value)?.value
        left.remove(.completedAt)
      case 8:
        set.note = try fields.textOrNil("note", &value)
        left.remove(.note)
      default: try value.skip()
      }
    }
    self.set = set
    unsaid = left
  }

  private static func suggested(_ scanner: inout JSONScanner) throws -> ExerciseSet.Suggested {
    var suggested = ExerciseSet.Suggested()
    try scanner.members(suggestKeys, required: 6) { fields, number, value in
      switch number {
      case 0: suggested.weight = try fields.doubleOrNil("weight", &value)
      case 1: suggested.reps = try fields.intOrNil("reps", &value)
      case 2: suggested.repRange = try fields.intOrNil("rep_range", &value)
      case 3: suggested.durationSeconds = try fields.intOrNil("duration", &value)
      case 4: suggested.rpe = try fields.doubleOrNil("rpe", &value)
      default: suggested.restSeconds = try fields.intOrNil("rest_time", &value)
      }
    }
    return suggested
  }
}

extension CoreActual {
  private static let keys: [StaticString] = ["weight", "reps", "duration", "rpe", "actual_rest_time", "distance"]

  init(_ scanner: inout JSONScanner) throws {
    var actual = ExerciseSet.Actual()
    var saysDistance = false
    try scanner.members(Self.keys, required: 5) { fields, number, value in
      switch number {
      case 0: actual.weight = try fields.doubleOrNil("weight", &value)
      case 1: actual.reps = try fields.intOrNil("reps", &value)
      case 2: actual.durationSeconds = try fields.intOrNil("duration", &value)
      case 3: actual.rpe = try fields.doubleOrNil("rpe", &value)
      case 4: actual.restSeconds = try fields.intOrNil("actual_rest_time", &value)
      default:
        actual.distance = try fields.doubleOrNil("distance", &value)
        saysDistance = true
      }
    }
    (self.actual, self.saysDistance) = (actual, saysDistance)
  }
}

extension JSONScanner {
  /// Reads an object of which the first `required` keys must be there, and no others than `keys` may be.
  ///
  /// - Throws: `.invalidSource` that names the object by its path; what `read` throws.
  mutating func members(
    _ keys: [StaticString], required: Int, _ read: (inout JSONFields, Int, inout JSONScanner) throws -> Void
  ) throws {
    let (path, start) = (self.path, offset)
    var fields = JSONFields(keys: keys)
    try object { key, value in
      guard let number = fields.number(of: key) else { return fields.fail("there is no such key as \(key.string.prefix(60))") }
      try read(&fields, number, &value)
    }
    fields.requireFirst(required)
    guard let problem = fields.problem else { return }
    var error = StoreError(.invalidSource, "the object at \(path) cannot be read: \(problem)")
    error.offset = start
    throw error
  }

  mutating func list<Element>(_ read: (inout JSONScanner) throws -> Element) throws -> [Element] {
    var list: [Element] = []
    try array { _, element in list.append(try read(&element)) }
    return list
  }

  mutating func texts() throws -> [String] { try list { try $0.string() } }
}

extension JSONFields {
  mutating func intOrNil(_ key: String, _ value: inout JSONScanner) throws -> Int? {
    try int64OrNil(key, &value).map { Int(clamping: $0) }
  }
}
