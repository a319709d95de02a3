import Foundation
import Holdfast
import HoldfastTransfer

/// Jefit's export: one file with several tables; see `JefitTables`. A row of `EXERCISE LOGS` is an exercise with all its sets:
/// `60x10,60x8`. The exercises of a session are one workout, and so are those of a day that have no session. A workout has no name: the name
/// of the plan's day may change, and the workout would be another one.
///
/// For an exercise with times, five numbers are one set: calories, distance, speed, laps and seconds, each behind `0x`. The row itself does
/// not say so; `EXERCISE SET LOGS` or `CARDIO LOGS` do.
struct Jefit: TrainingDialect {
  static let name = "jefit-csv"
  var table: TrainingTable
  private let contents: JefitContents
  private var tables: JefitTables

  /// - Throws: `.invalidSource` for an export without the table of sets; what `CSVTable.lines(_:)` throws.
  init(_ file: CSVTable, _ clock: WallClock, _ unit: WeightUnit?) throws {
    tables = JefitTables(file.header)
    contents = try JefitContents(file, clock)
    guard contents.hasSets else {
      throw StoreError(
        .invalidSource,
        "\(file.source.url.path) is Jefit's export without its table EXERCISE LOGS, or without the columns ename and logs in it",
        suggestion: "Export it again from Jefit, and leave the file as it is.")
    }
    table = TrainingTable(file, [:], clock, contents.unit ?? unit)
    table.carries = [.duration, .end, .exerciseNotes, .weight, .reps, .distance, .seconds]
  }

  static func likeness(_ header: [String]) -> (known: Int, missing: [String]) {
    if JefitTables.title(header).flatMap(JefitTables.Title.init(rawValue:)) != nil { return (1, []) }
    let columns = JefitTables.logs(header)
    return (columns.count, ["### EXERCISE LOGS ###"] + columns.missing(["ename": ["exercise"], "logs": ["sets"]]))
  }

  // A comma separates sets, so that it is in no number.
  func numbers(_ cells: [String]) -> [(quantity: CSVQuantity, text: String)] { [] }

  var leastCells: Int { tables.columns.cells(reaching: "exercise", "sets", "date", "session") }
  var width: Int? { tables.width }

  mutating func take(_ cells: [String]) -> TrainingLine {
    guard tables.isRow(cells) else { return .known }
    let columns = tables.columns
    func text(_ name: String) -> String? { columns.text(name, cells) }
    let day = JefitContents.day(columns, cells)
    switch tables.title {
    case .setting: return .known
    case .logs:
      guard let id = text("id"), contents.outdated.contains(id) else { return .row }
      return .skipped(kind: "outdated_logs", reason: "a later row has the same sets and more")
    case .sets:
      if text("log").map(contents.logs.contains) == true { return .known }
      return .skipped(kind: "set_logs", reason: "no row of EXERCISE LOGS has its exercise")
    case .sessions:
      guard let id = text("id"), contents.sessions[id] != nil else {
        return .damaged("the start of its session cannot be read: \(text("start") ?? "")")
      }
      return contents.logged.contains(id) ? .known : .skipped(kind: "sessions", reason: "it has no exercise")
    case .cardio:
      if day.map(contents.timedDays.contains) == true { return .known }
      return .skipped(kind: "cardio_logs", reason: "it names no exercise, and EXERCISE LOGS has none for it")
    case .notes:
      return day.map(contents.days.contains) == true || text("note") == nil
        ? .known : .skipped(kind: "notes", reason: "no exercise of its day has this note")
    case .profile: return .skipped(kind: "measurements", reason: "the log has no measurements of a body")
    case .routines: return .skipped(kind: "programs", reason: "the log has no programs")
    case .records: return .skipped(kind: "records", reason: "the log computes records from the sets")
    case .exercises: return .skipped(kind: "exercise_names", reason: "an exercise comes in with its sets")
    case .favorites: return .skipped(kind: "favorites", reason: "the log has no favorites")
    case .cardioExercises, nil:
      return .skipped(kind: "other_rows", reason: "the table \(tables.name) is not known, and its rows are not imported")
    }
  }

