import HoldfastTesting
import HoldfastWorkouts
import Testing

@Suite("Conformance", .timeLimit(.minutes(5))) struct Conformance {
  @Test("the log keeps what every library promises", arguments: ConformanceCheck.allCases)
  func conforms(_ check: ConformanceCheck) throws {
    var conformance = LibraryConformance(
      fill: VerbCase.prepare, reads: VerbCase.reads, writes: VerbCase.writes, sources: VerbCase.sources)
    conformance.walks = Self.walks
    conformance.damages = Self.damages
    try conformance.run(check)
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

  private static let damages = [
    ("DELETE FROM active_workout", "breaks: the workout in progress is the one that the slot names"),
    ("UPDATE workouts SET state = 'active' WHERE state = 'template'", "breaks: the workout in progress is the one that the slot names"),
    ("UPDATE workouts SET state = 'finished' WHERE state = 'active'", "breaks: the workout in progress is the one that the slot names"),
    ("UPDATE exercises SET position = 7", "breaks: no two exercises of a workout have the same position"),
    ("UPDATE exercise_sets SET position = 7", "breaks: no two sets of an exercise have the same position"),
    ("UPDATE exercises SET notes = '{}'", "breaks: lists in exercises are JSON lists of texts"),
    ("UPDATE exercises SET notes = '[\"x\", 1]'", "breaks: lists in exercises are JSON lists of texts"),
    ("UPDATE exercises SET pinned_notes = '['", "breaks: lists in exercises are JSON lists of texts"),
    ("UPDATE exercises SET body_part_detailed = '\"x\"'", "breaks: lists in exercises are JSON lists of texts"),
    ("UPDATE exercises SET body_part_scientific = ''", "breaks: lists in exercises are JSON lists of texts"),
    ("UPDATE custom_exercises SET body_part_detailed = '1'", "breaks: lists in custom_exercises are JSON lists of texts"),
    ("UPDATE custom_exercises SET body_part_scientific = '['", "breaks: lists in custom_exercises are JSON lists of texts"),
  ]
}
