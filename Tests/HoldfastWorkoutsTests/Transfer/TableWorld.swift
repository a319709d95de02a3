import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastWorkouts

/// A folder with a table of another program and a store that it is imported into.
struct TableWorld {
  private let world: ImportWorld
  var folder: TemporaryFolder { world.folder }
  var store: URL { world.store }
  var source: URL {
    get { world.source }
    set { world.source = newValue }
  }
  var hints: SourceHints {
    get { world.hints }
    set { world.hints = newValue }
  }

  /// The note of a report for exercises whose body part was guessed.
  static func guessed(_ count: Int) -> String {
    "noted \(count): the source gives no body part; the import guesses it from the name of a new exercise"
  }

  /// How `importing` begins for a table that came in whole.
  static func imported(_ format: String, workouts: Int, exercises: Int, sets: Int, guessed: Int = 0) -> String {
    let counts = [("workouts", workouts), ("exercises", exercises), ("exercise_sets", sets)].map { "\($0) \($1): \($1) imported" }
    return ([format] + counts + (guessed > 0 ? [Self.guessed(guessed)] : [])).joined(separator: "\n")
  }

  /// The clock stands in Berlin, and the weights are kilograms where the table does not say.
  init(_ name: String = "workouts.csv", unit: String? = "kg") throws {
    world = try ImportWorld(name) { wanted in
      let from = try ImportSource(wanted.source, format: wanted.format, hints: wanted.hints)
      let table = try #require(try WorkoutLog.csv(from), "not recognised")
      return try Store.importing(
        table, from: from, into: wanted.store, schemas: [WorkoutLog.schema], options: wanted.options, storeOptions: wanted.storeOptions)
    }
    world.hints.timeZone = TimeZone(identifier: "Europe/Berlin")
    world.hints.weightUnit = unit
  }

  func report(_ text: String? = nil, format: String? = nil, options: ImportOptions = ImportOptions()) throws -> ImportReport {
    try world.report(text, format: format, options: options)
  }

  /// The whole report, and everything that is in the log then.
  func importing(_ text: String, format: String? = nil) throws -> String {
    let report = try report(text, format: format)
    return "\(report.format)\n\(report.picture)\n\(try shelf())"
  }

  /// Whether the table adds nothing to what is in the log.
  func addsNothing(_ text: String? = nil) throws -> Bool {
    let counts = try report(text).counts.values
    return !counts.isEmpty && counts.allSatisfy { $0.imported == 0 && $0.merged == 0 && $0.skipped + $0.quarantined == $0.source }
  }

  func failure(_ content: Data, format: String? = nil) throws -> StoreError {
    try content.write(to: source)
    return try world.failure(format: format)
  }

  func withLibrary<T>(_ body: (WorkoutLog) throws -> T) throws -> T { try world.withLibrary(body) }

  func workouts() throws -> [Workout] { try world.workouts() }
  func change(at place: Int = 0, _ change: (inout Workout) -> Void) throws { try world.change(at: place, change) }

  func shelf() throws -> String { try Self.shelf(workouts()) }

  /// Oldest first: a line a workout, and one an exercise with its sets.
  static func shelf(_ workouts: [Workout]) -> String {
    workouts.reversed().map { workout in
      var line = "\(workout.name.isEmpty ? "?" : workout.name) \(text(workout.startedAt))"
      if let end = workout.endedAt { line += " until \(text(end))" }
      if let seconds = workout.durationSeconds { line += ", \(seconds) s" }
      if let note = workout.note { line += " (\(note))" }
      return ([line] + workout.exercises.map(Self.line)).joined(separator: "\n")
    }.joined(separator: "\n")
  }

  private static func line(_ exercise: Exercise) -> String {
    var line = "  \(exercise.name)"
    if let superset = exercise.superset { line += " in \(superset)" }
    if let part = exercise.bodyPart { line += " for \(part.main.rawValue)" }
    if !exercise.notes.isEmpty { line += " (\(exercise.notes.joined(separator: " | ")))" }
    return "\(line): " + exercise.sets.map(Self.text).joined(separator: ", ")
  }

  private static func text(_ set: ExerciseSet) -> String {
    var parts: [String] = []
    if set.type != .working { parts.append(set.type.rawValue) }
    if let weight = set.actual.weight { parts.append("\(weight)\(set.weightUnit?.rawValue ?? "?")") }
    if let reps = set.actual.reps { parts.append("×\(reps)") }
    if let distance = set.actual.distance { parts.append("\(distance)\(set.distanceUnit?.rawValue ?? "?")") }
    if let seconds = set.actual.durationSeconds { parts.append("\(seconds)s") }
    if let rpe = set.actual.rpe { parts.append("@\(rpe)") }
    if let note = set.note { parts.append("(\(note))") }
    if !set.isCompleted { parts.append("open") }
    return parts.joined(separator: " ")
  }

  private static func text(_ date: Date) -> String { DateCodec.milliseconds(date).map { DateCodec.iso8601($0, fraction: false) } ?? "?" }
}
