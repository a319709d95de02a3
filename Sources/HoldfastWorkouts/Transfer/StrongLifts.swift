import Foundation
import Holdfast
import HoldfastTransfer

/// The tables that StrongLifts exports: today's, one row for each exercise, and the one until about 2018, one row for each workout; see
/// `StrongLiftsExercise`. A missed set has a dash or -1 as its repetitions: it comes in with 0 repetitions, not completed.
struct StrongLifts: TrainingDialect {
  static let name = "stronglifts-csv"
  let interleaves = false
  var table: TrainingTable
  private let exercises: [StrongLiftsExercise]
  /// The places of columns that `columns` does not know and this reader reads.
  private let places: Set<Int>
  private let columnCount: Int
  /// The form of dates, from the header or from all dates of the table; nil if neither says it.
  private let datePattern: DatePattern?

  /// Columns that StrongLifts computes from the sets are known, and not imported.
  static let names = [
    "date": ["date"], "number": ["workout"], "workout": ["workout name"], "program": ["program name", "program"],
    "body weight": ["body weight"], "exercise": ["exercise"], "workout note": ["notes", "note"], "duration": ["duration"],
    "start": ["start time"], "end": ["end time"], "sets": ["sets×reps", "setsxreps"], "timed": ["sets×time", "setsxtime"],
    "top": ["top set", "top set reps x kg", "top set reps x lb"], "e1rm": ["e1rm"], "all reps": ["reps"], "volume": ["volume"],
    "workout volume": ["workout volume", "total volume"],
  ]

  init(_ file: CSVTable, _ clock: WallClock, _ unit: WeightUnit?) throws {
    let header = file.header.map(CSVColumns.folded)
    table = TrainingTable(file, Self.names, clock, unit)
    table.carries.formUnion([.weight, .reps])
    exercises = StrongLiftsExercise.all(header, table.columns.place("exercise") ?? 0)
    if let pattern = table.columns.units["date"].flatMap(DatePattern.init) {
      datePattern = pattern
    } else {
      datePattern = try exercises.contains(where: \.isInWorkouts) ? Self.datePattern(file, table.columns) : nil
    }
    places = Set(exercises.flatMap(\.places) + header.indices.filter { header[$0].hasPrefix("body weight") })
    columnCount = header.count
  }

  /// The old form writes dates in the order of the person's language, such as `16/03/15`: one day after the 12th decides for all.
  private static func datePattern(_ file: CSVTable, _ columns: CSVColumns) throws -> DatePattern? {
    var order = DateOrder()
    try file.lines { line, _ in
      if case .row(let cells, _) = line, let date = columns.text("date", cells) { order.see(date) }
    }
    return order.pattern
  }

  static func likeness(_ header: [String]) -> (known: Int, missing: [String]) {
    let columns = CSVColumns(header, names)
    let exercises = StrongLiftsExercise.all(header.map(CSVColumns.folded), columns.place("exercise") ?? 0)
    var missing = columns.missing(["Date": ["date"]])
    if !exercises.contains(where: \.isInWorkouts) { missing += columns.missing(["Exercise": ["exercise"]]) }
    if exercises.isEmpty { missing.append("Set 1 (Reps)") }
    return (columns.count + exercises.reduce(0) { $0 + $1.sets.count }, missing)
  }

  func numbers(_ cells: [String]) -> [(quantity: CSVQuantity, text: String)] {
    let weights = Set(exercises(of: cells).flatMap(\.sets).flatMap(\.weights).map(\.place)).compactMap { CSVColumns.text($0, cells) }
    return table.columns.texts([.duration: "duration"], in: cells) + weights.map { (.weight, $0) }
  }

  var leastCells: Int { table.columns.cells(reaching: "date", "workout", "exercise") }

  /// The exercises that a row has columns for.
  private func exercises(of cells: [String]) -> [StrongLiftsExercise] {
    guard cells.count > columnCount, var last = exercises.last, last.isInWorkouts, last.end == columnCount else { return exercises }
    var all = exercises
    while last.end < cells.count {
      last = last.next
      all.append(last)
    }
    return all
  }

  func joined(_ cells: [String], _ row: [UInt8]) -> [String]? {
    let more = exercises(of: cells).dropFirst(exercises.count)
    return more.isEmpty || !more.allSatisfy { $0.fits(cells) } ? nil : cells
  }

  func rows(_ cells: [String]) throws -> [TrainingRow] {
    let date = table.text("date", cells) ?? ""
    let time = table.text("start", cells)
    guard let start = try self.time(date, time) else { throw RowProblem(reason: problem(of: date)) }
    let name = table.text("workout", cells) ?? table.text("number", cells) ?? ""
    var workout = TrainingRow(head: .init(start: start, name: name), exercise: "")
    workout.note = table.text("workout note", cells)
    complete(&workout, date, cells)
    workout.unknown = table.columns.doubts(cells, besides: places)
    let rows = try exercises(of: cells).compactMap { try row($0, cells, of: workout) }
    guard !rows.isEmpty else { throw RowProblem(reason: "it names no exercise") }
    return rows
  }

