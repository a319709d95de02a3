import Foundation
import Holdfast

/// A workout as the app's core sends it and reads it: `Codable` in the core's own JSON, which
/// `Documentation/WorkoutCapability.md` shows.
///
/// The core has no word for four fields of a set: distance and its unit, note, time of completion. They are written all the same,
/// and a workout that comes back without them is saved without touching them.
public struct CoreWorkout: Sendable, Hashable, Codable {
  /// What was said; a field of a set that was not is nil.
  public var workout: Workout
  /// What was not said, by the set's id.
  var unsaid: [UUID: Unsaid] = [:]

  /// A workout that says everything: saving it changes every field.
  public init(_ workout: Workout) { self.workout = workout }

  /// - Throws: `StoreError`, code `.invalidSource`, that says what is wrong and where.
  public init(from decoder: any Decoder) throws { self = try JSONTree(from: decoder).read { try CoreWorkout(&$0) } }
  public func encode(to encoder: any Encoder) throws {
    try JSONTree { write(into: &$0) }.encode(to: encoder)
  }
  func write(into text: inout JSONText) { CoreJSON.write(workout, without: unsaid, into: &text) }

  /// The fields of a set that the core does not know.
  struct Unsaid: OptionSet, Hashable {
    let rawValue: Int
    static let distance = Unsaid(rawValue: 1)
    static let distanceUnit = Unsaid(rawValue: 2)
    static let completedAt = Unsaid(rawValue: 4)
    static let note = Unsaid(rawValue: 8)
  }

  /// The workout with what it does not say taken from what is stored of the same sets.
  func completed(in reader: Reader) throws -> Workout {
    guard !unsaid.isEmpty, let stored = try WorkoutLog.workout(workout.id, in: reader) else { return workout }
    var sets: [UUID: ExerciseSet] = [:]
    for set in stored.exercises.flatMap(\.sets) { sets[set.id] = set }
    var workout = workout
    for exercise in workout.exercises.indices {
      for index in workout.exercises[exercise].sets.indices {
        let set = workout.exercises[exercise].sets[index]
        guard let unsaid = unsaid[set.id], let stored = sets[set.id] else { continue }
        workout.exercises[exercise].sets[index] = set.taking(unsaid, from: stored)
      }
    }
    return workout
  }
}

extension ExerciseSet {
  fileprivate func taking(_ fields: CoreWorkout.Unsaid, from stored: ExerciseSet) -> ExerciseSet {
    var set = self
    if fields.contains(.distance) { set.actual.distance = stored.actual.distance }
    if fields.contains(.distanceUnit) { set.distanceUnit = stored.distanceUnit }
    if fields.contains(.note) { set.note = stored.note }
    // A set that is no longer completed was not completed at any time.
    if fields.contains(.completedAt), isCompleted { set.completedAt = stored.completedAt }
    return set
  }
}
