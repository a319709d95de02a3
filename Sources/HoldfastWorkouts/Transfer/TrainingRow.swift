import Foundation
import Holdfast

/// One exercise in a row of a table of workouts, from any program.
struct TrainingRow: Sendable {
  /// Rows with the same start and name are one workout. The start is in local time.
  struct Head: Sendable, Hashable {
    var start: Int64
    var name: String
    /// The place among workouts with this start and name, from 0, if the program numbers its workouts; otherwise always 0.
    var copy = 0
  }

  /// The set of a row.
  enum Part: Sendable {
    /// The number is the program's: if it neither rises nor falls steadily, a new exercise begins. Nil for sets without a number.
    case set(number: Int?, WrittenSet)
    case note(String)
    /// An exercise without a set.
    case empty
    /// Data that the log cannot store.
    case skipped(kind: String, reason: String)
    /// A set that cannot be imported, with the reason.
    case damaged(String)
  }

  /// A value that the workout is imported without.
  struct Doubt: Sendable, Hashable {
    var kind: String
    var field: String
    var reason: String
  }

  var head: Head
  /// The program's number of the workout, which distinguishes two with the same start and name; nil if it has none.
  var number: String?
  var note: String?
  var durationSeconds: Int?
  /// The duration's text, read in another way, for verification.
  var writtenDuration: String?
  /// In local time.
  var end: Int64?
  var exercise: String
  /// From 1.
  var superset: Int?
  /// The group's number as text, for verification.
  var writtenSuperset: String?
  var exerciseNote: String?
  var category: String?
  var parts: [Part] = []
  /// Fields that this row's workout is imported without. Reported once, even if each of its rows has them.
  var damaged: [Doubt] = []
  /// Unknown columns in which the row has a value. Each is reported for its first row only.
  var unknown: [Doubt] = []
  /// Remarks about the duration, which is imported.
  var remarks: [String] = []
  /// Data of the workout that the log cannot store: kind and reason.
  var others: [(kind: String, reason: String)] = []
}

extension TrainingRow {
  /// Takes the duration of the workout. A text that is not a duration is left out and reported; thousands are remarked.
  ///
  /// - Parameter letters: the same seconds, read in another way.
  mutating func take(duration seconds: Int?, letters: @autoclosure () -> String, of text: String, _ evidence: CSVEvidence) {
    durationSeconds = seconds
    writtenDuration = seconds.map { _ in letters() }
    let use = evidence.use(in: text)
    if seconds == nil {
      let reason = use == .doubtful ? "it \(CSVEvidence.doubt)" : "it is no duration"
      damaged.append(.init(kind: "workouts", field: "duration", reason: "\(reason): \(text)"))
    } else if use == .groups {
      remarks.append(CSVEvidence.groups)
    }
  }

  /// Takes the length from the start to an end in local time, for a program that writes none. An end before the start gives no length.
  mutating func take(endsAt end: Int64, on clock: WallClock) {
    let start = clock.date(head.start)
    let seconds = clock.end(end, of: start).timeIntervalSince(start)
    guard seconds >= 0, let first = clock.moments(head.start).first, let last = clock.moments(end).first(where: { $0 >= first }) else {
      return
    }
    (durationSeconds, writtenDuration) = (Int(seconds), String((last - first) / 1000))
  }
}

/// The values that a table's columns give. Other stored values stay.
///
/// Tables of fields (`FieldTable`) do not fit here; see the Decision on them.
struct TrainingFields: OptionSet, Sendable {
  let rawValue: UInt16

