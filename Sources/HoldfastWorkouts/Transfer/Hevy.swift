import Foundation
import Holdfast
import HoldfastTransfer

/// The table that Hevy exports: newest first, times to the minute, units in the header. Its supersets are counted from 0 in
/// each workout; the log's from 1.
struct Hevy: TrainingDialect {
  let name = "hevy-csv"
  let interleaves = false
  let carries: TrainingFields
  private let columns: CSVColumns
  private let clock: WallClock
  private let weightUnit: WeightUnit?
  private let unitText: String?
  private let distanceUnit: DistanceUnit?
  private let distanceText: String?
  var signs: CSVSigns

  private static let weights = ["weight_kg": WeightUnit.kilograms, "weight_lbs": .pounds, "weight_lb": .pounds]
  private static let distances = [
    "distance_km": DistanceUnit.kilometers, "distance_miles": .miles, "distance_mi": .miles, "distance_meters": .meters,
    "distance_m": .meters,
  ]
  private static let names: [String: [String]] =
    Dictionary(
      uniqueKeysWithValues: ["title", "start_time", "exercise_title", "set_index", "set_type", "reps", "rpe"].map { ($0, [$0]) }
    ).merging([
      "workout note": ["description"], "end": ["end_time"], "superset": ["superset_id"], "exercise note": ["exercise_notes"],
      "weight": ["weight"] + weights.keys, "distance": ["distance"] + distances.keys, "seconds": ["duration_seconds"],
    ]) { first, _ in first }

  /// Nil for any other table.
  init?(_ file: CSVTable, _ clock: WallClock, _ unit: WeightUnit?) {
    columns = CSVColumns(file.header, Self.names)
    guard Self.isHeader(file.header) else { return nil }
    self.clock = clock
    let header = file.header.map(CSVColumns.folded)
    weightUnit = header.lazy.compactMap { Self.weights[$0] }.first ?? unit
    unitText = header.lazy.filter { Self.weights[$0] != nil }.compactMap { $0.split(separator: "_").last.map(String.init) }.first
    distanceUnit = header.lazy.compactMap { Self.distances[$0] }.first
    distanceText = header.lazy.filter { Self.distances[$0] != nil }.compactMap { $0.split(separator: "_").last.map(String.init) }.first
    signs = CSVSigns(file)
    // It writes no length: the workout lasts from its start to its end.
    carries = TrainingFields(columns).union(columns.has("end") ? .duration : [])
  }

  static func likeness(_ header: [String]) -> (known: Int, missing: [String]) {
    let columns = CSVColumns(header, names)
    return (columns.count, columns.missing(["start_time": ["start_time"], "exercise_title": ["exercise_title"]]))
  }

  func numbers(_ cells: [String]) -> [(quantity: CSVQuantity, text: String)] {
    columns.texts(
      [.weight: "weight", .reps: "reps", .distance: "distance", .seconds: "seconds", .rpe: "rpe"], in: cells)
  }

  var leastCells: Int { columns.cells(reaching: "title", "start_time", "exercise_title", "set_index", "weight", "reps") }

  func rows(_ cells: [String]) throws -> [TrainingRow] {
    let date = columns.text("start_time", cells) ?? ""
    guard let start = WallTime.parse(date, on: clock) else { throw RowProblem(reason: "its start is no time: \(date)") }
    guard let exercise = columns.text("exercise_title", cells) else { throw RowProblem(reason: "it names no exercise") }
    var row = TrainingRow(head: .init(start: start, name: columns.text("title", cells) ?? ""), exercise: exercise)
    row.note = columns.text("workout note", cells)
    if let text = columns.text("end", cells) {
      row.end = WallTime.parse(text, on: clock)
      if row.end == nil { row.damaged.append(.init(kind: "workouts", field: "end_time", reason: "it is not a time: \(text)")) }
    }
    row.exerciseNote = columns.text("exercise note", cells)
    row.unknown = columns.doubts(cells)
    do {
      if let text = columns.text("superset", cells) { (row.superset, row.writtenSuperset) = try group(text) }
      row.parts = [try set(cells)]
    } catch let problem as RowProblem {
      row.parts = [.damaged(problem.reason)]
    }
    return [row]
  }

  private func group(_ text: String) throws -> (Int, String) {
    guard let number = CSVNumber(text, signs.all), let group = number.whole, group < Int(Int32.max) else {
      throw RowProblem(reason: "its superset is no number: \(text)")
    }
    return (group + 1, number.text)
  }

  private func set(_ cells: [String]) throws -> TrainingRow.Part {
    var number: Int?
    if let text = columns.text("set_index", cells) {
      number = CSVNumber(text, signs.all)?.whole
      if number == nil { throw RowProblem(reason: "its set_index is no number: \(text)") }
    }
    var set = SetCells()
    set.typeText = columns.text("set_type", cells) ?? "normal"
    set.type = Self.type(set.typeText)
    // The log's word for Hevy's `normal`.
    if set.typeText == SetType.working.rawValue { set.typeText = "normal" }
    set.weight = columns.text("weight", cells)
    (set.weightUnit, set.unitText) = (weightUnit, unitText)
    set.reps = columns.text("reps", cells)
    set.distance = columns.text("distance", cells)
    (set.distanceUnit, set.distanceText) = (distanceUnit, distanceText)
    set.seconds = columns.text("seconds", cells)
    set.rpe = columns.text("rpe", cells)
    return .set(number: number, try set.read(zeroIsNothing: false, signs))
  }

  private static func type(_ text: String) -> SetType {
    switch CSVColumns.folded(text) {
    case "normal": .working
    case "warmup": .warmUp
    case "dropset": .dropSet
    case "failure": .failure
    // A type that Hevy may add later.
    default: SetType(rawValue: text)
    }
  }

  func text(_ type: SetType) -> String { Self.text(type) }

  static func text(_ type: SetType) -> String {
    switch type {
    case .working: "normal"
    case .warmUp: "warmup"
    case .dropSet: "dropset"
    default: type.rawValue
    }
  }
}
