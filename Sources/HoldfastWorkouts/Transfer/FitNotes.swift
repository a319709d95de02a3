import Foundation
import Holdfast
import HoldfastTransfer

/// The table that FitNotes exports: one row for each set, with the date only. All sets of a day are one workout without a name
/// at noon. Its exercises have the order of their first sets, even if their sets are mixed. On iOS it may write each weight in kilograms and
/// in pounds, in two columns, and the kind of exercise, which its numbers show as well.
struct FitNotes: TrainingDialect {
  let name = "fitnotes-csv"
  let interleaves = true
  let carries: TrainingFields
  private let columns: CSVColumns
  private let width: Int
  private let isCommaApart: Bool
  private let clock: WallClock
  private let unit: WeightUnit?
  private let unitText: String?
  /// The other of two columns of weights, with its unit.
  private let other: (place: Int, unit: WeightUnit)?
  var signs: CSVSigns

  private static let names = [
    "date": ["date"], "exercise": ["exercise"], "category": ["category"], "weight": ["weight"], "weight unit": ["weight unit"],
    "reps": ["reps"], "distance": ["distance"], "distance unit": ["distance unit"], "seconds": ["time"], "set note": ["comment", "notes"],
    "kind": ["kind"],
  ]

  /// Nil for any other table.
  init?(_ file: CSVTable, _ clock: WallClock, _ unit: WeightUnit?) {
    columns = CSVColumns(file.header, Self.names)
    let weight = columns.place("weight")
    other =
      file.header.indices.lazy.compactMap { place in
        let unit = place == weight ? nil : CSVColumns(Array(file.header[place...place]), Self.names).units["weight"]
        return unit.flatMap(WeightUnit.init(spelled:)).map { (place, $0) }
      }.first
    (width, isCommaApart) = (file.header.count, file.delimiter == UInt8(ascii: ","))
    guard Self.isHeader(file.header) else { return nil }
    self.clock = clock
    unitText = columns.units["weight"].flatMap { WeightUnit(spelled: $0) == nil ? nil : $0 }
    self.unit = unitText.flatMap(WeightUnit.init(spelled:)) ?? unit
    signs = CSVSigns(file)
    carries = TrainingFields(columns)
  }

  static func likeness(_ header: [String]) -> (known: Int, missing: [String]) {
    let columns = CSVColumns(header, names)
    let missing = columns.missing([
      "Date": ["date"], "Exercise": ["exercise"], "Category": ["category"], "Weight or Reps": ["weight", "reps"],
    ])
    return (columns.count, missing)
  }

  func numbers(_ cells: [String]) -> [(quantity: CSVQuantity, text: String)] {
    let second = other.flatMap { CSVColumns.text($0.place, cells) }.map { [(quantity: CSVQuantity.weight, text: $0)] } ?? []
    return columns.texts([.weight: "weight", .reps: "reps", .distance: "distance"], in: cells) + second
  }

  /// FitNotes writes names and comments without quotes. For a row with one comma too many, the cells between decide which of
  /// the two has it.
  func joined(_ cells: [String], _ row: [UInt8]) -> [String]? {
    guard isCommaApart, cells.count == width + 1, let exercise = columns.place("exercise") else { return nil }
    if isAnchored(cells) {
      let isComment = columns.place("set note") == width - 1 && !cells[width - 1].isEmpty && !cells[width].isEmpty
      return isComment ? joined(cells, at: width - 1, row) : nil
    }
    let joined = joined(cells, at: exercise, row)
    // A category made by the person may contain the comma itself.
    let isKnown = columns.text("category", joined).map { Self.bodyPart($0).main != .other } ?? false
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
    func isNumber(_ name: String) -> Bool { columns.text(name, cells).map { CSVNumber($0, signs.all) != nil } ?? true }
    func hasUnit(_ name: String) -> Bool {
      guard columns.has("\(name) unit") else { return true }
      let (number, unit) = (columns.text(name, cells), columns.text("\(name) unit", cells))
      return unit.map { CSVNumber($0, signs.all) == nil } ?? (number == nil)
    }
    return columns.text("category", cells).map { CSVNumber($0, signs.all) == nil } == true && isNumber("weight") && isNumber("reps")
      && isNumber("distance") && hasUnit("weight") && hasUnit("distance")
      && columns.text("weight unit", cells).map { WeightUnit(spelled: $0) != nil } != false
  }

  var leastCells: Int { columns.cells(reaching: "date", "exercise", "weight", "weight unit", "reps") }

  func rows(_ cells: [String]) throws -> [TrainingRow] {
    let date = columns.text("date", cells) ?? ""
    guard let day = WallTime.parse(date, on: clock) else { throw RowProblem(reason: "its date cannot be read: \(date)") }
    guard let exercise = columns.text("exercise", cells) else { throw RowProblem(reason: "it names no exercise") }
    var row = TrainingRow(head: .init(start: day, name: ""), exercise: exercise)
    row.category = columns.text("category", cells)
    row.unknown = columns.doubts(cells, besides: Set([other?.place].compactMap { $0 }))
    do {
      row.parts = [.set(number: nil, try set(cells))]
    } catch let problem as RowProblem {
      row.parts = [.damaged(problem.reason)]
    }
    return [row]
  }

  private func set(_ cells: [String]) throws -> WrittenSet {
    var set = SetCells()
    set.weight = columns.text("weight", cells)
    (set.weightUnit, set.unitText) = (unit, unitText)
    if let other, let unit, other.unit != unit, let text = CSVColumns.text(other.place, cells) {
      guard let weight = set.weight else {
        (set.weight, set.weightUnit, set.unitText) = (text, other.unit, other.unit.rawValue)
        return try complete(&set, cells)
      }
      if unit != .kilograms { (set.weight, set.weightUnit, set.unitText) = (text, other.unit, other.unit.rawValue) }
      guard areSame(unit == .kilograms ? weight : text, unit == .kilograms ? text : weight) else {
        throw RowProblem(reason: "its two weights differ: \(weight) \(unit.rawValue), \(text) \(other.unit.rawValue)")
      }
    }
    if let text = columns.text("weight unit", cells) {
      (set.weightUnit, set.unitText) = (WeightUnit(spelled: text), text)
      if set.weightUnit == nil, set.weight != nil { throw RowProblem(reason: "its weight's unit is not known: \(text)") }
    }
    if set.weight != nil, set.weightUnit == nil, columns.has("weight unit") { throw RowProblem(reason: "it has a weight without a unit") }
    return try complete(&set, cells)
  }

  /// Whether two texts say one weight, as far as the rounding of both columns lets them.
  private func areSame(_ kilograms: String, _ pounds: String) -> Bool {
    guard let kilograms = CSVNumber(kilograms, signs[.weight]), let pounds = CSVNumber(pounds, signs[.weight]) else { return true }
    return abs(kilograms.value - pounds.value * 0.45359237) < 0.6
  }

  private func complete(_ set: inout SetCells, _ cells: [String]) throws -> WrittenSet {
    set.reps = columns.text("reps", cells)
    set.distance = columns.text("distance", cells)
    set.distanceText = columns.text("distance unit", cells)
    set.distanceUnit = set.distanceText.map(DistanceUnit.init(spelled:))
    (set.seconds, set.secondsUnit) = (columns.text("seconds", cells), columns.timeUnit("seconds"))
    set.note = columns.text("set note", cells)
    return try set.read(zeroIsNothing: false, signs)
  }

  func text(_ type: SetType) -> String { type == .working ? "" : type.rawValue }

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
