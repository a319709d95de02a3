import Foundation
import Holdfast

/// Training of a person who trains three or four times a week, gets stronger, is ill now and then, and writes notes.
struct SampleTraining {
  private struct Plan {
    var name: String
    var type: ExerciseType
    var part: BodyPart
    var unit = WeightUnit.kilograms
    /// The weight at the beginning; nil for none.
    var weight: Double?
    var step = 2.5
    var reps: Int
    var sets = 3
    var superset: Int?
  }

  private static let days: KeyValuePairs<String, [Plan]> = [
    "Push": [
      Plan(name: "Bench Press", type: .barbell, part: BodyPart(.chest, detailed: ["Chest"]), weight: 50, reps: 5, sets: 4),
      Plan(name: "Overhead Press", type: .barbell, part: BodyPart(.shoulders), weight: 30, reps: 6),
      Plan(
        name: "Triceps Pushdown", type: .machine, part: BodyPart(.arms, scientific: ["Triceps brachii"]), unit: .pounds, weight: 40,
        step: 5, reps: 12, superset: 1),
      Plan(name: "Lateral Raise", type: .dumbbell, part: BodyPart(.shoulders), unit: .pounds, weight: 15, reps: 15, superset: 1),
    ],
    "Pull": [
      Plan(name: "Deadlift", type: .barbell, part: BodyPart(.back, detailed: ["Lower Back"]), weight: 80, step: 5, reps: 5),
      Plan(name: "Pull Up", type: .bodyweight, part: BodyPart(.back), unit: .bodyweight, reps: 6),
      Plan(name: "Seated Row", type: .machine, part: BodyPart(.back), unit: .pounds, weight: 90, step: 10, reps: 10),
      Plan(name: "Biceps Curl", type: .dumbbell, part: BodyPart(.arms), unit: .pounds, weight: 20, reps: 10, superset: 1),
      Plan(name: "Hammer Curl", type: .dumbbell, part: BodyPart(.arms), unit: .pounds, weight: 20, reps: 10, superset: 1),
    ],
    "Legs 🦵": [
      Plan(name: "Squat", type: .barbell, part: BodyPart(.legs, detailed: ["Quads"]), weight: 60, step: 5, reps: 5, sets: 5),
      Plan(name: "Leg Press", type: .machine, part: BodyPart(.legs), weight: 100, step: 10, reps: 10),
      Plan(name: "Calf Raise", type: .machine, part: BodyPart(.calves), weight: 40, reps: 15),
      Plan(name: "Plank", type: .bodyweight, part: BodyPart(.core), unit: .bodyweight, reps: 0, sets: 2),
    ],
    "Run": [Plan(name: "Running", type: .unknown, part: BodyPart(.cardio), reps: 0, sets: 1)],
  ]

  private var chance: SampleChance
  private let startedAt: Date
  private let weeks: Int

  init(years: Int, endingAt end: Date, seed: UInt64) {
    weeks = min(max(years, 1), 50) * 52
    startedAt = end.addingTimeInterval(-Double(weeks) * 604_800)
    chance = SampleChance(state: seed)
  }

  mutating func workouts() -> [Workout] {
    var workouts: [Workout] = []
    var turn = 0
    for week in 0..<weeks {
      // Two weeks of holidays in the middle of a year, and a cold in some spring.
      if week % 52 == 27 || week % 52 == 28 || (week % 52 == 9 && chance.is(50)) { continue }
      for day in [0, 2, 4, 5] where chance.is(day == 5 ? 50 : 92) {
        let seconds = Double((week * 7 + day) * 86_400 + 61_200 + chance.below(5400))
        let (name, plans) = Self.days[turn % Self.days.count]
        workouts.append(workout(name, plans, at: startedAt.addingTimeInterval(seconds - 172_800), week: week))
        turn += 1
      }
    }
    return workouts
  }

