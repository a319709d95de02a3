import Foundation
import Holdfast

/// One row of a table of workouts, whatever program wrote it.
struct TrainingRow: Sendable {
  /// Rows with the same start and name are one workout. On the clock of the wall.
  struct Head: Sendable, Hashable {
    var start: Int64
    var name: String
    /// Of those with this start and name, which: counted from 0 where the program numbers its workouts, and always 0 where not.
    var copy = 0
  }

  /// What a row says of its exercise.
  enum Part: Sendable {
    /// The number is the program's: where it does not rise, the exercise begins anew. Nil for sets that have none.
    case set(number: Int?, WrittenSet)
    case note(String)
    /// An exercise without a set.
    case empty
    /// A pause, which is no set.
    case rest
    /// A set that cannot be imported, with the reason.
    case damaged(String)
  }

  /// Something that the workout comes without, or that was guessed.
  struct Doubt: Sendable, Hashable {
    var kind: String
    var field: String
    var reason: String
  }

  var head: Head
  /// The program's own number of the workout, which tells two of one start and name apart; nil where it has none.
  var number: String?
  var note: String?
  var durationSeconds: Int?
  /// Its letters, read in another way, for verification.
  var writtenDuration: String?
  /// On the clock of the wall.
  var end: Int64?
  var exercise: String
  /// From 1.
  var superset: Int?
  /// The group's own number, for verification.
  var writtenSuperset: String?
  var exerciseNote: String?
  var category: String?
  var parts: [Part] = []
  /// Fields that this row's workout is imported without: told once, where each of its rows says so.
  var damaged: [Doubt] = []
  /// What holds for many rows is told of the first.
  var guessed: [Doubt] = []
  /// What the workout has besides, which the log has no place for: kind and reason.
  var others: [(kind: String, reason: String)] = []
}

extension TrainingRow {
  /// Takes how long the workout was. What is no duration is left out and told, and so is what was guessed.
  ///
  /// - Parameters:
  ///   - letters: the same seconds, read in another way.
  ///   - text: as the cell has it.
  mutating func take(duration seconds: Int?, letters: @autoclosure () -> String, of text: String, _ evidence: CSVEvidence) {
    durationSeconds = seconds
    writtenDuration = seconds.map { _ in letters() }
    let use = evidence.use(in: text)
    if seconds == nil {
      let reason = use == .doubtful ? "it \(CSVEvidence.doubt)" : "it is no duration"
      damaged.append(.init(kind: "workouts", field: "duration", reason: "\(reason): \(text)"))
    } else if use == .groups {
      guessed.append(.init(kind: "workouts", field: "duration", reason: CSVEvidence.groups))
    }
  }
}

/// What the columns of a table say. Whatever else is stored stays.
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

/// Why a row, or the set in it, cannot be imported.
struct RowProblem: Error {
  var reason: String
}

/// A weight that nobody knows the unit of.
struct UnitMissing: Error {}

/// The cells of one set as a row has them: nil where the row says nothing.
struct SetCells {
  var type = SetType.working
  /// The letters of its kind; empty where the row has none.
  var typeText = ""
  var weight: String?
  /// Nil: neither the row nor anybody else says.
  var weightUnit: WeightUnit?
  /// The letters of the unit; nil where somebody else said it.
  var unitText: String?
  var reps: String?
  var distance: String?
  var distanceUnit: DistanceUnit?
  /// The letters of the distance's unit; nil where the file has none.
  var distanceText: String?
  var seconds: String?
  var rpe: String?
  var note: String?
  var isCompleted = true

