import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWorkouts

/// Workouts as they come: bare or with everything, in every script.
enum Sample {
  static let words = [
    "三体", "さくら さくら", "Kniebeuge (Café)", "Développé couché", "naïve", "Ελλάδα", "Жим лёжа", "it's \"quoted\"", "100% -- AND OR", "", " ",
    "emoji 🏋️", "Push/Pull", "第1章", "السلام", "e\u{301}tude", "tab\tand\nline", "x",
  ]

  /// Named only. Starts at a moment of chance unless `startedAt` is given.
  static func workout(_ name: String, at startedAt: Date? = nil, _ exercises: [Exercise], _ random: inout SeededGenerator) -> Workout {
    Workout(id: random.id(), name: name, startedAt: startedAt ?? random.date(), exercises: exercises)
  }

  static func workout(_ name: String, at startedAt: Date? = nil, _ random: inout SeededGenerator) -> Workout {
    workout(name, at: startedAt, [], &random)
  }

  /// Named only.
  static func exercise(_ name: String, _ sets: [ExerciseSet], _ random: inout SeededGenerator) -> Exercise {
    Exercise(id: random.id(), name: name, sets: sets)
  }

  static func exercise(_ name: String, _ random: inout SeededGenerator) -> Exercise { exercise(name, [], &random) }

  /// A working set that was done.
  static func set(_ weight: Double?, _ reps: Int?, unit: WeightUnit? = nil, _ random: inout SeededGenerator) -> ExerciseSet {
    ExerciseSet(id: random.id(), weightUnit: unit, actual: .init(weight: weight, reps: reps), isCompleted: true)
  }

  /// Every field has a value, and no two fields of one type the same.
  static func fullSet(_ random: inout SeededGenerator) -> ExerciseSet {
    ExerciseSet(
      id: random.id(), type: random.pick([.warmUp, .working, .dropSet, .amrap, .failure, SetType(rawValue: "myo-reps")]),
      weightUnit: random.pick([.kilograms, .pounds, WeightUnit(rawValue: "stone")]),
      distanceUnit: random.pick([.meters, .kilometers, .miles, DistanceUnit(rawValue: "furlong")]),
      suggested: .init(
        weight: Double(random.pick(Array(1...400))) / 2 + 0.1, reps: random.pick([5, 8]), repRange: 12, durationSeconds: 45, rpe: 7.5,
        restSeconds: 120),
      actual: .init(
        weight: Double(random.pick(Array(-20...400))) / 4, reps: random.pick([0, 6, 7]), durationSeconds: 46, distance: 400.5, rpe: 8.5,
        restSeconds: 121),
      isCompleted: random.chance(80), completedAt: random.date(), note: random.pick(words))
  }

  /// Every field has a value.
  static func fullExercise(_ random: inout SeededGenerator, sets: Int = 3) -> Exercise {
    Exercise(
      id: random.id(), name: random.pick(words),
      type: random.pick([.dumbbell, .kettlebell, .barbell, .hexbar, .bodyweight, .machine, ExerciseType(rawValue: "sled")]),
      bodyPart: BodyPart(
        random.pick([.chest, .legs, .fullBody, BodyPart.Main(rawValue: "neck")]), detailed: random.pick([[], ["Upper \"Chest\"", "三体"]]),
        scientific: ["Pectoralis"]),
      superset: random.pick([1, 2, -3]), weightUnit: random.pick([.kilograms, .bodyweight]), pinnedNotes: [random.pick(words), "Seat 4"],
      notes: [random.pick(words), ""], durationSeconds: 600, warmUpRestSeconds: 30, restSeconds: 90,
      sets: (0..<sets).map { $0 % 2 == 0 ? fullSet(&random) : ExerciseSet(id: random.id()) })
  }

  /// Every field has a value; every second set is bare.
  static func full(_ random: inout SeededGenerator, exercises: Int = 3) -> Workout {
    let startedAt = random.date()
    return Workout(
      id: random.id(), name: random.pick(words), note: random.pick(words), startedAt: startedAt,
      endedAt: startedAt.addingTimeInterval(4000.125), durationSeconds: 3600,
      exercises: (0..<exercises).map { _ in fullExercise(&random) })
  }

  /// Bare and full ones in turns; the bare ones have an exercise that is bare, too.
  static func workouts(_ count: Int, _ random: inout SeededGenerator) -> [Workout] {
    (0..<count).map {
      $0 % 2 == 0
        ? full(&random)
        : workout(
          "\(random.pick(words)) \($0)", [exercise(random.pick(words), [ExerciseSet(id: random.id())], &random)], &random)
    }
  }

  /// Every field has a value.
  static func customExercise(_ name: String, _ random: inout SeededGenerator) -> CustomExercise {
    CustomExercise(
      id: random.id(), name: name, type: .kettlebell, bodyPart: BodyPart(.core, detailed: ["Abs"], scientific: ["Rectus abdominis"]),
      weightUnit: .kilograms, imageName: "abs.png", foreignKey: "wger/91")
  }
}