  private mutating func workout(_ name: String, _ plans: [Plan], at start: Date, week: Int) -> Workout {
    let id = chance.id(start)
    var clock = start.addingTimeInterval(300)
    let exercises = plans.enumerated().map { place, plan in exercise(plan, warmUps: place == 0 ? 2 : 0, week: week, &clock) }
    let seconds = clock.timeIntervalSince(start)
    return Workout(
      id: id, name: name, note: chance.is(10) ? chance.pick(["Felt strong", "Slept badly", "Crowded gym;\n\"no racks\""]) : nil,
      startedAt: start,
      endedAt: clock, durationSeconds: Int(exactly: seconds.rounded()), exercises: exercises)
  }

  private mutating func exercise(_ plan: Plan, warmUps: Int, week: Int, _ clock: inout Date) -> Exercise {
    // Fast at first, then slower: the first year brings half of the possible gain.
    let gain = 1 + 0.9 * Double(week) / Double(week + 52)
    // Every sixth week is a light one.
    let weight = plan.weight.map { (($0 * gain * (week % 6 == 5 ? 0.8 : 1)) / plan.step).rounded() * plan.step }
    var sets: [ExerciseSet] = []
    let isWeighted = weight != nil
    for number in 0..<(isWeighted ? warmUps : 0) {
      let light = weight.map { ($0 * (0.4 + 0.25 * Double(number)) / plan.step).rounded() * plan.step }
      sets.append(set(.warmUp, plan, light, reps: 8 - 3 * number, week: week, &clock))
    }
    for number in 0..<plan.sets {
      let isLast = number == plan.sets - 1
      let type: SetType = isLast && chance.is(6) ? chance.pick([.dropSet, .failure, .amrap]) : .working
      sets.append(set(type, plan, type == .dropSet ? weight.map { $0 / 2 } : weight, reps: plan.reps, week: week, &clock))
    }
    return Exercise(
      id: chance.id(clock), name: plan.name, type: plan.type, bodyPart: plan.part, superset: plan.superset, weightUnit: plan.unit,
      pinnedNotes: plan.type == .machine ? ["Seat 4"] : [], notes: chance.is(4) ? ["Elbow hurts a little"] : [],
      warmUpRestSeconds: warmUps > 0 ? 60 : nil, restSeconds: plan.reps > 8 ? 90 : 150, sets: sets)
  }

  private mutating func set(_ type: SetType, _ plan: Plan, _ weight: Double?, reps: Int, week: Int, _ clock: inout Date) -> ExerciseSet {
    let done = max(0, reps + chance.below(3) - (type == .failure ? 2 : 1))
    let isCompleted = chance.is(98)
    let isRun = plan.part.main == .cardio
    let seconds = isRun ? 1500 + chance.below(1500) : reps == 0 ? 40 + week % 60 : nil
    clock.addTimeInterval(Double((seconds ?? 45) + 60 + chance.below(90)))
    return ExerciseSet(
      id: chance.id(clock), type: type, distanceUnit: isRun ? .kilometers : nil,
      suggested: .init(weight: weight, reps: reps > 0 ? reps : nil, durationSeconds: seconds.map { $0 / 60 * 60 }, restSeconds: 120),
      actual: .init(
        weight: weight, reps: reps > 0 ? done : nil, durationSeconds: seconds,
        distance: isRun ? Double((seconds ?? 0) / 30) / 10 : nil,
        rpe: type == .working && chance.is(40) ? 6 + Double(chance.below(8)) / 2 : nil,
        restSeconds: chance.is(60) ? 60 + chance.below(120) : nil),
      isCompleted: isCompleted, completedAt: isCompleted ? clock : nil)
  }
}

/// SplitMix64: the same numbers on every machine.
private struct SampleChance {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  mutating func below(_ limit: UInt64) -> Int { Int(clamping: next() % max(1, limit)) }
  /// True with this probability in percent.
  mutating func `is`(_ percent: Int) -> Bool { below(100) < percent }
  mutating func pick<T>(_ values: [T]) -> T { values[below(UInt64(values.count))] }

  /// A UUID of version 7 for this moment; its random bits come from the seed.
  mutating func id(_ date: Date) -> UUID {
    let time = UInt64(clamping: DateCodec.milliseconds(date) ?? 0)
    let high = time << 16 | 0x7000 | next() & 0xFFF
    let low = next() >> 2 | 1 << 63
    return UUID(uuid: unsafeBitCast((high.bigEndian, low.bigEndian), to: uuid_t.self))
  }
}
