public import Foundation
public import Holdfast
public import HoldfastTransfer

extension WorkoutLog {
  /// The tables of other programs.
  public enum CSVFormat: String, Sendable, CaseIterable {
    /// Strong's classic table. It names no unit: all weights of a file have the same unit.
    case strong = "strong-csv"
    /// Hevy's table, newest first, with the unit in its header.
    case hevy = "hevy-csv"
  }

  /// Writes all finished workouts as the table of another program, which `importLibrary` also reads.
  ///
  /// Weights in another unit are converted, and rounded to five decimals. Times are local times in `timeZone`, cut to seconds for Strong
  /// and to minutes for Hevy. The report lists values without a column: workouts and exercises without a completed set, sets that are not
  /// completed, plans, rests, pinned notes, notes of sets and more, the workout in progress, templates and custom exercises. It also
  /// lists values that a reader would misread. It does not list that ids, and types and body parts of exercises, are missing.
  ///
  /// Cells are quoted as in RFC 4180. A text that begins with `=` is kept, because a program that reads workouts needs the
  /// original name; so do not open such a file from an untrusted person in a spreadsheet. An existing file is replaced only at
  /// the end of a successful export.
  /// - Parameters:
  ///   - unit: kilograms or pounds.
  ///   - timeZone: the time zone of the written times.
  /// - Throws: `.misuse` for another unit, and for the store's own file; `.decoding` when a stored value is damaged; `.diskFull`,
  ///   `.cannotCreate`, `.permissionDenied`, `.inputOutput`.
  @discardableResult
  public func exportCSV(
    _ format: CSVFormat = .strong, to url: URL, unit: WeightUnit = .kilograms, timeZone: TimeZone = .current
  ) throws -> ExportReport {
    guard unit == .kilograms || unit == .pounds else {
      throw StoreError(.misuse, "no table has weights in \(unit.rawValue)", suggestion: "Use kg or lb.")
    }
    var writer = CSVWriter(format: format, unit: unit, clock: WallClock(timeZone: timeZone))
    let besides = try store.read { reader in
      var key: PageKey?
      repeat {
        let page = try Self.workouts(after: key, limit: 200, in: reader)
        for workout in page.items { writer.add(workout) }
        key = page.next
      } while key != nil
      return try Self.leftOut(of: "the table", in: reader)
    }
    let file = try FileExport.write(writer.content, to: url, from: store)
    return ExportReport(
      format: format.rawValue, path: url.path, bytes: file.bytes, sha256: file.sha256,
      counts: ["workouts": writer.workouts, "exercises": writer.exercises, "exercise_sets": writer.sets], leftOut: writer.leftOut + besides)
  }
}

/// Makes table rows from workouts, and lists what the rows cannot hold.
struct CSVWriter {
  private let format: WorkoutLog.CSVFormat
  private let unit: WeightUnit
  private let clock: WallClock
  /// Newest first, in the order of calls; Strong's table has the oldest first.
  private var parts: [[UInt8]] = []
  private(set) var workouts = 0
  private(set) var exercises = 0
  private(set) var sets = 0
  private(set) var leftOut: [ExportReport.LeftOut] = []
  /// The starts and names so far.
  private var heads: Set<[String]> = []

  init(format: WorkoutLog.CSVFormat, unit: WeightUnit, clock: WallClock) {
    self.format = format
    self.unit = unit
    self.clock = clock
  }

  var content: Data {
    var out = Data((format == .strong ? StrongRows.header : HevyRows.header(unit)).utf8)
    for part in format == .strong ? parts.reversed() : parts { out.append(contentsOf: part) }
    return out
  }

