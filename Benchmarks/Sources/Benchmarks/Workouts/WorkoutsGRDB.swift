import Foundation
import GRDB

/// Records as GRDB's own documentation writes them, for the workout log's tables.
private struct WorkoutRecord: LibraryRecord {
  static let databaseTableName = "workouts"
  static var databaseSelection: [any SQLSelectable] { CodingKeys.allCases.map { Column($0.rawValue) } }
  var id: UUID
  var name: String
  var note: String?
  var startedAt: Date
  var endedAt: Date?
  var durationSeconds: Int?

  enum CodingKeys: String, CodingKey, CaseIterable {
    case id, name, note
    case startedAt = "started_at"
    case endedAt = "ended_at"
    case durationSeconds = "duration_seconds"
  }
}

private struct ExerciseRecord: LibraryRecord {
  static let databaseTableName = "exercises"
  static var databaseSelection: [any SQLSelectable] { CodingKeys.allCases.map { Column($0.rawValue) } }
  var id: UUID
  var workoutID: UUID
  var name: String
  var type: String
  var bodyPart: String?
  var bodyPartDetailed: [String]?
  var bodyPartScientific: [String]?
  var superset: Int?
  var weightUnit: String?
  var pinnedNotes: [String]?
  var notes: [String]?
  var durationSeconds: Int?
  var warmUpRestSeconds: Int?
  var restSeconds: Int?

  enum CodingKeys: String, CodingKey, CaseIterable {
    case id, name, type, superset, notes
    case workoutID = "workout_id"
    case bodyPart = "body_part"
    case bodyPartDetailed = "body_part_detailed"
    case bodyPartScientific = "body_part_scientific"
    case weightUnit = "weight_unit"
    case pinnedNotes = "pinned_notes"
    case durationSeconds = "duration_seconds"
    case warmUpRestSeconds = "warm_up_rest_seconds"
    case restSeconds = "rest_seconds"
  }
}

private struct SetRecord: LibraryRecord {
  static let databaseTableName = "exercise_sets"
  static var databaseSelection: [any SQLSelectable] { CodingKeys.allCases.map { Column($0.rawValue) } }
  var id: UUID
  var exerciseID: UUID
  var type: String
  var weightUnit: String?
  var distanceUnit: String?
  var suggestedWeight: Double?
  var suggestedReps: Int?
  var suggestedRepRange: Int?
  var suggestedDurationSeconds: Int?
  var suggestedRPE: Double?
  var suggestedRestSeconds: Int?
  var actualWeight: Double?
  var actualReps: Int?
  var actualDurationSeconds: Int?
  var actualDistance: Double?
  var actualRPE: Double?
  var actualRestSeconds: Int?
  var isCompleted: Bool
  var completedAt: Date?
  var note: String?

  enum CodingKeys: String, CodingKey, CaseIterable {
    case id, type, note
    case exerciseID = "exercise_id"
    case weightUnit = "weight_unit"
    case distanceUnit = "distance_unit"
    case suggestedWeight = "suggested_weight"
    case suggestedReps = "suggested_reps"
    case suggestedRepRange = "suggested_rep_range"
    case suggestedDurationSeconds = "suggested_duration_seconds"
    case suggestedRPE = "suggested_rpe"
    case suggestedRestSeconds = "suggested_rest_seconds"
    case actualWeight = "actual_weight"
    case actualReps = "actual_reps"
    case actualDurationSeconds = "actual_duration_seconds"
    case actualDistance = "actual_distance"
    case actualRPE = "actual_rpe"
    case actualRestSeconds = "actual_rest_seconds"
    case isCompleted = "is_completed"
    case completedAt = "completed_at"
  }
}

/// A `DatabasePool` with Codable records and the query interface.
final class WorkoutsGRDB: GRDBPool {
  func load() throws -> Found {
    try pool.read { db in
      let workouts = try WorkoutRecord.filter(Column("state") == "finished").order(Column("started_at").desc, Column("id").desc).fetchAll(
        db)
      let exercises = try ExerciseRecord.order(Column("workout_id"), Column("position"), Column("id")).fetchAll(db)
      let sets = try SetRecord.order(Column("exercise_id"), Column("position"), Column("id")).fetchAll(db)
      let byWorkout = Dictionary(grouping: exercises, by: \.workoutID)
      let byExercise = Dictionary(grouping: sets, by: \.exerciseID)
      var (exerciseCount, setCount, textBytes, weights) = (0, 0, 0, 0.0)
      for exercise in workouts.lazy.flatMap({ byWorkout[$0.id] ?? [] }) {
        exerciseCount += 1
        textBytes += exercise.name.utf8.count
        for set in byExercise[exercise.id] ?? [] {
          setCount += 1
          weights += set.actualWeight ?? 0
        }
      }
      return Found(
        [workouts.count, exerciseCount, setCount, textBytes].map(Double.init) + [weights], kept: [workouts, byWorkout, byExercise])
    }
  }
}
