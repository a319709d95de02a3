import Foundation
import Holdfast

@testable import HoldfastWorkouts

/// The statistics as one would write them down without a database: over workouts in memory, each sum by itself.
struct PlainStatistics {
  struct Done {
    var workout: Workout
    var exercise: Exercise
    var set: ExerciseSet
    var weight: Double?
    var reps: Int { max(0, self.set.actual.reps ?? 0) }
    /// Tried, and failed at the first repetition.
    var isMissed: Bool {
      let (reps, seconds, distance) = (self.set.actual.reps ?? 1, self.set.actual.durationSeconds ?? 0, self.set.actual.distance ?? 0)
      return reps < 1 && !(seconds > 0 || distance > 0)
    }
    var volume: Double { (weight ?? 0) * Double(reps) }
    var key: String { SortText.folded(exercise.name) }
  }

  let workouts: [Workout]
  let done: [Done]
  let unit: WeightUnit

  init(_ unsorted: [Workout], unit: WeightUnit) {
    self.unit = unit
    let sorted = unsorted.sorted { ($0.startedAt, IDCodec.lowercase($0.id)) < ($1.startedAt, IDCodec.lowercase($1.id)) }
    workouts = sorted
    done = sorted.flatMap { workout in
      workout.exercises.flatMap { exercise in
        exercise.sets.filter { $0.isCompleted && $0.type != .warmUp }.map { set in
          Done(workout: workout, exercise: exercise, set: set, weight: Self.weight(set, exercise, unit))
        }
      }
    }
  }

  private static func weight(_ set: ExerciseSet, _ exercise: Exercise, _ unit: WeightUnit) -> Double? {
    let own = set.weightUnit ?? exercise.weightUnit ?? .pounds
    return set.actual.weight.flatMap { own == .bodyweight ? $0 : Weight($0, own).converted(to: unit)?.value }
  }

  static func work(_ sets: [Done]) -> TrainedWork {
    TrainedWork(sets: sets.count, reps: sets.reduce(0) { $0 + $1.reps }, volume: sets.reduce(0) { $0 + $1.volume })
  }

  static func workouts(_ sets: [Done]) -> Int { Set(sets.map(\.workout.id)).count }

  var byWorkout: [WorkoutVolume] {
    workouts.map { workout in
      WorkoutVolume(
        id: workout.id, name: workout.name, startedAt: workout.startedAt, durationSeconds: workout.durationSeconds,
        work: Self.work(done.filter { $0.workout.id == workout.id }))
    }
  }

  var byExercise: [ExerciseVolume] {
    Dictionary(grouping: done, by: \.key).values.map { sets in
      ExerciseVolume(name: sets.last?.exercise.name ?? "", workouts: Self.workouts(sets), work: Self.work(sets))
    }
  }

  var byBodyPart: [BodyPartVolume] {
    Dictionary(grouping: done) { $0.exercise.bodyPart?.main ?? .other }.map { part, sets in
      BodyPartVolume(bodyPart: part, workouts: Self.workouts(sets), work: Self.work(sets))
    }
  }

  /// In UTC, by counting days: 1970-01-01 was a Thursday.
  static func monday(_ date: Date) -> Int { Int(((date.timeIntervalSince1970 / 86_400 + 3) / 7).rounded(.down)) * 7 - 3 }

  var byWeek: [WeekVolume] {
    guard let first = workouts.first, let last = workouts.last else { return [] }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return stride(from: Self.monday(first.startedAt), through: Self.monday(last.startedAt), by: 7).map { monday in
      let thursday = Date(timeIntervalSince1970: Double(monday + 3) * 86_400)
      let dayOfYear = calendar.ordinality(of: .day, in: .year, for: thursday) ?? 0
      let begun = workouts.filter { Self.monday($0.startedAt) == monday }
      return WeekVolume(
        year: calendar.component(.year, from: thursday), week: (dayOfYear - 1) / 7 + 1,
        startsAt: Date(timeIntervalSince1970: Double(monday) * 86_400), workouts: begun.count,
        trainedSeconds: begun.reduce(0) { $0 + max(0, $1.durationSeconds ?? 0) },
        work: Self.work(done.filter { Self.monday($0.workout.startedAt) == monday }))
    }
  }

