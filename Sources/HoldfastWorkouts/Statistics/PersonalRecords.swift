public import Foundation
public import Holdfast

/// A personal best, and the set or workout that made it.
public struct PersonalRecord: Sendable, Hashable, Codable {
  /// The best value: a weight, a volume or an estimate in the requested unit; seconds; or metres.
  public var value: Double
  /// The weight in the unit in which it was entered; nil when none was entered, and for a workout's volume.
  public var weight: Weight?
  /// The set's repetitions; for a workout's volume, the sum of all.
  public var reps: Int
  /// When the workout began.
  public var startedAt: Date
  /// The workout's id.
  public var workoutID: UUID
  /// The set's id; nil for a workout's volume.
  public var setID: UUID?
}

/// The personal bests of one exercise. An equal later value does not replace a record. Nil means never done.
///
/// Weights in different units are compared after conversion. A weight in the unit `bodyweight` counts as a weight in the
/// requested unit, so for an exercise with such weights and others, another unit may give another record. A set that was tried
/// and missed, with 0 repetitions and neither a time nor a distance, is no record.
public struct ExerciseRecords: Sendable, Hashable, Codable {
  /// The exercise's name, in its latest spelling.
  public var name: String
  /// The unit of weights, volumes and estimates.
  public var unit: WeightUnit
  /// The formula of the estimates.
  public var formula: OneRepMax
  /// The heaviest weight, for any number of repetitions; also for timed sets without repetitions.
  public var heaviest: PersonalRecord?
  /// The best set for each number of repetitions. Left out are sets that another set surpasses: more weight with at least as many
  /// repetitions, or more repetitions with at least as much weight. The fewest repetitions first, which is the heaviest first.
  /// `value` is the weight, 0 if none was entered.
  public var byReps: [PersonalRecord] = []
  /// The greatest weight × repetitions of one set; above 0.
  public var setVolume: PersonalRecord?
  /// The greatest volume in one workout; above 0.
  public var workoutVolume: PersonalRecord?
  /// The greatest estimate, among sets of at most `OneRepMax.mostReps`.
  public var oneRepMax: PersonalRecord?
  /// The longest set in seconds; above 0.
  public var longestDuration: PersonalRecord?
  /// The greatest distance of one set, in metres; above 0. Distances in unknown units do not count.
  public var longestDistance: PersonalRecord?

  /// The heaviest set with at least this many repetitions; nil when there is none.
  public func heaviest(reps: Int) -> PersonalRecord? { byReps.first { $0.reps >= reps } }

  /// The set with the most repetitions at this weight or more, in `unit`; nil when there is none.
  public func mostReps(weight: Double) -> PersonalRecord? { byReps.last { $0.value >= weight } }
}

extension WorkoutLog {
  /// The records of every exercise that has a counted set, by name. Counted are completed sets of finished workouts, without warm-ups.
  ///
  /// - Parameters:
  ///   - unit: the unit of the values, kilograms or pounds.
  ///   - formula: the formula of the estimates.
  /// - Throws: `.misuse` for another unit; `.decoding`.
  public func records(unit: WeightUnit = .pounds, formula: OneRepMax = .epley) async throws -> [ExerciseRecords] {
    try await store.read { try Self.records(unit: unit, formula: formula, in: $0) }
  }

  /// The records of one exercise; nil when no set of it counts. Case and accents of the name do not matter.
  ///
  /// - Throws: `.misuse` for a unit other than kilograms and pounds; `.decoding`.
  public func records(of name: String, unit: WeightUnit = .pounds, formula: OneRepMax = .epley) async throws -> ExerciseRecords? {
    try await store.read { try Self.records(of: name, unit: unit, formula: formula, in: $0) }
  }

  /// The records of every exercise now, and after each change of the log.
  public func recordUpdates(unit: WeightUnit = .pounds, formula: OneRepMax = .epley) -> Updates<[ExerciseRecords]> {
    store.updates { try Self.records(unit: unit, formula: formula, in: $0) }
  }

  /// The records of one exercise now, and after each change of the log.
  public func recordUpdates(
    of name: String, unit: WeightUnit = .pounds, formula: OneRepMax = .epley
  ) -> Updates<ExerciseRecords?> {
    store.updates { try Self.records(of: name, unit: unit, formula: formula, in: $0) }
  }

