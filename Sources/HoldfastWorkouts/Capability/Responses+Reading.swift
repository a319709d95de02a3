import Foundation
import Holdfast
import HoldfastTransfer

// Responses and what they hold beside workouts, as a shell's tests read them back.

extension WorkoutResponse {
  init(_ scanner: inout JSONScanner) throws {
    self = try scanner.variant(of: "response") { try Self.value(of: $0, &$1) ?? Self.statistics(of: $0, &$1) }
  }

  private static func value(of name: String, _ value: inout JSONScanner) throws -> WorkoutResponse? {
    switch name {
    case "workoutSaved": return .workoutSaved(try value.id())
    case "workoutsLoaded":
      let (items, next) = try value.page { try CoreWorkout(&$0).workout }
      return .workoutsLoaded(items, next: next)
    case "workoutLoaded": return .workoutLoaded(try value.null() ? nil : CoreWorkout(&value).workout)
    case "workoutDeleted":
      let (id, existed) = try value.deleted()
      return .workoutDeleted(id, existed: existed)
    case "currentWorkoutLoaded": return .currentWorkoutLoaded(try value.null() ? nil : WorkoutInProgress(core: &value))
    case "templatesLoaded":
      let (items, next) = try value.page { try CoreTemplate(&$0).template }
      return .templatesLoaded(items, next: next)
    case "templateLoaded": return .templateLoaded(try value.null() ? nil : CoreTemplate(&value).template)
    case "templateDeleted":
      let (id, existed) = try value.deleted()
      return .templateDeleted(id, existed: existed)
    case "customExercisesLoaded":
      let (items, next) = try value.page { try CustomExercise(core: &$0) }
      return .customExercisesLoaded(items, next: next)
    case "customExerciseLoaded": return .customExerciseLoaded(try value.null() ? nil : CustomExercise(core: &value))
    case "customExerciseDeleted":
      let (id, existed) = try value.deleted()
      return .customExerciseDeleted(id, existed: existed)
    case "exerciseNamesLoaded":
      let (items, next) = try value.page { try ExerciseName(core: &$0) }
      return .exerciseNamesLoaded(items, next: next)
    case "historyLoaded":
      let (items, next) = try value.page { try PerformedExercise(core: &$0) }
      return .historyLoaded(items, next: next)
    case "progressLoaded":
      let (items, next) = try value.page { try $0.coded(ProgressPoint.self) }
      return .progressLoaded(items, next: next)
    case "error":
      var failure = Failure(code: "", message: "", suggestion: nil)
      try value.members(["code", "message", "suggestion"], required: 3) { fields, number, value in
        switch number {
        case 0: failure.code = try fields.text("code", &value)
        case 1: failure.message = try fields.text("message", &value)
        default: failure.suggestion = try fields.textOrNil("suggestion", &value)
        }
      }
      return .error(failure)
    default: return nil
    }
  }

  private static func statistics(of name: String, _ value: inout JSONScanner) throws -> WorkoutResponse? {
    switch name {
    case "recordsLoaded": .recordsLoaded(try value.coded([ExerciseRecords].self))
    case "volumeByWorkoutLoaded": .volumeByWorkoutLoaded(try value.coded([WorkoutVolume].self))
    case "volumeByExerciseLoaded": .volumeByExerciseLoaded(try value.coded([ExerciseVolume].self))
    case "volumeByBodyPartLoaded": .volumeByBodyPartLoaded(try value.coded([BodyPartVolume].self))
    case "volumeByWeekLoaded": .volumeByWeekLoaded(try value.coded([WeekVolume].self))
    case "totalsLoaded": .totalsLoaded(try value.coded(TrainingTotals.self))
    default: nil
    }
  }
}

extension JSONScanner {
  fileprivate mutating func page<Item>(_ read: (inout JSONScanner) throws -> Item) throws -> ([Item], next: PageKey?) {
    var (items, next): ([Item], PageKey?) = ([], nil)
    try members(["items", "next"], required: 2) { _, number, value in
      if number == 0 { items = try value.list(read) } else { next = try value.null() ? nil : value.pageKey() }
    }
    return (items, next)
  }

  fileprivate mutating func deleted() throws -> (UUID, existed: Bool) {
    var (id, existed) = (UUID.zero, false)
    try members(["id", "existed"], required: 2) { fields, number, value in
      if number == 0 { id = try fields.id("id", &value)?.value ?? .zero } else { existed = try fields.bool("existed", &value) }
    }
    return (id, existed)
  }
}

