public import Foundation
public import Holdfast

/// One exercise in one workout: a point of a chart.
public struct ProgressPoint: Sendable, Hashable, Codable {
  /// The workout's id.
  public var workoutID: UUID
  /// When the workout began.
  public var startedAt: Date
  /// The heaviest weight, in the requested unit; nil when none was entered. Missed sets do not count.
  public var topWeight: Double?
  /// The greatest estimate, among sets of at most `OneRepMax.mostReps`; nil when there is none.
  public var oneRepMax: Double?
  /// The sum over all sets, in seconds.
  public var durationSeconds = 0
  /// The sum over all sets. Distances in unknown units count as 0.
  public var distanceMeters: Double = 0
  /// The sums over all sets.
  public var work = TrainedWork()
}

extension WorkoutLog {
  /// The progress of an exercise: a page of points, one for each finished workout with a counted set of the exercise. The
  /// newest page comes first; within a page the oldest point comes first.
  ///
  /// - Parameters:
  ///   - name: the exercise's name; case and accents do not matter.
  ///   - key: the last page's `next`, for earlier points; nil for the newest page.
  ///   - limit: how many points; values below 1 count as 1.
  ///   - unit: the unit of weights, estimates and volumes, kilograms or pounds.
  ///   - formula: the formula of the estimates.
  /// - Throws: `.misuse` for another unit, or for a key of another list or another exercise; `.decoding`.
  public func progress(
    of name: String, after key: PageKey? = nil, limit: Int = .max, unit: WeightUnit = .pounds, formula: OneRepMax = .epley
  ) async throws -> Page<ProgressPoint> {
    try await store.read { try Self.progress(of: name, after: key, limit: limit, unit: unit, formula: formula, in: $0) }
  }

  /// The newest points now, the oldest first, and after each change of the log.
  public func progressUpdates(
    of name: String, limit: Int = .max, unit: WeightUnit = .pounds, formula: OneRepMax = .epley
  ) -> Updates<[ProgressPoint]> {
    store.updates { try Self.progress(of: name, limit: limit, unit: unit, formula: formula, in: $0).items }
  }

  /// Reads a page of an exercise's progress inside your transaction; as `progress(of:after:limit:unit:formula:)`.
  public static func progress(
    of name: String, after key: PageKey? = nil, limit: Int = .max, unit: WeightUnit = .pounds, formula: OneRepMax = .epley,
    in reader: Reader
  ) throws -> Page<ProgressPoint> {
    // If all points are requested, the exercise's sets are found without reading every workout.
    let workouts = key == nil && limit == .max ? nil : try workouts(with: name, after: key, limit: limit, in: reader)
    var points: [ProgressPoint] = []
    try reader.countedSets(of: name, in: workouts?.items, unit: unit) { set, exercise in
      if points.last?.workoutID != exercise.workoutID {
        points.append(ProgressPoint(workoutID: exercise.workoutID, startedAt: exercise.startedAt))
      }
      points[points.count - 1].add(set, formula)
    }
    return Page(items: points, next: workouts?.next)
  }

  /// The newest workouts with a counted set of an exercise, found one after the other, so that a page is read quickly.
  private static func workouts(with name: String, after key: PageKey?, limit: Int, in reader: Reader) throws -> Page<UUID> {
    let listing = Listing(
      condition: """
        w.state = 'finished' AND EXISTS (
          SELECT 1 FROM exercises e CROSS JOIN exercise_sets s ON s.exercise_id = e.id
          WHERE e.name_key = \(SortText.folded(name)) AND e.workout_id = w.id AND \(sql: Reader.isCounted))
        """,
      columns: [("w.started_at", .number), ("w.id", .text)], isDescending: true)
    return try reader.page("w.id", from: "workouts w", listing, after: key, limit: limit) { row in try row.id() }
  }
}

extension ProgressPoint {
  fileprivate mutating func add(_ set: CountedSet, _ formula: OneRepMax) {
    work.add(set)
    durationSeconds = durationSeconds.adding(max(0, set.durationSeconds ?? 0))
    distanceMeters = distanceMeters.adding(max(0, set.meters ?? 0))
    if !set.isMissed, let weight = set.weight { topWeight = max(weight, topWeight ?? weight) }
    if set.reps <= OneRepMax.mostReps, let estimate = set.weight.flatMap({ formula.estimate($0, reps: set.reps) }) {
      oneRepMax = max(estimate, oneRepMax ?? estimate)
    }
  }
}