  /// Reads the records of every exercise inside your transaction; as `records(unit:formula:)`.
  public static func records(
    unit: WeightUnit = .pounds, formula: OneRepMax = .epley, in reader: Reader
  ) throws -> [ExerciseRecords] {
    try records(named: nil, unit, formula, reader)
  }

  /// Reads the records of one exercise inside your transaction; as `records(of:unit:formula:)`.
  public static func records(
    of name: String, unit: WeightUnit = .pounds, formula: OneRepMax = .epley, in reader: Reader
  ) throws -> ExerciseRecords? {
    try records(named: name, unit, formula, reader).first
  }

  private static func records(named name: String?, _ unit: WeightUnit, _ formula: OneRepMax, _ reader: Reader) throws -> [ExerciseRecords] {
    var found: [RecordSearch] = []
    var groups = GroupPlaces()
    try reader.countedSets(of: name, unit: unit) { set, exercise in
      let (place, isNew) = groups.place(of: exercise, in: exercise.key)
      if place == found.count { found.append(RecordSearch(ExerciseRecords(name: exercise.name, unit: unit, formula: formula))) }
      if isNew { found[place].records.name = exercise.name }
      found[place].look(at: set, exercise)
    }
    return groups.places.sorted { $0.key < $1.key }.map { found[$0.value].finished() }
  }
}

/// Receives the counted sets of one exercise, the oldest first.
private struct RecordSearch {
  var records: ExerciseRecords
  /// The heaviest set for each number of repetitions.
  private var byReps: [Int: PersonalRecord] = [:]
  /// The current workout, and its sums so far.
  private var workout: (id: UUID, startedAt: Date)?
  private var work = TrainedWork()

  init(_ records: ExerciseRecords) { self.records = records }

  mutating func look(at set: CountedSet, _ exercise: CountedExercise) {
    func record(_ value: Double) -> PersonalRecord {
      PersonalRecord(
        value: value, weight: set.entered, reps: set.reps, startedAt: exercise.startedAt, workoutID: exercise.workoutID, setID: set.id)
    }
    func surpasses(_ value: Double, _ old: PersonalRecord?) -> Bool { old.map { value > $0.value } ?? true }

    if workout?.id != exercise.workoutID {
      finishWorkout()
      workout = (exercise.workoutID, exercise.startedAt)
    }
    work.add(set)
    guard !set.isMissed else { return }
    if let weight = set.weight, surpasses(weight, records.heaviest) { records.heaviest = record(weight) }
    // A weight in an unknown unit is not the same as no weight.
    if set.reps > 0, let weight = set.weight ?? (set.entered == nil ? 0 : nil), surpasses(weight, byReps[set.reps]) {
      byReps[set.reps] = record(weight)
    }
    if set.volume > 0, surpasses(set.volume, records.setVolume) { records.setVolume = record(set.volume) }
    if set.reps <= OneRepMax.mostReps, let weight = set.weight, let estimate = records.formula.estimate(weight, reps: set.reps),
      surpasses(estimate, records.oneRepMax)
    {
      records.oneRepMax = record(estimate)
    }
    if let seconds = set.durationSeconds, seconds > 0, surpasses(Double(seconds), records.longestDuration) {
      records.longestDuration = record(Double(seconds))
    }
    if let meters = set.meters, meters > 0, surpasses(meters, records.longestDistance) { records.longestDistance = record(meters) }
  }

  mutating func finished() -> ExerciseRecords {
    finishWorkout()
    var heaviest = -Double.infinity
    records.byReps = byReps.sorted { $0.key > $1.key }.map(\.value).filter { record in
      defer { heaviest = max(heaviest, record.value) }
      return record.value > heaviest
    }.reversed()
    return records
  }

  private mutating func finishWorkout() {
    if let workout, work.volume > records.workoutVolume?.value ?? 0 {
      records.workoutVolume = PersonalRecord(
        value: work.volume, reps: work.reps, startedAt: workout.startedAt, workoutID: workout.id, setID: nil)
    }
    work = TrainedWork()
  }
}
