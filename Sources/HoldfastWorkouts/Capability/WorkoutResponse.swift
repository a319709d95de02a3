public import Foundation
public import Holdfast

/// The log's answer to the app's core. `Encodable` as the JSON that the core reads.
public enum WorkoutResponse: Sendable, Hashable, Encodable {
  /// The workout with this id was stored.
  case workoutSaved(UUID)
  /// Workouts in the order that the operation promises. `next` is the key of the next page; nil on the last page.
  case workoutsLoaded([Workout], next: PageKey? = nil)
  /// The workout; nil when there is none.
  case workoutLoaded(Workout?)
  /// The workout with this id is deleted; `existed` says whether there was one.
  case workoutDeleted(UUID, existed: Bool)
  /// The workout in progress; nil when there is none.
  case currentWorkoutLoaded(WorkoutInProgress?)
  /// Templates by name.
  case templatesLoaded([WorkoutTemplate], next: PageKey? = nil)
  /// The template; nil when there is none.
  case templateLoaded(WorkoutTemplate?)
  /// As `workoutDeleted`.
  case templateDeleted(UUID, existed: Bool)
  /// Custom exercises by name.
  case customExercisesLoaded([CustomExercise], next: PageKey? = nil)
  /// The custom exercise; nil when there is none.
  case customExerciseLoaded(CustomExercise?)
  /// As `workoutDeleted`.
  case customExerciseDeleted(UUID, existed: Bool)
  /// Names of exercises by name.
  case exerciseNamesLoaded([ExerciseName], next: PageKey? = nil)
  /// An exercise in workouts, newest first.
  case historyLoaded([PerformedExercise], next: PageKey? = nil)
  /// Records by exercise name.
  case recordsLoaded([ExerciseRecords])
  /// Points, oldest first; the next page has the points before them.
  case progressLoaded([ProgressPoint], next: PageKey? = nil)
  /// Workouts, oldest first.
  case volumeByWorkoutLoaded([WorkoutVolume])
  /// Exercises, the greatest volume first.
  case volumeByExerciseLoaded([ExerciseVolume])
  /// Body parts, the greatest volume first.
  case volumeByBodyPartLoaded([BodyPartVolume])
  /// Weeks, oldest first.
  case volumeByWeekLoaded([WeekVolume])
  /// The totals of the log.
  case totalsLoaded(TrainingTotals)
  /// The operation failed, and nothing was changed.
  case error(Failure)

  /// An error for the core.
  public struct Failure: Sendable, Hashable {
    /// The raw value of a `StoreError.Code`, to switch on.
    public var code: String
    /// What happened, in one sentence.
    public var message: String
    /// What to do; nil when there is no advice.
    public var suggestion: String?
  }

  /// - Throws: `StoreError`, code `.invalidValue`, for a number or a date that JSON cannot express.
  public func encode(to encoder: any Encoder) throws { try JSONText.tree(of: self).encode(to: encoder) }

  /// The bytes for the core; an `error` when JSON cannot express a value.
  var json: Data {
    do { return Data(try JSONText.bytes(of: self)) } catch { return WorkoutResponse.error(Failure(error)).json }
  }
}

extension WorkoutResponse: CoreWritten {
  func write(into text: inout JSONText) {
    switch self {
    case .workoutSaved(let id): text.variant("workoutSaved", id)
    case .workoutsLoaded(let items, let next): text.page("workoutsLoaded", items.map(CoreWorkout.init), next)
    case .workoutLoaded(let item): text.variant("workoutLoaded", item.map(CoreWorkout.init))
    case .workoutDeleted(let id, let existed): text.variant("workoutDeleted", ("id", id), ("existed", existed))
    case .currentWorkoutLoaded(let item): text.variant("currentWorkoutLoaded", item)
    case .templatesLoaded(let items, let next): text.page("templatesLoaded", items.map(CoreTemplate.init), next)
    case .templateLoaded(let item): text.variant("templateLoaded", item.map(CoreTemplate.init))
    case .templateDeleted(let id, let existed): text.variant("templateDeleted", ("id", id), ("existed", existed))
    case .customExercisesLoaded(let items, let next): text.page("customExercisesLoaded", items, next)
    case .customExerciseLoaded(let item): text.variant("customExerciseLoaded", item)
    case .customExerciseDeleted(let id, let existed): text.variant("customExerciseDeleted", ("id", id), ("existed", existed))
    case .exerciseNamesLoaded(let items, let next): text.page("exerciseNamesLoaded", items, next)
    case .historyLoaded(let items, let next): text.page("historyLoaded", items, next)
    case .recordsLoaded(let records): text.variant("recordsLoaded") { $0.coded(records) }
    case .progressLoaded(let items, let next): text.page("progressLoaded", next) { $0.coded(items) }
    case .volumeByWorkoutLoaded(let volumes): text.variant("volumeByWorkoutLoaded") { $0.coded(volumes) }
    case .volumeByExerciseLoaded(let volumes): text.variant("volumeByExerciseLoaded") { $0.coded(volumes) }
    case .volumeByBodyPartLoaded(let volumes): text.variant("volumeByBodyPartLoaded") { $0.coded(volumes) }
    case .volumeByWeekLoaded(let volumes): text.variant("volumeByWeekLoaded") { $0.coded(volumes) }
    case .totalsLoaded(let totals): text.variant("totalsLoaded") { $0.coded(totals) }
    case .error(let failure): text.variant("error", failure)
    }
  }
}

extension WorkoutResponse.Failure {
  init(_ error: any Error) {
    let error = StoreError(error)
    self.init(code: error.code.rawValue, message: error.message, suggestion: error.recoverySuggestion)
  }
}

extension JSONText {
  fileprivate mutating func page(_ name: String, _ items: [some CoreWritten], _ next: PageKey?) {
    page(name, next) { $0.array(items) }
  }

  fileprivate mutating func page(_ name: String, _ next: PageKey?, _ items: (inout JSONText) -> Void) {
    variant(name) { text in
      text.object { text in
        text.key("items")
        items(&text)
        text.key("next")
        next.write(into: &text)
      }
    }
  }
}