  static let workoutNote = TrainingFields(rawValue: 1 << 0)
  static let duration = TrainingFields(rawValue: 1 << 1)
  static let end = TrainingFields(rawValue: 1 << 2)
  static let superset = TrainingFields(rawValue: 1 << 3)
  static let exerciseNotes = TrainingFields(rawValue: 1 << 4)
  static let category = TrainingFields(rawValue: 1 << 5)
  static let weight = TrainingFields(rawValue: 1 << 6)
  static let reps = TrainingFields(rawValue: 1 << 7)
  static let distance = TrainingFields(rawValue: 1 << 8)
  static let seconds = TrainingFields(rawValue: 1 << 9)
  static let rpe = TrainingFields(rawValue: 1 << 10)
  static let setNote = TrainingFields(rawValue: 1 << 11)
}

extension TrainingFields {
  /// By the name that every reader gives to the column.
  private static let byColumn: [String: TrainingFields] = [
    "workout note": .workoutNote, "duration": .duration, "end": .end, "superset": .superset, "exercise note": .exerciseNotes,
    "category": .category, "weight": .weight, "reps": .reps, "distance": .distance, "seconds": .seconds, "rpe": .rpe, "set note": .setNote,
  ]

  /// The values of the columns that the header has.
  init(_ columns: CSVColumns) {
    self = []
    for (column, field) in Self.byColumn where columns.has(column) { insert(field) }
  }
}

/// Why a row, or the set in it, cannot be imported.
struct RowProblem: Error {
  var reason: String
}

/// A weight whose unit is unknown.
struct UnitMissing: Error {
  /// Whether the row gives the weight in kilograms and in pounds.
  var hasBothUnits = false
}

extension TrainingRow.Part {
  /// The part that `body` makes; a damaged one when it throws a `RowProblem`.
  static func read(_ body: () throws -> Self) throws -> Self {
    do { return try body() } catch let problem as RowProblem { return .damaged(problem.reason) }
  }
}

/// The cells of one set; nil where the row has no value.
struct SetCells {
  var type = SetType.working
  /// The text of its type; empty when the row has none.
  var typeText = ""
  var weight: String?
  /// Nil when neither the row nor the person gives a unit.
  var weightUnit: WeightUnit?
  /// The unit's text; nil when the person gave the unit.
  var unitText: String?
  var reps: String?
  var distance: String?
  var distanceUnit: DistanceUnit?
  /// The text of the distance's unit; nil when the file has none.
  var distanceText: String?
  var seconds: String?
  /// The milliseconds of the unit of `seconds`; nil: whole seconds.
  var secondsUnit: Int?
  var rpe: String?
  var note: String?
  var isCompleted = true

