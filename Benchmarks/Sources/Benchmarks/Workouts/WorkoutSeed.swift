import Foundation
import Holdfast
import HoldfastWorkouts

/// Workouts of six exercises with four sets each, five a week, and one in progress; the same at each run.
struct WorkoutSeed {
  private static let names = [
    "Bench Press", "Squat", "Deadlift", "Overhead Press", "Barbell Row", "Pull Up", "Dip", "Leg Press", "Leg Curl", "Calf Raise",
    "Biceps Curl", "Hammer Curl", "Triceps Pushdown", "Lateral Raise", "Face Pull", "Kniebeuge", "Développé couché", "さくら", "Plank",
    "Romanian Deadlift (Barbell)", "Incline Bench Press (Dumbbell)", "Seated Cable Row - Wide Grip", "Hip Thrust", "Lunge",
  ]
  private static let parts: [BodyPart.Main] = [.chest, .legs, .back, .arms, .shoulders, .core]

  private var random = SplitMix(state: 11)
  private let makeID: NewID

  init() {
    // Ordered by time, as new ids are.
    let start = Date(timeIntervalSince1970: 1_700_000_000)
    makeID = NewID.v7(now: { start })
  }

  mutating func workouts(_ count: Int) -> [Workout] {
    (0..<count).map { number in
      let start = Date(timeIntervalSince1970: 1_150_000_000 + Double(number / 5 * 604_800 + number % 5 * 86_400))
      return Workout(
        id: makeID(), name: "Workout \(number % 7)", note: random.below(5) == 0 ? "slept badly, felt strong" : nil, startedAt: start,
        endedAt: start.addingTimeInterval(4000), durationSeconds: 3600, exercises: (0..<6).map { _ in exercise(number, at: start) })
    }
  }

  mutating func exercise(_ number: Int, at date: Date?) -> Exercise {
    let name = random.below(Self.names.count)
    return Exercise(
      id: makeID(), name: Self.names[name], type: name % 2 == 0 ? .barbell : .machine,
      bodyPart: BodyPart(Self.parts[name % Self.parts.count]),
      superset: random.below(6) == 0 ? 1 : nil, weightUnit: name % 4 == 0 ? .kilograms : .pounds,
      notes: random.below(10) == 0 ? ["elbow hurts"] : [], restSeconds: 120,
      sets: (0..<4).map { set(number, $0, at: date?.addingTimeInterval(Double($0) * 200)) })
  }

  private mutating func set(_ number: Int, _ place: Int, at date: Date?) -> ExerciseSet {
    let weight = Double(40 + number / 100 + random.below(30)) * 2.5
    let reps = 3 + random.below(12)
    return ExerciseSet(
      id: makeID(), type: place == 0 ? .warmUp : .working,
      suggested: .init(weight: weight, reps: reps, restSeconds: 120),
      actual: date == nil ? .init() : .init(weight: weight, reps: reps, rpe: random.below(2) == 0 ? 8 : nil, restSeconds: 110),
      isCompleted: date != nil, completedAt: date)
  }
}
