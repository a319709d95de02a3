import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastWorkouts

@Suite("Conformance", .timeLimit(.minutes(10))) struct Conformance {
  @Test("the log keeps what every library promises", arguments: ConformanceCheck.allCases)
  func conforms(_ check: ConformanceCheck) async throws {
    var conformance = LibraryConformance(
      fill: VerbCase.prepare, reads: VerbCase.reads, writes: VerbCase.writes, records: Self.records, updates: VerbCase.updates)
    conformance.walks = Self.walks
    conformance.damages = Self.damages
    conformance.olderRows = [1: Self.firstRows]
    conformance.description = WorkoutLog.description
    try await conformance.run(check)
  }

  /// Of the seeds, two devices without a key and three with one: more of both are for a long run.
  private static let seeds = ProofRun.isLong ? SyncConformance<WorkoutLog>.seeds : 0..<2

  @Test("devices that change the log at once end with the same rows, and break no rule", arguments: seeds)
  func syncs(_ seed: UInt64) async throws {
    try await SyncConformance<WorkoutLog>(devices: seed.isMultiple(of: 2) ? 2 : 3) { _ = try await VerbCase.prepare($0) }.run(seed: seed)
  }

  /// What may walk through a whole table, by verb. Everything else must find its rows by an index, or stop at its page's limit.
  private static let walks: [String: Set<String>] = [
    // Everything is asked for, each table as it is stored.
    "load all workouts": ["SCAN exercises", "SCAN exercise_sets"],
    "load all custom exercises": ["SCAN custom_exercises USING INDEX sqlite_autoindex_custom_exercises_2"],
    // From one name to the next; each step is a search. `used` has a row for each name of the page.
    "list names of exercises": ["SCAN names", "SCAN used", "USE TEMP B-TREE FOR ORDER BY"],
    // All sets of one exercise are asked for: its index finds them without a look into every workout.
    "records of an exercise": ["USE TEMP B-TREE FOR ORDER BY"], "progress of an exercise": ["USE TEMP B-TREE FOR ORDER BY"],
    // Whether there is one: the first row is enough.
    "add sample workouts": [
      "SCAN workouts USING COVERING INDEX sqlite_autoindex_workouts_1",
      "SCAN custom_exercises USING COVERING INDEX sqlite_autoindex_custom_exercises_2",
    ],
  ]

  private static var records: [any StoredRecord] {
    var random = SeededGenerator(seed: 1)
    let (full, bare, exercise) = (Sample.full(&random), Sample.workout("Bare", &random), Sample.exercise("Bare", &random))
    let paused = TrainingTimer(lastActiveAt: random.date(), trainedMilliseconds: 5, isPaused: true, idleLimitSeconds: 7)
    return [
      WorkoutRow(full, .finished), WorkoutRow(bare, .template), ExerciseRow(full.exercises[0], in: full.id, at: 1),
      ExerciseRow(exercise, in: bare.id, at: -2), SetRow(Sample.fullSet(&random), in: exercise.id, at: 3),
      SetRow(ExerciseSet(id: random.id()), in: exercise.id, at: 3), CustomExerciseRow(Sample.customExercise("Full", &random)),
      CustomExerciseRow(CustomExercise(id: random.id(), name: "Bare")), ActiveRow(bare.id, TrainingTimer(lastActiveAt: random.date())),
      ActiveRow(bare.id, paused),
    ]
  }

  @Test("no two fields of a full sample that are of one type have the same value, so that swapped columns are found")
  func fullSample() throws {
    var random = SeededGenerator(seed: 2)
    let set = Sample.fullSet(&random)
    let (suggested, actual) = (set.suggested, set.actual)
    let integers = [
      suggested.reps, suggested.repRange, suggested.durationSeconds, suggested.restSeconds, actual.reps, actual.durationSeconds,
      actual.restSeconds,
    ].compactMap(\.self)
    let numbers = [suggested.weight, suggested.rpe, actual.weight, actual.distance, actual.rpe].compactMap(\.self)
    #expect(Set(integers).count == 7 && Set(numbers).count == 5)
  }

  /// A row in each table of the first version.
  private static let firstRows = [
    """
    INSERT INTO workouts (id, name, name_key, state, started_at)
    VALUES ('00000000-0000-4000-8000-000000000001', 'Legs', 'legs', 'active', 1)
    """,
    """
    INSERT INTO exercises (id, workout_id, position, name, type, name_key)
    VALUES ('00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000001', 0, 'Squat', 'x', 'squat')
    """,
    """
    INSERT INTO exercise_sets (id, exercise_id, position, type, is_completed)
    VALUES ('00000000-0000-4000-8000-000000000003', '00000000-0000-4000-8000-000000000002', 0, 'x', 0)
    """,
    """
    INSERT INTO active_workout (slot, workout_id, trained_ms, last_active_at, is_paused, idle_limit_seconds)
    VALUES (1, '00000000-0000-4000-8000-000000000001', 0, 1, 0, 2)
    """,
    "INSERT INTO custom_exercises (id, name, type, name_key) VALUES ('00000000-0000-4000-8000-000000000004', 'Own', 'x', 'own')",
  ]

  private static let damages = [
    ("DELETE FROM active_workout", "breaks: a workout in progress is in the slot"),
    ("UPDATE workouts SET state = 'active' WHERE state = 'template'", "breaks: a workout in progress is in the slot"),
    ("UPDATE workouts SET state = 'finished' WHERE state = 'active'", "breaks: the slot names a workout in progress"),
    ("UPDATE exercises SET notes = '{}'", "breaks: lists in exercises are JSON lists of texts"),
    ("UPDATE exercises SET notes = '[\"x\", 1]'", "breaks: lists in exercises are JSON lists of texts"),
    ("UPDATE exercises SET pinned_notes = '['", "breaks: lists in exercises are JSON lists of texts"),
    ("UPDATE exercises SET body_part_detailed = '\"x\"'", "breaks: lists in exercises are JSON lists of texts"),
    ("UPDATE exercises SET body_part_scientific = ''", "breaks: lists in exercises are JSON lists of texts"),
    ("UPDATE custom_exercises SET body_part_detailed = '1'", "breaks: lists in custom_exercises are JSON lists of texts"),
    ("UPDATE custom_exercises SET body_part_scientific = '['", "breaks: lists in custom_exercises are JSON lists of texts"),
  ]
}
