import Foundation
import Holdfast
import HoldfastTesting

/// Workouts as the two apps write them. A change replaces a member's JSON, adds one, or removes it where it is nil.
struct AppWorkouts {
  /// The first app: camelCase, ids in upper case, keys without a value left out.
  let isFirst: Bool

  static let core = AppWorkouts(isFirst: false)
  static let first = AppWorkouts(isFirst: true)

  static func id(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return "a0000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
  }

  private func id(_ number: Int) -> String { "\"\(isFirst ? Self.id(number).uppercased() : Self.id(number))\"" }

  /// 2025-12-25T10:15:30.123456789Z, and an hour later.
  func workout(_ number: Int, _ exercises: [String], _ changes: [String: String?] = [:]) -> String {
    object(
      [
        ("id", id(number)), ("name", "\"workout \(number)\""), ("note", "null"), ("duration", "3600"),
        ("start_timestamp", isFirst ? "788350530.123456" : "\"2025-12-25T10:15:30.123456789Z\""),
        ("end_timestamp", isFirst ? "788354130.5" : "\"2025-12-25T11:15:30.500000000Z\""),
        ("exercises", "[\(exercises.joined(separator: ", "))]"),
      ], changes)
  }

  func exercise(_ number: Int, in workout: Int, _ sets: [String] = [], _ changes: [String: String?] = [:]) -> String {
    object(
      [
        ("id", id(number)), ("superset_id", "null"), ("workout_id", id(workout)), ("name", "\"exercise \(number)\""),
        ("pinned_notes", "[]"), ("notes", "[]"), ("duration", "null"), ("type", "\"barbell\""), ("weight_unit", "\"kg\""),
        ("default_warm_up_time", "null"), ("default_rest_time", "null"), ("sets", "[\(sets.joined(separator: ", "))]"),
        ("body_part", "null"),
      ], changes)
  }

  func set(_ number: Int, of exercise: Int, in workout: Int, at index: Int, _ changes: [String: String?] = [:]) -> String {
    object(
      [
        ("id", id(number)), ("type", "\"working\""), ("weight_unit", "null"),
        (
          "suggest",
          isFirst
            ? "{}" : #"{"weight": null, "reps": null, "rep_range": null, "duration": null, "rpe": null, "rest_time": null}"#
        ),
        (
          "actual",
          isFirst
            ? #"{"weight": 80, "reps": 5}"#
            : #"{"weight": 80.0, "reps": 5, "duration": null, "rpe": null, "actual_rest_time": null}"#
        ),
        ("is_completed", "true"), ("exercise_id", id(exercise)), ("workout_id", id(workout)), ("set_index", "\(index)"),
      ], changes)
  }

  /// Keys are named as the core has them.
  private func object(_ members: [(String, String)], _ changes: [String: String?]) -> String {
    var members = members
    for (key, value) in changes.sorted(by: { $0.key < $1.key }) {
      let place = members.firstIndex { $0.0 == key }
      if let value {
        if let place { members[place].1 = value } else { members.append((key, value)) }
      } else if let place {
        members.remove(at: place)
      }
    }
    if isFirst { members.removeAll { $0.1 == "null" } }
    return "{" + members.map { "\"\(key($0.0))\": \($0.1)" }.joined(separator: ", ") + "}"
  }

  private func key(_ name: String) -> String {
    guard isFirst else { return name }
    return name.split(separator: "_").enumerated().map { $0.offset == 0 ? String($0.element) : $0.element.capitalized }.joined()
  }
}

/// The apps' databases. Values are as SQL writes them; a change replaces one.
enum AppDatabase {
  /// The first app's.
  static let first = """
    CREATE TABLE "workouts" ("id" TEXT PRIMARY KEY, "name" TEXT NOT NULL, "startTimestamp" DATETIME NOT NULL, "note" TEXT, "duration" INTEGER,
      "endTimestamp" DATETIME);
    CREATE TABLE "exercises" ("id" TEXT PRIMARY KEY, "workoutId" TEXT NOT NULL, "supersetId" INTEGER, "name" TEXT NOT NULL,
      "pinnedNotes" BLOB, "notes" BLOB, "duration" INTEGER, "type" TEXT NOT NULL, "weightUnit" TEXT, "defaultWarmUpTime" INTEGER,
      "defaultRestTime" INTEGER, "bodyPart" TEXT, FOREIGN KEY("workoutId") REFERENCES "workouts"("id") ON DELETE CASCADE);
    CREATE TABLE "exerciseSets" ("id" TEXT PRIMARY KEY, "exerciseId" TEXT NOT NULL, "workoutId" TEXT NOT NULL, "setIndex" INTEGER NOT NULL,
      "type" TEXT NOT NULL, "weightUnit" TEXT, "suggest" TEXT, "actual" TEXT,
      FOREIGN KEY("exerciseId") REFERENCES "exercises"("id") ON DELETE CASCADE);
    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
    INSERT INTO grdb_migrations VALUES ('Create tables'), ('Insert sample data')
    """

