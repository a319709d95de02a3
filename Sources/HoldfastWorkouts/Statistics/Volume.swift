public import Foundation
public import Holdfast

/// The volume of one workout.
public struct WorkoutVolume: Sendable, Hashable, Codable, Identifiable {
  /// The workout's id.
  public var id: UUID
  /// The workout's name.
  public var name: String
  /// When the workout began.
  public var startedAt: Date
  /// The trained time in seconds; nil when unknown.
  public var durationSeconds: Int?
  /// The sums over its counted sets; zero without any.
  public var work = TrainedWork()
}

/// The volume of one exercise.
public struct ExerciseVolume: Sendable, Hashable, Codable {
  /// The exercise's name, in its latest spelling.
  public var name: String
  /// In how many workouts the exercise was done.
  public var workouts = 0
  /// The sums over all of them.
  public var work = TrainedWork()
}

/// The volume of one part of the body.
public struct BodyPartVolume: Sendable, Hashable, Codable {
  /// The part of the body; `other` also for exercises without one.
  public var bodyPart: BodyPart.Main
  /// In how many workouts the part was trained.
  public var workouts = 0
  /// The sums over all of them.
  public var work = TrainedWork()
}

// The unit is a parameter, not a setting in the file: the app remembers the unit of its screens, and two apps may open one file
// with different units. Pounds are the default, as for sets without a unit.

extension WorkoutLog {
  /// The volume of each finished workout, the oldest first, also of workouts without a counted set.
  ///
  /// - Parameters:
  ///   - period: the period of their starts; nil for all.
  ///   - unit: the unit of the volumes, kilograms or pounds.
  /// - Throws: `.misuse` for another unit; `.decoding`.
  public func volumeByWorkout(during period: Range<Date>? = nil, unit: WeightUnit = .pounds) async throws -> [WorkoutVolume] {
    try await store.read { try Self.volumeByWorkout(during: period, unit: unit, in: $0) }
  }

  /// The volume of each exercise, the greatest first; equal ones by name.
  ///
  /// - Parameters:
  ///   - period: the period of the workouts' starts; nil for all.
  ///   - unit: the unit of the volumes, kilograms or pounds.
  /// - Throws: `.misuse` for another unit; `.decoding`.
  public func volumeByExercise(during period: Range<Date>? = nil, unit: WeightUnit = .pounds) async throws -> [ExerciseVolume] {
    try await store.read { try Self.volumeByExercise(during: period, unit: unit, in: $0) }
  }

  /// The volume of each part of the body, the greatest first; equal ones by name. Exercises without a body part count as `other`.
  ///
  /// - Parameters:
  ///   - period: the period of the workouts' starts; nil for all.
  ///   - unit: the unit of the volumes, kilograms or pounds.
  /// - Throws: `.misuse` for another unit; `.decoding`.
  public func volumeByBodyPart(during period: Range<Date>? = nil, unit: WeightUnit = .pounds) async throws -> [BodyPartVolume] {
    try await store.read { try Self.volumeByBodyPart(during: period, unit: unit, in: $0) }
  }

  /// The volume of each workout now, and after each change of the log.
  public func volumeByWorkoutUpdates(during period: Range<Date>? = nil, unit: WeightUnit = .pounds) -> Updates<[WorkoutVolume]> {
    store.updates { try Self.volumeByWorkout(during: period, unit: unit, in: $0) }
  }

  /// The volume of each exercise now, and after each change of the log.
  public func volumeByExerciseUpdates(during period: Range<Date>? = nil, unit: WeightUnit = .pounds) -> Updates<[ExerciseVolume]> {
    store.updates { try Self.volumeByExercise(during: period, unit: unit, in: $0) }
  }

  /// The volume of each part of the body now, and after each change of the log.
  public func volumeByBodyPartUpdates(during period: Range<Date>? = nil, unit: WeightUnit = .pounds) -> Updates<[BodyPartVolume]> {
    store.updates { try Self.volumeByBodyPart(during: period, unit: unit, in: $0) }
  }