  private func row(_ exercise: StrongLiftsExercise, _ cells: [String], of workout: TrainingRow) throws -> TrainingRow? {
    let parts = try exercise.sets.compactMap { try part($0, exercise, cells) }
    guard let name = CSVColumns.text(exercise.name, cells) else {
      guard parts.isEmpty else { throw RowProblem(reason: "it has sets of an exercise without a name") }
      return nil
    }
    var row = workout
    row.exercise = name
    row.parts = parts.isEmpty ? [.empty] : parts
    let isPlanned = parts.isEmpty && exercise.isInWorkouts && exercise.sets.first.map { !weights($0, cells).isEmpty } == true
    if isPlanned { row.parts.append(.skipped(kind: "planned_weights", reason: "no set was done with this weight")) }
    return row
  }

  private func problem(of date: String) -> String {
    if let datePattern { return "its date is not valid as \(datePattern.text): \(date)" }
    guard exercises.contains(where: \.isInWorkouts) else { return "its date cannot be read: \(date)" }
    return "its date cannot be read, because no date of the table shows the order of day and month: \(date)"
  }

  private func complete(_ row: inout TrainingRow, _ date: String, _ cells: [String]) {
    if table.text("body weight", cells) != nil { row.others.append(("body_weights", "the log has no weights of a body")) }
    if table.text("program", cells) != nil { row.others.append(("programs", "the log has no programs")) }
    if let text = table.text("duration", cells) {
      // In hours, with a fraction, unless the header names another unit.
      let (number, unit) = (CSVNumber(text, table.signs[.duration]), table.columns.timeUnit("duration") ?? 3_600_000)
      let seconds = number.flatMap { CSVDuration.seconds($0.value, unit: unit) }
      row.take(duration: seconds, letters: CSVDuration.read(number?.text ?? "", unit: unit), of: text, table.signs[.duration])
    }
    if let text = table.text("end", cells) {
      guard table.text("start", cells) != nil else {
        return row.damaged.append(.init(kind: "workouts", field: "end", reason: "the row has no start time: \(text)"))
      }
      let end = try? time(date, text)
      // The workout ended after midnight.
      row.end = end.map { $0 < row.head.start ? $0 + 86_400_000 : $0 }
      if row.end == nil { row.damaged.append(.init(kind: "workouts", field: "end", reason: "it is not a time: \(text)")) }
    }
  }

  /// Nil when the date cannot be read.
  private func time(_ date: String, _ time: String?) throws -> Int64? {
    let day = if let datePattern { datePattern.noon(date) } else { WallTime.parse(date, on: table.clock) }
    guard let noon = day else { return nil }
    guard let time else { return noon }
    guard let text = WallTime.timeOfDay(time), let wall = WallTime.parse("\(WallTime.text(noon).prefix(10)) \(text)", on: table.clock)
    else { throw RowProblem(reason: "its time cannot be read: \(time)") }
    return wall
  }

  private func part(_ column: StrongLiftsExercise.Column, _ exercise: StrongLiftsExercise, _ cells: [String]) throws -> TrainingRow.Part? {
    var set = SetCells()
    set.reps = CSVColumns.text(column.reps, cells)
    // The old form has one weight for all sets: an empty cell is no set.
    guard set.reps != nil || !exercise.isInWorkouts else { return nil }
    (set.weight, set.unitText) = weight(column, cells)
    guard set.reps != nil || set.weight != nil else { return nil }
    if let text = set.reps?.trimmingCharacters(in: .whitespaces), ["-", "–", "-1"].contains(text) {
      set.reps = "0"
      set.isCompleted = false
    }
    // A weight without repetitions was only planned.
    if set.reps == nil { set.isCompleted = false }
    if set.weight?.trimmingCharacters(in: .whitespaces) == "-" { set.weight = nil }
    set.weightUnit = set.unitText.flatMap(WeightUnit.init(spelled:))
    do {
      var written = try set.read(zeroIsNothing: false, table.signs)
      let letters = CSVColumns.text(column.reps, cells)?.withoutBlanks ?? ""
      written.isDone = letters.contains(where: \.isNumber) && letters != "-1"
      return .set(number: column.number, written)
    } catch is UnitMissing {
      throw UnitMissing(hasBothUnits: weights(column, cells).count > 1)
    } catch let problem as RowProblem {
      return .damaged("set \(column.number): \(problem.reason)")
    }
  }

  private func weights(_ column: StrongLiftsExercise.Column, _ cells: [String]) -> [(text: String, unit: String)] {
    column.weights.compactMap { weight in CSVColumns.text(weight.place, cells).map { ($0, weight.unit) } }
  }

  /// The weight, and the header's text for its unit; without one, the person must name it.
  ///
  /// The old form may give the weight in both units. Then only the one in the person's own unit is exact: the program rounded the other to
  /// plates, so that 45 kg stands for 100 lb and for 102 lb. As in today's form, the file decides where it can: by the only weight
  /// given, or by the body's weight, such as `183lb`. Otherwise the person's answer counts.
  private func weight(_ column: StrongLiftsExercise.Column, _ cells: [String]) -> (text: String?, unit: String?) {
    let given = weights(column, cells)
    guard given.count > 1 else { return (given.first?.text, given.first?.unit) }
    let body = table.text("body weight", cells).flatMap { WeightUnit(spelled: String($0.drop { !$0.isLetter })) }
    let own = body ?? table.unit
    let exact = given.first { WeightUnit(spelled: $0.unit) == own }
    return (exact?.text ?? given.first?.text, exact?.unit)
  }
}
