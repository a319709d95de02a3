import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import HoldfastWorkouts
import Testing

/// A folder with a source and a log that it is imported into; clock and ids are fixed.
final class ImportWorld {
  let folder: TemporaryFolder
  let clock = TestClock()
  let source: URL
  private let newID = NewID.counting()
  var store: URL { folder.file("store.sqlite") }

  /// - Parameter name: of the source, which is not there yet.
  init(_ name: String = "current-workout.json") throws {
    folder = try TemporaryFolder()
    source = folder.file(name)
  }

  var options: StoreOptions {
    var options = StoreOptions.testing
    options.busyTimeout = .seconds(5)
    options.now = { [clock] in clock.now }
    options.newID = newID
    return options
  }

  /// Imports what stands at `source`, and checks what must hold after every import: the source is the same, the log is healthy.
  func report(format: String? = nil, hints: SourceHints = SourceHints(), options: ImportOptions = ImportOptions()) throws -> ImportReport {
    let content = try Data(contentsOf: source)
    let report = try WorkoutLog.importLibrary(
      from: source, into: store, format: format, hints: hints, options: options, storeOptions: self.options)
    #expect(try Data(contentsOf: source) == content)
    #expect(report.verified && report.counts.values.allSatisfy { $0.addsUp })
    if !options.dryRun { #expect(try withLog { try $0.store.integrityCheck().findings } == []) }
    return report
  }

  func report(_ text: String, format: String? = nil) throws -> ImportReport {
    try Data(text.utf8).write(to: source)
    return try report(format: format)
  }

  /// The whole report as a picture.
  func importing(format: String? = nil) throws -> String { try report(format: format).picture }
  func importing(_ text: String, format: String? = nil) throws -> String { try report(text, format: format).picture }

  /// The error of an import that must fail and leave nothing behind.
  func failure(_ text: String, format: String? = nil) throws -> StoreError {
    try Data(text.utf8).write(to: source)
    return try failure(format: format)
  }

  func failure(format: String? = nil) throws -> StoreError {
    let before = try folder.contents()
    let error = #expect(throws: StoreError.self) {
      _ = try WorkoutLog.importLibrary(from: source, into: store, format: format, storeOptions: options)
    }
    #expect(try folder.contents() == before)
    return try #require(error)
  }

  /// Runs statements on the source, which is a database.
  func database(_ statements: [String]) throws {
    try RawDatabase.with(source, creating: true) { try $0.execute(statements.joined(separator: ";\n")) }
  }

  func withLog<T>(_ body: (WorkoutLog) throws -> T) throws -> T {
    let log = try WorkoutLog.open(at: store, options: options)
    let result = try body(log)
    try log.store.close()
    return result
  }

  func workouts() throws -> [Workout] { try withLog { try $0.workouts() } }

  /// Every row of the log's own tables, as the documented export has them.
  func rows() throws -> [Substring] {
    let target = folder.file("rows.jsonl")
    try withLog { _ = try $0.export(to: target) }
    defer { try? FileManager.default.removeItem(at: target) }
    return try String(contentsOf: target, encoding: .utf8).split(separator: "\n").dropFirst().dropLast()
      .filter { !$0.contains(#""table":"holdfast_quarantine""#) }
  }

  /// The bytes that the quarantine keeps, as text.
  func quarantine() throws -> [String] {
    try withLog { log in
      try log.store.read { reader in
        try reader.values("SELECT original FROM holdfast_quarantine ORDER BY id") { String(decoding: try $0.data(), as: UTF8.self) }
      }
    }
  }

  /// What a statement gives, a line a row.
  func lines(_ sql: BoundSQL) throws -> [String] {
    try withLog { log in try log.store.read { try $0.values(sql) { try $0.text() } } }
  }

  /// What is in the log: finished workouts, newest first, then the one in progress and templates.
  func shelf() throws -> String {
    try withLog { log in
      let others = try log.store.read { reader in
        try reader.values("SELECT id, state FROM workouts WHERE state <> 'finished' ORDER BY state") { (try $0.id(), try $0.text()) }
      }
      // A template is no workout for the verbs: it is looked at as one.
      try log.store.write { tx in _ = try tx.execute("UPDATE workouts SET state = 'finished' WHERE state = 'template'") }
      let states = Dictionary(uniqueKeysWithValues: others)
      let finished = try log.workouts().map { Self.lines($0, states[$0.id]) }
      let active = try others.filter { $0.1 == "active" }.compactMap { try log.workout($0.0) }.map { Self.lines($0, "active") }
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
