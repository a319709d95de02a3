import Foundation
import Holdfast
import HoldfastWorkouts

/// The workout log's workloads: C, GRDB's Codable records where they take part, and the product take turns.
enum Workouts {
  static let load = "W7 load 2,000 workouts of 6 x 4 sets"
  static let logSet = "W7 log a set"
  static let logSetObserved = "W7 log a set, observed"
  static let loadYears = "20 years: load 5,000 workouts"
  static let records = "20 years: records of all exercises"
  static let weeks = "20 years: volume by week"
  static let progress = "20 years: progress of one exercise"
  private static let logged = 300

  static func run(_ dataSets: DataSets, rounds: Int) throws -> [Outcome] {
    let small = try file(dataSets, workouts: 2000)
    let years = try file(dataSets, workouts: 5000)
    return try loading(load, small, rounds) + logging(logSet, dataSets, small, rounds, observed: false)
      + logging(logSetObserved, dataSets, small, rounds, observed: true) + loading(loadYears, years, rounds) + statistics(years, rounds)
  }

  /// A log in a file of its own, already on the disk, with a workout in progress.
  private static func file(_ dataSets: DataSets, workouts: Int) throws -> String {
    let path = try dataSets.newFolder() + "/" + DataSet.databaseName
    var seed = WorkoutSeed()
    let log = try open(path)
    try log.store.write { try WorkoutLog.save(seed.workouts(workouts), in: $0) }
    var current = try log.store.write { try WorkoutLog.startWorkout(named: "Now", idleLimitSeconds: 1_000_000, in: $0) }.workout
    current.exercises = (0..<6).map { _ in seed.exercise(workouts, at: nil) }
    try log.store.write { try WorkoutLog.save(current, in: $0) }
    try log.store.checkpoint(.truncate)
    try log.store.close()
    return path
  }

  private static func open(_ path: String) throws -> WorkoutLog {
    var options = StoreOptions()
    options.durability = .fast
    return try WorkoutLog.open(at: URL(fileURLWithPath: path), options: options)
  }

  private static func loading(_ workload: String, _ path: String, _ rounds: Int) throws -> [Outcome] {
    let (c, log, grdb) = (try CWorkouts(path: path), try open(path), try WorkoutsGRDB(path: path))
    defer {
      c.close()
      try? grdb.close()
      try? log.store.close()
    }
    return try takeTurns(
      workload, rounds: rounds,
      [
        Player(name: "C") { _, _ in try c.load() },
        Player(name: Gate.contestant) { _, _ in sum(try log.store.read { try WorkoutLog.workouts(in: $0) }) },
        Player(name: WorkoutsGRDB.name) { _, _ in try grdb.load() },
      ])
  }

  private static func statistics(_ path: String, _ rounds: Int) throws -> [Outcome] {
    let (c, log) = (try CWorkouts(path: path), try open(path))
    defer {
      c.close()
      try? log.store.close()
    }
    let all = try takeTurns(
      records, rounds: rounds,
      [
        Player(name: "C") { _, _ in try c.records() },
        Player(name: Gate.contestant) { _, _ in sum(try log.store.read { try WorkoutLog.records(in: $0) }) },
      ])
    let byWeek = try takeTurns(
      weeks, rounds: rounds,
      [
        Player(name: "C") { _, _ in try c.weeks() },
        Player(name: Gate.contestant) { _, _ in sum(try log.store.read { try WorkoutLog.volumeByWeek(limit: .max, timeZone: .gmt, in: $0) })
        },
      ])
    let names = ["Squat", "Bench Press", "Développé couché", "Face Pull"]
    return try all + byWeek
      + takeTurns(
        progress, rounds: rounds, operations: 20,
        [
          Player(name: "C") { operation, _ in try c.progress(of: SortText.folded(names[operation % names.count])) },
          Player(name: Gate.contestant) { operation, _ in
            sum(try log.store.read { try WorkoutLog.progress(of: names[operation % names.count], in: $0) }.items)
          },
        ])
  }