  /// The next app's, as it was planned.
  static let flat = thiccc(
    bodyPart: "bodyPartMain TEXT, bodyPartDetailed TEXT, bodyPartScientific TEXT",
    set: """
      suggestWeight REAL, suggestReps INTEGER, suggestRepRange INTEGER, suggestDuration INTEGER, suggestRpe REAL, suggestRestTime INTEGER,
      actualWeight REAL, actualReps INTEGER, actualDuration INTEGER, actualRpe REAL, actualRestTime INTEGER
      """)
  /// The same as it was shipped, under the same name of the migration.
  static let shipped = thiccc(bodyPart: "bodyPart TEXT", set: "suggest TEXT, actual TEXT")

  private static func thiccc(bodyPart: String, set: String) -> String {
    """
    CREATE TABLE workouts (id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, note TEXT, duration INTEGER, startTimestamp REAL NOT NULL,
      endTimestamp REAL);
    CREATE TABLE exercises (id TEXT PRIMARY KEY NOT NULL, workoutId TEXT NOT NULL, supersetId INTEGER, name TEXT NOT NULL, pinnedNotes TEXT,
      notes TEXT, duration INTEGER, type TEXT NOT NULL, weightUnit TEXT, defaultWarmUpTime INTEGER, defaultRestTime INTEGER, \(bodyPart),
      FOREIGN KEY(workoutId) REFERENCES workouts(id) ON DELETE CASCADE);
    CREATE TABLE exerciseSets (id TEXT PRIMARY KEY NOT NULL, exerciseId TEXT NOT NULL, workoutId TEXT NOT NULL, setIndex INTEGER NOT NULL,
      type TEXT NOT NULL, weightUnit TEXT, \(set), isCompleted INTEGER NOT NULL DEFAULT 0,
      FOREIGN KEY(exerciseId) REFERENCES exercises(id) ON DELETE CASCADE);
    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
    INSERT INTO grdb_migrations VALUES ('v1_create_tables')
    """
  }

  /// The first app's tables without a constraint, for what damage leaves behind.
  static let loose = """
    CREATE TABLE workouts (id, name, startTimestamp, note, duration, endTimestamp);
    CREATE TABLE exercises (id, workoutId, supersetId, name, pinnedNotes, notes, duration, type, weightUnit, defaultWarmUpTime,
      defaultRestTime, bodyPart);
    CREATE TABLE exerciseSets (id, exerciseId, workoutId, setIndex, type, weightUnit, suggest, actual)
    """

  static func id(_ number: Int) -> String { "'\(AppWorkouts.id(number))'" }

  /// Of the first app, whose times are text.
  static func workout(_ number: Int, _ changes: [String: String] = [:]) -> String {
    RawDatabase.insert(
      into: "workouts", ["id": id(number), "name": "'workout \(number)'", "startTimestamp": "'2018-01-29 00:08:00.000'"], changes)
  }

  /// Of its successor.
  static func laterWorkout(_ number: Int, _ changes: [String: String] = [:]) -> String {
    workout(number, ["startTimestamp": "1766657730.1234567"].merging(changes) { $1 })
  }

  static func exercise(_ number: Int, in workout: Int, _ changes: [String: String] = [:]) -> String {
    RawDatabase.insert(
      into: "exercises", ["id": id(number), "workoutId": id(workout), "name": "'exercise \(number)'", "type": "'barbell'"], changes)
  }

  static func set(_ number: Int, of exercise: Int, in workout: Int, at index: Int, _ changes: [String: String] = [:]) -> String {
    RawDatabase.insert(
      into: "exerciseSets",
      ["id": id(number), "exerciseId": id(exercise), "workoutId": id(workout), "setIndex": "\(index)", "type": "'working'"], changes)
  }
}
