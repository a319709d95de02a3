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
  let total: Int
  let shape: WorkoutShape
  private let source: SQLiteSource
  /// The tables that this log does not import, with their numbers of rows.
  private let others: [(table: String, rows: Int)]

  static let names = ["goonlytics-sqlite", "thiccc-sqlite"]
  private static let own = ["workouts", "exercises", "exercisesets"]
  /// Tables about the file itself.
  private static let bookkeeping: Set<String> = ["grdb_migrations"]
  private static let migrations: Set<String> = [
    "Create tables", "Insert sample data", "v1_create_tables", "v1_insert_sample_data", "v1_sample_data",
  ]

  /// - Parameter format: the requested format; nil to decide by the columns.
  /// - Throws: `.wrongKind` for a store of ours; `.newerSource` for a database of a later version of the app; `.invalidSource`
  ///   for another program's database, or the other one of these two.
  init(_ source: SQLiteSource, named path: String, as format: String?) throws {
    let tables = source.tables
    try source.refuseStore()
    let sets = try Self.columns("exerciseSets", of: source)
    guard try Self.columns("workouts", of: source).isSuperset(of: ["id", "name", "starttimestamp"]),
      try Self.columns("exercises", of: source).isSuperset(of: ["id", "workoutid", "name"]), sets.isSuperset(of: ["id", "exerciseid"])
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
    self.source = source
    let known = Self.bookkeeping.union(Self.own)
    others = try tables.filter { !known.contains(SQLiteSource.lowercased($0)) }.map { ($0, try source.count(of: $0)) }
    if !others.isEmpty { try Self.refuseLater(source, path) }
    total = try Self.own.reduce(others.reduce(0) { $0 + $1.rows }) { try $0 + source.count(of: $1) }
  }

  private static func columns(_ table: String, of source: SQLiteSource) throws -> Set<String> {
    Set(try source.columns(of: table).map(SQLiteSource.lowercased))
  }

  /// A database without other tables has a known form, whatever its migrations.
  private static func refuseLater(_ source: SQLiteSource, _ path: String) throws {
    try source.rows(of: "grdb_migrations") { row in
      guard case .text(let name)? = row.value("identifier"), !migrations.contains(name) else { return }
      throw StoreError(
        .newerSource,
        "\(path) was written by a later version of the app, which migrated it by \(name); that cannot be read, and nothing was changed")
    }
  }

  func scan(_ reader: Reader, _ visit: (Scanned<WorkoutRecord>, Int) throws -> Void) throws {
    var scan = WorkoutSQLiteScan(source: source, shape: shape)
    try scan.run(visit)
    for (table, rows) in others {
      for number in 0..<rows {
        let reason = "the table \(table) has no place in this log; it stays in the source and its copy"
        try visit(.skipped(kind: table, path: .text("\(table)[\(number)]"), reason: reason), scan.position + number)
      }
      scan.position += rows
    }
  }
}

/// One reading of a database, table by table, so that rows without their parent are found.
private struct WorkoutSQLiteScan {
  private let source: SQLiteSource
  private let shape: WorkoutShape
  /// How many rows were read.
  var position = 0
  private var workouts: [UUID: Row] = [:]
  private var exercises: [UUID: Row] = [:]

  /// A row that may be a parent of others.
  private struct Row {
    var isDamaged: Bool
    var workoutID: UUID
    /// How many of its children were read.
    var count = 0
  }

  init(source: SQLiteSource, shape: WorkoutShape) {
    self.source = source
    self.shape = shape
  }

  mutating func run(_ visit: WorkoutScan.Visit) throws {
    try source.rows(of: "workouts") { try workout($0, visit) }
    try source.rows(of: "exercises") { try exercise($0, visit) }
    try source.rows(of: "exerciseSets", orderedBy: [.column("setindex")]) { try set($0, visit) }
  }

