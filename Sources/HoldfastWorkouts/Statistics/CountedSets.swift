import Foundation
import Holdfast

// All statistics are computed from one scan, so all count the same sets: completed sets of finished workouts, without warm-ups.
// Indexes give the order of workouts, exercises and sets, so nothing is sorted. For one exercise, its name finds the sets
// without reading every workout, and they are sorted.

/// A set that counts in statistics.
struct CountedSet {
  var id: UUID
  /// The entered weight; nil when none was entered.
  var entered: Weight?
  /// In the requested unit. Nil when none was entered, or its unit cannot be converted.
  var weight: Double?
  /// At least 0.
  var reps: Int
  /// Whether the set was tried and failed at the first repetition: 0 or fewer repetitions, and neither a time nor a distance.
  var isMissed: Bool
  var durationSeconds: Int?
  /// Nil also for an unknown unit.
  var meters: Double?

  /// Weight × repetitions; 0 without a weight.
  var volume: Double { ((weight ?? 0) * Double(reps)).finite }
}

/// The exercise of a counted set. A class, because all its sets share it without copies.
final class CountedExercise {
  /// Different for each exercise of each workout.
  let rowid: Int64
  /// Equal for exercises that count as one in statistics.
  let key: String
  let name: String
  let bodyPart: BodyPart.Main?
  let weightUnit: WeightUnit
  let workoutID: UUID
  let startedAt: Date
  /// Converts weights in its unit.
  fileprivate let conversion: Weight.Conversion

  fileprivate init(_ rowid: Int64, _ row: inout StoredRow, _ unit: WeightUnit) throws {
    self.rowid = rowid
    key = try row.text()
    name = try row.text()
    bodyPart = try row.textOrNil().map(BodyPart.Main.init(rawValue:))
    weightUnit = try row.textOrNil().map(WeightUnit.init(rawValue:)) ?? .pounds
    workoutID = try row.id()
    startedAt = try row.date()
    conversion = weightUnit.counting(in: unit)
  }
}

extension Reader {
  /// Calls `body` with each counted set, the oldest workout first, then in the order of exercises and sets. Case and accents of an
  /// exercise's name do not matter. The workouts of `workoutIDs` are read one after the other; a period is that of their starts.
  ///
  /// - Throws: `.misuse` when `unit` is neither kilograms nor pounds; `.decoding`.
  func countedSets(
    of name: String? = nil, in workoutIDs: [UUID]? = nil, during period: Range<Date>? = nil, unit: WeightUnit,
    _ body: (CountedSet, CountedExercise) throws -> Void
  ) throws {
    guard unit.isConvertible else {
      throw StoreError(
        .misuse, "volumes and records cannot be counted in \"\(unit.rawValue)\"", suggestion: "Ask for kilograms or pounds.")
    }
    var condition: BoundSQL = "w.state = 'finished' \(sql: Self.started(during: period))"
    if let name { condition = "\(sql: condition) AND e.name_key = \(SortText.folded(name))" }
    // The plus keeps SQLite from reading all workouts to save sorting a few.
    if let workoutIDs { condition = "+\(sql: condition) AND w.id IN \(workoutIDs)" }
    // CROSS keeps SQLite from reading the exercise in all workouts.
    let join: BoundSQL = workoutIDs == nil ? "JOIN" : "CROSS JOIN"
    var exercise: CountedExercise?
    try rows(
      """
      SELECT s.id, s.weight_unit, s.distance_unit, s.actual_weight, s.actual_reps, s.actual_duration_seconds, s.actual_distance,
        e.rowid, e.name_key, e.name, e.body_part, e.weight_unit, w.id, w.started_at
      FROM workouts w \(sql: join) exercises e ON e.workout_id = w.id \(sql: join) exercise_sets s ON s.exercise_id = e.id
      WHERE \(sql: condition) AND \(sql: Self.isCounted)
      ORDER BY w.started_at, w.id, e.position, e.id, s.position, s.id
      """
    ) { row in
      let id = try row.id()
      let ownUnit = try row.textOrNil()
      let distanceUnit = try row.textOrNil()
      let value = try row.doubleOrNil()
      let reps = try row.int64OrNil()
      let seconds = try row.int64OrNil()
      let distance = try row.doubleOrNil()
      let rowid = try row.int64()
      // The other columns are the same for all sets of an exercise, and are read once.
      if exercise?.rowid != rowid { exercise = try CountedExercise(rowid, &row, unit) }
      guard let exercise else { return }
      let weightUnit = ownUnit.map(WeightUnit.init(rawValue:)) ?? exercise.weightUnit
      let conversion = ownUnit == nil ? exercise.conversion : weightUnit.counting(in: unit)
      let entered = value.flatMap { $0.isFinite ? Weight($0, weightUnit) : nil }
      let set = CountedSet(
        id: id, entered: entered, weight: entered.flatMap { conversion.value($0.value) }, reps: Int(clamping: max(0, reps ?? 0)),
        isMissed: (reps ?? 1) <= 0 && (seconds ?? 0) <= 0 && (distance ?? 0) <= 0, durationSeconds: seconds.map { Int(clamping: $0) },
        meters: distance.flatMap { DistanceUnit.meters($0, distanceUnit) })
      try body(set, exercise)
    }
  }

  /// A condition on sets `s`.
  static var isCounted: BoundSQL { "s.is_completed = 1 AND s.type <> 'warmUp'" }

  /// A condition on workouts `w`.
  static func started(during period: Range<Date>?) -> BoundSQL {
    guard let period else { return "" }
    return "AND \(sql: .time("w.started_at", in: period))"
  }
}

extension WeightUnit {
  /// The conversion for statistics; see `TrainedWork.volume`.
  fileprivate func counting(in other: WeightUnit) -> Weight.Conversion { self == .bodyweight ? .none : conversion(to: other) }
}

extension DistanceUnit {
  /// Nil for an unknown unit, and for a result that is not finite.
  fileprivate static func meters(_ distance: Double, _ unit: String?) -> Double? {
    let meters: Double? =
      switch unit.map(DistanceUnit.init(rawValue:)) {
      case nil, .meters?: distance
      case .kilometers?: distance * 1000
      case .miles?: distance * 1609.344
      default: nil
      }
    return meters.flatMap { $0.isFinite ? $0 : nil }
  }
}