  /// - Parameters:
  ///   - zeroIsNothing: the program writes 0 where no weight and no repetitions were entered. A distance of 0, a time of 0 and an RPE
  ///     of 0 are nothing anyway.
  ///   - signs: of the numbers in the table.
  /// - Throws: `RowProblem`; `UnitMissing` for a weight that nobody knows the unit of.
  func read(zeroIsNothing: Bool, _ signs: CSVSigns) throws -> WrittenSet {
    var guessed: [TrainingRow.Doubt] = []
    func guess(_ field: String, _ reason: String) {
      let doubt = TrainingRow.Doubt(kind: "exercise_sets", field: field, reason: reason)
      if !guessed.contains(doubt) { guessed.append(doubt) }
    }
    func number(_ text: String?, _ quantity: CSVQuantity, zeroIsNothing: Bool = true) throws -> CSVNumber? {
      guard let text else { return nil }
      let evidence = signs[quantity]
      let use = evidence.use(in: text)
      if use == .groups { guess("numbers", CSVEvidence.groups) }
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
    if let seconds, seconds.contains(":") {
      (timed, timedLetters) = (CSVDuration.seconds(seconds), CSVDuration.read(seconds))
      if timed == nil { throw RowProblem(reason: "its time is none: \(seconds)") }
      if timed == 0 { timed = nil }
    } else {
      let number = try number(seconds, .seconds)
      (timed, timedLetters) = (try whole(number, .seconds), number?.text)
    }
    // A distance without a unit is one that goes with the weights'.
    var unit = distanceUnit
    if distance != nil, unit == nil {
      unit = weightUnit == .pounds ? .miles : .kilometers
      let name = unit == .miles ? "miles" : "kilometres"
      guess("distance", "the file does not say in what distances are; taken for \(name)")
    }
    var set = ExerciseSet(id: NewID.derived(from: ""), type: type, isCompleted: isCompleted, note: note)
    set.weightUnit = weight == nil ? nil : weightUnit
    set.distanceUnit = distance == nil ? nil : unit
    set.actual = .init(
      weight: weight?.value, reps: try whole(repetitions, .reps), durationSeconds: timed, distance: distance?.value, rpe: rpe?.value)
    let letters = unitText.map { CSVColumns.folded($0).hasPrefix("k") ? "kg" : "lb" } ?? weightUnit?.rawValue
    return WrittenSet(
      set: set, type: CSVColumns.folded(typeText), weight: weight?.text, unit: weight == nil ? nil : letters, reps: repetitions?.text,
      distance: distance?.text, distanceUnit: distance == nil ? nil : distanceLetters(unit),
      seconds: timed == nil ? nil : timedLetters, rpe: rpe?.text, guessed: guessed)
  }

  /// How the store has a distance's unit, by the first letters of what the file says; where it says nothing, `taken`.
  private func distanceLetters(_ taken: DistanceUnit?) -> String? {
    guard let distanceText, let distanceUnit else { return taken?.rawValue }
    guard [DistanceUnit.kilometers, .miles, .meters].contains(distanceUnit) else {
      return distanceText.trimmingCharacters(in: .whitespaces)
    }
    let letters = CSVColumns.folded(distanceText)
    return letters.hasPrefix("k") ? "km" : letters.hasPrefix("mi") ? "mi" : "m"
  }
}

/// A set with the letters of its numbers, for verification.
struct WrittenSet: Sendable {
  var set: ExerciseSet
  /// Folded; empty where the row has none.
  var type: String
  var weight: String?
  /// `kg` or `lb`.
  var unit: String?
  var reps: String?
  var distance: String?
  var distanceUnit: String?
  var seconds: String?
  var rpe: String?
  /// Whether the letters say that it was done.
  var isDone = true
  /// What the row does not say.
  var guessed: [TrainingRow.Doubt] = []
}

/// How one program writes its table.
protocol TrainingDialect: Sendable {
  /// As the format's `name`.
  var name: String { get }
  var carries: TrainingFields { get }
  /// Rows of one exercise may stand between those of others.
  var interleaves: Bool { get }
  /// How many cells a row must have; some programs leave out empty ones at its end.
  var leastCells: Int { get }

  /// What its numbers look like; a reading of the file tells, where one of them leaves it open.
  var signs: CSVSigns { get set }

  /// How many columns of a header are those of such a table, and without which ones it is none.
  static func likeness(_ header: [String]) -> (known: Int, missing: [String])

  /// The cells of a row that has too many, put together where the program left out quotes; nil where nobody can tell.
  func joined(_ cells: [String], _ row: [UInt8]) -> [String]?
  /// The cells that are numbers, as far as a row has them.
  func numbers(_ cells: [String]) -> [(quantity: CSVQuantity, text: String)]
  /// - Throws: `RowProblem` for a row that cannot be read at all; `UnitMissing` when nobody knows its unit.
  func row(_ cells: [String]) throws -> TrainingRow
  /// How it writes what a set was for; empty for what it has no sign for.
  func text(_ type: SetType) -> String
}

extension TrainingDialect {
  func joined(_ cells: [String], _ row: [UInt8]) -> [String]? { nil }
  /// Whether this is a header of such a table, in whatever version.
  static func isHeader(_ cells: [String]) -> Bool { likeness(cells).missing.isEmpty }
}
