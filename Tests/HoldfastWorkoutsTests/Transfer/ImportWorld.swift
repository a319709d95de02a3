import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import HoldfastWorkouts

typealias ImportWorld = HoldfastTesting.ImportWorld<WorkoutLog>

extension ImportWorld {
  /// Whether every record of the source is skipped.
  func skipsAll() throws -> Bool {
    let counts = try report().counts.values
    return !counts.isEmpty && counts.allSatisfy { $0.skipped == $0.source }
  }

  /// - Parameter name: of the source, which is not there yet.
  convenience init(_ name: String = "current-workout.json") throws {
    try self.init(name) { wanted in
      try WorkoutLog.importLibrary(
        from: wanted.source, into: wanted.store, format: wanted.format, hints: wanted.hints, options: wanted.options,
        storeOptions: wanted.storeOptions)
    }
  }

  /// Runs statements on the source, which is a database.
  func database(_ statements: [String]) throws {
    try RawDatabase.with(source, creating: true) { try $0.execute(statements.joined(separator: ";\n")) }
  }

  func workouts() throws -> [Workout] { try withLibrary { try $0.store.read { try WorkoutLog.workouts(in: $0) } } }

  func current() throws -> WorkoutInProgress? { try withLibrary { try $0.store.read { try WorkoutLog.currentWorkout(in: $0) } } }

  /// Changes a workout as a person does; the newest has the place 0.
  func change(at place: Int = 0, _ change: (inout Workout) -> Void) throws {
    var workout = try workouts()[place]
    change(&workout)
    try withLibrary { log in try log.store.write { try WorkoutLog.save(workout, in: $0) } }
  }

  /// The log beside the old file; `nowhere`: where no store can be made.
  func opened(nowhere: Bool = false) throws -> WorkoutLog {
    try WorkoutLog.open(at: nowhere ? folder.file("no such folder/store.sqlite") : store, legacy: source, options: options)
  }

  /// What is in the log: finished workouts, newest first, then the one in progress and templates.
  func shelf() throws -> String {
    try withLibrary { log in
      let others = try log.store.read { reader in
        try reader.values("SELECT id, state FROM workouts WHERE state <> 'finished' ORDER BY state") { (try $0.id(), try $0.text()) }
      }
      // A template is no workout for the verbs: it is looked at as one.
      try log.store.write { tx in _ = try tx.execute("UPDATE workouts SET state = 'finished' WHERE state = 'template'") }
      let states = Dictionary(uniqueKeysWithValues: others)
      let finished = try log.store.read { try WorkoutLog.workouts(in: $0) }.map { Self.lines($0, states[$0.id]) }
      let active = try others.filter { $0.1 == "active" }.compactMap { other in
        try log.store.read { try WorkoutLog.workout(other.0, in: $0) }
      }.map { Self.lines($0, "active") }
      try log.store.write { tx in
        for (id, state) in others { try tx.execute("UPDATE workouts SET state = \(state) WHERE id = \(id)") }
      }
      return (finished + active).joined(separator: "\n")
    }
  }

  private static func lines(_ workout: Workout, _ state: String?) -> String {
    var line = state.map { "\($0) " } ?? ""
    line += "\(workout.name) \(text(workout.startedAt)) to \(workout.endedAt.map(text) ?? "?")"
    if let seconds = workout.durationSeconds { line += ", \(seconds) s" }
    if let note = workout.note { line += ", \(note)" }
    return ([line] + workout.exercises.flatMap(lines)).joined(separator: "\n")
  }

  private static func lines(_ exercise: Exercise) -> [String] {
    var line = "  \(exercise.name), \(exercise.type.rawValue)"
    if let part = exercise.bodyPart {
      line += ", \(part.main.rawValue)"
      if let names = part.detailed { line += " \(names)" }
      if let names = part.scientific { line += " \(names)" }
    }
    if let number = exercise.superset { line += ", superset \(number)" }
    if let unit = exercise.weightUnit { line += ", in \(unit.rawValue)" }
    if !exercise.pinnedNotes.isEmpty { line += ", pinned \(exercise.pinnedNotes)" }
    if !exercise.notes.isEmpty { line += ", notes \(exercise.notes)" }
    for (name, seconds) in [
      ("took", exercise.durationSeconds), ("warm-up rest", exercise.warmUpRestSeconds), ("rest", exercise.restSeconds),
    ] { if let seconds { line += ", \(name) \(seconds) s" } }
    return [line] + exercise.sets.map(self.line)
  }

  private static func line(_ set: ExerciseSet) -> String {
    func numbers(_ values: [(String, Any?)]) -> String {
      values.compactMap { name, value in value.map { "\(name) \($0)" } }.joined(separator: " ")
    }
    let (plan, done) = (set.suggested, set.actual)
    let suggested = numbers([
      ("weight", plan.weight), ("reps", plan.reps), ("to", plan.repRange), ("s", plan.durationSeconds), ("rpe", plan.rpe),
      ("rest", plan.restSeconds),
    ])
    let actual = numbers([
      ("weight", done.weight), ("reps", done.reps), ("s", done.durationSeconds), ("distance", done.distance), ("rpe", done.rpe),
      ("rest", done.restSeconds),
    ])
    var line = "    \(set.isCompleted ? "+" : "-") \(set.type.rawValue)"
    if let unit = set.weightUnit { line += " \(unit.rawValue)" }
    if !suggested.isEmpty { line += ", plan \(suggested)" }
    if !actual.isEmpty { line += ", did \(actual)" }
    return line
  }

  private static func text(_ date: Date) -> String {
    if case .string(let text) = JSONValue.iso8601(date) { text } else { "?" }
  }
}
