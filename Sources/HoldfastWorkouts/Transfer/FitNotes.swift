import Foundation
import Holdfast
import HoldfastTransfer

/// The table that FitNotes exports: one row for each set, with the date only. All sets of a day are one workout without a name
/// at noon. Its exercises have the order of their first sets, even if their sets are mixed. On iOS it may write each weight in kilograms and
/// in pounds, in two columns, and the kind of exercise, which its numbers show as well.
struct FitNotes: TrainingDialect {
  static let name = "fitnotes-csv"
  var table: TrainingTable
  private let columnCount: Int
  private let isCommaApart: Bool
  /// The other of two columns of weights, with its unit.
  private let other: (place: Int, unit: WeightUnit)?

  static let names = [
    "date": ["date"], "exercise": ["exercise"], "category": ["category"], "weight": ["weight"], "weight unit": ["weight unit"],
    "reps": ["reps"], "distance": ["distance"], "distance unit": ["distance unit"], "seconds": ["time"], "set note": ["comment", "notes"],
    "kind": ["kind"],
  ]

  static let required: KeyValuePairs = [
    "Date": ["date"], "Exercise": ["exercise"], "Category": ["category"], "Weight or Reps": ["weight", "reps"],
  ]

  init(_ file: CSVTable, _ clock: WallClock, _ unit: WeightUnit?) {
    table = TrainingTable(file, Self.names, clock, unit)
    let weight = table.columns.place("weight")
    other =
      file.header.indices.lazy.compactMap { place in
        let unit = place == weight ? nil : CSVColumns(Array(file.header[place...place]), Self.names).units["weight"]
        return unit.flatMap(WeightUnit.init(spelled:)).map { (place, $0) }
      }.first
    (columnCount, isCommaApart) = (file.header.count, file.delimiter == UInt8(ascii: ","))
  }

  func numbers(_ cells: [String]) -> [(quantity: CSVQuantity, text: String)] {
    let second = other.flatMap { CSVColumns.text($0.place, cells) }.map { [(quantity: CSVQuantity.weight, text: $0)] } ?? []
    return table.columns.texts([.weight: "weight", .reps: "reps", .distance: "distance"], in: cells) + second
  }

  /// FitNotes writes names and comments without quotes. For a row with one comma too many, the cells between decide which of
  /// the two has it.
  func joined(_ cells: [String], _ row: [UInt8]) -> [String]? {
    guard isCommaApart, cells.count == columnCount + 1, let exercise = table.columns.place("exercise") else { return nil }
    if isAnchored(cells) {
      let last = columnCount - 1
      let isComment = table.columns.place("set note") == last && !cells[last].isEmpty && !cells[last + 1].isEmpty
      return isComment ? joined(cells, at: last, row) : nil
    }
    let joined = joined(cells, at: exercise, row)
    // A category made by the person may contain the comma itself.
    let isKnown = table.text("category", joined).map { Self.bodyPart($0).main != .other } ?? false
    return isKnown && isAnchored(joined) ? joined : nil
  }

  private func joined(_ cells: [String], at place: Int, _ row: [UInt8]) -> [String] {
    let (first, second) = (cells[place], cells[place + 1])
    // A blank before a cell is not part of it.
    let pair = "\(first),\(second)"
    let isTight = [String.Encoding.utf8, .windowsCP1252].contains { encoding in
      pair.data(using: encoding).map { Data(row).range(of: $0) != nil } ?? false
    }
    return cells[..<place] + [isTight ? pair : "\(first), \(second)"] + cells[(place + 2)...]
  }

  /// Whether category, numbers and units are in valid cells.
  private func isAnchored(_ cells: [String]) -> Bool {
    func isNumber(_ name: String) -> Bool { table.text(name, cells).map { CSVNumber($0, table.signs.all) != nil } ?? true }
    func hasUnit(_ name: String) -> Bool {
      guard table.columns.has("\(name) unit") else { return true }
      let (number, unit) = (table.text(name, cells), table.text("\(name) unit", cells))
      return unit.map { CSVNumber($0, table.signs.all) == nil } ?? (number == nil)
    }
    return table.text("category", cells).map { CSVNumber($0, table.signs.all) == nil } == true && isNumber("weight") && isNumber("reps")
      && isNumber("distance") && hasUnit("weight") && hasUnit("distance")
      && table.text("weight unit", cells).map { WeightUnit(spelled: $0) != nil } != false
  }

  var leastCells: Int { table.columns.cells(reaching: "date", "exercise", "weight", "weight unit", "reps") }

  func rows(_ cells: [String]) throws -> [TrainingRow] {
    let date = table.text("date", cells) ?? ""
    guard let day = WallTime.parse(date, on: table.clock) else { throw RowProblem(reason: "its date cannot be read: \(date)") }
    guard let exercise = table.text("exercise", cells) else { throw RowProblem(reason: "it names no exercise") }
    var row = TrainingRow(head: .init(start: day, name: ""), exercise: exercise)
    row.category = table.text("category", cells)
    row.unknown = table.columns.doubts(cells, besides: Set([other?.place].compactMap { $0 }))
    row.parts = [try .read { .set(number: nil, try set(cells)) }]
    return [row]
  }

  private func set(_ cells: [String]) throws -> WrittenSet {
    var set = SetCells(table, cells)
    set.distanceText = table.text("distance unit", cells)
    set.distanceUnit = set.distanceText.map(DistanceUnit.init(spelled:))
    if let other, let unit = table.unit, other.unit != unit, let text = CSVColumns.text(other.place, cells) {
      guard let weight = set.weight else {
        (set.weight, set.weightUnit, set.unitText) = (text, other.unit, other.unit.rawValue)
        return try set.read(zeroIsNothing: false, table.signs)
      }
      if unit != .kilograms { (set.weight, set.weightUnit, set.unitText) = (text, other.unit, other.unit.rawValue) }
      guard areSame(unit == .kilograms ? weight : text, unit == .kilograms ? text : weight) else {
        throw RowProblem(reason: "its two weights differ: \(weight) \(unit.rawValue), \(text) \(other.unit.rawValue)")
      }
    }
    if let text = table.text("weight unit", cells) {
      (set.weightUnit, set.unitText) = (WeightUnit(spelled: text), text)
      if set.weightUnit == nil, set.weight != nil { throw RowProblem(reason: "its weight's unit is not known: \(text)") }
    }
    if set.weight != nil, set.weightUnit == nil, table.columns.has("weight unit") {
      throw RowProblem(reason: "it has a weight without a unit")
    }
    return try set.read(zeroIsNothing: false, table.signs)
  }

  /// Whether two texts say one weight, as far as the rounding of both columns lets them.
  private func areSame(_ kilograms: String, _ pounds: String) -> Bool {
    let evidence = table.signs[.weight]
    guard let kilograms = CSVNumber(kilograms, evidence), let pounds = CSVNumber(pounds, evidence) else { return true }
    return abs(kilograms.value - pounds.value * Weight.kilogramsPerPound) < 0.6
  }

  /// From FitNotes' categories, which people can extend; the category's name is kept as well.
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
