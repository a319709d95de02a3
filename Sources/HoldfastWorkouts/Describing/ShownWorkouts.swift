import Foundation
import Holdfast
import HoldfastTransfer

/// What the command line shows of workouts. Exercises come from workouts and have no stored ids: each gets an id derived from
/// its name, without case and accents.
enum ShownWorkouts {
  static let utc = TimeZone(secondsFromGMT: 0) ?? .current

  static func id(ofExercise name: String) -> UUID {
    NewID.derived(from: JSONValue.array([.string("exercise"), .string(SortText.folded(name))]).canonicalText())
  }

  /// The unit that most completed sets are in, kilograms or pounds.
  static func unit(in reader: Reader) throws -> WeightUnit {
    let more = try reader.value(
      """
      SELECT sum(CASE coalesce(s.weight_unit, e.weight_unit, 'lb') WHEN 'kg' THEN 1 WHEN 'lb' THEN -1 ELSE 0 END)
      FROM exercise_sets s JOIN exercises e ON e.id = s.exercise_id WHERE s.is_completed = 1 AND s.actual_weight IS NOT NULL
      """
    ) { row in try row.int64OrNil() }
    return (more.flatMap { $0 } ?? 0) > 0 ? .kilograms : .pounds
  }

  // MARK: Lists

  private static let workout = ShownFields<Workout>([
    "exercises": { .count($0.exercises.count) }, "sets": { .count(sets($0.exercises)) },
  ])

  static let workouts = workout.titled([
    "id": "ID", "started_at": "STARTED", "name": .flexible("WORKOUT"), "duration_seconds": "LENGTH", "exercises": "EXERCISES",
    "sets": "SETS", "note": nil, "ended_at": nil,
  ])

  static let exercises = ShownFields<ExerciseName>([
    "id": { .id(id(ofExercise: $0.name)) },
    "type": { .told(.text($0.type.rawValue), $0.type == .unknown ? nil : $0.type.rawValue) },
    "body_part": { .text($0.bodyPart?.main.rawValue) }, "uses": { .count($0.uses).unlessZero },
    "is_custom": { .flag($0.customExerciseID != nil) },
  ]).titled([
    "id": "ID", "name": .flexible("EXERCISE"), "type": "TYPE", "body_part": "BODY PART", "uses": "WORKOUTS", "last_used_at": "LAST",
    "is_custom": nil,
  ])

  static let templates = ShownFields<WorkoutTemplate>([
    "exercises": { .count($0.exercises.count) }, "sets": { .count(sets($0.exercises)) },
  ]).titled(["id": "ID", "name": .flexible("TEMPLATE"), "exercises": "EXERCISES", "sets": "SETS", "note": nil])

  private static func sets(_ exercises: [Exercise]) -> Int { exercises.reduce(0) { $0 + $1.sets.count } }

  static func search(_ text: String, _ ranked: Bool, _ limit: Int, _ reader: Reader) throws -> (hits: [JSONValue], tables: [ShownBlock]) {
    let found = try WorkoutLog.search(text, limit: limit, in: reader).items
    let named =
      try SearchText.queries(text).isEmpty
      ? [] : WorkoutLog.exerciseNames(matching: text, limit: limit, in: reader).items
    let hits =
      workouts.hits("workout", found) + exercises.hits("exercise", named)
    return (hits, [workouts.table(of: found), exercises.table(of: named)])
  }

  // MARK: One thing

  private static func row(
    _ kind: String, where condition: String, show: @escaping @Sendable (UUID, Reader) throws -> Shown?
  ) -> ShownKind {
    ShownKind(
      kind, "id, name, started_at", from: "workouts", where: condition, order: "started_at DESC, id DESC",
      label: { kind == "template" ? $0 : "\($0), \(ShownValue.time(try $1.date()).words)" }, show: show)
  }

