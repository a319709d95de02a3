import Foundation
import Holdfast
import HoldfastTransfer

/// The databases of the two apps, `db.sqlite` and `thiccc.sqlite`. Their columns tell them apart.
///
/// The first app stored times as text in UTC, and lists and objects as JSON. It did not store whether a set was completed: a set with
/// repetitions or a duration above 0 was. Its successor stores seconds since 1970. Its planned form has columns for the values of a set;
/// its shipped form, with the same migration name, has JSON. No form stores the order of exercises: it is the order of their rows. A
/// superset of 0 means none. A workout without an end is history like the others, because the workout in progress is in another file.
struct WorkoutSQLite: ImportFormat {
  let name: String
  /// For `thiccc-sqlite`: 1 has columns for a set's values, 2 has JSON.
  let version: Int
  let kinds = WorkoutRecord.kinds
  let laterIndexes = WorkoutRecord.laterIndexes
  var total: Int { tables.total }
  private let shape: WorkoutShape
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

  func scan(_ reader: Reader, _ visit: (Scanned<SaidContent>, Int) throws -> Void) throws {
    var scan = WorkoutSQLiteScan(tables: tables, shape: shape)
    try scan.run(visit)
    try tables.skipOthers("log", visit)
  }
}

/// One reading of a database, table by table, so that rows without their parent are found.
private struct WorkoutSQLiteScan {
  let tables: SourceTables
  let shape: WorkoutShape
  /// The workouts and the exercises, each with the id of its own parent.
  var parents = [Parents<UUID, UUID>("workout"), Parents<UUID, UUID>("exercise")]

  mutating func run(_ visit: WorkoutScan.Visit) throws {
    try tables.rows(of: "workouts") { try take(.workout, $0, shape.workouts, visit) { id, _, _ in .blank(id) } }
    try tables.rows(of: "exercises") { try take(.exercise, $0, shape.exercises, visit, into: ExerciseRow.blank) }
    try tables.rows(of: "exerciseSets", orderedBy: [.column("setindex")]) { try take(.set, $0, shape.sets, visit, into: SetRow.blank) }
  }

  /// - Parameter blank: makes a row with its id, in a parent, at a place.
  private mutating func take<Row>(
    _ level: WorkoutScan.Level, _ row: SQLiteRow, _ kind: RecordKind<Row>, _ visit: WorkoutScan.Visit, into blank: (UUID, UUID, Int) -> Row
  ) throws {
    var members = SourceMembers(workout: row)
    let id = members.id("id")
    let parent = level.above.flatMap { members.id("\($0.noun)Id") }
    var place = 0
    if let above = level.above?.rawValue {
      place = parents[above].nextPlace(in: parent?.value)
      let workout = parents[above].find(parent?.value, for: &members)
      if level == .set { members.check("workoutId", is: workout, "exercise's workout") }
    }
    if level == .set { members.dropIndex("setIndex") }
    let said = members.read(kind.fields, into: blank(id?.value ?? .zero, parent?.value ?? .zero, place))
    let isWhole = try members.finish(kind: kind.name, row, visit)
    if isWhole, let id {
      let ids = [id, parent].compactMap { $0?.text }
      try visit(.record(kind.record(said, ids: ids, path: row.path, original: row.original)), row.position)
    }
    if level != .set, let id { parents[level.rawValue].add(id.value, isWhole ? parent?.value ?? .zero : nil) }
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
