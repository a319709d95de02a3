import Foundation
import Holdfast
import HoldfastTransfer

/// The table that StrongLifts exports: one row for each exercise, with two columns for each of its sets. A missed set has a
/// dash as its repetitions: it has none, and is not completed.
struct StrongLifts: TrainingDialect {
  private struct Pair {
    var number: Int
    var reps: Int
    var weight: Int?
    var unit: WeightUnit?
  }

  let name = "stronglifts-csv"
  let interleaves = false
  let carries: TrainingFields
  private let columns: CSVColumns
  private let pairs: [Pair]
  private let clock: WallClock
  private let unit: WeightUnit?
  /// The form of dates from the header; nil if the header does not give it.
  private let datePattern: DatePattern?
  var signs: CSVSigns

  /// Columns that StrongLifts computes from the sets are known, and not imported.
  private static let names = [
    "date": ["date"], "number": ["workout"], "workout": ["workout name"], "program": ["program name", "program"],
    "body weight": ["body weight"], "exercise": ["exercise"], "notes": ["notes", "note"], "duration": ["duration"],
    "start": ["start time"], "end": ["end time"], "sets": ["sets×reps", "setsxreps"], "timed": ["sets×time", "setsxtime"],
    "top": ["top set", "top set reps x kg", "top set reps x lb"], "e1rm": ["e1rm"], "reps": ["reps"], "volume": ["volume"],
    "workout volume": ["workout volume", "total volume"],
  ]

  /// Nil for any other table.
  init?(_ file: CSVTable, _ clock: WallClock, _ unit: WeightUnit?) {
    columns = CSVColumns(file.header, Self.names)
    pairs = Self.pairs(file.header.map(CSVColumns.folded))
    guard Self.isHeader(file.header) else { return nil }
    self.clock = clock
    self.unit = unit
    datePattern = columns.units["date"].flatMap(DatePattern.init)
    signs = CSVSigns(file)
    var carries: TrainingFields = [.weight, .reps]
    for (name, field) in [("notes", TrainingFields.workoutNote), ("duration", .duration), ("end", .end)] where columns.has(name) {
      carries.insert(field)
    }
    self.carries = carries
  }

  private static func pairs(_ header: [String]) -> [Pair] {
    let columns = header.enumerated().compactMap { place, name in setColumn(name).map { (place: place, number: $0.number, what: $0.what) } }
    var pairs: [Int: Pair] = [:]
    for column in columns where column.what == "reps" && pairs[column.number] == nil {
      pairs[column.number] = Pair(number: column.number, reps: column.place)
    }
    for column in columns where column.place != pairs[column.number]?.reps && pairs[column.number]?.weight == nil {
      guard let unit = WeightUnit(spelled: String(column.what)) else { continue }
      pairs[column.number]?.weight = column.place
      pairs[column.number]?.unit = unit
    }
    return pairs.values.sorted { $0.number < $1.number }
  }

  /// The parts of `set 1 (reps)` and `set 1 (kg)`. Called for each name of any table's header, so it uses no regular
  /// expression, which would be compiled each time.
  private static func setColumn(_ name: String) -> (number: Int, what: Substring)? {
    guard name.hasPrefix("set "), name.last == ")" else { return nil }
    let rest = name.dropFirst(4)
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard digits.count <= 4, let number = Int(digits), rest.dropFirst(digits.count).hasPrefix(" (") else { return nil }
    return (number, rest.dropFirst(digits.count + 2).dropLast())
  }

  static func likeness(_ header: [String]) -> (known: Int, missing: [String]) {
    let columns = CSVColumns(header, names)
    let pairs = pairs(header.map(CSVColumns.folded))
    let missing = columns.missing(["Date": ["date"], "Exercise": ["exercise"]])
    return (columns.count + pairs.count, pairs.isEmpty ? missing + ["Set 1 (Reps)"] : missing)
  }

  func numbers(_ cells: [String]) -> [(quantity: CSVQuantity, text: String)] {
    let weights = pairs.compactMap { $0.weight.flatMap { CSVColumns.text($0, cells) } }
    return columns.texts([.duration: "duration"], in: cells) + weights.map { (.weight, $0) }
  }