extension CustomExercise {
  init(core scanner: inout JSONScanner) throws {
    self.init(id: .zero, name: "")
    let keys: [StaticString] = ["id", "name", "type", "body_part", "weight_unit", "image_name", "foreign_key"]
    try scanner.members(keys, required: 7) { fields, number, value in
      switch number {
      case 0: id = try fields.id("id", &value)?.value ?? .zero
      case 1: name = try fields.text("name", &value)
      case 2: type = ExerciseType(rawValue: try fields.text("type", &value))
      case 3: bodyPart = try CoreWorkout.bodyPart(&value)
      case 4: weightUnit = try fields.textOrNil("weight_unit", &value).map(WeightUnit.init(rawValue:))
      case 5: imageName = try fields.textOrNil("image_name", &value)
      default: foreignKey = try fields.textOrNil("foreign_key", &value)
      }
    }
  }
}

extension ExerciseName {
  init(core scanner: inout JSONScanner) throws {
    self.init(id: "", name: "")
    let keys: [StaticString] = ["id", "name", "type", "body_part", "weight_unit", "uses", "last_used_at", "custom_exercise_id"]
    try scanner.members(keys, required: 8) { fields, number, value in
      switch number {
      case 0: id = try fields.text("id", &value)
      case 1: name = try fields.text("name", &value)
      case 2: type = ExerciseType(rawValue: try fields.text("type", &value))
      case 3: bodyPart = try CoreWorkout.bodyPart(&value)
      case 4: weightUnit = try fields.textOrNil("weight_unit", &value).map(WeightUnit.init(rawValue:))
      case 5: uses = Int(clamping: try fields.int64("uses", &value))
      case 6: lastUsedAt = try fields.dateOrNil("last_used_at", &value)?.value
      default: customExerciseID = try fields.idOrNil("custom_exercise_id", &value)?.value
      }
    }
  }
}

extension WorkoutInProgress {
  init(core scanner: inout JSONScanner) throws {
    var workout: Workout?
    var timer = TrainingTimer(lastActiveAt: Date(timeIntervalSince1970: 0))
    let keys: [StaticString] = ["workout", "trained_milliseconds", "last_active_at", "is_paused", "idle_limit"]
    try scanner.members(keys, required: 5) { fields, number, value in
      switch number {
      case 0: workout = try CoreWorkout(&value).workout
      case 1: timer.trainedMilliseconds = try fields.int64("trained_milliseconds", &value)
      case 2: timer.lastActiveAt = try fields.date("last_active_at", &value)?.value ?? timer.lastActiveAt
      case 3: timer.isPaused = try fields.bool("is_paused", &value)
      default: timer.idleLimitSeconds = Int(clamping: try fields.int64("idle_limit", &value))
      }
    }
    guard let workout else { throw StoreError(.invalidSource, "there is no workout in it") }
    self.init(workout: workout, timer: timer)
  }
}

extension WorkoutTemplate {
  init(core scanner: inout JSONScanner, _ unsaid: inout [UUID: CoreWorkout.Unsaid]) throws {
    self.init(id: .zero, name: "")
    var left = unsaid
    try scanner.members(["id", "name", "note", "exercises"], required: 4) { fields, number, value in
      switch number {
      case 0: id = try fields.id("id", &value)?.value ?? .zero
      case 1: name = try fields.text("name", &value)
      case 2: note = try fields.textOrNil("note", &value)
      default: exercises = try value.list { try CoreWorkout.exercise(&$0, &left) }
      }
    }
    unsaid = left
  }
}

extension PerformedExercise {
  init(core scanner: inout JSONScanner) throws {
    self.init(workoutID: .zero, workoutName: "", startedAt: Date(timeIntervalSince1970: 0), exercise: Exercise(id: .zero, name: ""))
    try scanner.members(["workout_id", "workout_name", "start_timestamp", "exercise"], required: 4) { fields, number, value in
      switch number {
      case 0: workoutID = try fields.id("workout_id", &value)?.value ?? .zero
      case 1: workoutName = try fields.text("workout_name", &value)
      case 2: startedAt = try fields.date("start_timestamp", &value)?.value ?? startedAt
      default: exercise = try CoreWorkout.exercise(&value)
      }
    }
  }
}