  /// - Parameter zeroIsNothing: the program writes 0 when no weight and no repetitions were entered. A distance, time or RPE of 0
  ///   always means nothing.
  /// - Throws: `RowProblem`; `UnitMissing` for a weight whose unit is unknown.
  func read(zeroIsNothing: Bool, _ signs: CSVSigns) throws -> WrittenSet {
    var remarks: [String] = []
    func remark(_ text: String) { if !remarks.contains(text) { remarks.append(text) } }
    func number(_ text: String?, _ quantity: CSVQuantity, zeroIsNothing: Bool = true) throws -> CSVNumber? {
      guard let text else { return nil }
      let evidence = signs[quantity]
      let use = evidence.use(in: text)
      if use == .groups { remark(CSVEvidence.groups) }
      guard let number = CSVNumber(text, evidence) else {
        throw RowProblem(reason: "its \(quantity.rawValue) \(use == .doubtful ? CSVEvidence.doubt : "is no number"): \(text)")
      }
      return zeroIsNothing && number.value == 0 ? nil : number
    }
    func whole(_ number: CSVNumber?, _ quantity: CSVQuantity) throws -> Int? {
      guard let number else { return nil }
      guard let whole = number.whole else {
        throw RowProblem(reason: "its \(quantity.rawValue) should be a whole number from 0: \(number.text)")
      }
      return whole
    }
    let weight = try number(weight, .weight, zeroIsNothing: zeroIsNothing)
    guard weight == nil || weightUnit != nil else { throw UnitMissing() }
    let (repetitions, distance, rpe) = (
      try number(reps, .reps, zeroIsNothing: zeroIsNothing), try number(distance, .distance), try number(rpe, .rpe)
    )
    var (timed, timedLetters): (Int?, String?)
    if let seconds, seconds.utf8.contains(UInt8(ascii: ":")) {
      (timed, timedLetters) = (CSVDuration.seconds(seconds), CSVDuration.read(seconds))
      if timed == nil { throw RowProblem(reason: "its time cannot be read: \(seconds)") }
      if timed == 0 { timed = nil }
    } else {
      let number = try number(seconds, .seconds)
      if let secondsUnit, secondsUnit != 1000, let number {
        timed = CSVDuration.seconds(number.value, unit: secondsUnit)
        if timed == nil { throw RowProblem(reason: "its time cannot be read: \(number.text)") }
        if timed == 0 { timed = nil }
        timedLetters = CSVDuration.read(number.text, unit: secondsUnit)
      } else {
        (timed, timedLetters) = (try whole(number, .seconds), number?.text)
      }
    }
    // A distance without a unit gets the unit that goes with the weights.
    var unit = distanceUnit
    if distance != nil, unit == nil {
      unit = weightUnit == .pounds ? .miles : .kilometers
      let name = unit == .miles ? "miles" : "kilometres"
      remark("the file does not name the unit of distances; assumed: \(name)")
    }
    // The id is known when the exercise is.
    var set = ExerciseSet(id: .zero, type: type, isCompleted: isCompleted, note: note)
    set.weightUnit = weight == nil ? nil : weightUnit
    set.distanceUnit = distance == nil ? nil : unit
    set.actual = .init(
      weight: weight?.value, reps: try whole(repetitions, .reps), durationSeconds: timed, distance: distance?.value, rpe: rpe?.value)
    let letters = unitText.map { CSVColumns.folded($0).hasPrefix("k") ? "kg" : "lb" } ?? weightUnit?.rawValue
    return WrittenSet(
      set: set, type: CSVColumns.folded(typeText), weight: weight?.text, unit: weight == nil ? nil : letters, reps: repetitions?.text,
      distance: distance?.text, distanceUnit: distance == nil ? nil : distanceLetters(unit),
      seconds: timed == nil ? nil : timedLetters, rpe: rpe?.text, remarks: remarks)
  }

  /// The stored unit of a distance, from the first letters of the file's text; without a text, `taken`.
  private func distanceLetters(_ taken: DistanceUnit?) -> String? {
    guard let distanceText, let distanceUnit else { return taken?.rawValue }
    guard [DistanceUnit.kilometers, .miles, .meters].contains(distanceUnit) else {
      return distanceText.trimmingCharacters(in: .whitespaces)
    }
    let letters = CSVColumns.folded(distanceText)
    return letters.hasPrefix("k") ? "km" : letters.hasPrefix("mi") ? "mi" : "m"
  }
}

extension SetCells {
  /// The cells of the columns that most tables have.
  init(_ table: TrainingTable, _ cells: [String]) {
    weight = table.text("weight", cells)
    (weightUnit, unitText) = (table.unit, table.unitText)
    reps = table.text("reps", cells)
    distance = table.text("distance", cells)
    (seconds, secondsUnit) = (table.text("seconds", cells), table.columns.timeUnit("seconds"))
    rpe = table.text("rpe", cells)
    note = table.text("set note", cells)
  }
}

/// A set with the text of its numbers, for verification.
struct WrittenSet: Sendable {
  var set: ExerciseSet
  /// Folded; empty when the row has none.
  var type: String
  var weight: String?
  /// `kg` or `lb`.
  var unit: String?
  var reps: String?
  var distance: String?
  var distanceUnit: String?
  var seconds: String?
  var rpe: String?
  /// Whether the text says that the set was done.
  var isDone = true
  /// Remarks about its values, which are imported.
  var remarks: [String] = []
}
