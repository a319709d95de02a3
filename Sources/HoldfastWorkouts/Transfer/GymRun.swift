import Foundation
import Holdfast
import HoldfastTransfer

/// The table that GymRun exports: one row for each set, with the time of the set. Rows less than three hours after one another are one
/// workout of each routine. The table names no units: the person names the unit of the weights.
struct GymRun: TrainingDialect {
  static let name = "gymrun-csv"
  var table: TrainingTable
  private let starts: WorkoutStarts

  static let names = [
    "date": ["date"], "time": ["time"], "workout": ["routine"], "exercise": ["exercise"], "order": ["set"], "weight": ["weight"],
    "reps": ["reps"], "seconds": ["duration"], "distance": ["distance"], "set note": ["note"], "kind": ["type"], "book": ["book"],
    "version": ["version1"], "6": ["para6"], "7": ["para7"], "8": ["para8"], "9": ["para9"], "10": ["para10"],
  ]

  static let required: KeyValuePairs = [
    "Date": ["date"], "Time": ["time"], "Exercise": ["exercise"], "Set": ["order"], "Weight": ["weight"], "Reps": ["reps"], "Para6": ["6"],
  ]

  init(_ file: CSVTable, _ clock: WallClock, _ unit: WeightUnit?) throws {
    let table = TrainingTable(file, Self.names, clock, unit)
    self.table = table
    starts = try WorkoutStarts(file) { Self.time(table, $0) }
  }

  func numbers(_ cells: [String]) -> [(quantity: CSVQuantity, text: String)] {
    table.columns.texts([.weight: "weight", .reps: "reps", .distance: "distance"], in: cells)
  }

  var leastCells: Int { table.columns.cells(reaching: "date", "time", "exercise", "order", "weight", "reps") }

  func rows(_ cells: [String]) throws -> [TrainingRow] {
    guard let time = Self.time(table, cells) else {
      throw RowProblem(reason: "its time cannot be read: \(table.text("date", cells) ?? "") \(table.text("time", cells) ?? "")")
    }
    guard let exercise = table.text("exercise", cells) else { throw RowProblem(reason: "it names no exercise") }
    var row = TrainingRow(head: .init(start: starts[time], name: table.text("workout", cells) ?? ""), exercise: exercise)
    row.unknown = table.columns.doubts(cells) + doubts(cells)
    let number = CSVNumber(table.text("order", cells) ?? "", table.signs.all)?.whole
    row.parts = [try .read { .set(number: number, try set(cells)) }]
    return [row]
  }

  /// Numbers whose meaning the table does not say, unless they are those that say nothing.
  private func doubts(_ cells: [String]) -> [TrainingRow.Doubt] {
    let plain = [("seconds", "Duration", 0.0), ("kind", "Type", 1), ("book", "Book", 1)]
    let others = ["6", "7", "8", "9", "10"].map { ($0, "Para\($0)", 0.0) }
    return (plain + others).compactMap { name, field, nothing in
      guard let text = table.text(name, cells), CSVNumber(text, table.signs.all)?.value != nothing,
        name != "seconds" || !text.contains(":")
      else { return nil }
      return .init(kind: "exercise_sets", field: field, reason: "the file does not say what this number means, and it is not imported")
    }
  }

  private func set(_ cells: [String]) throws -> WrittenSet {
    var set = SetCells(table, cells)
    // A number alone may be seconds or minutes.
    set.seconds = set.seconds.flatMap { $0.contains(":") ? $0 : nil }
    return try set.read(zeroIsNothing: true, table.signs)
  }

  private static func time(_ table: TrainingTable, _ cells: [String]) -> Int64? {
    table.text("date", cells).flatMap { WallTime.parse("\($0) \(table.text("time", cells) ?? "")", on: table.clock) }
  }
}