  static let kinds = [
    row("workout", where: "state <> 'template'") { id, reader in
      guard let workout = try WorkoutLog.workout(id, in: reader) else { return nil }
      let isInProgress = try WorkoutLog.currentWorkout(in: reader)?.id == id
      let fields = ShownFields<Workout>([
        "ended_at": { .told(.time($0.endedAt), isInProgress ? "in progress" : ShownValue.time($0.endedAt).words) },
        "is_in_progress": { _ in .flag(isInProgress) }, "exercises": { properties.list(of: $0.exercises) },
      ]).titled([
        "name": "workout", "note": "note", "started_at": "started", "ended_at": "ended", "duration_seconds": "length", "id": "id",
        "is_in_progress": nil, "exercises": nil,
      ])
      return fields.shown("workout", workout, table(workout.exercises))
    },
    ShownKind("exercise") { wanted, reader in
      var condition: BoundSQL = "name_key IS NOT NULL"
      if case .name(let name) = wanted { condition = "name_key = \(SortText.folded(name))" }
      let names = try reader.values(
        """
        SELECT min(name) FROM (
          SELECT name, name_key FROM exercises WHERE \(sql: condition) UNION ALL SELECT name, name_key FROM custom_exercises WHERE \(sql: condition))
        GROUP BY name_key
        """
      ) { row in try row.text() }
      return names.filter { wanted.means(id(ofExercise: $0), $0) }.map { name in
        // In any spelling, this is the exercise that the person named.
        let written = if case .name(let text) = wanted { text } else { name }
        return .init(IDCodec.lowercase(id(ofExercise: name)), written, label: name) { try history(of: name, $0) }
      }
    },
    row("template", where: "state = 'template'") { id, reader in
      let fields = ShownFields<WorkoutTemplate>(["exercises": { properties.list(of: $0.exercises) }])
        .titled(["name": "template", "note": "note", "id": "id", "exercises": nil])
      return try WorkoutLog.template(id, in: reader).map { fields.shown("template", $0, table($0.exercises)) }
    },
  ]

  private static func history(of name: String, _ reader: Reader) throws -> Shown {
    let history = try WorkoutLog.history(of: name, limit: .max, in: reader).items
    let unit = try Self.unit(in: reader)
    let best = try WorkoutLog.records(of: name, unit: unit, in: reader)
    let fields = ShownFields<ExerciseRecords?>([
      "name": { _ in .text(history.first?.exercise.name ?? name) }, "heaviest": { .text($0?.heaviest.map { words($0, unit) }) },
      "one_rep_max": { best in
        .text(best?.oneRepMax.map { "\(ShownValue.decimal($0.value, places: 1)) \(unit.rawValue), estimated by Epley" })
      },
      "id": { _ in .id(id(ofExercise: name)) }, "records": { .json($0.map(properties.object) ?? .null) },
      "history": { _ in properties.list(of: history) },
    ]).titled([
      "name": "exercise", "heaviest": .people("heaviest"), "one_rep_max": .people("one-rep max"), "id": "id", "records": nil,
      "history": nil,
    ])
    return fields.shown("exercise", best, performed.table(of: history))
  }

  private static let performed = ShownFields<PerformedExercise>([
    "sets": { performed in
      let sets = performed.exercise.sets.map { SetWords($0, of: performed.exercise).done($0) }
      return .text(sets.filter { !$0.isEmpty }.joined(separator: ", "))
    }
  ]).titled(["started_at": "DATE", "workout_name": .flexible("WORKOUT"), "sets": .flexible("SETS"), "workout_id": "ID"])

  // MARK: Sets

  /// For programs: exercises with their sets, records, and sums of work.
  static let properties: ShownProperties = .init { value in
    func work(_ work: TrainedWork) -> [String: ShownValue?] {
      ["work": nil, "sets": .count(work.sets), "volume": .number(work.volume)]
    }
    switch value {
    case let exercise as Exercise:
      return [
        "body_part": .text(exercise.bodyPart?.main.rawValue), "sets": properties.list(of: exercise.sets.map { named($0, of: exercise) }),
      ]
    case let record as PersonalRecord:
      return [
        "started_at": nil, "date": .time(record.startedAt), "weight": .number(record.weight?.value),
        "weight_unit": .text(record.weight?.unit.rawValue),
      ]
    case let week as WeekVolume:
      return work(week.work).merging(["trained_seconds": nil, "total_seconds": .length(Double(week.trainedSeconds))]) { $1 }
    case let part as BodyPartVolume: return work(part.work)
    case let exercise as ExerciseVolume: return work(exercise.work)
    case let point as ProgressPoint:
      let left: [String: ShownValue?] = [
        "started_at": nil, "date": .time(point.startedAt), "duration_seconds": nil, "distance_meters": nil,
      ]
      return work(point.work).merging(left) { $1 }
    default: return [:]
    }
  }

