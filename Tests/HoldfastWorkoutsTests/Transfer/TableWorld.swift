import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastWorkouts

/// A folder with a table of another program and a store that it is imported into.
struct TableWorld {
  let folder: TemporaryFolder
  var source: URL
  var hints = SourceHints()
  var store: URL { folder.file("store.sqlite") }

  /// The note of a report for exercises whose body part was guessed.
  static func guessed(_ count: Int) -> String {
    "noted \(count): the source gives no body part: that of a new exercise is guessed from its name"
  }

  /// The clock stands in Berlin, and the weights are kilograms where the table does not say.
  init(_ name: String = "workouts.csv", unit: String? = "kg") throws {
    folder = try TemporaryFolder()
    source = folder.file(name)
    hints.timeZone = TimeZone(identifier: "Europe/Berlin")
    hints.weightUnit = unit
  }

  /// Imports, and checks what must hold after every import: the source is the same, the store is healthy.
  func report(_ text: String? = nil, format: String? = nil, options: ImportOptions = ImportOptions()) throws -> ImportReport {
    if let text { try Data(text.utf8).write(to: source) }
    let content = try Data(contentsOf: source)
    let from = try ImportSource(source)
    let table = try #require(try WorkoutLog.csv(from, format, hints), "not recognised")
    let report = try Store.importing(table, from: from, into: store, schemas: [WorkoutLog.schema], options: options, storeOptions: .testing)
    #expect(try Data(contentsOf: source) == content)
    #expect(report.verified && report.counts.values.allSatisfy { $0.addsUp })
    #expect(try withLog { try $0.store.integrityCheck().findings } == [])
    return report
  }

  /// The whole report, and everything that is in the log then.
  func importing(_ text: String, format: String? = nil) throws -> String {
    let report = try report(text, format: format)
    return "\(report.format)\n\(report.picture)\n\(try shelf())"
  }

  /// The error of an import that must fail and leave nothing behind.
  func failure(_ content: Data, format: String? = nil) throws -> StoreError {
    try content.write(to: source)
    let before = try folder.contents()
    let error = #expect(throws: StoreError.self) {
      let from = try ImportSource(source)
      let table = try #require(try WorkoutLog.csv(from, format, hints), "not recognised")
      _ = try Store.importing(table, from: from, into: store, schemas: [WorkoutLog.schema], storeOptions: .testing)
    }
    #expect(try folder.contents() == before)
    return try #require(error)
  }

  func withLog<T>(_ body: (WorkoutLog) throws -> T) throws -> T {
    let log = try WorkoutLog.open(at: store, options: .testing)
    let result = try body(log)
    try log.store.close()
    return result
  }

  func workouts() throws -> [Workout] { try withLog { try $0.workouts() } }

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