  /// Each contestant writes to a copy of its own; both must leave the same sets.
  private static func logging(
    _ workload: String, _ dataSets: DataSets, _ path: String, _ rounds: Int, observed: Bool
  ) throws -> [Outcome] {
    let paths = try (0..<2).map { _ in
      let copy = try dataSets.newFolder() + "/" + DataSet.databaseName
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      return copy
    }
    let (c, log) = (try CWorkouts(path: paths[0]), try open(paths[1]))
    let current = try log.store.read { try WorkoutLog.currentWorkout(in: $0) }?.workout
    let ids = current?.exercises.flatMap(\.sets).map(\.id) ?? []
    guard !ids.isEmpty else { throw Failure("\(workload): no workout is in progress") }
    // SQLite writes no page for a row that stays the same.
    func entry(_ operation: Int, _ round: Int) -> (id: UUID, weight: Double, reps: Int) {
      let turn = round * logged + operation
      return (ids[turn % ids.count], Double(turn) * 0.5, turn % 20)
    }
    let seen = Counter()
    let updates = log.currentWorkoutUpdates()
    let task = observed ? Task { do { for try await _ in updates { seen.increment() } } catch {} } : nil
    let outcomes = try takeTurns(
      workload, rounds: rounds, operations: logged,
      [
        Player(name: "C", settle: c.settle) { operation, round in
          let (id, weight, reps) = entry(operation, round)
          try c.logSet(id, weight: weight, reps: reps, at: Int64(Date().timeIntervalSince1970 * 1000))
          return Found()
        },
        Player(name: Gate.contestant, settle: { try log.store.checkpoint(.truncate) }) { operation, round in
          let (id, weight, reps) = entry(operation, round)
          try log.store.write { try WorkoutLog.logSet(id, ExerciseSet.Actual(weight: weight, reps: reps), in: $0) }
          return Found()
        },
      ])
    task?.cancel()
    guard !observed || seen.value > 1 else { throw Failure("\(workload): the observer saw no set") }
    c.close()
    try log.store.close()
    let left = try paths.map { path in
      let log = try open(path)
      defer { try? log.store.close() }
      return try log.store.read { try WorkoutLog.currentWorkout(in: $0) }?.workout.exercises.flatMap(\.sets).map {
        [$0.actual.weight, Double($0.actual.reps ?? 0)]
      }
    }
    guard left[0] != nil, left[0] == left[1] else { throw Failure("\(workload) left different logs") }
    return outcomes
  }

  private static func sum(_ workouts: [Workout]) -> Found {
    var (exercises, sets, textBytes, weights) = (0, 0, 0, 0.0)
    for exercise in workouts.lazy.flatMap(\.exercises) {
      exercises += 1
      sets += exercise.sets.count
      textBytes += exercise.name.utf8.count
      for set in exercise.sets { weights += set.actual.weight ?? 0 }
    }
    return Found([workouts.count, exercises, sets, textBytes].map(Double.init) + [weights], kept: [workouts])
  }

  private static func sum(_ records: [ExerciseRecords]) -> Found {
    var numbers = [0.0, 0, 0, 0, 0, 0, 0]
    for exercise in records {
      let found = [
        exercise.heaviest, exercise.setVolume, exercise.workoutVolume, exercise.oneRepMax, exercise.longestDuration,
        exercise.longestDistance,
      ]
      numbers = zip(numbers, [1] + found.map { $0?.value ?? 0 }).map { $0 + $1 }
    }
    return Found(numbers)
  }

  private static func sum(_ weeks: [WeekVolume]) -> Found {
    var numbers = [0.0, 0, 0, 0, 0]
    for week in weeks {
      numbers = zip(numbers, [1, Double(week.workouts), Double(week.work.sets), Double(week.work.reps), week.work.volume]).map { $0 + $1 }
    }
    return Found(numbers)
  }

  private static func sum(_ points: [ProgressPoint]) -> Found {
    var numbers = [0.0, 0, 0, 0, 0]
    for point in points {
      numbers = zip(numbers, [1, Double(point.work.reps), point.work.volume, point.topWeight ?? 0, point.oneRepMax ?? 0]).map { $0 + $1 }
    }
    return Found(numbers)
  }
}