  private mutating func workout(_ row: SQLiteRow, _ visit: WorkoutScan.Visit) throws {
    var members = SourceMembers(workout: row)
    let id = members.id("id")
    let blank = WorkoutRow(Workout(id: id?.value ?? .zero, name: "", startedAt: Date(timeIntervalSince1970: 0)), .finished)
    let said = members.read(shape.workouts, into: blank)
    let isDamaged = try take("workouts", &members, id, in: nil, .workout(said), row, visit)
    // If two rows have one id, the children belong to the row that can be imported.
    if let id, workouts[id.value]?.isDamaged != false { workouts[id.value] = Row(isDamaged: isDamaged, workoutID: id.value) }
  }

  private mutating func exercise(_ row: SQLiteRow, _ visit: WorkoutScan.Visit) throws {
    var members = SourceMembers(workout: row)
    let id = members.id("id")
    let workout = members.id("workoutId")
    let place = workout.map { next(\.workouts, $0.value) } ?? 0
    if let workout { members.failUnless(workouts[workout.value]?.isDamaged, "workout") }
    let blank = ExerciseRow(Exercise(id: id?.value ?? .zero, name: ""), in: workout?.value ?? .zero, at: ListPlace.position(at: place))
    let said = members.read(shape.exercises, into: blank)
    let isDamaged = try take("exercises", &members, id, in: workout.map { ("workouts", $0) }, .exercise(said), row, visit)
    if let id, exercises[id.value]?.isDamaged != false {
      exercises[id.value] = Row(isDamaged: isDamaged, workoutID: workout?.value ?? .zero)
    }
  }

  private mutating func set(_ row: SQLiteRow, _ visit: WorkoutScan.Visit) throws {
    var members = SourceMembers(workout: row)
    let id = members.id("id")
    let exercise = members.id("exerciseId")
    let place = exercise.map { next(\.exercises, $0.value) } ?? 0
    if let exercise {
      members.failUnless(exercises[exercise.value]?.isDamaged, "exercise")
      members.check("workoutId", is: exercises[exercise.value]?.workoutID, "exercise's workout")
    }
    members.dropIndex("setIndex")
    let blank = SetRow(ExerciseSet(id: id?.value ?? .zero), in: exercise?.value ?? .zero, at: ListPlace.position(at: place))
    let said = members.read(shape.sets, into: blank)
    _ = try take("exercise_sets", &members, id, in: exercise.map { ("exercises", $0) }, .set(said), row, visit)
  }

  /// The number of the next child of a row.
  private mutating func next(_ rows: WritableKeyPath<Self, [UUID: Row]>, _ id: UUID) -> Int {
    let count = self[keyPath: rows][id]?.count ?? 0
    self[keyPath: rows][id]?.count = count + 1
    return count
  }

  /// Visits a row; returns whether it cannot be imported.
  private mutating func take(
    _ kind: String, _ members: inout SourceMembers, _ id: Written<UUID>?, in parent: (kind: String, id: Written<UUID>)?,
    _ content: WorkoutRecord, _ row: SQLiteRow, _ visit: WorkoutScan.Visit
  ) throws -> Bool {
    position += 1
    guard try members.finish(kind: kind, path: row.path, original: row.original, at: position, visit), let id else { return true }
    try visit(
      .record(
        SourceRecord(
          kind: kind, key: IDCodec.lowercase(id.value), parent: parent.map { .init(kind: $0.kind, key: IDCodec.lowercase($0.id.value)) },
          path: row.path, fields: shape.fields(of: content, id: id.text, in: parent?.id.text), modifiedAt: content.modifiedAt,
          content: content, original: row.original)), position)
    return false
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

  /// Fails without a valid parent: nil means that it does not exist, true that it is quarantined.
  fileprivate mutating func failUnless(_ isDamaged: Bool?, _ what: String) {
    switch isDamaged {
    case false?: break
    case true?: fail("its \(what) is quarantined")
    case nil: fail("there is no such \(what)")
    }
  }
}