  mutating func add(_ workout: Workout) {
    var text = ""
    var before: Exercise?
    tell(workout)
    for exercise in workout.exercises {
      guard exercise.name.contains(where: { !$0.isWhitespace }) else {
        leave("exercises", exercise.id, nil, "it has no name")
        continue
      }
      let done = exercise.sets.filter(\.isCompleted)
      tell(exercise, done, before: before)
      for (number, set) in done.enumerated() {
        let line = format == .strong ? strong(workout, exercise, done, number) : hevy(workout, exercise, set, number)
        if line.utf8.count > CSVTable.greatestRow {
          leave("exercise_sets", set.id, nil, "its row has more than \(CSVTable.greatestRow) bytes: a reader may refuse the table")
        }
        text += line
      }
      if !done.isEmpty {
        (exercises, before) = (exercises + 1, exercise)
        before?.sets = done
      }
      sets += done.count
    }
    guard !text.isEmpty else { return leave("workouts", workout.id, nil, "it has no set that was completed") }
    workouts += 1
    let start = WallTime.text(clock.time(workout.startedAt)).prefix(format == .strong ? 19 : 16)
    if !heads.insert([String(start), workout.name]).inserted {
      leave("workouts", workout.id, nil, "another has the same start and name: a reader takes the two for one")
    }
    if workout.startedAt != clock.date(clock.time(workout.startedAt)) {
      leave("workouts", workout.id, "started_at", "the clock shows its hour twice, and this is the second")
    }
    parts.append(Array(text.utf8))
  }

  // MARK: Rows

  private func strong(_ workout: Workout, _ exercise: Exercise, _ done: [ExerciseSet], _ number: Int) -> String {
    let set = done[number]
    let letter = StrongRows.order(set.type)
    // Sets with a letter are not numbered.
    let order = letter ?? String(done[...number].count { StrongRows.order($0.type) == nil })
    return Self.line([
      WallTime.text(clock.time(workout.startedAt)), Self.quoted(workout.name), StrongRows.duration(workout).map(CSVDuration.text) ?? "",
      Self.quoted(exercise.name), order, StrongRows.number(weight(set, exercise)), StrongRows.number(set.actual.reps.map(Double.init)),
      StrongRows.number(distance(set)), StrongRows.number(set.actual.durationSeconds.map(Double.init)),
      number == 0 ? Self.quoted(exercise.notes.joined(separator: "\n")) : "", number == 0 ? Self.quoted(workout.note ?? "") : "",
      set.actual.rpe.map(CSVNumber.text) ?? "",
    ])
  }

  private func hevy(_ workout: Workout, _ exercise: Exercise, _ set: ExerciseSet, _ number: Int) -> String {
    Self.line([
      Self.quoted(workout.name), Self.quoted(HevyRows.time(clock.time(workout.startedAt))),
      Self.quoted(HevyRows.end(workout).map { HevyRows.time(clock.time($0)) } ?? ""), Self.quoted(workout.note ?? ""),
      Self.quoted(exercise.name), exercise.superset.flatMap { $0 > 0 ? String($0 - 1) : nil } ?? "",
      Self.quoted(exercise.notes.joined(separator: "\n")), String(number), Self.quoted(set.type.word(working: "normal")),
      weight(set, exercise).map(CSVNumber.text) ?? "", set.actual.reps.map(String.init) ?? "", distance(set).map(CSVNumber.text) ?? "",
      set.actual.durationSeconds.map(String.init) ?? "", set.actual.rpe.map(CSVNumber.text) ?? "",
    ])
  }

  private static func line(_ cells: [String]) -> String { cells.joined(separator: ",") + "\n" }

  /// The text in quotes, with zeros replaced: with a zero the file would not be text.
  static func quoted(_ text: String) -> String {
    "\"" + text.replacingOccurrences(of: "\u{0}", with: " ").replacingOccurrences(of: "\"", with: "\"\"", options: .literal) + "\""
  }

  // MARK: Units

  private func weight(_ set: ExerciseSet, _ exercise: Exercise) -> Double? {
    guard let weight = set.actual.weight else { return nil }
    let entered = Weight(weight, set.weightUnit ?? exercise.weightUnit ?? .pounds)
    return entered.unit == unit ? weight : entered.converted(to: unit)?.rounded(decimals: 5).value
  }

  /// In kilometres beside kilograms, in miles beside pounds.
  private func distance(_ set: ExerciseSet) -> Double? {
    guard let distance = set.actual.distance else { return nil }
    let wanted = unit == .pounds ? DistanceUnit.miles : .kilometers
    let entered = set.distanceUnit ?? .meters
    guard entered != wanted else { return distance }
    guard let from = Self.meters[entered], let to = Self.meters[wanted] else { return nil }
    return Self.rounded(distance * from / to)
  }