  func progress(of name: String, _ formula: OneRepMax) -> [ProgressPoint] {
    workouts.compactMap { workout in
      let sets = done.filter { $0.workout.id == workout.id && $0.key == SortText.folded(name) }
      guard !sets.isEmpty else { return nil }
      return ProgressPoint(
        workoutID: workout.id, startedAt: workout.startedAt, topWeight: sets.filter { !$0.isMissed }.compactMap(\.weight).max(),
        oneRepMax: sets.compactMap { Self.estimate($0, formula) }.max(),
        durationSeconds: sets.reduce(0) { $0 + max(0, $1.set.actual.durationSeconds ?? 0) },
        distanceMeters: sets.reduce(0) { $0 + max(0, Self.meters($1.set) ?? 0) }, work: Self.work(sets))
    }
  }

  static func estimate(_ done: Done, _ formula: OneRepMax) -> Double? {
    done.reps <= 12 ? done.weight.flatMap { formula.estimate($0, reps: done.reps) } : nil
  }

  static func meters(_ set: ExerciseSet) -> Double? {
    let lengths: [DistanceUnit: Double] = [.meters: 1, .kilometers: 1000, .miles: 1609.344]
    guard let distance = set.actual.distance, let length = lengths[set.distanceUnit ?? .meters] else { return nil }
    return distance * length
  }

  func records(_ formula: OneRepMax) -> [ExerciseRecords] {
    Dictionary(grouping: done, by: \.key).sorted { $0.key < $1.key }.map { _, sets in
      let lifted = sets.filter { !$0.isMissed }
      var records = ExerciseRecords(name: sets.last?.exercise.name ?? "", unit: unit, formula: formula)
      records.heaviest = best(lifted) { $0.weight }
      records.setVolume = best(lifted) { $0.volume > 0 ? $0.volume : nil }
      records.oneRepMax = best(lifted) { Self.estimate($0, formula) }
      records.longestDuration = best(lifted) { $0.set.actual.durationSeconds.flatMap { $0 > 0 ? Double($0) : nil } }
      records.longestDistance = best(lifted) { Self.meters($0.set).flatMap { $0 > 0 ? $0 : nil } }
      for workout in workouts {
        let work = Self.work(sets.filter { $0.workout.id == workout.id })
        if work.volume > records.workoutVolume?.value ?? 0 {
          records.workoutVolume = PersonalRecord(
            value: work.volume, reps: work.reps, startedAt: workout.startedAt, workoutID: workout.id, setID: nil)
        }
      }
      func load(_ done: Done) -> Double? { done.set.actual.weight == nil ? 0 : done.weight }
      let counted = lifted.filter { $0.reps > 0 && load($0) != nil }
      for count in Set(counted.map(\.reps)).sorted() {
        guard let record = best(counted.filter { $0.reps == count }, load) else { continue }
        let isSurpassed = counted.contains { $0.reps > count && load($0) ?? 0 >= record.value }
        if !isSurpassed { records.byReps.append(record) }
      }
      return records
    }
  }

  /// The first of the greatest.
  private func best(_ sets: [Done], _ value: (Done) -> Double?) -> PersonalRecord? {
    guard let greatest = sets.compactMap(value).max(), let first = sets.first(where: { value($0) == greatest }) else { return nil }
    return PersonalRecord(
      value: greatest, weight: first.set.actual.weight.map { Weight($0, first.set.weightUnit ?? first.exercise.weightUnit ?? .pounds) },
      reps: first.reps, startedAt: first.workout.startedAt, workoutID: first.workout.id, setID: first.set.id)
  }
}

// Sums of the same numbers in another order differ in their last digits.
extension TrainedWork {
  var rough: TrainedWork { TrainedWork(sets: sets, reps: reps, volume: (volume * 1000).rounded() / 1000) }
}
extension WorkoutVolume {
  var rough: WorkoutVolume { WorkoutVolume(id: id, name: name, startedAt: startedAt, durationSeconds: durationSeconds, work: work.rough) }
}
extension ExerciseVolume {
  var rough: ExerciseVolume { ExerciseVolume(name: name, workouts: workouts, work: work.rough) }
}
extension BodyPartVolume {
  var rough: BodyPartVolume { BodyPartVolume(bodyPart: bodyPart, workouts: workouts, work: work.rough) }
}
extension WeekVolume {
  var rough: WeekVolume {
    WeekVolume(year: year, week: week, startsAt: startsAt, workouts: workouts, trainedSeconds: trainedSeconds, work: work.rough)
  }
}
