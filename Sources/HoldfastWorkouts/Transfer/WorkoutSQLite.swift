import Foundation
import Holdfast
import HoldfastTransfer

/// The databases of the two apps, `db.sqlite` and `thiccc.sqlite`. Their columns tell them apart.
///
/// The first app stored times as text in UTC, and lists and objects as JSON. It did not store whether a set was completed: a set with
/// repetitions or a duration above 0 was. Its successor stores seconds since 1970. Its planned form has columns for the values of a set;
/// its shipped form, with the same migration name, has JSON. No form stores the order of exercises: it is the order of their rows. A
/// superset of 0 means none. A workout without an end is history like the others, because the workout in progress is in another file.
struct WorkoutSQLite: WorkoutFormat {
  let name: String
  /// For `thiccc-sqlite`: 1 has columns for a set's values, 2 has JSON.
  let version: Int
  var total: Int { tables.total }
  let shape: WorkoutShape
  private let tables: SourceTables

  static let names = ["goonlytics-sqlite", "thiccc-sqlite"]
  private static let migrations: Set<String> = [
    "Create tables", "Insert sample data", "v1_create_tables", "v1_insert_sample_data", "v1_sample_data",
  ]

  /// - Parameter format: the requested format; nil to decide by the columns.
  /// - Throws: `.wrongKind` for a store of ours; `.newerSource` for a database of a later version of the app; `.invalidSource`
  ///   for another program's database, or the other one of these two.
  init(_ source: SQLiteSource, named path: String, as format: String?) throws {
    try source.refuseStore()
    let sets = try source.lowercasedColumns(of: "exerciseSets")
    guard try source.lowercasedColumns(of: "workouts").isSuperset(of: ["id", "name", "starttimestamp"]),
      try source.lowercasedColumns(of: "exercises").isSuperset(of: ["id", "workoutid", "name"]), sets.isSuperset(of: ["id", "exerciseid"])
    else {
      throw StoreError(.invalidSource, "\(path) is not the app's log of workouts: it \(source.found)")
    }
    let isFirst = !sets.contains("iscompleted")
    name = isFirst ? "goonlytics-sqlite" : "thiccc-sqlite"
    if let format, format != name {
      throw StoreError(.invalidSource, "\(path) is not \(format): it has the columns of \(name)")
    }
    version = isFirst || sets.contains("actualreps") ? 1 : 2
    shape = isFirst ? .firstDatabase : .database
    tables = try SourceTables(source, own: ["workouts", "exercises", "exerciseSets"])
    // A database without other tables has a known form, whatever its migrations.
    guard !tables.others.isEmpty else { return }
    try source.refuseMigrations(except: Self.migrations) { name in
      StoreError(
        .newerSource,
        "\(path) was written by a later version of the app, which migrated it by \(name); that cannot be read, and nothing was changed")
    }
  }

  func scan(_ reader: Reader, _ visit: (Scanned<WorkoutRecord>, Int) throws -> Void) throws {
    var scan = WorkoutSQLiteScan(tables: tables, shape: shape)
    try scan.run(visit)
    try tables.skipOthers("log", visit)
  }
}

/// One reading of a database, table by table, so that rows without their parent are found.
private struct WorkoutSQLiteScan {
  private let tables: SourceTables
  private let shape: WorkoutShape
  private var workouts = Parents<UUID, Void>("workout")
  /// With the ids of their workouts.
  private var exercises = Parents<UUID, UUID>("exercise")

  init(tables: SourceTables, shape: WorkoutShape) { (self.tables, self.shape) = (tables, shape) }

  mutating func run(_ visit: WorkoutScan.Visit) throws {
    try tables.rows(of: "workouts") { try workout($0, visit) }
    try tables.rows(of: "exercises") { try exercise($0, visit) }
    try tables.rows(of: "exerciseSets", orderedBy: [.column("setindex")]) { try set($0, visit) }
  }

