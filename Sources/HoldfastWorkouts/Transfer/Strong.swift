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
  let name = "strong-csv"
  let interleaves = false
  let carries: TrainingFields
  private let columns: CSVColumns
  private let clock: WallClock
  /// The unit that the person named for a file without units.
  private let unit: WeightUnit?
  private let isClassic: Bool
  var signs: CSVSigns

  private static let names = [
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

  /// The known words for the order of a pause: English, French and German.
  private static let rests: Set = ["rest timer", "minuteur de repos", "ruhezeit"]

  /// Nil for any other table.
  init?(_ file: CSVTable, _ clock: WallClock, _ unit: WeightUnit?) {
    columns = CSVColumns(file.header, Self.names)
    guard Self.isHeader(file.header) else { return nil }
    self.clock = clock
    self.unit = unit
    let isCalledByUnit = file.header.contains { WeightUnit(spelled: $0) != nil }
    isClassic = !columns.has("weight unit") && (columns.units["weight"] == nil || isCalledByUnit)
    signs = CSVSigns(file)
    carries = TrainingFields(columns)
  }

  static func likeness(_ header: [String]) -> (known: Int, missing: [String]) {
    let columns = CSVColumns(header, names)
    let missing = columns.missing([
      "Date": ["date"], "Exercise Name": ["exercise"], "Set Order": ["order"], "Weight": ["weight"],
    ])
    return (columns.count, missing)
  }

  func numbers(_ cells: [String]) -> [(quantity: CSVQuantity, text: String)] {
    columns.texts(
      [.weight: "weight", .reps: "reps", .distance: "distance", .seconds: "seconds", .rpe: "rpe", .duration: "duration"], in: cells)
  }

  var leastCells: Int { columns.cells(reaching: "date", "workout", "exercise", "order", "weight", "weight unit", "reps") }

  func rows(_ cells: [String]) throws -> [TrainingRow] {
    let date = columns.text("date", cells) ?? ""
    guard let start = WallTime.parse(date, on: clock) else { throw RowProblem(reason: "its date cannot be read: \(date)") }
    guard let exercise = columns.text("exercise", cells) else { throw RowProblem(reason: "it names no exercise") }
    var row = TrainingRow(head: .init(start: start, name: columns.text("workout", cells) ?? ""), exercise: exercise)
    row.number = columns.text("number", cells).map { CSVNumber($0, signs.all)?.text ?? $0 }
    row.note = columns.text("workout note", cells)
    if let text = columns.text("duration", cells) {
      let evidence = signs[.duration]
      if let unit = columns.timeUnit("duration"), unit != 1000, let number = CSVNumber(text, evidence) {
        let seconds = CSVDuration.seconds(number.value, unit: unit)
        row.take(duration: seconds, letters: CSVDuration.read(number.text, unit: unit), of: text, evidence)
      } else {
        row.take(duration: CSVDuration.seconds(text, evidence), letters: CSVDuration.read(text, evidence), of: text, evidence)
      }
    }
    row.unknown = columns.doubts(cells)
    let order = columns.text("order", cells) ?? ""
    let note = columns.text("exercise note", cells)
    let folded = CSVColumns.folded(order)
    switch folded {
    case _ where Self.rests.contains(folded): row.parts = [.skipped(kind: "rest_timers", reason: "a pause is no set")]
    case "note", "notes", "notiz", "remarque": row.parts = note.map { [.note($0)] } ?? []
    default:
      row.exerciseNote = note
      do {
        row.parts = [try set(order, folded, cells)]
      } catch let problem as RowProblem {
        row.parts = [.damaged(problem.reason)]
      }
    }
    return [row]
  }

  private func set(_ order: String, _ folded: String, _ cells: [String]) throws -> TrainingRow.Part {
    let number = CSVNumber(order, signs.all)?.whole
    var set = SetCells()
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
    set.weight = columns.text("weight", cells)
    set.reps = columns.text("reps", cells)
    set.distance = columns.text("distance", cells)
    (set.seconds, set.secondsUnit) = (columns.text("seconds", cells), columns.timeUnit("seconds"))
    set.rpe = columns.text("rpe", cells)
    if let text = columns.text("weight unit", cells) ?? columns.units["weight"] {
      (set.weightUnit, set.unitText) = (WeightUnit(spelled: text), text)
      if set.weightUnit == nil, set.weight != nil { throw RowProblem(reason: "its weight's unit is not known: \(text)") }
    } else {
      set.weightUnit = unit
      if unit == nil, set.weight != nil, columns.has("weight unit") { throw RowProblem(reason: "it has a weight without a unit") }
    }
    if let text = columns.text("distance unit", cells) ?? columns.units["distance"] {
      (set.distanceUnit, set.distanceText) = (DistanceUnit(spelled: text), text)
    }
    return .set(number: number, try set.read(zeroIsNothing: isClassic, signs))
  }

  func text(_ type: SetType) -> String {
    switch type {
    case .working: ""
    case .warmUp: "W"
    case .dropSet: "D"
    case .failure: "F"
    default: type.rawValue
    }
  }
}