  func rows(_ cells: [String]) throws -> [TrainingRow] {
    let columns = tables.columns
    guard let exercise = columns.text("exercise", cells) else { throw RowProblem(reason: "it names no exercise") }
    let number = columns.text("session", cells)
    let session = number.flatMap { contents.sessions[$0] }
    let date = columns.text("date", cells) ?? ""
    guard let start = session?.start ?? WallTime.parse(date, on: table.clock) else {
      throw RowProblem(reason: "its date cannot be read: \(date)")
    }
    var row = TrainingRow(head: .init(start: start, name: ""), exercise: exercise)
    if let session {
      (row.number, row.end, row.others) = (number, session.end, session.others)
      if let total = session.total, !JefitContents.isNothing(total) {
        row.take(duration: CSVDuration.seconds(total), letters: CSVDuration.read(total), of: total, table.signs[.duration])
      }
    }
    row.exerciseNote = JefitContents.day(columns, cells).flatMap { contents.notes[$0]?.joined(separator: "\n") }
    row.unknown = columns.doubts(cells)
    try read(JefitSets(columns.text("sets", cells) ?? ""), columns, cells, into: &row)
    return [row]
  }

  /// - Throws: `RowProblem` for sets that may be repetitions or times; `UnitMissing`.
  private func read(_ sets: JefitSets, _ columns: CSVColumns, _ cells: [String], into row: inout TrainingRow) throws {
    if sets.maybeTimes, contents.hasTime(columns, cells) {
      let times = sets.times()
      for (name, number) in times.flatMap(\.others) where !JefitContents.isNothing(number) {
        row.unknown.append(
          .init(kind: "exercise_sets", field: name, reason: "the log has no place for this number, and it is not imported"))
      }
      row.parts = try times.enumerated().map { index, time in
        var set = time.cells
        // The unit of distances goes with that of the weights.
        set.weightUnit = table.unit
        return try part(set, index)
      }
    } else if sets.areLikelyTimes {
      throw RowProblem(reason: "its numbers may be repetitions or times, and no other table of the file says which: \(sets.text)")
    } else {
      let id = columns.text("id", cells) ?? ""
      row.parts = try zip(sets.pieces, sets.pairs).enumerated().map { index, piece in
        let (text, pair) = piece
        guard let pair else {
          return .damaged("set \(index + 1): it should be a weight, an x and repetitions: \(text)")
        }
        var set = SetCells()
        (set.weight, set.reps) = (pair.weight, pair.reps)
        set.weightUnit = table.unit
        set.typeText = contents.type(of: id, at: index) ?? ""
        set.type = SetType(word: set.typeText, working: "")
        set.isCompleted = !JefitContents.isNothing(pair.reps)
        return try part(set, index)
      }
    }
    // A row's sets count from 1, so that two rows of one exercise are two exercises.
    var count = 0
    row.parts = row.parts.map { part in
      if case .skipped = part { return part }
      count += 1
      if case .set(number: _, let set) = part { return .set(number: count, set) }
      return part
    }
    if count == 0 { row.parts.append(.empty) }
  }

  private func part(_ set: SetCells, _ index: Int) throws -> TrainingRow.Part {
    if [set.weight, set.reps, set.seconds, set.distance].allSatisfy(JefitContents.isNothing) {
      return .skipped(kind: "empty_sets", reason: "the set was not done")
    }
    do {
      var written = try set.read(zeroIsNothing: true, table.signs)
      written.isDone = set.reps.map { $0.contains { "123456789".contains($0) } } ?? true
      return .set(number: nil, written)
    } catch let problem as RowProblem {
      return .damaged("set \(index + 1): \(problem.reason)")
    }
  }

  func text(_ type: SetType) -> String { type.word(working: "") }
}
