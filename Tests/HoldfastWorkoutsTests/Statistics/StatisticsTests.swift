import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastWorkouts

@Suite("Statistics") struct StatisticsTests {
  /// A log with one workout per list of sets, a day apart from 2026-01-05T12:00:00Z, a Monday.
  private static func log(_ workouts: [[ExerciseSet]], name: String = "Squat", unit: WeightUnit? = nil) async throws -> (
    WorkoutLog, [Workout]
  ) {
    var random = SeededGenerator(seed: 5)
    let made = workouts.enumerated().map { day, sets in
      var exercise = Sample.exercise(name, sets, &random)
      exercise.weightUnit = unit
      return Sample.workout("\(day)", at: Date(timeIntervalSince1970: 1_767_614_400 + Double(day) * 86_400), [exercise], &random)
    }
    let log = try WorkoutLog.inMemory()
    try await log.save(made)
    return (log, made)
  }

  private static func set(
    _ weight: Double?, _ reps: Int?, _ unit: WeightUnit? = nil, _ type: SetType = .working, done: Bool = true
  ) -> ExerciseSet {
    ExerciseSet(id: UUID(), type: type, weightUnit: unit, actual: .init(weight: weight, reps: reps), isCompleted: done)
  }

  @Test("only completed sets count, and no warm-ups")
  func whatCounts() async throws {
    let (log, _) = try await Self.log([
      [Self.set(200, 5, nil, .warmUp), Self.set(300, 5, done: false), Self.set(100, 5), Self.set(50, 10, nil, .dropSet)]
    ])
    #expect(
      try await log.volumeByExercise() == [ExerciseVolume(name: "Squat", workouts: 1, work: TrainedWork(sets: 2, reps: 15, volume: 1000))])
    #expect(try await log.records(of: "squat")?.heaviest?.value == 100)
  }

  @Test("weights in two units are compared by what they weigh, and a record keeps the unit that it was entered in")
  func mixedUnits() async throws {
    let (log, workouts) = try await Self.log([[Self.set(200, 3, .pounds)], [Self.set(95, 3, .kilograms)], [Self.set(209, 3, .pounds)]])
    let record = try #require(try await log.records(of: "Squat", unit: .kilograms)?.heaviest)
    #expect(record.weight == Weight(95, .kilograms))
    #expect(record.workoutID == workouts[1].id)
    let pounds = try #require(try await log.records(of: "Squat", unit: .pounds)?.heaviest)
    #expect(pounds.setID == record.setID)
    #expect(Weight(pounds.value, .pounds).rounded() == Weight(209.44, .pounds))
  }

  @Test("the earlier of two equal records stays, whatever its unit")
  func ties() async throws {
    let (log, workouts) = try await Self.log([
      [Self.set(100, 5, .kilograms)], [Self.set(100, 5, .kilograms)], [Self.set(220.46226218487757, 5, .pounds)],
    ])
    for unit in [WeightUnit.kilograms, .pounds] {
      let records = try #require(try await log.records(of: "Squat", unit: unit))
      for record in [records.heaviest, records.setVolume, records.workoutVolume, records.oneRepMax, records.byReps.first] {
        #expect(record?.workoutID == workouts[0].id)
      }
      #expect(records.byReps.count == 1)
    }
  }

  @Test("records by repetitions answer how heavy for so many, and how many with so much")
  func byReps() async throws {
    let (log, _) = try await Self.log([
      [Self.set(100, 1), Self.set(90, 5), Self.set(80, 5), Self.set(80, 3), Self.set(60, 12), Self.set(140, 0)]
    ])
    let records = try #require(try await log.records(of: "Squat"))
    #expect(records.byReps.map { [$0.value, Double($0.reps)] } == [[100, 1], [90, 5], [60, 12]])
    #expect([1, 2, 5, 6, 12, 13].map { records.heaviest(reps: $0)?.value } == [100, 90, 90, 60, 60, nil])
    #expect([0, 60, 61, 95, 101].map { records.mostReps(weight: $0)?.reps } == [12, 12, 5, 1, nil])
    #expect(records.heaviest?.value == 100)
  }

  @Test("estimates come from sets of at most twelve repetitions")
  func meaningfulEstimates() async throws {
    let (log, _) = try await Self.log([[Self.set(100, 12), Self.set(100, 13), Self.set(20, 36)]])
    #expect(try await log.records(of: "Squat")?.oneRepMax?.value == 140)
    #expect(try await log.records(of: "Squat", formula: .brzycki)?.oneRepMax?.value == 144)
    #expect(try await log.progress(of: "Squat").items.map(\.oneRepMax) == [140])
  }

  @Test("with the body's weight counts what was added, in the unit asked for; nothing entered counts as 0")
  func bodyweight() async throws {
    let (log, _) = try await Self.log([[Self.set(nil, 12), Self.set(10, 5), Self.set(-20, 8)]], name: "Pull Up", unit: .bodyweight)
    for unit in [WeightUnit.kilograms, .pounds] {
      #expect(try await log.volumeByExercise(unit: unit).map(\.work) == [TrainedWork(sets: 3, reps: 25, volume: 50 - 160)])
      let records = try #require(try await log.records(of: "pull up", unit: unit))
      #expect(records.byReps.map { [$0.value, Double($0.reps)] } == [[10, 5], [0, 12]])
      #expect(records.heaviest?.weight == Weight(10, .bodyweight))
    }
  }

  @Test("a weight in a unit that nobody can convert counts as a set and its repetitions, and is no record")
  func unknownUnit() async throws {
    let (log, _) = try await Self.log([[Self.set(10, 5, WeightUnit(rawValue: "stone"))]])
    #expect(try await log.volumeByExercise().map(\.work) == [TrainedWork(sets: 1, reps: 5, volume: 0)])
    let records = try #require(try await log.records(of: "Squat"))
    #expect(records == ExerciseRecords(name: "Squat", unit: .pounds, formula: .epley))
    #expect(try await log.records(of: "Deadlift") == nil)
    for unit in [WeightUnit.bodyweight, WeightUnit(rawValue: "stone")] {
      await #expect(throws: StoreError.self) { try await log.records(unit: unit) }
      await #expect(throws: StoreError.self) { try await log.volumeByWeek(limit: 1, unit: unit) }
    }
  }

  @Test("the longest and the farthest set are records of their own, in seconds and metres")
  func durationAndDistance() async throws {
    func run(_ seconds: Int, _ distance: Double, _ unit: DistanceUnit?) -> ExerciseSet {
      ExerciseSet(id: UUID(), distanceUnit: unit, actual: .init(durationSeconds: seconds, distance: distance), isCompleted: true)
    }
    let (log, workouts) = try await Self.log(
      [[run(1800, 5, .kilometers)], [run(1500, 4, .miles)], [run(1800, 6000, nil)], [run(9, 99, DistanceUnit(rawValue: "furlong"))]],
      name: "Run")
    let records = try #require(try await log.records(of: "Run"))
    #expect(records.longestDuration?.value == 1800)
    #expect(records.longestDuration?.workoutID == workouts[0].id)
    #expect(records.longestDistance?.value == 4 * 1609.344)
    #expect(records.heaviest == nil)
    #expect(records.byReps == [])
    #expect(try await log.progress(of: "run").items.map(\.distanceMeters) == [5000, 4 * 1609.344, 6000, 0])
  }

  @Test("a week begins on Monday where the time zone has it; weeks in which nothing was done are there with zeros")
  func weeks() async throws {
    var random = SeededGenerator(seed: 6)
    let log = try WorkoutLog.inMemory()
    // 2025-12-28 23:30 in Berlin, a Sunday, and 2026-01-12 00:15 there, a Monday.
    var first = Sample.workout("a", at: Date(timeIntervalSince1970: 1_766_961_000), &random)
    first.durationSeconds = 600
    try await log.save([first, Sample.workout("b", at: Date(timeIntervalSince1970: 1_768_173_300), &random)])
    func picture(_ zone: String, _ limit: Int = .max) async throws -> [String] {
      let zone = try #require(TimeZone(identifier: zone))
      return try await log.volumeByWeek(limit: limit, timeZone: zone).map {
        "\($0.year)-W\($0.week): \($0.workouts), \($0.trainedSeconds) s"
      }
    }
    #expect(try await picture("Europe/Berlin") == ["2025-W52: 1, 600 s", "2026-W1: 0, 0 s", "2026-W2: 0, 0 s", "2026-W3: 1, 0 s"])
    #expect(try await picture("UTC") == ["2025-W52: 1, 600 s", "2026-W1: 0, 0 s", "2026-W2: 1, 0 s"])
    #expect(try await picture("Pacific/Auckland") == ["2026-W1: 1, 600 s", "2026-W2: 0, 0 s", "2026-W3: 1, 0 s"])
    #expect(try await picture("Europe/Berlin", 2) == ["2026-W2: 0, 0 s", "2026-W3: 1, 0 s"])
    #expect(try await picture("Europe/Berlin", .min) == ["2026-W3: 1, 0 s"])
    #expect(try await log.volumeByWeek(limit: 1).first?.startsAt.timeIntervalSince1970 != nil)
  }

  @Test("weeks on both sides of a change of the clock follow each other without a gap", arguments: ["Europe/Berlin", "America/Sao_Paulo"])
  func clockChanges(zone: String) async throws {
    let zone = try #require(TimeZone(identifier: zone))
    var random = SeededGenerator(seed: 7)
    let log = try WorkoutLog.inMemory()
    let start = Date(timeIntervalSince1970: 1_500_000_000)
    try await log.save((0..<200).map { Sample.workout("\($0)", at: start.addingTimeInterval(Double($0) * 604_800), &random) })
    let weeks = try await log.volumeByWeek(limit: .max, timeZone: zone)
    #expect(weeks.map(\.workouts) == Array(repeating: 1, count: 200))
    #expect(try await log.totals(asOf: start, timeZone: zone).longestWeekStreak == 200)
  }

  @Test("an empty log has no weeks, no records and totals of zero; one workout in the years 1 and 9999 each is no problem")
  func extremes() async throws {
    let log = try WorkoutLog.inMemory()
    #expect(try await log.volumeByWeek(limit: 10) == [])
    #expect(try await log.records() == [])
    #expect(try await log.progress(of: "Squat").items == [])
    #expect(try await log.totals() == TrainingTotals())
    var random = SeededGenerator(seed: 8)
    let (first, last) = (DateCodec.range.lowerBound, DateCodec.range.upperBound)
    try await log.save([first, last].compactMap(DateCodec.date(milliseconds:)).map { Sample.workout("", at: $0, &random) })
    #expect(try await log.volumeByWeek(limit: 3, timeZone: .gmt).map(\.workouts) == [0, 0, 1])
    #expect(try await log.totals(timeZone: .gmt).longestWeekStreak == 1)
    #expect(try await log.totals(asOf: Date(timeIntervalSince1970: .nan)).workouts == 2)
  }

  @Test("sums stop at the greatest number that there is")
  func overflow() async throws {
    let (log, _) = try await Self.log([
      [Self.set(.greatestFiniteMagnitude, .max), Self.set(.greatestFiniteMagnitude, .max)], [Self.set(-.greatestFiniteMagnitude, 2)],
    ])
    #expect(try await log.volumeByWorkout().map(\.work.reps) == [.max, 2])
    #expect(try await log.volumeByWorkout().map(\.work.volume) == [.greatestFiniteMagnitude, -.greatestFiniteMagnitude])
    #expect(try await log.totals().work.sets == 3)
    #expect(try await log.volumeByWeek(limit: 1, timeZone: .gmt).map(\.work.volume) == [0])
    _ = try await (log.records(), log.records(unit: .kilograms, formula: .brzycki), log.progress(of: "Squat"))
    _ = try await JSONEncoder().encode(log.totals())
  }

  @Test("totals tell streaks of weeks: a week that is not over breaks nothing, a missed one does")
  func streaks() async throws {
    var random = SeededGenerator(seed: 9)
    let log = try WorkoutLog.inMemory()
    let monday = Date(timeIntervalSince1970: 1_767_571_200)
    func day(_ number: Int) -> Date { monday.addingTimeInterval(Double(number) * 86_400) }
    try await log.save([0, 2, 8, 14, 28, 41].map { Sample.workout("", at: day($0), &random) })
    var streaks: [Int] = []
    for end in [27, 41, 42, 48, 49, 60] { streaks.append(try await log.totals(asOf: day(end), timeZone: .gmt).weekStreak) }
    #expect(streaks == [3, 2, 2, 2, 0, 0])
    #expect(try await log.totals(asOf: day(28), timeZone: .gmt).weekStreak == 1, "the week after is no part of it")
    #expect(try await log.totals(asOf: day(-1), timeZone: .gmt).weekStreak == 0)
    let totals = try await log.totals(asOf: day(41), timeZone: .gmt)
    #expect(totals.longestWeekStreak == 3)
    #expect(totals.workouts == 6)
    #expect((totals.firstWorkoutAt, totals.lastWorkoutAt) == (day(0), day(41)))
  }

  @Test("what was done most comes by workouts, not by volume")
  func mostDone() async throws {
    let (log, _) = try await Self.log([[Self.set(1, 1)], [Self.set(1, 1)]])
    var random = SeededGenerator(seed: 10)
    try await log.save(Sample.workout("heavy", [Sample.exercise("Deadlift", [Self.set(500, 10)], &random)], &random))
    #expect(try await log.totals().mostDone.map { "\($0.name) \($0.workouts)" } == ["Squat 2", "Deadlift 1"])
    #expect(try await log.volumeByExercise().map(\.name) == ["Deadlift", "Squat"])
    #expect(try await log.totals().exercises == 2)
  }

  @Test("progress comes in pieces: the newest points, and those before them")
  func progressPages() async throws {
    let (log, workouts) = try await Self.log((0..<7).map { [Self.set(Double(100 + $0), 5)] })
    let newest = try await log.progress(of: "SQUAT", limit: 3)
    #expect(newest.items.map(\.topWeight) == [104, 105, 106])
    let next = try await log.progress(of: "Squat", after: newest.next, limit: 3)
    #expect(next.items.map(\.topWeight) == [101, 102, 103])
    #expect(try await log.progress(of: "Squat", after: next.next).items.map(\.topWeight) == [100])
    #expect(try await log.progress(of: "Squat", limit: 0).items.map(\.workoutID) == [workouts[6].id])
    #expect(await #expect(throws: StoreError.self) { try await log.progress(of: "Row", after: newest.next) }?.code == .misuse)
  }

  @Test("pages of progress lose none of several workouts that begin at the same moment, nor count those without a set", arguments: 1...6)
  func progressOfOneMoment(limit: Int) async throws {
    var random = SeededGenerator(seed: 12)
    let log = try WorkoutLog.inMemory()
    let moment = Date(timeIntervalSince1970: 1_767_614_400)
    try await log.save(
      (0..<9).map { number in
        let sets = [Self.set(Double(100 + number), 5, nil, number % 3 == 2 ? .warmUp : .working)]
        return Sample.workout("\(number)", at: moment, [Sample.exercise("Squat", sets, &random)], &random)
      })
    let whole = try await log.progress(of: "squat").items
    #expect(whole.count == 6)
    var (points, key): ([ProgressPoint], PageKey?) = ([], nil)
    repeat {
      let page = try await log.progress(of: "squat", after: key, limit: limit)
      points = page.items + points
      key = page.next
    } while key != nil
    #expect(points == whole)
  }

  @Test("a page of progress reads the sets of its workouts, and no more")
  func progressCost() async throws {
    let world = try World.inMemory()
    let log = world.log
    try await log.save(Self.log((0..<50).map { [Self.set(Double(100 + $0), 5)] }).1)
    let key = try await log.progress(of: "Squat", limit: 3).next
    _ = world.statements.take()
    _ = try await log.progress(of: "Squat", after: key, limit: 3)
    let texts = world.statements.take()
    let details = try await log.store.read { reader in try texts.flatMap(reader.queryPlan) }.joined(separator: "; ")
    #expect(details.contains("SEARCH w USING INDEX sqlite_autoindex_workouts_1 (id=?)"), "\(details)")
    #expect(details.contains("(name_key=? AND workout_id=?)"), "\(details)")
  }

  @Test("a set of a time or a distance counts as done, though its repetitions are written as 0; with neither it was missed")
  func zeroRepetitions() async throws {
    func set(_ reps: Int, _ seconds: Int?, _ distance: Double?) -> ExerciseSet {
      ExerciseSet(
        id: UUID(), actual: .init(weight: 20, reps: reps, durationSeconds: seconds, distance: distance), isCompleted: true)
    }
    let (log, _) = try await Self.log([[set(0, 60, nil), set(0, nil, 400)]], name: "Plank")
    let records = try #require(try await log.records(of: "Plank"))
    #expect(records.longestDuration?.value == 60 && records.longestDistance?.value == 400 && records.heaviest?.value == 20)
    #expect(records.byReps == [] && records.oneRepMax == nil)
    #expect(try await log.progress(of: "plank").items.map(\.topWeight) == [20])
    let (missed, _) = try await Self.log([[set(0, nil, nil), set(0, 0, 0), set(-1, nil, nil)]], name: "Plank")
    #expect(try await missed.records(of: "Plank") == ExerciseRecords(name: "Plank", unit: .pounds, formula: .epley))
  }

  @Test("the two formulas agree at one and at ten repetitions, and differ by less than 4 % between")
  func formulas() throws {
    for reps in 1...10 {
      let estimates = try OneRepMax.allCases.map { try #require($0.estimate(100, reps: reps)) }
      let difference = abs(estimates[0] / estimates[1] - 1)
      #expect(difference < 0.04, "\(reps)")
      #expect([1, 10].contains(reps) == (difference < 1e-12), "\(reps)")
    }
  }

  @Test("a damaged value names its table and its column")
  func damage() async throws {
    let (log, _) = try await Self.log([[Self.set(100, 5)]])
    try await log.store.write { _ = try $0.execute("UPDATE workouts SET started_at = 999999999999999999") }
    let error = await #expect(throws: StoreError.self) { try await log.records() }
    #expect(error?.code == .decoding && error?.column == "started_at" && error?.table == "workouts")
  }
}
