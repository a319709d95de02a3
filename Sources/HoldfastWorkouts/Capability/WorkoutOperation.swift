public import Foundation
public import Holdfast

/// An operation that the app's core can ask for. `Decodable` from JSON in serde's form of enums: the name alone, or an object
/// with the name as its only key. `Documentation/WorkoutCapability.md` shows each.
///
/// Each operation is one verb of `WorkoutLog`; the verb's documentation gives its effect and its errors.
public enum WorkoutOperation: Sendable, Hashable, Decodable {
  /// Stores a workout, and replaces the one with its id; a new one counts as finished. Answered by `workoutSaved`.
  case saveWorkout(CoreWorkout)
  /// Finished workouts, newest first; without a limit all of them. Answered by `workoutsLoaded`.
  case loadAllWorkouts(after: PageKey? = nil, limit: Int? = nil)
  /// One workout, finished or in progress. Answered by `workoutLoaded`.
  case loadWorkoutById(UUID)
  /// Deletes a workout with its exercises and sets. Answered by `workoutDeleted`.
  case deleteWorkout(UUID)
  /// The newest finished workouts that contain every word. Answered by `workoutsLoaded`.
  case searchWorkouts(String, after: PageKey? = nil, limit: Int = 50)

  // The workout in progress. All but `finishWorkout` are answered by `currentWorkoutLoaded` with its new state.

  /// The workout in progress, if there is one.
  case loadCurrentWorkout
  /// Starts an empty workout.
  case startWorkout(named: String, idleLimitSeconds: Int = 900)
  /// Starts a workout with the exercises of a template.
  case startFromTemplate(UUID, idleLimitSeconds: Int = 900)
  /// Starts a workout with the exercises of a finished one.
  case repeatWorkout(UUID, idleLimitSeconds: Int = 900)
  /// Completes a set now with these values; nil keeps the entered ones, or else takes the planned ones.
  case logSet(UUID, CoreActual?)
  /// Adds a completed set at the end of an exercise.
  case logNewSet(
    in: UUID, ExerciseSet.Actual, type: SetType = .working, weightUnit: WeightUnit? = nil, distanceUnit: DistanceUnit? = nil)
  /// Notes that the person is training.
  case touchWorkout
  /// Stops the clock until the workout is resumed.
  case pauseWorkout
  /// Lets the clock go on.
  case resumeWorkout
  /// Finishes the workout in progress. Answered by `workoutLoaded`.
  case finishWorkout(droppingEmptySets: Bool = false)
  /// Deletes the workout in progress. Answered by `currentWorkoutLoaded` with nil.
  case discardWorkout

  // Edits of any workout or template, by id. The answer is the changed one: `workoutLoaded`, `currentWorkoutLoaded` if it is in
  // progress, or `templateLoaded`.

  /// Changes the name.
  case renameWorkout(UUID, to: String)
  /// Changes the note; nil removes it.
  case writeNote(String?, of: UUID)
  /// Adds an exercise before another, or at the end. `to` is the workout's id; nil for the workout in progress.
  case addExercise(Exercise, to: UUID? = nil, before: UUID? = nil)
  /// Makes the stored exercise equal to this one; its place and its sets stay.
  case updateExercise(Exercise)
  /// Removes an exercise with its sets.
  case removeExercise(UUID)
  /// Moves an exercise before another of its workout; nil: to the end.
  case moveExercise(UUID, before: UUID?)
  /// Adds a set before another, or at the end.
  case addSet(ExerciseSet, to: UUID, before: UUID? = nil)
  /// Makes the stored set equal to this one; its place stays.
  case updateSet(CoreSet)
  /// Removes a set.
  case removeSet(UUID)
  /// Moves a set before another of its exercise; nil: to the end.
  case moveSet(UUID, before: UUID?)
  /// Makes a completed set not completed.
  case reopenSet(UUID)
  /// Makes a superset of two or more exercises of one workout.
  case makeSuperset([UUID])
  /// Undoes the superset that an exercise is in.
  case clearSuperset(of: UUID)

  /// Templates by name; without a limit all of them. Answered by `templatesLoaded`.
  case loadTemplates(after: PageKey? = nil, limit: Int? = nil)
  /// One template. Answered by `templateLoaded`.
  case loadTemplateById(UUID)
  /// Stores a template, and replaces the one with its id. Answered by `templateLoaded`.
  case saveTemplate(CoreTemplate)
  /// Makes a template of a workout. Answered by `templateLoaded`.
  case makeTemplate(from: UUID, named: String)
  /// Deletes a template. Answered by `templateDeleted`.
  case deleteTemplate(UUID)

  /// Exercises that people added, by name; without a limit all of them. Answered by `customExercisesLoaded`.
  case loadCustomExercises(after: PageKey? = nil, limit: Int? = nil)
  /// One custom exercise. Answered by `customExerciseLoaded`, as are the next two operations.
  case loadCustomExerciseById(UUID)
  /// Adds a custom exercise, or changes the one with its id.
  case saveCustomExercise(CustomExercise)
  /// Renames a custom exercise, in every workout and template too if `inHistory` is true.
  case renameCustomExercise(UUID, to: String, inHistory: Bool)
  /// Deletes a custom exercise. Answered by `customExerciseDeleted`.
  case deleteCustomExercise(UUID)
  /// Names of exercises to choose for a workout, by name. Answered by `exerciseNamesLoaded`.
  case loadExerciseNames(matching: String = "", after: PageKey? = nil, limit: Int = 100)

  // Statistics. A unit is kilograms or pounds.

  /// The newest workouts with an exercise. Answered by `historyLoaded`.
  case loadHistory(ofExercise: String, after: PageKey? = nil, limit: Int = 50)
  /// The records of one exercise; nil for every exercise. Answered by `recordsLoaded`.
  case loadRecords(ofExercise: String? = nil, unit: WeightUnit = .pounds, formula: OneRepMax = .epley)
  /// The progress of an exercise, for a chart: the newest points; without a limit all of them. Answered by `progressLoaded`.
  case loadProgress(
    ofExercise: String, after: PageKey? = nil, limit: Int? = nil, unit: WeightUnit = .pounds, formula: OneRepMax = .epley)
  /// The volume of each workout. Answered by `volumeByWorkoutLoaded`.
  case loadVolumeByWorkout(during: Range<Date>? = nil, unit: WeightUnit = .pounds)
  /// The volume of each exercise. Answered by `volumeByExerciseLoaded`.
  case loadVolumeByExercise(during: Range<Date>? = nil, unit: WeightUnit = .pounds)
  /// The volume of each body part. Answered by `volumeByBodyPartLoaded`.
  case loadVolumeByBodyPart(during: Range<Date>? = nil, unit: WeightUnit = .pounds)
  /// The volume of the last weeks. A time zone of nil is the machine's. Answered by `volumeByWeekLoaded`.
  case loadVolumeByWeek(limit: Int, unit: WeightUnit = .pounds, timeZone: TimeZone? = nil)
  /// The totals of the log; `asOf` nil is now. Answered by `totalsLoaded`.
  case loadTotals(asOf: Date? = nil, unit: WeightUnit = .pounds, timeZone: TimeZone? = nil)

  /// - Throws: `StoreError`, code `.invalidSource`, with the problem and its place; `.misuse` for an unknown operation.
  public init(from decoder: any Decoder) throws { try self.init(json: Data(JSONValue(from: decoder).canonicalText().utf8)) }

  /// - Throws: as `init(from:)`.
  init(json request: Data) throws {
    self = try JSONDocument(request).whole { try WorkoutOperation(&$0) }
  }
}
