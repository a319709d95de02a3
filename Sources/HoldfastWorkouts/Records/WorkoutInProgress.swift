public import Foundation
import Holdfast

/// The workout that the person is doing, and its clock.
public struct WorkoutInProgress: Sendable, Hashable, Identifiable {
  /// The workout so far. Open sets are not completed, and it has no end.
  public var workout: Workout
  /// The clock with the trained time.
  public var timer: TrainingTimer
  /// The workout's id.
  public var id: UUID { workout.id }

  /// A workout and its clock.
  public init(workout: Workout, timer: TrainingTimer) {
    self.workout = workout
    self.timer = timer
  }

  /// The time trained until `now`, for a display: see `TrainingTimer.trained(at:)`.
  public func trained(at now: Date) -> Duration { timer.trained(at: now) }
}

/// Measures trained time: the sum of the gaps between verbs that change the workout in progress.
///
/// A gap counts if the workout was not paused, the gap is not longer than the idle limit, and the clock was not set back. Other
/// gaps do not count, so a night between two sets is not trained time.
public struct TrainingTimer: Sendable, Hashable {
  /// Trained until `lastActiveAt`.
  public var trainedMilliseconds: Int64
  /// When the workout was started, changed, paused, resumed or touched last; to the millisecond.
  public var lastActiveAt: Date
  /// Whether the clock stands until the workout is resumed.
  public var isPaused: Bool
  /// Longer gaps do not count. 0 counts no time. In seconds; default 900.
  public var idleLimitSeconds: Int

  /// A running clock; by default with no trained time. The date is rounded to the millisecond.
  public init(lastActiveAt: Date, trainedMilliseconds: Int64 = 0, isPaused: Bool = false, idleLimitSeconds: Int = 900) {
    self.trainedMilliseconds = trainedMilliseconds
    self.lastActiveAt = DateCodec.rounded(lastActiveAt)
    self.isPaused = isPaused
    self.idleLimitSeconds = idleLimitSeconds
  }

  /// The time trained until `now`, as if a verb were called then.
  public func trained(at now: Date) -> Duration { .milliseconds(trainedMilliseconds(at: now)) }

  func trainedMilliseconds(at now: Date) -> Int64 {
    guard !isPaused, isActive(at: now), let gap = gapMilliseconds(at: now) else { return trainedMilliseconds }
    let (sum, overflows) = trainedMilliseconds.addingReportingOverflow(gap)
    return overflows ? .max : sum
  }

  /// The end of a workout that is finished at `now`: the last activity if that is longer ago than the idle limit, otherwise `now`.
  func end(at now: Date) -> Date { isActive(at: now) ? now : lastActiveAt }

  /// Whether the last activity is not older than the idle limit, and not later than `now`.
  private func isActive(at now: Date) -> Bool {
    // The gap is rounded up instead of multiplying the limit, which may be any number.
    gapMilliseconds(at: now).map { $0 >= 0 && ($0 + 999) / 1000 <= Int64(idleLimitSeconds) } ?? false
  }

  private func gapMilliseconds(at now: Date) -> Int64? {
    // Both dates are in the codec's range, so the difference cannot overflow.
    DateCodec.milliseconds(now).flatMap { now in DateCodec.milliseconds(lastActiveAt).map { now - $0 } }
  }
}

/// The row of `active_workout`.
struct ActiveRow: StoredRecord, Hashable {
  static let table = "active_workout"
  static let columns = ["slot", "workout_id", "trained_ms", "last_active_at", "is_paused", "idle_limit_seconds"]
  static let key = ["slot"]

  var workoutID: UUID
  var timer: TrainingTimer

  init(_ workoutID: UUID, _ timer: TrainingTimer) {
    self.workoutID = workoutID
    self.timer = timer
  }

  init(row: inout StoredRow) throws {
    // The slot; there is only one.
    _ = try row.int64()
    workoutID = try row.id()
    let (trained, active, isPaused) = (try row.int64(), try row.date(), try row.bool())
    timer = TrainingTimer(
      lastActiveAt: active, trainedMilliseconds: trained, isPaused: isPaused, idleLimitSeconds: try row.int())
  }

  func encode(into values: inout Values) throws {
    try values.int64(1)
    try values.id(workoutID)
    try values.int64(timer.trainedMilliseconds)
    try values.date(timer.lastActiveAt)
    try values.bool(timer.isPaused)
    try values.int(timer.idleLimitSeconds)
  }
}