  private mutating func workout(_ row: SQLiteRow, _ visit: WorkoutScan.Visit) throws {
    var members = SourceMembers(workout: row)
    let id = members.id("id")
    let blank = WorkoutRow(Workout(id: id?.value ?? .zero, name: "", startedAt: Date(timeIntervalSince1970: 0)), .finished)
    let said = members.read(shape.workouts, into: blank)
    let isWhole = try take(.workout, &members, id, in: nil, .workout(said), row, visit)
    if let id { workouts.add(id.value, isWhole ? () : nil) }
  }

  private mutating func exercise(_ row: SQLiteRow, _ visit: WorkoutScan.Visit) throws {
    var members = SourceMembers(workout: row)
    let id = members.id("id")
    let workout = members.id("workoutId")
    let place = workouts.nextPlace(in: workout?.value)
    workouts.find(workout?.value, for: &members)
    let blank = ExerciseRow(Exercise(id: id?.value ?? .zero, name: ""), in: workout?.value ?? .zero, at: ListPlace.position(at: place))
    let said = members.read(shape.exercises, into: blank)
    let isWhole = try take(.exercise, &members, id, in: workout, .exercise(said), row, visit)
    if let id { exercises.add(id.value, isWhole ? workout?.value : nil) }
  }

  private mutating func set(_ row: SQLiteRow, _ visit: WorkoutScan.Visit) throws {
    var members = SourceMembers(workout: row)
    let id = members.id("id")
    let exercise = members.id("exerciseId")
    let place = exercises.nextPlace(in: exercise?.value)
    let workout = exercises.find(exercise?.value, for: &members)
    members.check("workoutId", is: workout, "exercise's workout")
    members.dropIndex("setIndex")
    let blank = SetRow(ExerciseSet(id: id?.value ?? .zero), in: exercise?.value ?? .zero, at: ListPlace.position(at: place))
    let said = members.read(shape.sets, into: blank)
    _ = try take(.set, &members, id, in: exercise, .set(said), row, visit)
  }

  /// Visits a row; returns whether it can be imported.
  private func take(
    _ level: WorkoutScan.Level, _ members: inout SourceMembers, _ id: Written<UUID>?, in parent: Written<UUID>?, _ content: WorkoutRecord,
    _ row: SQLiteRow, _ visit: WorkoutScan.Visit
  ) throws -> Bool {
    guard try members.finish(kind: level.kind, row, visit), let id else { return false }
    try visit(shape.scanned(level, content, id, in: parent, path: row.path, original: row.original), row.position)
    return true
  }
}

extension SourceMembers {
  /// Columns of the flat form, for which the other form has objects.
  private static let flat = [
    "suggestWeight": "suggest.weight", "suggestReps": "suggest.reps", "suggestRepRange": "suggest.repRange",
    "suggestDuration": "suggest.duration", "suggestRpe": "suggest.rpe", "suggestRestTime": "suggest.restTime",
    "actualWeight": "actual.weight", "actualReps": "actual.reps", "actualDuration": "actual.duration", "actualRpe": "actual.rpe",
    "actualRestTime": "actual.actualRestTime",
  ]
  private static let bodyPart = ["bodyPartMain": "main", "bodyPartDetailed": "detailed", "bodyPartScientific": "scientific"]

  fileprivate init(workout row: SQLiteRow) {
    self.init(
      row, json: ["suggest", "actual", "pinnednotes", "notes", "bodypart", "bodypartdetailed", "bodypartscientific"],
      ids: ["id", "workoutid", "exerciseid"])
    for object in ["suggest", "actual"] { open(object) }
    for (column, name) in Self.flat.sorted(by: { $0.key < $1.key }) where has(column) {
      if value(name) != .null { failRepeated(name) }
      move(column, to: name)
    }
    let part = Self.bodyPart.map { ($1, remove($0)) }
    if part.contains(where: { $0.1 != .null }) { set("bodyPart", .object(Dictionary(part) { first, _ in first })) }
  }
}
