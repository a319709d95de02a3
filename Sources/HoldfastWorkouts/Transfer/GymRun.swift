import Foundation
import Holdfast
import HoldfastTransfer

/// The table that GymRun exports: one row for each set, with the time of the set. Rows less than three hours after one another are one
/// workout of each routine. The table names no units: the person names the unit of the weights.
struct GymRun: TrainingDialect {
  let name = "gymrun-csv"
  let interleaves = true
  let carries: TrainingFields
  private let columns: CSVColumns
  private let unit: WeightUnit?
  private let clock: WallClock
  private let starts: WorkoutStarts
  var signs: CSVSigns

  private static let names = [
    "date": ["date"], "time": ["time"], "workout": ["routine"], "exercise": ["exercise"], "order": ["set"], "weight": ["weight"],
    "reps": ["reps"], "seconds": ["duration"], "distance": ["distance"], "set note": ["note"], "kind": ["type"], "book": ["book"],
    "version": ["version1"], "6": ["para6"], "7": ["para7"], "8": ["para8"], "9": ["para9"], "10": ["para10"],
  ]

  /// Nil for any other table.
  ///
  /// - Throws: what `CSVTable.lines(_:)` throws: all times of the table decide which rows are one workout.
  init?(_ file: CSVTable, _ clock: WallClock, _ unit: WeightUnit?) throws {
    guard Self.isHeader(file.header) else { return nil }
    columns = CSVColumns(file.header, Self.names)
    (self.clock, self.unit) = (clock, columns.units["weight"].flatMap(WeightUnit.init(spelled:)) ?? unit)
    signs = CSVSigns(file)
    carries = TrainingFields(columns)
    var times: Set<Int64> = []
    try file.lines { [columns] line, _ in
      if case .row(let cells, _) = line, let time = Self.time(columns, cells, clock) { times.insert(time) }
    }
    starts = WorkoutStarts(times)
  }

  static func likeness(_ header: [String]) -> (known: Int, missing: [String]) {
    let columns = CSVColumns(header, names)
    return (
      columns.count,
      columns.missing([
        "Date": ["date"], "Time": ["time"], "Exercise": ["exercise"], "Set": ["order"], "Weight": ["weight"], "Reps": ["reps"],
        "Para6": ["6"],
      ])
    )
  }

  func numbers(_ cells: [String]) -> [(quantity: CSVQuantity, text: String)] {
    columns.texts([.weight: "weight", .reps: "reps", .distance: "distance"], in: cells)
  }

  var leastCells: Int { columns.cells(reaching: "date", "time", "exercise", "order", "weight", "reps") }

  func rows(_ cells: [String]) throws -> [TrainingRow] {
    guard let time = Self.time(columns, cells, clock) else {
      throw RowProblem(reason: "its time cannot be read: \(columns.text("date", cells) ?? "") \(columns.text("time", cells) ?? "")")
    }
    guard let exercise = columns.text("exercise", cells) else { throw RowProblem(reason: "it names no exercise") }
    var row = TrainingRow(head: .init(start: starts[time], name: columns.text("workout", cells) ?? ""), exercise: exercise)
    row.unknown = columns.doubts(cells) + doubts(cells)
    do {
      row.parts = [.set(number: CSVNumber(columns.text("order", cells) ?? "", signs.all)?.whole, try set(cells))]
    } catch let problem as RowProblem {
      row.parts = [.damaged(problem.reason)]
    }
    return [row]
  }

  /// Numbers whose meaning the table does not say, unless they are those that say nothing.
  private func doubts(_ cells: [String]) -> [TrainingRow.Doubt] {
    let plain = [("seconds", "Duration", 0.0), ("kind", "Type", 1), ("book", "Book", 1)]
    let others = ["6", "7", "8", "9", "10"].map { ($0, "Para\($0)", 0.0) }
    return (plain + others).compactMap { name, field, nothing in
      guard let text = columns.text(name, cells), CSVNumber(text, signs.all)?.value != nothing, name != "seconds" || !text.contains(":")
      else {
        return nil
      }
      return .init(kind: "exercise_sets", field: field, reason: "the file does not say what this number means, and it is not imported")
    }
  }

  private func set(_ cells: [String]) throws -> WrittenSet {
    var set = SetCells()
    set.weight = columns.text("weight", cells)
    (set.weightUnit, set.unitText) = (unit, nil)
    set.reps = columns.text("reps", cells)
    set.distance = columns.text("distance", cells)
    // A number alone may be seconds or minutes.
    set.seconds = columns.text("seconds", cells).flatMap { $0.contains(":") ? $0 : nil }
    set.note = columns.text("set note", cells)
    return try set.read(zeroIsNothing: true, signs)
  }

  func text(_ type: SetType) -> String { type == .working ? "" : type.rawValue }

  private static func time(_ columns: CSVColumns, _ cells: [String], _ clock: WallClock) -> Int64? {
    columns.text("date", cells).flatMap { WallTime.parse("\($0) \(columns.text("time", cells) ?? "")", on: clock) }
  }
}
