public import Foundation
public import Holdfast

/// What was done of one exercise in one workout: a point of a chart.
public struct ProgressPoint: Sendable, Hashable, Codable {
  /// The workout's.
  public var workoutID: UUID
  /// When the workout began.
  public var date: Date
  /// The heaviest weight, in the unit asked for; nil when none was entered. Missed sets do not count.
  public var topWeight: Double?
  /// The greatest estimate, among sets of at most `OneRepMax.mostReps`; nil when there is none.
  public var oneRepMax: Double?
  /// Of all sets together, in seconds.
  public var durationSeconds: Int
  /// Of all sets together. Distances in units that nobody can convert count as 0.
  public var distanceMeters: Double
  /// Of all sets together.
  public var work: TrainedWork

  /// One point.
  public init(
    workoutID: UUID, date: Date, topWeight: Double? = nil, oneRepMax: Double? = nil, durationSeconds: Int = 0,
    distanceMeters: Double = 0, work: TrainedWork = TrainedWork()
  ) {
    self.workoutID = workoutID
    self.date = date
    self.topWeight = topWeight
    self.oneRepMax = oneRepMax
    self.durationSeconds = durationSeconds
    self.distanceMeters = distanceMeters
    self.work = work
  }
}

extension WorkoutLog {
  /// How an exercise went, a point for each finished workout that has a counted set of it, the oldest first.
  ///
  /// - Parameters:
  ///   - name: case and accents do not matter.
  ///   - limit: the newest so many points; values below 1 count as 1.
  ///   - end: only workouts that began before, for instance before the first point there is already; nil is all.
  ///   - unit: of weights, estimates and volumes, kilograms or pounds.
  ///   - formula: of the estimates.
  /// - Throws: `.misuse` for another unit; `.decoding`.
  public func progress(
    of name: String, limit: Int = .max, before end: Date? = nil, unit: WeightUnit = .pounds, formula: OneRepMax = .epley
  ) throws -> [ProgressPoint] {
    try store.read { try Self.progress(of: name, limit: limit, before: end, unit: unit, formula: formula, in: $0) }
  }
  public func progress(
    of name: String, limit: Int = .max, before end: Date? = nil, unit: WeightUnit = .pounds, formula: OneRepMax = .epley
  ) async throws -> [ProgressPoint] {
    try await store.read { try Self.progress(of: name, limit: limit, before: end, unit: unit, formula: formula, in: $0) }
  }

  /// The newest points now, and after each change of the log.
  public func progressUpdates(
    of name: String, limit: Int = .max, unit: WeightUnit = .pounds, formula: OneRepMax = .epley
  ) -> Updates<[ProgressPoint]> {
    store.updates(of: Self.tables) { try Self.progress(of: name, limit: limit, unit: unit, formula: formula, in: $0) }
  }

  public static func progress(
    of name: String, limit: Int = .max, before end: Date? = nil, unit: WeightUnit = .pounds, formula: OneRepMax = .epley, in reader: Reader
  ) throws -> [ProgressPoint] {
    var points: [ProgressPoint] = []
    // Nothing that began before the distant past can be stored.
    let period = end.flatMap { $0.timeIntervalSince1970.isNaN ? nil : min($0, .distantPast)..<$0 }
    try reader.countedSets(of: name, during: period, unit: unit) { set, exercise in
      var point = ProgressPoint(workoutID: exercise.workoutID, date: exercise.startedAt)
      if let last = points.last, last.workoutID == exercise.workoutID {
        point = last
        points.removeLast()
      }
      point.work.add(set)
      point.durationSeconds = point.durationSeconds.adding(max(0, set.durationSeconds ?? 0))
      point.distanceMeters = point.distanceMeters.adding(max(0, set.meters ?? 0))
      if !set.isMissed, let weight = set.weight { point.topWeight = max(weight, point.topWeight ?? weight) }
      if set.reps <= OneRepMax.mostReps, let estimate = set.weight.flatMap({ formula.estimate($0, reps: set.reps) }) {
        point.oneRepMax = max(estimate, point.oneRepMax ?? estimate)
      }
      points.append(point)
    }
    return Array(points.suffix(max(1, limit)))
  }
}