  /// Reads the volume of each finished workout inside your transaction; as `volumeByWorkout(during:unit:)`.
  public static func volumeByWorkout(
    during period: Range<Date>? = nil, unit: WeightUnit = .pounds, in reader: Reader
  ) throws -> [WorkoutVolume] {
    var volumes = try reader.values(
      """
      SELECT w.id, w.name, w.started_at, w.duration_seconds FROM workouts w
      WHERE w.state = 'finished' \(sql: Reader.started(during: period)) ORDER BY w.started_at, w.id
      """
    ) { row in
      WorkoutVolume(
        id: try row.id(), name: try row.text(), startedAt: try row.date(), durationSeconds: try row.intOrNil())
    }
    // Sets and list have the same order, and the list has the workout of every counted set.
    var place = 0
    try reader.countedSets(during: period, unit: unit) { set, exercise in
      while place < volumes.count, volumes[place].id != exercise.workoutID { place += 1 }
      if place < volumes.count { volumes[place].work.add(set) }
    }
    return volumes
  }

  /// Reads the volume of each exercise inside your transaction; as `volumeByExercise(during:unit:)`.
  public static func volumeByExercise(
    during period: Range<Date>? = nil, unit: WeightUnit = .pounds, in reader: Reader
  ) throws -> [ExerciseVolume] {
    var groups = CountedGroups()
    var names: [String] = []
    try reader.countedSets(during: period, unit: unit) { set, exercise in
      if let place = groups.add(set, exercise, to: exercise.key) {
        if place < names.count { names[place] = exercise.name } else { names.append(exercise.name) }
      }
    }
    return groups.byVolume.map { ExerciseVolume(name: names[$0.place], workouts: $0.workouts, work: $0.work) }
  }

  /// Reads the volume of each part of the body inside your transaction; as `volumeByBodyPart(during:unit:)`.
  public static func volumeByBodyPart(
    during period: Range<Date>? = nil, unit: WeightUnit = .pounds, in reader: Reader
  ) throws -> [BodyPartVolume] {
    var groups = CountedGroups()
    try reader.countedSets(during: period, unit: unit) { set, exercise in
      groups.add(set, exercise, to: (exercise.bodyPart ?? .other).rawValue)
    }
    return groups.byVolume.map { BodyPartVolume(bodyPart: BodyPart.Main(rawValue: $0.key), workouts: $0.workouts, work: $0.work) }
  }
}

/// Sums of counted sets, grouped by a key of their exercises.
struct CountedGroups {
  struct Group {
    var key: String
    var place: Int
    var workouts = 0
    var work = TrainedWork()
    fileprivate var lastWorkoutID: UUID?
  }
  private var groups: [Group] = []
  private var places = GroupPlaces()

  /// Returns the group's place if the set is the first of its exercise in its workout.
  @discardableResult
  mutating func add(_ set: CountedSet, _ exercise: CountedExercise, to key: @autoclosure () -> String) -> Int? {
    let (place, isNew) = places.place(of: exercise, in: key())
    if place == groups.count { groups.append(Group(key: key(), place: place)) }
    groups[place].work.add(set)
    guard isNew else { return nil }
    if groups[place].lastWorkoutID != exercise.workoutID {
      groups[place].lastWorkoutID = exercise.workoutID
      groups[place].workouts += 1
    }
    return place
  }

  var byVolume: [Group] { groups.sorted { ($1.work.volume, $0.key) < ($0.work.volume, $1.key) } }
}

/// The place of each key's group in a list, in the order of their first sets.
struct GroupPlaces {
  private(set) var places: [String: Int] = [:]
  /// The exercise of the last set, and its group: sets of one exercise follow each other.
  private var current: (exercise: Int64, place: Int)?

  /// The place of the exercise's group, and whether the previous set had another exercise. A place equal to the list's count
  /// means a new group.
  mutating func place(of exercise: CountedExercise, in key: @autoclosure () -> String) -> (place: Int, isNew: Bool) {
    if let current, current.exercise == exercise.rowid { return (current.place, false) }
    let (key, next) = (key(), places.count)
    let place = places[key] ?? next
    if place == next { places[key] = place }
    current = (exercise.rowid, place)
    return (place, true)
  }
}