  var leastCells: Int { columns.cells(reaching: "date", "workout", "exercise") }

  func row(_ cells: [String]) throws -> TrainingRow {
    let date = columns.text("date", cells) ?? ""
    let time = columns.text("start", cells)
    guard let start = try self.time(date, time) else {
      throw RowProblem(reason: datePattern.map { "its date is not valid as \($0.text): \(date)" } ?? "its date cannot be read: \(date)")
    }
    guard let exercise = columns.text("exercise", cells) else { throw RowProblem(reason: "it names no exercise") }
    let name = columns.text("workout", cells) ?? columns.text("number", cells) ?? ""
    var row = TrainingRow(head: .init(start: start, name: name), exercise: exercise)
    row.note = columns.text("notes", cells)
    complete(&row, date, cells)
    row.guessed += columns.doubts(cells, besides: Set(pairs.flatMap { [$0.reps, $0.weight ?? $0.reps] }))
    row.parts = try pairs.compactMap { try part($0, cells) }
    if row.parts.isEmpty { row.parts = [.empty] }
    return row
  }

  private func complete(_ row: inout TrainingRow, _ date: String, _ cells: [String]) {
    if let text = columns.text("duration", cells) {
      // In hours, with a fraction.
      let hours = CSVNumber(text, signs[.duration])
      let seconds = hours.flatMap { CSVDuration.seconds(hours: $0.value) }
      row.take(duration: seconds, letters: CSVDuration.read(hours: hours?.text ?? ""), of: text, signs[.duration])
    }
    if let text = columns.text("end", cells) {
      guard columns.text("start", cells) != nil else {
        row.damaged.append(.init(kind: "workouts", field: "end", reason: "the row has no start time: \(text)"))
        return others(&row, cells)
      }
      let end = try? time(date, text)
      // The workout ended after midnight.
      row.end = end.map { $0 < row.head.start ? $0 + 86_400_000 : $0 }
      if row.end == nil { row.damaged.append(.init(kind: "workouts", field: "end", reason: "it is not a time: \(text)")) }
    }
    others(&row, cells)
  }

  private func others(_ row: inout TrainingRow, _ cells: [String]) {
    if columns.text("body weight", cells) != nil { row.others.append(("body_weights", "the log has no weights of a body")) }
    if columns.text("program", cells) != nil { row.others.append(("programs", "the log has no programs")) }
  }

  /// Nil when the date cannot be read.
  private func time(_ date: String, _ time: String?) throws -> Int64? {
    let day = if let datePattern { datePattern.noon(date) } else { WallTime.parse(date, on: clock) }
    guard let noon = day else { return nil }
    guard let time else { return noon }
    guard let text = WallTime.timeOfDay(time), let wall = WallTime.parse("\(WallTime.text(noon).prefix(10)) \(text)", on: clock) else {
      throw RowProblem(reason: "its time cannot be read: \(time)")
    }
    return wall
  }

  private func part(_ pair: Pair, _ cells: [String]) throws -> TrainingRow.Part? {
    var set = SetCells()
    set.reps = CSVColumns.text(pair.reps, cells)
    set.weight = pair.weight.flatMap { CSVColumns.text($0, cells) }
    guard set.reps != nil || set.weight != nil else { return nil }
    if let dash = set.reps?.trimmingCharacters(in: .whitespaces), dash == "-" || dash == "–" {
      set.reps = "0"
      set.isCompleted = false
    }
    // A weight without repetitions was only planned.
    if set.reps == nil { set.isCompleted = false }
    if set.weight?.trimmingCharacters(in: .whitespaces) == "-" { set.weight = nil }
    set.weightUnit = pair.unit ?? unit
    do {
      var written = try set.read(zeroIsNothing: false, signs)
      written.isDone = CSVColumns.text(pair.reps, cells)?.contains(where: \.isNumber) ?? false
      return .set(number: pair.number, written)
    } catch let problem as RowProblem {
      return .damaged("set \(pair.number): \(problem.reason)")
    }
  }

  func text(_ type: SetType) -> String { type == .working ? "" : type.rawValue }
}
