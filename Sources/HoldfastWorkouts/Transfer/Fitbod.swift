import Foundation
import Holdfast
import HoldfastTransfer

/// The table that Fitbod exports: one row for each set, with a time in a zone. Some versions give every set of a workout the workout's time,
/// others each set its own. So rows less than three hours after one another are one workout, which has no name and begins with the first.
struct Fitbod: TrainingDialect {
  let name = "fitbod-csv"
  let interleaves = true
  let carries: TrainingFields
  private let columns: CSVColumns
  private let unit: WeightUnit?
  private let unitText: String?
  private let distanceText: String?
  private let clock: WallClock
  private let starts: WorkoutStarts
  var signs: CSVSigns

  private static let names = [
    "date": ["date"], "exercise": ["exercise"], "reps": ["reps"], "weight": ["weight"], "seconds": ["duration"], "distance": ["distance"],
    "incline": ["incline"], "resistance": ["resistance"], "warm-up": ["iswarmup"], "set note": ["note"], "multiplier": ["multiplier"],
  ]

  /// Nil for any other table.
  ///
  /// - Throws: what `CSVTable.lines(_:)` throws: all times of the table decide which rows are one workout.
  init?(_ file: CSVTable, _ clock: WallClock, _ unit: WeightUnit?) throws {
    guard Self.isHeader(file.header) else { return nil }
    columns = CSVColumns(file.header, Self.names)
    unitText = columns.units["weight"].flatMap { WeightUnit(spelled: $0) == nil ? nil : $0 }
    (self.clock, self.unit, distanceText) = (clock, unitText.flatMap(WeightUnit.init(spelled:)) ?? unit, columns.units["distance"])
    signs = CSVSigns(file)
    carries = TrainingFields(columns)
    var times: Set<Int64> = []
    try file.lines { [columns] line, _ in
      if case .row(let cells, _) = line, let time = columns.text("date", cells).flatMap({ Self.time($0, clock) }) { times.insert(time) }
    }
    starts = WorkoutStarts(times)
  }

  static func likeness(_ header: [String]) -> (known: Int, missing: [String]) {
    let columns = CSVColumns(header, names)
    return (
      columns.count,
      columns.missing(["Date": ["date"], "Exercise": ["exercise"], "Reps": ["reps"], "isWarmup": ["warm-up"], "Duration": ["seconds"]])
    )
  }

  func numbers(_ cells: [String]) -> [(quantity: CSVQuantity, text: String)] {
    columns.texts([.weight: "weight", .reps: "reps", .distance: "distance", .seconds: "seconds"], in: cells)
  }

  var leastCells: Int { columns.cells(reaching: "date", "exercise", "reps", "weight", "warm-up") }

  func rows(_ cells: [String]) throws -> [TrainingRow] {
    let date = columns.text("date", cells) ?? ""
    guard let time = Self.time(date, clock) else { throw RowProblem(reason: "its date cannot be read: \(date)") }
    guard let exercise = columns.text("exercise", cells) else { throw RowProblem(reason: "it names no exercise") }
    var row = TrainingRow(head: .init(start: starts[time], name: ""), exercise: exercise)
    row.unknown = columns.doubts(cells) + ["incline", "resistance", "multiplier"].compactMap { doubt($0, cells) }
    do {
      row.parts = [.set(number: nil, try set(cells))]
    } catch let problem as RowProblem {
      row.parts = [.damaged(problem.reason)]
    }
    return [row]
  }

  /// A value that the log has no place for, unless it is the one that says nothing.
  private func doubt(_ name: String, _ cells: [String]) -> TrainingRow.Doubt? {
    guard let text = columns.text(name, cells), CSVNumber(text, signs.all)?.value != (name == "multiplier" ? 1 : 0) else { return nil }
    return .init(kind: "exercise_sets", field: name, reason: "the log has no place for this column, and its cells are not imported")
  }

  private func set(_ cells: [String]) throws -> WrittenSet {
    var set = SetCells()
    let isWarmUp = columns.text("warm-up", cells).map(CSVColumns.folded)
    guard let isWarmUp, ["true", "false"].contains(isWarmUp) else {
      throw RowProblem(reason: "its isWarmup should be true or false: \(isWarmUp ?? "")")
    }
    set.typeText = isWarmUp
    set.type = isWarmUp == "true" ? .warmUp : .working
    set.weight = columns.text("weight", cells)
    (set.weightUnit, set.unitText) = (unit, unitText)
    set.reps = columns.text("reps", cells)
    set.distance = columns.text("distance", cells)
    (set.distanceText, set.distanceUnit) = (distanceText, distanceText.map(DistanceUnit.init(spelled:)))
    (set.seconds, set.secondsUnit) = (columns.text("seconds", cells), columns.timeUnit("seconds"))
    set.note = columns.text("set note", cells)
    return try set.read(zeroIsNothing: true, signs)
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