  private static let meters = [DistanceUnit.meters: 1, .kilometers: 1000, .miles: 1609.344]

  private static func rounded(_ number: Double) -> Double {
    let scaled = (number * 100_000).rounded() / 100_000
    return scaled.isFinite ? scaled : number
  }

  // MARK: Values without a column

  private mutating func leave(_ kind: String, _ id: UUID, _ field: String?, _ reason: String) {
    leftOut.append(.init(kind: kind, id: IDCodec.lowercase(id), field: field, reason: reason))
  }

  private mutating func tell(_ workout: Workout) {
    tell("workouts", workout.id, "name", workout.name)
    if let note = workout.note { tell("workouts", workout.id, "note", note) }
    if let end = workout.endedAt, end < workout.startedAt { leave("workouts", workout.id, "ended_at", "it is before the start") }
    let start = WallTime.text(clock.time(workout.startedAt))
    if start.count != 19 || start.hasPrefix("0000") {
      leave("workouts", workout.id, "started_at", "its year has no four digits in this time zone: a reader may not take it")
    }
    if let seconds = workout.durationSeconds,
      seconds < 0 || DateCodec.milliseconds(workout.startedAt.addingTimeInterval(Double(seconds))) == nil
    {
      leave("workouts", workout.id, "duration_seconds", "a reader refuses such a time")
    } else if workout.endedAt != nil, workout.durationSeconds != nil {
      let reason = "there is one column for the end and the duration"
      leave("workouts", workout.id, format == .strong ? "ended_at" : "duration_seconds", reason)
    } else if format == .strong, workout.endedAt != nil {
      leave("workouts", workout.id, "ended_at", "there is a column for the duration only")
    }
    if format == .strong, let seconds = StrongRows.duration(workout), seconds >= 60, seconds % 60 != 0 {
      leave("workouts", workout.id, "duration_seconds", "it is cut to minutes")
    }
  }

  private mutating func tell(_ kind: String, _ id: UUID, _ field: String, _ text: String) {
    if text.contains("\u{0}") { leave(kind, id, field, "a zero in it becomes a blank") }
    if !text.isEmpty, text.allSatisfy(\.isWhitespace) { leave(kind, id, field, "blanks alone are read as nothing") }
  }

  private mutating func tell(_ exercise: Exercise, _ done: [ExerciseSet], before: Exercise?) {
    tell("exercises", exercise.id, "name", exercise.name)
    for note in exercise.notes { tell("exercises", exercise.id, "notes", note) }
    for (field, value) in [
      ("duration_seconds", exercise.durationSeconds), ("warm_up_rest_seconds", exercise.warmUpRestSeconds),
      ("rest_seconds", exercise.restSeconds),
    ] where value != nil { leave("exercises", exercise.id, field, "there is no column for it") }
    if done.isEmpty { leave("exercises", exercise.id, nil, "it has no set that was completed") }
    if !exercise.pinnedNotes.isEmpty { leave("exercises", exercise.id, "pinned_notes", "there is no column for it") }
    if exercise.notes.count > 1 { leave("exercises", exercise.id, "notes", "they become one note") }
    if exercise.superset != nil, format == .strong || (exercise.superset ?? 0) < 0 {
      leave("exercises", exercise.id, "superset", "there is no column for it")
    }
    let letters = done.prefix { StrongRows.order($0.type) != nil }
    if format == .strong, let before, before.name == exercise.name, !done.isEmpty {
      // A reader begins a new exercise where the numbers begin again, and gives it the warm-ups before that.
      let isParted = before.sets.contains { StrongRows.order($0.type) == nil } && before.sets.last?.type != .warmUp
      if !isParted || letters.count == done.count || letters.contains(where: { $0.type != .warmUp }) {
        leave("exercises", exercise.id, nil, "it has the same name as the exercise before it: an app that reads the table joins the two")
      }
    }
    for set in exercise.sets {
      guard set.isCompleted else {
        leave("exercise_sets", set.id, nil, "it is not completed")
        continue
      }
      if set.suggested != ExerciseSet.Suggested() { leave("exercise_sets", set.id, "suggested", "there is no column for it") }
      if set.note != nil { leave("exercise_sets", set.id, "note", "there is no column for it") }
      if set.completedAt != nil { leave("exercise_sets", set.id, "completed_at", "there is no column for it") }
      if set.actual.restSeconds != nil { leave("exercise_sets", set.id, "rest_seconds", "there is no column for it") }
      for (field, value) in [("duration_seconds", set.actual.durationSeconds), ("reps", set.actual.reps)] {
        guard let value, value < 0 || Int(exactly: Double(value)) != value else { continue }
        leave("exercise_sets", set.id, field, "a reader refuses such a number")
      }
      if set.actual.durationSeconds == 0 { leave("exercise_sets", set.id, "duration_seconds", "0 is read as nothing") }
      for (field, value) in [("distance", set.actual.distance), ("rpe", set.actual.rpe)] where value == 0 {
        leave("exercise_sets", set.id, field, "0 is read as nothing")
      }
      if set.actual.weight != nil, weight(set, exercise) == nil {
        leave("exercise_sets", set.id, "weight", "its unit is not one of mass")
      }
      if set.actual.distance != nil, distance(set) == nil { leave("exercise_sets", set.id, "distance", "its unit is not known") }
      if format == .hevy, ![.working, .warmUp, .dropSet, .failure].contains(set.type) {
        leave("exercise_sets", set.id, "type", "Hevy has no kind \(set.type.rawValue)")
      }
      if format == .strong, let type = StrongRows.unknown(set.type) {
        leave("exercise_sets", set.id, "type", "there is no letter for \(type)")
      }
      if format == .strong, set.actual.weight == 0 || set.actual.reps == 0 {
        leave("exercise_sets", set.id, set.actual.reps == 0 ? "reps" : "weight", "0 in this column means that nothing was entered")
      }
    }
  }
}

