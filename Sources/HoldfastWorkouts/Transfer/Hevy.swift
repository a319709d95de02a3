import Foundation
import Holdfast
import HoldfastTransfer

/// The table that Hevy exports: newest first, times to the minute, units in the header. Its supersets are counted from 0 in
/// each workout; the log's from 1.
struct Hevy: TrainingDialect {
  static let name = "hevy-csv"
  let interleaves = false
  var table: TrainingTable
  private let weightUnit: WeightUnit?
  private let unitText: String?
  private let distanceUnit: DistanceUnit?
  private let distanceText: String?

  private static let weights = ["weight_kg": WeightUnit.kilograms, "weight_lbs": .pounds, "weight_lb": .pounds]
  private static let distances = [
    "distance_km": DistanceUnit.kilometers, "distance_miles": .miles, "distance_mi": .miles, "distance_meters": .meters,
    "distance_m": .meters,
  ]
  static let names: [String: [String]] =
    Dictionary(
      uniqueKeysWithValues: ["title", "start_time", "exercise_title", "set_index", "set_type", "reps", "rpe"].map { ($0, [$0]) }
    ).merging([
      "workout note": ["description"], "end": ["end_time"], "superset": ["superset_id"], "exercise note": ["exercise_notes"],
      "weight": ["weight"] + weights.keys, "distance": ["distance"] + distances.keys, "seconds": ["duration_seconds"],
    ]) { first, _ in first }

  static let required: KeyValuePairs = ["start_time": ["start_time"], "exercise_title": ["exercise_title"]]

  init(_ file: CSVTable, _ clock: WallClock, _ unit: WeightUnit?) {
    table = TrainingTable(file, Self.names, clock, unit)
    let header = file.header.map(CSVColumns.folded)
    weightUnit = header.lazy.compactMap { Self.weights[$0] }.first ?? unit
    unitText = header.lazy.filter { Self.weights[$0] != nil }.compactMap { $0.split(separator: "_").last.map(String.init) }.first
    distanceUnit = header.lazy.compactMap { Self.distances[$0] }.first
    distanceText = header.lazy.filter { Self.distances[$0] != nil }.compactMap { $0.split(separator: "_").last.map(String.init) }.first
    // It writes no length: the workout lasts from its start to its end.
    if table.columns.has("end") { table.carries.insert(.duration) }
  }

  var leastCells: Int { table.columns.cells(reaching: "title", "start_time", "exercise_title", "set_index", "weight", "reps") }

  func rows(_ cells: [String]) throws -> [TrainingRow] {
    let date = table.text("start_time", cells) ?? ""
    guard let start = WallTime.parse(date, on: table.clock) else { throw RowProblem(reason: "its start is no time: \(date)") }
    guard let exercise = table.text("exercise_title", cells) else { throw RowProblem(reason: "it names no exercise") }
    var row = TrainingRow(head: .init(start: start, name: table.text("title", cells) ?? ""), exercise: exercise)
    row.note = table.text("workout note", cells)
    if let text = table.text("end", cells) {
      row.end = WallTime.parse(text, on: table.clock)
      if row.end == nil { row.damaged.append(.init(kind: "workouts", field: "end_time", reason: "it is not a time: \(text)")) }
    }
    row.exerciseNote = table.text("exercise note", cells)
    row.unknown = table.columns.doubts(cells)
    row.parts = [
      try .read {
        if let text = table.text("superset", cells) { (row.superset, row.writtenSuperset) = try group(text) }
        return try set(cells)
      }
    ]
    return [row]
  }

  private func group(_ text: String) throws -> (Int, String) {
    guard let number = CSVNumber(text, table.signs.all), let group = number.whole, group < Int(Int32.max) else {
      throw RowProblem(reason: "its superset is no number: \(text)")
    }
    return (group + 1, number.text)
  }

  private func set(_ cells: [String]) throws -> TrainingRow.Part {
    var number: Int?
    if let text = table.text("set_index", cells) {
      number = CSVNumber(text, table.signs.all)?.whole
      if number == nil { throw RowProblem(reason: "its set_index is no number: \(text)") }
    }
    var set = SetCells(table, cells)
    set.typeText = table.text("set_type", cells) ?? "normal"
    set.type = SetType(word: set.typeText, working: "normal")
    // The log's word for Hevy's `normal`.
    if set.typeText == SetType.working.rawValue { set.typeText = "normal" }
    (set.weightUnit, set.unitText) = (weightUnit, unitText)
    (set.distanceUnit, set.distanceText) = (distanceUnit, distanceText)
    return .set(number: number, try set.read(zeroIsNothing: false, table.signs))
  }

  func text(_ type: SetType) -> String { type.word(working: "normal") }
}
