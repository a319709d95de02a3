import Foundation
import Holdfast
import HoldfastTransfer

@testable import HoldfastWorkouts

/// An answer read back, as a core written with serde reads it.
extension WorkoutResponse {
  init(answer: Data) throws {
    var scanner = JSONScanner(JSONDocument(answer))
    self = try scanner.variant(of: "response") { try Self.items(of: $0, &$1) ?? Self.one(of: $0, &$1) ?? Self.statistics(of: $0, &$1) }
    try scanner.finish()
  }

  private static func items(of name: String, _ value: inout JSONScanner) throws -> WorkoutResponse? {
    func page<Item: CoreValue>(_ response: ([Item], PageKey?) -> WorkoutResponse) throws -> WorkoutResponse {
      let (items, next) = try value.page()
      return response(try items.core(), next)
    }
    switch name {
    case "workoutsLoaded": return try page { (items: [CoreWorkout], next) in .workoutsLoaded(items.map(\.workout), next: next) }
    case "templatesLoaded": return try page { (items: [CoreTemplate], next) in .templatesLoaded(items.map(\.template), next: next) }
    case "customExercisesLoaded": return try page { .customExercisesLoaded($0, next: $1) }
    case "exerciseNamesLoaded": return try page { .exerciseNamesLoaded($0, next: $1) }
    case "historyLoaded": return try page { .historyLoaded($0, next: $1) }
    case "progressLoaded":
      let (items, next) = try value.page()
      return .progressLoaded(try coded([ProgressPoint].self, items), next: next)
    default: return nil
    }
  }

  private static func one(of name: String, _ value: inout JSONScanner) throws -> WorkoutResponse? {
    func deleted(_ response: (UUID, Bool) -> WorkoutResponse) throws -> WorkoutResponse {
      let members = try value.members(2)
      return response(try members["id", default: .null].core(), try members["existed", default: .null].core())
    }
    switch name {
    case "workoutSaved": return .workoutSaved(try UUID(core: &value))
    case "workoutLoaded": return .workoutLoaded(try CoreWorkout?(core: &value)?.workout)
    case "workoutDeleted": return try deleted(workoutDeleted)
    case "currentWorkoutLoaded": return .currentWorkoutLoaded(try WorkoutInProgress?(core: &value))
    case "templateLoaded": return .templateLoaded(try CoreTemplate?(core: &value)?.template)
    case "templateDeleted": return try deleted(templateDeleted)
    case "customExerciseLoaded": return .customExerciseLoaded(try CustomExercise?(core: &value))
    case "customExerciseDeleted": return try deleted(customExerciseDeleted)
    case "error": return .error(try Failure(core: &value))
    default: return nil
    }
  }

  private static func statistics(of name: String, _ value: inout JSONScanner) throws -> WorkoutResponse? {
    switch name {
    case "recordsLoaded": .recordsLoaded(try coded([ExerciseRecords].self, value.value()))
    case "volumeByWorkoutLoaded": .volumeByWorkoutLoaded(try coded([WorkoutVolume].self, value.value()))
    case "volumeByExerciseLoaded": .volumeByExerciseLoaded(try coded([ExerciseVolume].self, value.value()))
    case "volumeByBodyPartLoaded": .volumeByBodyPartLoaded(try coded([BodyPartVolume].self, value.value()))
    case "volumeByWeekLoaded": .volumeByWeekLoaded(try coded([WeekVolume].self, value.value()))
    case "totalsLoaded": .totalsLoaded(try coded(TrainingTotals.self, value.value()))
    default: nil
    }
  }

  /// What Swift's coders wrote with the core's keys and dates.
  private static func coded<T: Decodable>(_ type: T.Type, _ tree: JSONValue) throws -> T {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .custom { path in
      let words = (path.last?.stringValue ?? "").split(separator: "_")
      return Key(stringValue: words.prefix(1).joined() + words.dropFirst().map { $0 == "id" ? "ID" : $0.capitalized }.joined())
    }
    decoder.dateDecodingStrategy = .custom { decoder in
      let text = try decoder.singleValueContainer().decode(String.self)
      if let date = Written(date: text)?.value { return date }
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "this is no date"))
    }
    return try decoder.decode(type, from: Data(tree.canonicalText().utf8))
  }

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

// The log only writes these objects.

extension WorkoutInProgress: CoreObject {
  static var blank: Self {
    Self(workout: CoreWorkout.blank.workout, timer: TrainingTimer(lastActiveAt: Date(timeIntervalSince1970: 0)))
  }
}

extension PerformedExercise: CoreObject {
  static var blank: Self {
    Self(workoutID: .zero, workoutName: "", startedAt: Date(timeIntervalSince1970: 0), exercise: CoreExercise.blank.exercise)
  }
}

extension ExerciseName: CoreObject {
  static var blank: Self { Self(id: "", name: "") }
}

extension WorkoutResponse.Failure: CoreObject {
  static var blank: Self { Self(code: "", message: "", suggestion: nil) }
}

extension JSONScanner {
  /// The members of an object that must have just `count`.
  fileprivate mutating func members(_ count: Int) throws -> [String: JSONValue] {
    guard case .object(let members) = try value(), members.count == count else { throw StoreError(.invalidSource, "not \(count) members") }
    return members
  }

  fileprivate mutating func page() throws -> (items: JSONValue, next: PageKey?) {
    let members = try members(2)
    return (members["items", default: .null], try members["next", default: .null].core())
  }
}
