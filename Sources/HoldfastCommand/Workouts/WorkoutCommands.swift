import Foundation
import Holdfast
import HoldfastTransfer
import HoldfastWorkouts

/// Workouts on the command line.
struct WorkoutCommands: LibraryCommands {
  static let schema = WorkoutLog.schema
  static let readableFormats = WorkoutLog.readableFormats.map(Format.init)
  static let writableFormats = WorkoutLog.writableFormats.map(Format.init)
  static let lists = ["workouts", "exercises", "templates"]
  static let counted = [(table: "workouts", what: "workouts"), (table: "exercise_sets", what: "sets")]

  let log: WorkoutLog

  init(_ store: Store) { log = WorkoutLog(store) }

  static func likeness(of source: SourceLook) -> Likeness? {
    if let exported = source.exportedSchemas { return exported.contains(name) ? .certain : nil }
    if let tables = source.tables { return tables.isSuperset(of: ["workouts", "exercises"]) ? .certain : nil }
    let keys = source.elementKeys.union(source.members.map(\.key))
    if !keys.isEmpty {
      let isWorkout = keys.contains("exercises") && !keys.isDisjoint(with: ["start_timestamp", "startTimestamp", "title"])
      return isWorkout ? .certain : nil
    }
    guard !source.isEmpty, !source.isModel else { return nil }
    do {
      return try WorkoutLog.csv(ImportSource(source.url), nil, SourceHints()) == nil ? nil : .certain
    } catch {
      // The importer says what is missing.
      return (error as? StoreError)?.code == .invalidSource ? .possible : nil
    }
  }

  static func importLibrary(
    from source: URL, into store: URL, format: String?, hints: SourceHints, options: ImportOptions, storeOptions: StoreOptions
  ) throws -> ImportReport {
    do {
      return try WorkoutLog.importLibrary(
        from: source, into: store, format: format, hints: hints, options: options, storeOptions: storeOptions)
    } catch var error as StoreError where WorkoutLog.asksForUnit(error) {
      error.suggestion = "--unit kg, or --unit lb, as the app that wrote it showed them"
      throw error
    }
  }

  func export(to file: URL, format: String, _ wishes: ExportWishes) throws -> ExportReport {
    try wishes.refusePlaylist(of: Self.name)
    guard let table = WorkoutLog.CSVFormat(rawValue: format) else {
      try wishes.refuseUnit(of: "the format \(format)")
      return format == "json" ? try log.exportJSON(to: file) : try log.export(to: file)
    }
    return try log.exportCSV(
      table, to: file, unit: wishes.weightUnit.map(WeightUnit.init(rawValue:)) ?? .kilograms, timeZone: wishes.timeZone ?? .current)
  }

  func info(_ facts: inout FactList) throws -> JSONValue {
    let (totals, counts, current) = try log.store.read { reader in
      (
        try WorkoutLog.totals(unit: Self.unit(in: reader), timeZone: Self.utc, in: reader), try Counts(reader),
        try WorkoutLog.currentWorkout(in: reader)
      )
    }
    facts.add("workouts", String(totals.workouts))
    facts.add("in progress", current.map { $0.workout.name.isEmpty ? "one without a name" : $0.workout.name })
    facts.add("templates", counts.templates > 0 ? String(counts.templates) : nil)
    facts.add("exercises", "\(totals.exercises) different")
    facts.add("sets", "\(totals.work.sets) that count, of \(counts.sets)")
    facts.add("length", DisplayText.length(Double(totals.trainedSeconds)))
    facts.add("first", DisplayText.time(totals.firstWorkoutAt))
    facts.add("last", DisplayText.time(totals.lastWorkoutAt))
    return .object([
      "workouts": .number(totals.workouts), "in_progress": .id(current?.id), "templates": .number(counts.templates),
      "exercises": .number(totals.exercises), "sets": .number(totals.work.sets), "total_seconds": .double(Double(totals.trainedSeconds)),
      "first_workout_at": .time(totals.firstWorkoutAt), "last_workout_at": .time(totals.lastWorkoutAt),
    ])
  }

  static let utc = TimeZone(secondsFromGMT: 0) ?? .current

  /// The unit that most completed sets are in, kilograms or pounds.
  static func unit(in reader: Reader) throws -> WeightUnit {
    let more = try reader.value(
      """
      SELECT sum(CASE coalesce(s.weight_unit, e.weight_unit, 'lb') WHEN 'kg' THEN 1 WHEN 'lb' THEN -1 ELSE 0 END)
      FROM exercise_sets s JOIN exercises e ON e.id = s.exercise_id WHERE s.is_completed = 1 AND s.actual_weight IS NOT NULL
      """
    ) { row in try row.int64OrNil() }
    return (more.flatMap { $0 } ?? 0) > 0 ? .kilograms : .pounds
  }

  private struct Counts {
    let templates: Int
    let sets: Int

    init(_ reader: Reader) throws {
      templates = try reader.count("SELECT count(*) FROM workouts WHERE state = 'template'")
      sets = try reader.count("SELECT count(*) FROM exercise_sets")
    }
  }
}
