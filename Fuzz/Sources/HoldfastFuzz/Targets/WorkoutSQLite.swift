import Foundation
import Holdfast

/// The apps' databases, `db.sqlite` and `thiccc.sqlite`.
struct WorkoutSQLite: WorkoutTarget {
  let name = "workout-sqlite"
  let file = "thiccc.sqlite"
  /// A damaged database has no single byte to name.
  var saysWhere: Bool { false }

  private static let kinds = ["workouts": "workouts", "exercises": "exercises", "exercisesets": "exercise_sets"]

  func source(_ random: inout SeededRandom) throws -> FuzzSource {
    try .database(&random, kinds: Self.kinds, bookkeeping: ["grdb_migrations"]) { random in
      var seeds = WorkoutSheets(random: random)
      defer { random = seeds.random }
      return seeds.log()
    }
  }
}

/// Small valid databases of the three forms.
private struct WorkoutSheets {
  private enum Form: CaseIterable { case first, flat, shipped }

  var random: SeededRandom
  private var form = Form.first

  init(random: SeededRandom) { self.random = random }

  mutating func log() -> [Sheet] {
    form = Form.allCases.randomElement(using: &random) ?? .first
    let bodyPart = form == .flat ? ["bodyPartMain TEXT", "bodyPartDetailed TEXT", "bodyPartScientific TEXT"] : ["bodyPart TEXT"]
    let values =
      form == .flat
      ? [
        "suggestWeight REAL", "suggestReps INTEGER", "suggestRepRange INTEGER", "suggestDuration INTEGER", "suggestRpe REAL",
        "suggestRestTime INTEGER", "actualWeight REAL", "actualReps INTEGER", "actualDuration INTEGER", "actualRpe REAL",
        "actualRestTime INTEGER",
      ] : ["suggest TEXT", "actual TEXT"]
    var workouts = Sheet(
      "workouts", ["id TEXT", "name TEXT", "note TEXT", "duration INTEGER", "startTimestamp", "endTimestamp"])
    var exercises = Sheet(
      "exercises",
      [
        "id TEXT", "workoutId TEXT", "supersetId INTEGER", "name TEXT", "pinnedNotes BLOB", "notes BLOB", "duration INTEGER", "type TEXT",
        "weightUnit TEXT", "defaultWarmUpTime INTEGER", "defaultRestTime INTEGER",
      ] + bodyPart)
    var sets = Sheet(
      "exerciseSets",
      ["id TEXT", "exerciseId TEXT", "workoutId TEXT", "setIndex INTEGER", "type TEXT", "weightUnit TEXT"] + values
        + (form == .first ? [] : ["isCompleted INTEGER"]))
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let workout = id()
      workouts.rows.append([workout, name(), pick(["NULL", name()]), pick(["NULL", "3600"]), date(), pick(["NULL", date()])])
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let exercise = id()
        exercises.rows.append(self.exercise(exercise, in: workout))
        for index in 0..<Int.random(in: 0...3, using: &random) { sets.rows.append(set(of: exercise, in: workout, at: index)) }
      }
    }
    let migration = form == .first ? "'Create tables'" : "'v1_create_tables'"
    return [workouts, exercises, sets, Sheet("grdb_migrations", ["identifier TEXT"], rows: [[migration]])]
  }

  private mutating func exercise(_ id: String, in workout: String) -> [String] {
    let part =
      form == .flat
      ? [pick(["NULL", "'chest'"]), pick(["NULL", "'[\"Upper\"]'"]), pick(["NULL", "'[]'"])]
      : [pick(["NULL", "'{\"main\":\"chest\",\"detailed\":[\"Upper\"]}'"])]
    return [
      id, pick([workout, workout, workout, workout, self.id()]), pick(["NULL", "0", "2"]), name(), pick(["NULL", "'[]'", "'[\"a\"]'"]),
      pick(["NULL", "'[\"a\",\"\"]'", "x'5b5d'"]), pick(["NULL", "60"]), Sheet.quoted(random.pick(WorkoutTexts.types, otherwise: "")),
      pick(["NULL", "'kg'"]), pick(["NULL", "30"]), pick(["NULL", "90"]),
    ] + part
  }

  private mutating func set(of exercise: String, in workout: String, at index: Int) -> [String] {
    let values =
      form == .flat
      ? ["40.5", "8", "12", "30", "7.5", "60", "-0.0", "5", "31", "8", "65"].map { pick(["NULL", $0]) }
      : [
        pick(["NULL", "'{}'", "'{\"weight\":40.5,\"reps\":8,\"repRange\":12}'", "'{\"rep_range\":12,\"rest_time\":60}'"]),
        pick(["NULL", "'{}'", "'{\"weight\":80,\"reps\":5.0}'", "'{\"duration\":31,\"actualRestTime\":65,\"rpe\":null}'"]),
      ]
    return [
      id(), pick([exercise, exercise, exercise, exercise, id()]), workout, pick(["\(index)", "\(index)", "0"]),
      Sheet.quoted(random.pick(WorkoutTexts.setTypes, otherwise: "")), pick(["NULL", "'lb'"]),
    ] + values + (form == .first ? [] : [pick(["0", "1"])])
  }

  private mutating func date() -> String {
    form == .first
      ? pick(["'2018-01-29 00:08:00.000'", "'2018-01-29 00:08:00.0005'", "'1969-12-31 23:59:59.999'"])
      : pick(["1766657730.1234567", "1766657730", "-0.0005", "0", "-62135596800"])
  }

  private mutating func id() -> String { Sheet.quoted(random.worldID()) }

  private mutating func name() -> String { Sheet.quoted(random.pick(WorkoutTexts.names, otherwise: "")) }

  private mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: values.indices, using: &random)] }
}
