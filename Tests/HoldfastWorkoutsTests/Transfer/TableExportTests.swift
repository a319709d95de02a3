import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastWorkouts

@Suite("Tables for other programs") struct TableExportTests {
  private static let berlin = TimeZone(identifier: "Europe/Berlin") ?? .gmt

  /// A log with the workouts, its export, and what an importer makes of that.
  private func roundTrip(_ workouts: [Workout], _ format: WorkoutLog.CSVFormat, _ unit: WeightUnit) throws -> (
    ExportReport, String, TableWorld
  ) {
    let log = try WorkoutLog.inMemory()
    try log.store.write { try WorkoutLog.save(workouts, in: $0) }
    let world = try TableWorld("out.csv", unit: unit.rawValue)
    let report = try log.exportCSV(format, to: world.source, unit: unit, timeZone: Self.berlin)
    let text = try String(contentsOf: world.source, encoding: .utf8)
    let imported = try world.report()
    #expect(imported.format == format.rawValue && imported.problems.filter { $0.field != "distance" } == [])
    return (report, text, world)
  }

  private static let words = [
    "三体", "Kniebeuge (Café)", "it's \"quoted\"", "100% -- AND OR", "emoji 🏋️", "السلام", "e\u{301}tude", "tab\tand\nline", "=1+1",
    "a;b,c\r\n\"d\"", " lead", "trail ", "\"", "12\"\u{301}",
  ]

  private static func workouts(_ random: inout SeededGenerator) -> [Workout] {
    func text() -> String { random.pick(words) }
    let types: [SetType] = [.working, .working, .warmUp, .dropSet, .failure]
    return (0..<6).map { number in
      let start = Date(timeIntervalSince1970: 1_700_000_040 + Double(number) * 86_400)
      let exercises = (0..<3).map { place in
        let sets = (0..<3).map { _ in
          ExerciseSet(
            id: random.id(), type: random.pick(types), weightUnit: .kilograms, distanceUnit: .kilometers,
            actual: .init(
              weight: Double(random.pick(Array(1...400))) / 4, reps: random.pick([1, 5, 12]), durationSeconds: random.pick([nil, 90]),
              distance: random.pick([nil, 2.5]), rpe: random.pick([nil, 8.5])), isCompleted: true)
        }
        return Exercise(id: random.id(), name: "\(text()) \(place)", notes: random.pick([[], [text()]]), sets: sets)
      }
      return Workout(
        id: random.id(), name: text(), note: random.pick([nil, text()]), startedAt: start, durationSeconds: 3_600 + 60 * number,
        exercises: exercises)
    }
  }

  @Test("Strong's table comes back with the same workouts, exercises and sets in the same order", arguments: 1...4)
  func strong(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let workouts = Self.workouts(&random)
    let (report, _, world) = try roundTrip(workouts, .strong, .kilograms)
    #expect(report.leftOut == [] && report.counts == ["workouts": 6, "exercises": 18, "exercise_sets": 54], "seed \(seed)")
    #expect(try world.shelf() == TableWorld.shelf(workouts.reversed().map(Self.plain)), "seed \(seed)")
  }

  @Test("Hevy's table comes back with the same workouts, groups, exercises and sets in the same order", arguments: 1...4)
  func hevy(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var workouts = Self.workouts(&random)
    for place in workouts.indices {
      workouts[place].endedAt = workouts[place].startedAt.addingTimeInterval(1_800)
      for exercise in workouts[place].exercises.indices { workouts[place].exercises[exercise].superset = random.pick([nil, 1, 2]) }
    }
    let (report, _, world) = try roundTrip(workouts, .hevy, .kilograms)
    #expect(report.leftOut.map(\.field) == workouts.map { _ in "duration_seconds" }, "seed \(seed)")
    var expected = workouts.map(Self.plain)
    // To the minute, and with the time between the two as the duration.
    for place in expected.indices { expected[place].durationSeconds = 1_800 }
    #expect(try world.shelf() == TableWorld.shelf(expected.reversed()), "seed \(seed)")
  }

  /// Without what only a set that has the value has.
  private static func plain(_ workout: Workout) -> Workout {
    var workout = workout
    for exercise in workout.exercises.indices {
      for set in workout.exercises[exercise].sets.indices where workout.exercises[exercise].sets[set].actual.distance == nil {
        workout.exercises[exercise].sets[set].distanceUnit = nil
      }
    }
    return workout
  }

