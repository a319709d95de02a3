import Foundation
import Holdfast
import HoldfastTransfer

/// The tables that Strong exports: the classic one, without units or with columns named by their units (`lb`, `mi`); Android's,
/// with semicolons and columns for units; version 6's, with units in the header; and this one with German or French headers.
///
/// A set's order is its number, or W for a warm-up, D for a drop set, F for a set to failure; sets with a letter are not numbered. In the
/// classic table 0 means not entered. A pause is a row of its own, with a word as its order in the app's language; with an unknown word
/// it is a set that cannot be read. Newer tables number their workouts, so that two with the same start and name stay two.
struct Strong: TrainingDialect {
  static let name = "strong-csv"
  let interleaves = false
  var table: TrainingTable
  private let isClassic: Bool

  static let names = [
    "number": ["workout #", "workout no.", "workout-nr."],
    "date": ["date", "datum"],
    "workout": ["workout name", "workout-name", "nom de l'entrainement"],
    "duration": ["duration", "workout duration", "dauer", "workout-dauer", "duree", "duree de l'entrainement"],
    "exercise": ["exercise name", "name der ubung", "nom de l'exercice"],
    "order": ["set order", "reihenfolge festlegen", "ordre de la serie"],
    "weight": ["weight", "gewicht", "poids", "kg", "lb", "lbs"],
    "weight unit": ["weight unit", "gewichtseinheit", "unite de poids"],
    "reps": ["reps", "wiederh.", "wiederholungen", "repetitions"],
    "distance": ["distance", "entfernung", "km", "mi"],
    "distance unit": ["distance unit", "entfernungseinheit", "unite de distance"],
    "seconds": ["seconds", "sekunden", "secondes"],
    "exercise note": ["notes", "notizen"],
    "workout note": ["workout notes", "workout-notizen", "notes d'entrainement"],
    "rpe": ["rpe"],
  ]

  static let required: KeyValuePairs = [
    "Date": ["date"], "Exercise Name": ["exercise"], "Set Order": ["order"], "Weight": ["weight"],
  ]

  /// The known words for the order of a pause: English, French and German.
  private static let rests: Set = ["rest timer", "minuteur de repos", "ruhezeit"]

  init(_ file: CSVTable, _ clock: WallClock, _ unit: WeightUnit?) {
    table = TrainingTable(file, Self.names, clock, unit)
    let isCalledByUnit = file.header.contains { WeightUnit(spelled: $0) != nil }
    isClassic = !table.columns.has("weight unit") && (table.columns.units["weight"] == nil || isCalledByUnit)
  }

  var leastCells: Int { table.columns.cells(reaching: "date", "workout", "exercise", "order", "weight", "weight unit", "reps") }

  func rows(_ cells: [String]) throws -> [TrainingRow] {
    let date = table.text("date", cells) ?? ""
    guard let start = WallTime.parse(date, on: table.clock) else { throw RowProblem(reason: "its date cannot be read: \(date)") }
    guard let exercise = table.text("exercise", cells) else { throw RowProblem(reason: "it names no exercise") }
    var row = TrainingRow(head: .init(start: start, name: table.text("workout", cells) ?? ""), exercise: exercise)
    row.number = table.text("number", cells).map { CSVNumber($0, table.signs.all)?.text ?? $0 }
    row.note = table.text("workout note", cells)
    if let text = table.text("duration", cells) {
      let evidence = table.signs[.duration]
      if let unit = table.columns.timeUnit("duration"), unit != 1000, let number = CSVNumber(text, evidence) {
        let seconds = CSVDuration.seconds(number.value, unit: unit)
        row.take(duration: seconds, letters: CSVDuration.read(number.text, unit: unit), of: text, evidence)
      } else {
        row.take(duration: CSVDuration.seconds(text, evidence), letters: CSVDuration.read(text, evidence), of: text, evidence)
      }
    }
    row.unknown = table.columns.doubts(cells)
    let order = table.text("order", cells) ?? ""
    let note = table.text("exercise note", cells)
    let folded = CSVColumns.folded(order)
    switch folded {
    case _ where Self.rests.contains(folded): row.parts = [.skipped(kind: "rest_timers", reason: "a pause is no set")]
    case "note", "notes", "notiz", "remarque": row.parts = note.map { [.note($0)] } ?? []
    default:
      row.exerciseNote = note
      row.parts = [try .read { try set(order, folded, cells) }]
    }
    return [row]
  }

  private func set(_ order: String, _ folded: String, _ cells: [String]) throws -> TrainingRow.Part {
    let number = CSVNumber(order, table.signs.all)?.whole
    var set = SetCells(table, cells)
    switch folded {
    case "w": set.type = .warmUp
    case "d": set.type = .dropSet
    case "f": set.type = .failure
    // Other languages may have other letters.
    case _ where folded.count == 1 && number == nil: set.type = SetType(rawValue: order.trimmingCharacters(in: .whitespaces))
    case _ where number == nil: throw RowProblem(reason: "its place among the sets is not known: \(order)")
    default: break
    }
    if number == nil { set.typeText = order }
    if let text = table.text("weight unit", cells) ?? table.columns.units["weight"] {
      (set.weightUnit, set.unitText) = (WeightUnit(spelled: text), text)
      if set.weightUnit == nil, set.weight != nil { throw RowProblem(reason: "its weight's unit is not known: \(text)") }
    } else if set.weightUnit == nil, set.weight != nil, table.columns.has("weight unit") {
      throw RowProblem(reason: "it has a weight without a unit")
    }
    if let text = table.text("distance unit", cells) ?? table.columns.units["distance"] {
      (set.distanceUnit, set.distanceText) = (DistanceUnit(spelled: text), text)
    }
    return .set(number: number, try set.read(zeroIsNothing: isClassic, table.signs))
  }

  func text(_ type: SetType) -> String { Self.letter(type) ?? (type == .working ? "" : type.rawValue) }

  /// The letter that stands for the type in every language; nil for other types.
  static func letter(_ type: SetType) -> String? {
    switch type {
    case .warmUp: "W"
    case .dropSet: "D"
    case .failure: "F"
    default: nil
    }
  }
}
