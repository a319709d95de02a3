public import Foundation
import Holdfast

/// The workout that is being done, and its clock.
public struct WorkoutInProgress: Sendable, Hashable, Identifiable {
  /// As it stands: sets that are not done yet are not completed, and it has no end.
  public var workout: Workout
  /// What was trained so far.
  public var timer: TrainingTimer
  /// The workout's.
  public var id: UUID { workout.id }

  /// A workout and its clock.
  public init(workout: Workout, timer: TrainingTimer) {
    self.workout = workout
    self.timer = timer
  }

  /// What was trained until `now`, for a display: see `TrainingTimer.trained(at:)`.
  public func trained(at now: Date) -> Duration { timer.trained(at: now) }
}

/// How long somebody trained: the time between the verbs that change the workout in progress, where it was not too long.
///
/// A gap counts when the workout was not paused in it and it is not longer than the idle limit; a longer one counts nothing, and
/// neither does one in which the clock was set back. So a night between two sets is not trained time.
public struct TrainingTimer: Sendable, Hashable {
  /// Up to `lastActiveAt`.
  public var trainedMilliseconds: Int64
  /// When the workout was started, changed, paused, resumed or touched last; to the millisecond.
  public var lastActiveAt: Date
  /// Whether time stands still until the workout is resumed.
  public var isPaused: Bool
  /// Longer gaps count nothing. 0 lets no time count.
  public var idleLimitSeconds: Int

  /// Begins with nothing trained, and running. The date is rounded to the millisecond.
  public init(lastActiveAt: Date, trainedMilliseconds: Int64 = 0, isPaused: Bool = false, idleLimitSeconds: Int = 900) {
    self.trainedMilliseconds = trainedMilliseconds
    self.lastActiveAt = DateCodec.rounded(lastActiveAt)
    self.isPaused = isPaused
    self.idleLimitSeconds = idleLimitSeconds
  }

  /// What was trained until `now`, a verb at that moment included.
  public func trained(at now: Date) -> Duration { .milliseconds(trainedMilliseconds(at: now)) }

  func trainedMilliseconds(at now: Date) -> Int64 {
    guard !isPaused, isActive(at: now), let gap = gapMilliseconds(at: now) else { return trainedMilliseconds }
    let (sum, overflows) = trainedMilliseconds.addingReportingOverflow(gap)
    return overflows ? .max : sum
  }

  /// When a workout that is finished at `now` ended: when it was left for longer than the idle limit, then.
  func end(at now: Date) -> Date { isActive(at: now) ? now : lastActiveAt }

  /// Whether the last sign of training is not older than the idle limit, and not later than `now`.
  private func isActive(at now: Date) -> Bool {
    // Rounded up, and not multiplied: the limit may be any number.
    gapMilliseconds(at: now).map { $0 >= 0 && ($0 + 999) / 1000 <= Int64(idleLimitSeconds) } ?? false
  }

  private func gapMilliseconds(at now: Date) -> Int64? {
    // Both lie in the codec's range, so the difference does not overflow.
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
    // There is one.
    _ = try row.int64()
    workoutID = try row.id()
    let (trained, active, isPaused) = (try row.int64(), try row.date(), try row.bool())
    timer = TrainingTimer(
      lastActiveAt: active, trainedMilliseconds: trained, isPaused: isPaused, idleLimitSeconds: Int(clamping: try row.int64()))
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