/// Strong's classic table.
private enum StrongRows {
  static let header = "Date,Workout Name,Duration,Exercise Name,Set Order,Weight,Reps,Distance,Seconds,Notes,Workout Notes,RPE\n"

  /// The letter for the type; nil for a set with a number.
  static func order(_ type: SetType) -> String? {
    // Or a letter of another language, as it was imported.
    Strong.letter(type) ?? (type == .working || unknown(type) != nil ? nil : type.rawValue)
  }

  /// The type's name if it has no letter.
  static func unknown(_ type: SetType) -> String? {
    if type == .working || Strong.letter(type) != nil { return nil }
    let isLetter = type.rawValue.count == 1 && type.rawValue.allSatisfy { $0.isASCII && $0.isLetter && !"WDFwdf".contains($0) }
    return isLetter ? nil : type.rawValue
  }

  /// With a point and without an exponent, as Strong writes numbers.
  static func number(_ value: Double?) -> String {
    value.map { $0 == 0 || 1e-4..<1e15 ~= $0.magnitude ? "\($0)" : CSVNumber.text($0) } ?? "0"
  }

  static func duration(_ workout: Workout) -> Int? {
    workout.durationSeconds
      ?? workout.endedAt.flatMap { Int(exactly: $0.timeIntervalSince(workout.startedAt).rounded(.down)) }
      .flatMap { $0 >= 0 ? $0 : nil }
  }
}

/// Hevy's table.
private enum HevyRows {
  static func header(_ unit: WeightUnit) -> String {
    let names = [
      "title", "start_time", "end_time", "description", "exercise_title", "superset_id", "exercise_notes", "set_index", "set_type",
      unit == .pounds ? "weight_lbs" : "weight_kg", "reps", unit == .pounds ? "distance_miles" : "distance_km", "duration_seconds", "rpe",
    ]
    return names.map(CSVWriter.quoted).joined(separator: ",") + "\n"
  }

  /// `9 Apr 2026, 17:18`.
  static func time(_ wall: Int64) -> String {
    let text = WallTime.text(wall)
    let parts = text.split { "- ".contains($0) }.map(String.init)
    guard parts.count == 4, let day = Int(parts[2]), let month = Int(parts[1]), months.indices.contains(month - 1) else { return text }
    return "\(day) \(months[month - 1]) \(parts[0]), \(parts[3].prefix(5))"
  }

  static func end(_ workout: Workout) -> Date? {
    workout.endedAt ?? workout.durationSeconds.map { workout.startedAt.addingTimeInterval(Double($0)) }
  }

  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
}
