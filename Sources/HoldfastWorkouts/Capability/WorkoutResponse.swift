public import Foundation
public import Holdfast

/// What the log answers to the app's core. `Codable` in JSON as `WorkoutOperation` is.
public enum WorkoutResponse: Sendable, Hashable, Codable {
  /// The workout with this id is stored.
  case workoutSaved(UUID)
  /// In the order that the operation promises. `next` is for the next page; nil: there is nothing more.
  case workoutsLoaded([Workout], next: PageKey? = nil)
  /// Nil: there is none.
  case workoutLoaded(Workout?)
  /// There is no workout with this id; `existed` says whether there was one before.
  case workoutDeleted(UUID, existed: Bool)
  /// The workout in progress as it stands now; nil: there is none.
  case currentWorkoutLoaded(WorkoutInProgress?)
  /// By name.
  case templatesLoaded([WorkoutTemplate], next: PageKey? = nil)
  /// Nil: there is none.
  case templateLoaded(WorkoutTemplate?)
  /// As `workoutDeleted`.
  case templateDeleted(UUID, existed: Bool)
  /// By name.
  case customExercisesLoaded([CustomExercise], next: PageKey? = nil)
  /// Nil: there is none.
  case customExerciseLoaded(CustomExercise?)
  /// As `workoutDeleted`.
  case customExerciseDeleted(UUID, existed: Bool)
  /// By name.
  case exerciseNamesLoaded([ExerciseName], next: PageKey? = nil)
  /// Newest first.
  case historyLoaded([PerformedExercise], next: PageKey? = nil)
  /// By name.
  case recordsLoaded([ExerciseRecords])
  /// Oldest first; the next page is what was before.
  case progressLoaded([ProgressPoint], next: PageKey? = nil)
  /// Oldest first.
  case volumeByWorkoutLoaded([WorkoutVolume])
  /// The greatest first.
  case volumeByExerciseLoaded([ExerciseVolume])
  /// The greatest first.
  case volumeByBodyPartLoaded([BodyPartVolume])
  /// Oldest first.
  case volumeByWeekLoaded([WeekVolume])
  /// The log in numbers.
  case totalsLoaded(TrainingTotals)
  /// Nothing was changed.
  case error(Failure)

  /// What went wrong.
  public struct Failure: Sendable, Hashable {
    /// The raw value of a `StoreError.Code`, to switch on.
    public var code: String
    /// What happened, in one sentence.
    public var message: String
    /// What to do; nil where there is nothing.
    public var suggestion: String?

    /// Says what and what to do.
    public init(code: String, message: String, suggestion: String?) {
      self.code = code
      self.message = message
      self.suggestion = suggestion
    }

    init(_ error: any Error) {
      let error = StoreError(error)
      self.init(code: error.code.rawValue, message: error.message, suggestion: error.recoverySuggestion)
    }
  }

  /// - Throws: `StoreError`, code `.invalidSource`, that says what is wrong and where.
  public init(from decoder: any Decoder) throws { self = try JSONTree(from: decoder).read { try WorkoutResponse(&$0) } }
  /// - Throws: `StoreError`, code `.invalidValue`, for a number or a date that JSON has no word for.
  public func encode(to encoder: any Encoder) throws { try JSONTree { write(into: &$0) }.encode(to: encoder) }

  /// As bytes for the core; an `error` where JSON has no word for something.
  var json: Data {
    var text = JSONText()
    write(into: &text)
    if let problem = text.problem { return WorkoutResponse.error(Failure(problem)).json }
    return Data(text.bytes)
  }

  func write(into text: inout JSONText) {
    switch self {
    case .workoutSaved(let id): text.variant("workoutSaved") { $0.value(id) }
    case .workoutsLoaded(let items, let next): text.page("workoutsLoaded", items, next) { CoreJSON.write($1, into: &$0) }
    case .workoutLoaded(let item): text.variant("workoutLoaded", orNull: item) { CoreJSON.write($1, into: &$0) }
    case .workoutDeleted(let id, let existed): text.deleted("workoutDeleted", id, existed)
    case .currentWorkoutLoaded(let item): text.variant("currentWorkoutLoaded", orNull: item) { CoreJSON.write($1, into: &$0) }
    case .templatesLoaded(let items, let next): text.page("templatesLoaded", items, next) { CoreJSON.write($1, into: &$0) }
    case .templateLoaded(let item): text.variant("templateLoaded", orNull: item) { CoreJSON.write($1, into: &$0) }
    case .templateDeleted(let id, let existed): text.deleted("templateDeleted", id, existed)
    case .customExercisesLoaded(let items, let next): text.page("customExercisesLoaded", items, next) { CoreJSON.write($1, into: &$0) }
    case .customExerciseLoaded(let item): text.variant("customExerciseLoaded", orNull: item) { CoreJSON.write($1, into: &$0) }
    case .customExerciseDeleted(let id, let existed): text.deleted("customExerciseDeleted", id, existed)
    case .exerciseNamesLoaded(let items, let next): text.page("exerciseNamesLoaded", items, next) { CoreJSON.write($1, into: &$0) }
    case .historyLoaded(let items, let next): text.page("historyLoaded", items, next) { CoreJSON.write($1, into: &$0) }
    case .recordsLoaded(let records): text.variant("recordsLoaded") { $0.value(coded: records) }
    case .progressLoaded(let items, let next): text.page("progressLoaded", items, next) { $0.value(coded: $1) }
    case .volumeByWorkoutLoaded(let volumes): text.variant("volumeByWorkoutLoaded") { $0.value(coded: volumes) }
    case .volumeByExerciseLoaded(let volumes): text.variant("volumeByExerciseLoaded") { $0.value(coded: volumes) }
    case .volumeByBodyPartLoaded(let volumes): text.variant("volumeByBodyPartLoaded") { $0.value(coded: volumes) }
    case .volumeByWeekLoaded(let volumes): text.variant("volumeByWeekLoaded") { $0.value(coded: volumes) }
    case .totalsLoaded(let totals): text.variant("totalsLoaded") { $0.value(coded: totals) }
    case .error(let failure):
      text.variant("error", .init("code", failure.code), .init("message", failure.message), .init("suggestion", failure.suggestion))
    }
  }
}

extension JSONText {
  fileprivate mutating func variant<Item>(_ name: StaticString, orNull item: Item?, _ write: (inout JSONText, Item) -> Void) {
    variant(name) { text in
      if let item { write(&text, item) } else { text.null() }
    }
  }

  fileprivate mutating func page<Item>(
    _ name: StaticString, _ items: [Item], _ next: PageKey?, _ write: (inout JSONText, Item) -> Void
  ) {
    variant(name) { text in
      text.object { text in
        text.key("items")
        text.array(items, write)
        text.key("next")
        text.value(next)
      }
    }
  }

  fileprivate mutating func deleted(_ name: StaticString, _ id: UUID, _ existed: Bool) {
    variant(name, .init("id", id), .init("existed") { $0.value(existed) })
  }
}
