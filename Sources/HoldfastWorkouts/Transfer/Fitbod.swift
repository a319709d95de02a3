import Foundation
import Holdfast
import HoldfastTransfer

/// The table that Fitbod exports: one row for each set, with a time in a zone. Some versions give every set of a workout the workout's time,
/// others each set its own. So rows less than three hours after one another are one workout, which has no name and begins with the first.
struct Fitbod: TrainingDialect {
  static let name = "fitbod-csv"
  var table: TrainingTable
  private let starts: WorkoutStarts

  static let names = [
    "date": ["date"], "exercise": ["exercise"], "reps": ["reps"], "weight": ["weight"], "seconds": ["duration"], "distance": ["distance"],
    "incline": ["incline"], "resistance": ["resistance"], "warm-up": ["iswarmup"], "set note": ["note"], "multiplier": ["multiplier"],
  ]

  static let required: KeyValuePairs = [
    "Date": ["date"], "Exercise": ["exercise"], "Reps": ["reps"], "isWarmup": ["warm-up"], "Duration": ["seconds"],
  ]

  init(_ file: CSVTable, _ clock: WallClock, _ unit: WeightUnit?) throws {
    let table = TrainingTable(file, Self.names, clock, unit)
    self.table = table
    starts = try WorkoutStarts(file) { table.text("date", $0).flatMap { Self.time($0, clock) } }
  }

  var leastCells: Int { table.columns.cells(reaching: "date", "exercise", "reps", "weight", "warm-up") }

  func rows(_ cells: [String]) throws -> [TrainingRow] {
    let date = table.text("date", cells) ?? ""
    guard let time = Self.time(date, table.clock) else { throw RowProblem(reason: "its date cannot be read: \(date)") }
    guard let exercise = table.text("exercise", cells) else { throw RowProblem(reason: "it names no exercise") }
    var row = TrainingRow(head: .init(start: starts[time], name: ""), exercise: exercise)
    row.unknown = table.columns.doubts(cells) + ["incline", "resistance", "multiplier"].compactMap { doubt($0, cells) }
    row.parts = [try .read { .set(number: nil, try set(cells)) }]
    return [row]
  }

  /// A value that the log has no place for, unless it is the one that says nothing.
  private func doubt(_ name: String, _ cells: [String]) -> TrainingRow.Doubt? {
    guard let text = table.text(name, cells), CSVNumber(text, table.signs.all)?.value != (name == "multiplier" ? 1 : 0) else { return nil }
    return .init(kind: "exercise_sets", field: name, reason: "the log has no place for this column, and its cells are not imported")
  }

  private func set(_ cells: [String]) throws -> WrittenSet {
    var set = SetCells(table, cells)
    let isWarmUp = table.text("warm-up", cells).map(CSVColumns.folded)
    guard let isWarmUp, ["true", "false"].contains(isWarmUp) else {
      throw RowProblem(reason: "its isWarmup should be true or false: \(isWarmUp ?? "")")
    }
    set.typeText = isWarmUp
    set.type = isWarmUp == "true" ? .warmUp : .working
    set.distanceText = table.columns.units["distance"]
    set.distanceUnit = set.distanceText.map(DistanceUnit.init(spelled:))
    return try set.read(zeroIsNothing: true, table.signs)
  }

  func text(_ type: SetType) -> String { type == .warmUp ? "true" : type == .working ? "false" : type.rawValue }

  /// `2021-12-27 10:02:51 +0000`, in local time; also without a zone, in which it is local.
  private static func time(_ text: String, _ clock: WallClock) -> Int64? {
    let parts = text.split(separator: " ")
    guard parts.count == 3, parts[2].utf8.count == 5, parts[2].first == "+" || parts[2].first == "-" else {
      return WallTime.parse(text, on: clock)
    }
    return WallTime.parse("\(parts[0])T\(parts[1])\(parts[2].prefix(3)):\(parts[2].suffix(2))", on: clock)
  }
}
