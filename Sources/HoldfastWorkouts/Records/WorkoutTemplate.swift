public import Foundation
import Holdfast

/// A plan that workouts are started from.
public struct WorkoutTemplate: Sendable, Hashable, Identifiable {
  /// Unique in the log, among workouts, too.
  public var id: UUID
  /// As people wrote it. May be empty, and need not be unique.
  public var name: String
  /// Nil when there is none.
  public var note: String?
  /// In the order in which they are done. What their sets suggest is the plan; what stands in them as done is kept, and no workout
  /// begins with it.
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

  /// - Parameter date: when it was first saved.
  func row(madeAt date: Date) -> WorkoutRow {
    WorkoutRow(Workout(id: id, name: name, note: note, startedAt: date), .template)
  }
}
