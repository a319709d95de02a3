import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import HoldfastWorkouts
import Testing

@Suite("What a table for another program leaves out") struct TableLeftOutTests {
  private static func exercise(_ types: [SetType], _ random: inout SeededGenerator) -> Exercise {
    let sets = types.map { ExerciseSet(id: random.id(), type: $0, actual: .init(reps: 5), isCompleted: true) }
    return Exercise(id: random.id(), name: "Curl", sets: sets)
  }

  /// Exports a log of one workout.
  @discardableResult
  private static func export(
    _ workout: Workout, _ format: WorkoutLog.CSVFormat, to file: URL, in zone: TimeZone = .gmt
  ) throws -> ExportReport {
    let log = try WorkoutLog.inMemory()
    try log.store.write { try WorkoutLog.save(workout, in: $0) }
    return try log.exportCSV(format, to: file, unit: .kilograms, timeZone: zone)
  }

  private static func leftOut(_ workout: Workout, _ format: WorkoutLog.CSVFormat) throws -> [String] {
    let folder = try TemporaryFolder()
    return try export(workout, format, to: folder.file("out.csv")).leftOut.map { "\($0.kind) \($0.field ?? "-"): \($0.reason)" }
  }

  @Test("times, rests, zeros, blanks and kinds of sets that have no column are told", arguments: WorkoutLog.CSVFormat.allCases)
  func told(format: WorkoutLog.CSVFormat) throws {
    var random = SeededGenerator(seed: 5)
    let start = Date(timeIntervalSince1970: 1_700_000_040)
    var curl = Self.exercise([.working, .amrap], &random)
    (curl.restSeconds, curl.warmUpRestSeconds, curl.durationSeconds) = (90, 30, 600)
    curl.notes = ["a\u{0}b"]
    let workout = Workout(
      id: random.id(), name: " ", startedAt: start, endedAt: start.addingTimeInterval(60), durationSeconds: 3_661, exercises: [curl])
    let isStrong = format == .strong
    let times =
      isStrong
      ? ["workouts ended_at: there is one column for the end and the duration", "workouts duration_seconds: it is cut to minutes"]
      : ["workouts duration_seconds: there is one column for the end and the duration"]
    #expect(
      try Self.leftOut(workout, format) == ["workouts name: blanks alone are read as nothing"] + times + [
        "exercises notes: a zero in it becomes a blank", "exercises duration_seconds: there is no column for it",
        "exercises warm_up_rest_seconds: there is no column for it", "exercises rest_seconds: there is no column for it",
        isStrong ? "exercise_sets type: there is no letter for amrap" : "exercise_sets type: Hevy has no kind amrap",
      ])
  }

  @Test(
    "exercises of one name behind each other that a reader of Strong's table takes for one are told, and others are not",
    arguments: [
      ([SetType.warmUp, .warmUp], [SetType.working, .working], true), ([.working, .working, .warmUp], [.working], true),
      ([.working], [.dropSet], true), ([.working, .working], [.warmUp, .working], false), ([.working], [.working], false),
    ])
  func oneName(first: [SetType], second: [SetType], isTold: Bool) throws {
    var random = SeededGenerator(seed: 6)
    let workout = Workout(
      id: random.id(), name: "A", startedAt: Date(timeIntervalSince1970: 1_700_000_040),
      exercises: [Self.exercise(first, &random), Self.exercise(second, &random)])
    let left = try Self.leftOut(workout, .strong)
    #expect(left.contains { $0.hasPrefix("exercises -: it has the same name as the exercise before") } == isTold)
    // What is not told comes back as it was.
    let world = try TableWorld()
    try Self.export(workout, .strong, to: world.source)
    _ = try world.report()
    #expect((try world.workouts().first?.exercises.map { $0.sets.map(\.type) } == [first, second]) == !isTold)
  }

  @Test(
    "the workout in progress, templates, exercises of one's own and rows that no reader takes are told",
    arguments: WorkoutLog.CSVFormat.allCases)
  func besides(format: WorkoutLog.CSVFormat) throws {
    let folder = try TemporaryFolder()
    let log = try WorkoutLog.inMemory()
    var random = SeededGenerator(seed: 7)
    var curl = Self.exercise([.working], &random)
    curl.notes = [String(repeating: "x", count: 1 << 20)]
    let workout = Workout(id: random.id(), name: "A", startedAt: Date(timeIntervalSince1970: 0), exercises: [curl])
    try log.store.write { try WorkoutLog.save(workout, in: $0) }
    _ = try log.store.write { try WorkoutLog.saveTemplate(from: workout.id, named: "T", in: $0) }
    _ = try log.store.write { try WorkoutLog.startWorkout(named: "B", in: $0) }
    try log.store.write { try WorkoutLog.save(CustomExercise(id: random.id(), name: "Mine"), in: $0) }
    let report = try log.exportCSV(format, to: folder.file("out.csv"))
    #expect(
      report.leftOut.map { "\($0.kind): \($0.reason)" } == [
        "exercise_sets: its row has more than 1048576 bytes: a reader may refuse the table", "workouts: it is in progress",
        "workouts: it is a template", "custom_exercises: the table has no place for it",
      ])
  }

  @Test("what a reader of the table refuses or joins is told", arguments: WorkoutLog.CSVFormat.allCases)
  func refused(format: WorkoutLog.CSVFormat) throws {
    var random = SeededGenerator(seed: 7)
    var curl = Self.exercise([.working], &random)
    curl.notes = ["slow", "left first"]
    curl.sets[0].actual = .init(reps: .max, durationSeconds: -3)
    let start = Date(timeIntervalSince1970: 1_700_000_040)
    let workout = Workout(id: random.id(), name: "A", startedAt: start, endedAt: start.addingTimeInterval(-60), exercises: [curl])
    let told = try Self.leftOut(workout, format)
    #expect(
      told == [
        "workouts ended_at: it is before the start"
      ] + (format == .strong ? ["workouts ended_at: there is a column for the duration only"] : []) + [
        "exercises notes: they become one note", "exercise_sets duration_seconds: a reader refuses such a number",
        "exercise_sets reps: a reader refuses such a number",
      ])
    let world = try TableWorld()
    try Self.export(workout, format, to: world.source)
    #expect(try world.report().counts["exercise_sets"]?.quarantined == 1)
    let first = Workout(
      id: random.id(), name: "B", startedAt: Date(timeIntervalSince1970: -62_135_596_800), exercises: [Self.exercise([.working], &random)])
    #expect(try Self.leftOut(first, format) == [])
    let west = try #require(TimeZone(secondsFromGMT: -3600))
    #expect(try Self.export(first, format, to: world.folder.file("west.csv"), in: west).leftOut.map(\.field) == ["started_at"])
  }

  @Test("an exercise that is called as Strong calls its pauses comes back with its sets")
  func restTimer() throws {
    var random = SeededGenerator(seed: 8)
    var exercise = Self.exercise([.working, .working], &random)
    exercise.name = "Rest Timer"
    let workout = Workout(id: random.id(), name: "A", startedAt: Date(timeIntervalSince1970: 1_700_000_040), exercises: [exercise])
    let world = try TableWorld()
    try Self.export(workout, .strong, to: world.source)
    #expect(try world.report().skipped == [:])
    let back = try world.workouts().flatMap(\.exercises)
    #expect(back.map(\.name) == ["Rest Timer"] && back.map(\.sets.count) == [2])
  }
}
