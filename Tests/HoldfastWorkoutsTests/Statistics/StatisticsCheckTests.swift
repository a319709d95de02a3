import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWorkouts
import Testing

/// Every statistic against a plain computation over the loaded workouts, with data of chance.
@Suite("Statistics, checked") struct StatisticsCheckTests {
  private static func random(_ random: inout SeededGenerator) -> [Workout] {
    let units: [WeightUnit?] = [nil, nil, .kilograms, .pounds, .bodyweight, WeightUnit(rawValue: "stone")]
    let start = Date(timeIntervalSince1970: 1_600_000_000)
    return (0..<60).map { number in
      // Some begin at the same moment.
      let startedAt = start.addingTimeInterval(Double(random.pick(Array(0..<40)) * 200_000))
      var workout = Sample.workout("\(number)", at: startedAt, &random)
      workout.durationSeconds = random.pick([nil, 0, -5, 3600])
      workout.exercises = (0..<random.pick([0, 1, 3, 5])).map { _ in
        var exercise = Sample.exercise(
          random.pick(["Bench Press", "bench press", "Développé", "DEVELOPPE", "Run", ""]),
          (0..<random.pick([0, 2, 4])).map { _ in
            ExerciseSet(
              id: random.id(), type: random.pick([.working, .working, .warmUp, .dropSet, SetType(rawValue: "myo")]),
              weightUnit: random.pick(units), distanceUnit: random.pick([nil, .kilometers, .miles, DistanceUnit(rawValue: "furlong")]),
              actual: .init(
                weight: random.pick([nil, -20, 0, 40, 60, 100, 100, 220.46226218487757, 42.25]),
                reps: random.pick([nil, -1, 0, 1, 2, 3, 5, 5, 8, 12, 13, 36]), durationSeconds: random.pick([nil, -3, 0, 30, 60]),
                distance: random.pick([nil, -1, 0, 1, 1.5])),
              isCompleted: random.chance(80))
          }, &random)
        exercise.weightUnit = random.pick(units)
        exercise.bodyPart = random.pick([nil, BodyPart(.chest), BodyPart(.other), BodyPart(BodyPart.Main(rawValue: "neck"))])
        return exercise
      }
      return workout
    }
  }

  @Test("every statistic is what a plain computation finds", arguments: [UInt64(11), 12, 13, 14], [WeightUnit.kilograms, .pounds])
  func agrees(seed: UInt64, unit: WeightUnit) async throws {
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let world = try World.inMemory()
    try await world.log.save(Self.random(&random))
    // Neither templates nor unfinished workouts count.
    try await world.store.write { tx in
      try tx.execute("UPDATE workouts SET state = 'template' WHERE name IN ('3', '30')")
      try tx.execute("UPDATE workouts SET state = 'active' WHERE name = '7'")
    }
    let log = world.log
    let plain = PlainStatistics(try await log.workouts(), unit: unit)
    #expect(plain.workouts.count == 57)

    #expect(try await log.volumeByWorkout(unit: unit).map(\.rough) == plain.byWorkout.map(\.rough))
    #expect(Set(try await log.volumeByExercise(unit: unit).map(\.rough)) == Set(plain.byExercise.map(\.rough)))
    #expect(Set(try await log.volumeByBodyPart(unit: unit).map(\.rough)) == Set(plain.byBodyPart.map(\.rough)))
    #expect(try await log.volumeByWeek(limit: .max, unit: unit, timeZone: .gmt).map(\.rough) == plain.byWeek.map(\.rough))
    #expect(try await log.volumeByWeek(limit: 5, unit: unit, timeZone: .gmt).map(\.rough) == plain.byWeek.suffix(5).map(\.rough))
    for formula in OneRepMax.allCases {
      #expect(try await log.records(unit: unit, formula: formula) == plain.records(formula))
      for name in ["BENCH PRESS", "developpe", "run", ""] {
        #expect(try await log.progress(of: name, unit: unit, formula: formula).items == plain.progress(of: name, formula))
        let records = plain.records(formula).first { SortText.folded($0.name) == SortText.folded(name) }
        #expect(try await log.records(of: name, unit: unit, formula: formula) == records)
      }
    }
  }

  @Test("a period counts workouts that begin in it: its first moment is in it, its last is not", arguments: [UInt64(21), 22])
  func periods(seed: UInt64) async throws {
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let world = try World.inMemory()
    try await world.log.save(Self.random(&random))
    let starts = try await world.log.workouts().map(\.startedAt).sorted()
    let period = starts[10]..<starts[40]
    let plain = PlainStatistics(try await world.log.workouts().filter { period.contains($0.startedAt) }, unit: .pounds)
    #expect(try await world.log.volumeByWorkout(during: period).map(\.rough) == plain.byWorkout.map(\.rough))
    #expect(Set(try await world.log.volumeByExercise(during: period).map(\.rough)) == Set(plain.byExercise.map(\.rough)))
    #expect(Set(try await world.log.volumeByBodyPart(during: period).map(\.rough)) == Set(plain.byBodyPart.map(\.rough)))
    #expect(try await world.log.volumeByWorkout(during: .distantPast ..< .distantFuture).count == 60)
    #expect(
      try await world.log.volumeByWorkout(during: Date(timeIntervalSince1970: -1e300)..<Date(timeIntervalSince1970: 1e300)).count == 60)
  }
}
