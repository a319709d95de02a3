public import Foundation

/// A plan for workouts.
public struct WorkoutTemplate: Sendable, Hashable, Identifiable {
  /// Unique in the log, also among workouts.
  public var id: UUID
  /// As people wrote it. May be empty, and need not be unique.
  public var name: String
  /// The person's note; nil when there is none.
  public var note: String?
  /// In the order in which they are done. The plan is in the sets' suggestions. Values entered as done are kept, but a workout
  /// starts without them.
  public var exercises: [Exercise]

  /// A template that is not stored yet.
  public init(id: UUID, name: String, note: String? = nil, exercises: [Exercise] = []) {
    self.id = id
    self.name = name
    self.note = note
    self.exercises = exercises
  }

  init(_ workout: Workout) {
    self.init(id: workout.id, name: workout.name, note: workout.note, exercises: workout.exercises)
  }
}