  /// The set with the units that it has by its exercise or by default.
  private static func named(_ set: ExerciseSet, of exercise: Exercise) -> ExerciseSet {
    var set = set
    set.weightUnit = set.weightUnit ?? exercise.weightUnit ?? .pounds
    set.distanceUnit = set.distanceUnit ?? .meters
    return set
  }

  /// A set with its exercise; an exercise without sets has a line, too.
  private struct Line {
    var exercise: Exercise
    var place = 0
    var set: ExerciseSet?
    var isFirst: Bool { place == 0 }
  }

  private static let lines: [ShownField<Line>] = [
    .init(nil, "SUPERSET") { .count($0.isFirst ? $0.exercise.superset : nil) },
    .init(nil, "EXERCISE", shrinks: true) { .text($0.isFirst ? $0.exercise.name : nil) },
    .init(nil, "SET") { .count($0.set == nil ? nil : $0.place + 1) },
    .init(nil, "TYPE") { .text($0.set?.type == .working ? nil : $0.set?.type.rawValue) },
    .init(nil, "PLAN") { line in .text(line.set.map { SetWords($0, of: line.exercise).planned($0) }) },
    .init(nil, "DONE") { line in .text(line.set.map { SetWords($0, of: line.exercise).done($0) }) },
    .init(nil, "REST") { line in
      let warmUp = line.set?.type == .warmUp ? line.exercise.warmUpRestSeconds : nil
      return .seconds(line.set.flatMap { $0.actual.restSeconds ?? $0.suggested.restSeconds ?? warmUp ?? line.exercise.restSeconds })
    },
    .init(nil, "NOTE", shrinks: true) { line in
      let notes = (line.isFirst ? line.exercise.pinnedNotes + line.exercise.notes : []) + [line.set?.note ?? ""]
      return .text(notes.filter { !$0.isEmpty }.joined(separator: "; "))
    },
  ]

  /// A line for each set; an exercise is named on its first.
  private static func table(_ exercises: [Exercise]) -> ShownBlock {
    lines.table(
      of: exercises.flatMap { exercise in
        exercise.sets.isEmpty
          ? [Line(exercise: exercise)] : exercise.sets.enumerated().map { Line(exercise: exercise, place: $0, set: $1) }
      })
  }
}

/// The values of a set as text: `82.5 kg × 5 @8.5`.
private struct SetWords {
  let unit: WeightUnit
  let distanceUnit: DistanceUnit

  init(_ set: ExerciseSet, of exercise: Exercise) {
    unit = set.weightUnit ?? exercise.weightUnit ?? .pounds
    distanceUnit = set.distanceUnit ?? .meters
  }

  func done(_ set: ExerciseSet) -> String {
    let actual = set.actual
    let words = words(actual.weight, actual.reps.map(String.init), actual.durationSeconds, actual.distance, actual.rpe)
    return set.isCompleted ? (words.isEmpty ? "done" : words) : (words.isEmpty ? "" : "(\(words))")
  }

  func planned(_ set: ExerciseSet) -> String {
    let plan = set.suggested
    let reps = plan.reps.map { reps in plan.repRange.map { "\(reps)–\($0)" } ?? String(reps) } ?? plan.repRange.map(String.init)
    return words(plan.weight, reps, plan.durationSeconds, nil, plan.rpe)
  }

  private func words(_ weight: Double?, _ reps: String?, _ seconds: Int?, _ distance: Double?, _ rpe: Double?) -> String {
    func number(_ value: Double) -> String { ShownValue.number(value).words }
    let load = weight.map { unit == .bodyweight ? "+\(number($0))" : "\(number($0)) \(unit.rawValue)" }
    var words = [load, reps].compactMap { $0 }.joined(separator: " × ")
    if load == nil, let reps { words = "× \(reps)" }
    if let distance { words += " \(number(distance)) \(distanceUnit.rawValue)" }
    if let seconds { words += " \(ShownValue.seconds(seconds).words)" }
    if let rpe { words += " @\(number(rpe))" }
    return words.trimmingCharacters(in: .whitespaces)
  }
}