  private static func sampler() -> Workout {
    var random = SeededGenerator(seed: 3)
    let start = Date(timeIntervalSince1970: 1_700_000_065.5)
    var pounds = Exercise(id: random.id(), name: "=cmd \"x\"", superset: 1, pinnedNotes: ["seat 4"], notes: ["a", "b"])
    pounds.sets = [
      ExerciseSet(
        id: random.id(), type: .warmUp, weightUnit: .pounds, actual: .init(weight: 45, reps: 10), isCompleted: true, note: "easy"),
      ExerciseSet(
        id: random.id(), weightUnit: .kilograms, suggested: .init(reps: 8), actual: .init(weight: 60, reps: 8, rpe: 8.5), isCompleted: true),
      ExerciseSet(id: random.id(), type: .amrap, actual: .init(reps: 0), isCompleted: true),
      ExerciseSet(id: random.id(), actual: .init(weight: 70)),
    ]
    let run = Exercise(
      id: random.id(), name: "Run",
      sets: [ExerciseSet(id: random.id(), distanceUnit: .miles, actual: .init(durationSeconds: 600, distance: 1), isCompleted: true)])
    return Workout(
      id: random.id(), name: "Push, pull", note: "two\nlines", startedAt: start, endedAt: start.addingTimeInterval(4_140),
      exercises: [pounds, run, Exercise(id: random.id(), name: "Planned")])
  }

  @Test("Strong's table in letters, and everything that it cannot hold")
  func strongLetters() throws {
    let (report, text, _) = try roundTrip(
      [Self.sampler(), Workout(id: NewID.derived(from: "e"), name: "empty", startedAt: Date(timeIntervalSince1970: 0))], .strong, .kilograms
    )
    #expect(
      text == """
        Date,Workout Name,Duration,Exercise Name,Set Order,Weight,Reps,Distance,Seconds,Notes,Workout Notes,RPE
        2023-11-14 23:14:25,"Push, pull",1h 9m,"=cmd ""x""\",W,20.41166,10.0,0,0,"a
        b","two
        lines",
        2023-11-14 23:14:25,"Push, pull",1h 9m,"=cmd ""x""\",1,60.0,8.0,0,0,,,8.5
        2023-11-14 23:14:25,"Push, pull",1h 9m,"=cmd ""x""\",2,0,0.0,0,0,,,
        2023-11-14 23:14:25,"Push, pull",1h 9m,"Run",1,0,0,1.60934,600.0,"","two
        lines",

        """)
    #expect(
      report.leftOut.map { "\($0.kind) \($0.field ?? "-"): \($0.reason)" } == [
        "workouts ended_at: there is a column for the duration only", "exercises pinned_notes: there is no column for it",
        "exercises notes: they become one note", "exercises superset: there is no column for it",
        "exercise_sets note: there is no column for it", "exercise_sets suggested: there is no column for it",
        "exercise_sets type: there is no letter for amrap", "exercise_sets reps: 0 in this column means that nothing was entered",
        "exercise_sets -: it is not completed", "exercises -: it has no set that was completed",
        "workouts -: it has no set that was completed",
      ])
  }

  @Test("Hevy's table in letters, in pounds and miles")
  func hevyLetters() throws {
    let (_, text, _) = try roundTrip([Self.sampler()], .hevy, .pounds)
    let start = "\"Push, pull\",\"14 Nov 2023, 23:14\",\"15 Nov 2023, 00:23\",\"two\nlines\","
    #expect(
      text == """
        "title","start_time","end_time","description","exercise_title","superset_id","exercise_notes","set_index","set_type",\
        "weight_lbs","reps","distance_miles","duration_seconds","rpe"
        \(start)"=cmd ""x""\",0,"a
        b",0,"warmup",45,10,,,
        \(start)"=cmd ""x""\",0,"a
        b",1,"normal",132.27736,8,,,8.5
        \(start)"=cmd ""x""\",0,"a
        b",2,"amrap",,0,,,
        \(start)"Run",,"",0,"normal",,,1,600,

        """)
  }

  @Test("a unit that no table has, the log's own file and a folder are refused, and what stood there stays")
  func refused() throws {
    let folder = try TemporaryFolder()
    let log = try WorkoutLog.open(at: folder.file("log.sqlite"), options: .testing)
    let target = folder.file("out.csv")
    try Data("mine".utf8).write(to: target)
    #expect(throws: StoreError.self) { try log.exportCSV(to: target, unit: .bodyweight) }
    #expect(throws: StoreError.self) { try log.exportCSV(to: folder.file("log.sqlite")) }
    #expect(throws: StoreError.self) { try log.exportCSV(to: folder.url) }
    #expect(try Data(contentsOf: target) == Data("mine".utf8))
    #expect(try log.exportCSV(.hevy, to: target).counts == ["workouts": 0, "exercises": 0, "exercise_sets": 0])
    try log.store.close()
  }
}
