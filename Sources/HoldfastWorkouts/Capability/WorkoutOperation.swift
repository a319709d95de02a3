public import Foundation
public import Holdfast

/// What the app's core can ask of the log. `Decodable` from JSON as serde writes enums: the name alone, or an object with the name as
/// its only key; `Documentation/WorkoutCapability.md` has each.
///
/// Each is one verb of `WorkoutLog`, whose page says what it does and when it fails.
public enum WorkoutOperation: Sendable, Hashable, Decodable {
  /// Stores a workout in the place of the one with its id; a new one counts as finished. Answered by `workoutSaved`.
  case saveWorkout(CoreWorkout)
  /// Finished workouts, newest first; without a limit all of them. Answered by `workoutsLoaded`.
  case loadAllWorkouts(after: PageKey? = nil, limit: Int? = nil)
  /// One workout, finished or in progress. Answered by `workoutLoaded`.
  case loadWorkoutById(UUID)
  /// Deletes one with everything in it. Answered by `workoutDeleted`.
  case deleteWorkout(UUID)
  /// The newest finished workouts in which every word is found. Answered by `workoutsLoaded`.
  case searchWorkouts(String, after: PageKey? = nil, limit: Int = 50)

  // The workout in progress. All but `finishWorkout` are answered by `currentWorkoutLoaded`, as it stands then.

  /// The workout in progress, if there is one.
  case loadCurrentWorkout
  /// Starts an empty workout.
  case startWorkout(named: String, idleLimitSeconds: Int = 900)
  /// Starts what a template plans.
  case startFromTemplate(UUID, idleLimitSeconds: Int = 900)
  /// Starts what was done in a finished workout.
  case repeatWorkout(UUID, idleLimitSeconds: Int = 900)
  /// Completes a set now, with what was done; nil: as it was entered, or else planned.
  case logSet(UUID, CoreActual?)
  /// Adds a completed set at the end of an exercise.
  case logNewSet(
    in: UUID, ExerciseSet.Actual, type: SetType = .working, weightUnit: WeightUnit? = nil, distanceUnit: DistanceUnit? = nil)
  /// Says that it is being trained.
  case touchWorkout
  /// Its clock stands still until it is resumed.
  case pauseWorkout
  /// Its clock goes on.
  case resumeWorkout
  /// Answered by `workoutLoaded`: from now on it is one of the finished ones.
  case finishWorkout(droppingEmptySets: Bool = false)
  /// Deletes it. Answered by `currentWorkoutLoaded` with nil.
  case discardWorkout

  // Edits of any workout or template, by id, answered by that which was changed: `workoutLoaded`, `currentWorkoutLoaded` where it is
  // in progress, or `templateLoaded`.

  /// Another name.
  case renameWorkout(UUID, to: String)
  /// Another note; nil is none.
  case writeNote(String?, of: UUID)
  /// Adds an exercise before another, or at the end; `to` nil: of the workout in progress.
  case addExercise(Exercise, to: UUID? = nil, before: UUID? = nil)
  /// Makes the stored exercise equal to this one; its place and its sets stay.
  case updateExercise(Exercise)
  /// Removes it with its sets.
  case removeExercise(UUID)
  /// Puts it before another of its workout; nil: at the end.
  case moveExercise(UUID, before: UUID?)
  /// Adds a set before another, or at the end.
  case addSet(ExerciseSet, to: UUID, before: UUID? = nil)
  /// Makes the stored set equal to this one; its place stays.
  case updateSet(CoreSet)
  /// Removes it.
  case removeSet(UUID)
  /// Puts it before another of its exercise; nil: at the end.
  case moveSet(UUID, before: UUID?)
  /// Takes back that it was completed.
  case reopenSet(UUID)
  /// Makes a superset of two exercises or more of one workout.
  case makeSuperset([UUID])
  /// Undoes the superset that an exercise is in.
  case clearSuperset(of: UUID)

  /// Templates by name; without a limit all of them. Answered by `templatesLoaded`.
  case loadTemplates(after: PageKey? = nil, limit: Int? = nil)
  /// One template. Answered by `templateLoaded`.
  case loadTemplateById(UUID)
  /// Stores a template in the place of the one with its id. Answered by `templateLoaded`.
  case saveTemplate(CoreTemplate)
  /// Makes a template of a workout. Answered by `templateLoaded`.
  case makeTemplate(from: UUID, named: String)
  /// Answered by `templateDeleted`.
  case deleteTemplate(UUID)

  /// Exercises that people added, by name; without a limit all of them. Answered by `customExercisesLoaded`.
  case loadCustomExercises(after: PageKey? = nil, limit: Int? = nil)
  /// One of them. Answered by `customExerciseLoaded`, as are the next two.
  case loadCustomExerciseById(UUID)
  /// Adds one, or changes the one with its id.
  case saveCustomExercise(CustomExercise)
  /// Another name, in every workout and template too where `inHistory` says so.
  case renameCustomExercise(UUID, to: String, inHistory: Bool)
  /// Answered by `customExerciseDeleted`.
  case deleteCustomExercise(UUID)
  /// What can be chosen for a workout, by name. Answered by `exerciseNamesLoaded`.
  case loadExerciseNames(matching: String = "", after: PageKey? = nil, limit: Int = 100)

  // Statistics. A unit is kilograms or pounds.

  /// The newest times of an exercise. Answered by `historyLoaded`.
  case loadHistory(ofExercise: String, after: PageKey? = nil, limit: Int = 50)
  /// The records of one exercise; nil: of every exercise. Answered by `recordsLoaded`.
  case loadRecords(ofExercise: String? = nil, unit: WeightUnit = .pounds, formula: OneRepMax = .epley)
  /// How an exercise went, for a chart: the newest points; without a limit all of them. Answered by `progressLoaded`.
  case loadProgress(
    ofExercise: String, after: PageKey? = nil, limit: Int? = nil, unit: WeightUnit = .pounds, formula: OneRepMax = .epley)
  /// Answered by `volumeByWorkoutLoaded`.
  case loadVolumeByWorkout(during: Range<Date>? = nil, unit: WeightUnit = .pounds)
  /// Answered by `volumeByExerciseLoaded`.
  case loadVolumeByExercise(during: Range<Date>? = nil, unit: WeightUnit = .pounds)
  /// Answered by `volumeByBodyPartLoaded`.
  case loadVolumeByBodyPart(during: Range<Date>? = nil, unit: WeightUnit = .pounds)
  /// The last weeks. A time zone of nil is the machine's. Answered by `volumeByWeekLoaded`.
  case loadVolumeByWeek(limit: Int, unit: WeightUnit = .pounds, timeZone: TimeZone? = nil)
  /// The log in numbers; `asOf` nil is now. Answered by `totalsLoaded`.
  case loadTotals(asOf: Date? = nil, unit: WeightUnit = .pounds, timeZone: TimeZone? = nil)

  /// - Throws: `StoreError`, code `.invalidSource`, that says what is wrong and where; `.misuse` for an operation that there is not.
  public init(from decoder: any Decoder) throws { try self.init(json: Data(JSONValue(from: decoder).canonicalText().utf8)) }

  /// - Throws: as `init(from:)`.
  init(json request: Data) throws {
    var scanner = JSONScanner(JSONDocument(request))
    do {
      self = try WorkoutOperation(&scanner)
      try scanner.finish()
    } catch {
      throw StoreError.invalidJSON(error)
    }
  }
}
