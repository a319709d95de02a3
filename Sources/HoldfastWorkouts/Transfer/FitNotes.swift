import Foundation
import Holdfast
import HoldfastTransfer

/// The table that FitNotes exports: a row a set, with the day alone. All sets of a day are one workout without a name at noon, and its
/// exercises are in the order in which they were begun, whatever stands between their sets.
struct FitNotes: TrainingDialect {
  let name = "fitnotes-csv"
  let interleaves = true
  let carries: TrainingFields
  private let columns: CSVColumns
  private let clock: WallClock
  private let unit: WeightUnit?
  private let unitText: String?
  var signs: CSVSigns

  private static let names = [
    "date", "exercise", "category", "weight", "weight unit", "reps", "distance", "distance unit", "time", "comment",
  ]

  /// Nil: the table is something else's.
  init?(_ file: CSVTable, _ clock: WallClock, _ unit: WeightUnit?) {
    columns = CSVColumns(file.header, Dictionary(uniqueKeysWithValues: Self.names.map { ($0, [$0]) }))
    guard Self.isHeader(file.header) else { return nil }
    self.clock = clock
    unitText = columns.units["weight"].flatMap { WeightUnit(spelled: $0) == nil ? nil : $0 }
    self.unit = unitText.flatMap(WeightUnit.init(spelled:)) ?? unit
    signs = CSVSigns(file)
    var carries: TrainingFields = [.category]
    for (name, field) in [
      ("weight", TrainingFields.weight), ("reps", .reps), ("distance", .distance), ("time", .seconds), ("comment", .setNote),
    ] where columns.has(name) { carries.insert(field) }
    self.carries = carries
  }

  static func likeness(_ header: [String]) -> (known: Int, missing: [String]) {
    let columns = CSVColumns(header, Dictionary(uniqueKeysWithValues: names.map { ($0, [$0]) }))
    let missing = columns.missing([
      "Date": ["date"], "Exercise": ["exercise"], "Category": ["category"], "Weight or Reps": ["weight", "reps"],
    ])
    return (columns.count, missing)
  }

  func numbers(_ cells: [String]) -> [(quantity: CSVQuantity, text: String)] {
    columns.texts([.weight: "weight", .reps: "reps", .distance: "distance"], in: cells)
  }

  var leastCells: Int { columns.cells(reaching: "date", "exercise", "weight", "weight unit", "reps") }

  func row(_ cells: [String]) throws -> TrainingRow {
    let date = columns.text("date", cells) ?? ""
    guard let day = WallTime.parse(date, on: clock) else { throw RowProblem(reason: "its date is none: \(date)") }
    guard let exercise = columns.text("exercise", cells) else { throw RowProblem(reason: "it names no exercise") }
    var row = TrainingRow(head: .init(start: day, name: ""), exercise: exercise)
    row.category = columns.text("category", cells)
    row.guessed = columns.doubts(cells)
    do {
      row.parts = [.set(number: nil, try set(cells))]
    } catch let problem as RowProblem {
      row.parts = [.damaged(problem.reason)]
    }
    return row
  }

  private func set(_ cells: [String]) throws -> WrittenSet {
    var set = SetCells()
    set.weight = columns.text("weight", cells)
    (set.weightUnit, set.unitText) = (unit, unitText)
    if let text = columns.text("weight unit", cells) {
      (set.weightUnit, set.unitText) = (WeightUnit(spelled: text), text)
      if set.weightUnit == nil, set.weight != nil { throw RowProblem(reason: "its weight's unit is not known: \(text)") }
    }
    if set.weight != nil, set.weightUnit == nil, columns.has("weight unit") { throw RowProblem(reason: "it has a weight without a unit") }
    set.reps = columns.text("reps", cells)
    set.distance = columns.text("distance", cells)
    set.distanceText = columns.text("distance unit", cells)
    set.distanceUnit = set.distanceText.map(DistanceUnit.init(spelled:))
    set.seconds = columns.text("time", cells)
    set.note = columns.text("comment", cells)
    return try set.read(zeroIsNothing: false, signs)
  }

  func text(_ type: SetType) -> String { type == .working ? "" : type.rawValue }

  /// Its own names, of which people can add some; the name itself is kept beside it.
  static func bodyPart(_ category: String) -> BodyPart {
    let main: BodyPart.Main =
      switch CSVColumns.folded(category) {
      case "chest": .chest
      case "legs": .legs
      case "back": .back
      case "shoulders": .shoulders
      case "biceps", "triceps", "forearms", "arms": .arms
      case "calves": .calves
      case "abs", "core": .core
      case "cardio": .cardio
      case "full body", "olympic": .fullBody
      default: .other
      }
    return BodyPart(main, detailed: [category])
  }
}
