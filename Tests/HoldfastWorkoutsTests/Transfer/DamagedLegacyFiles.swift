import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import HoldfastWorkouts
import Testing

@Suite("Opening beside a damaged old file") struct DamagedLegacyFiles {
  @Test("a history that is cut off shows every workout before the cut, and of the one that is cut every set before it")
  func history() throws {
    let text = "[\(AppWorkouts.core.whole(1)), \(AppWorkouts.core.whole(2))]"
    let world = try ImportWorld("history.json")
    // In the last set of the second workout.
    let cut = try #require(text.range(of: "\"actual\"", options: .backwards)).lowerBound
    let log = try world.opened(Data(text[..<cut].utf8))
    #expect(log.access == .readOnly(reason: log.importFailure?.message ?? "") && log.importFailure?.code == .invalidSource)
    #expect(try log.picture == ["workout 1: 2 1", "workout 2: 2 0"])
    #expect(try log.store.read(Self.quarantined(in:)) == ["exercise_sets 0", "exercises 0", "workouts 1"])
    let error = #expect(throws: StoreError.self) {
      try log.store.write { try WorkoutLog.save(Workout(id: UUID(), name: "w", startedAt: Date()), in: $0) }
    }
    #expect(error?.code == .readOnly)
    #expect(try Data(contentsOf: world.source) == Data(text[..<cut].utf8) && world.folder.contents() == ["history.json"])
  }

  @Test(
    "a workout in progress that is cut off, at every 61st byte, is as much of it as is whole, and nothing else",
    arguments: [AppWorkouts.core, AppWorkouts.first])
  func everyCut(app: AppWorkouts) async throws {
    let text = app.whole(1, ["end_timestamp": "null"])
    let world = try ImportWorld()
    let whole = try #require(try await world.opened(Data(text.utf8), nowhere: true).currentWorkout()?.workout)
    var seen: Set<Int> = []
    for length in stride(from: 1, to: text.utf8.count, by: 61) {
      let log = try world.opened(Data(text.utf8.prefix(length)))
      let found = try await log.currentWorkout()?.workout
      #expect(log.importFailure?.code == .invalidSource && log.access != .readWrite, "at \(length)")
      #expect(found.map { $0.isBeginning(of: whole) } ?? true, "at \(length): \(String(describing: found))")
      let sets = found.map { $0.exercises.reduce(0) { $0 + $1.sets.count } } ?? -1
      #expect(seen.allSatisfy { $0 <= sets }, "less at \(length) than before it")
      seen.insert(sets)
    }
    #expect(seen.isSuperset(of: [-1, 0, 1, 2]))
    #expect(try world.folder.contents() == ["current-workout.json"])
  }

  @Test("damage behind a whole workout hides nothing of it", arguments: ["x", "}", ",", " {}"])
  func behind(rest: String) throws {
    let world = try ImportWorld()
    let log = try world.opened(Data((AppWorkouts.core.whole(1) + rest).utf8))
    #expect(log.importFailure?.code == .invalidSource)
    #expect(try log.picture == ["workout 1: 2 1"])
  }

  @Test("a byte in the middle that is no UTF-8 hides what stands behind it, and its place is in the reason")
  func inside() throws {
    let text = "[\(AppWorkouts.core.whole(1)), \(AppWorkouts.core.whole(2))]"
    var bytes = Data(text.utf8)
    let place = try #require(text.range(of: "exercise 34", options: .backwards)?.lowerBound)
    let offset = text.utf8.distance(from: text.startIndex, to: place)
    bytes[offset] = 0xFF
    let world = try ImportWorld("history.json")
    let log = try world.opened(bytes)
    #expect(log.importFailure?.message.contains("0xFF") == true)
    #expect(try log.picture == ["workout 1: 2 1", "workout 2: 2"])
  }

  @Test("a template that is cut off shows the exercises and sets before the cut")
  func template() throws {
    let set = #"{"weight": 60, "unit": "kg", "reps": 5, "rpe": null, "type": "Working", "rest_seconds": 90}"#
    let exercise = #"{"id": 7, "name": "Bench", "unit": "kg", "sets": [\#(set), \#(set)]}"#
    let text = #"{"title": "Push", "date": "2025-04-08T11:00:00", "exercises": [[\#(exercise)], [\#(exercise), \#(exercise)]]}"#
    let world = try ImportWorld("workout_template.json")
    // In the second set of the second exercise.
    let log = try world.opened(Data(text.utf8.prefix(text.utf8.count - exercise.utf8.count - set.utf8.count / 2 - 6)))
    #expect(log.importFailure?.code == .invalidSource)
    #expect(try log.store.read { try WorkoutLog.templates(limit: 10, in: $0) }.items.map { $0.exercises.map(\.sets.count) } == [[2, 1]])
  }

  private static func quarantined(in reader: Reader) throws -> [String] {
    let kinds = try reader.values("SELECT kind FROM holdfast_quarantine") { row in try row.text() }
    return ["exercise_sets", "exercises", "workouts"].map { kind in "\(kind) \(kinds.count { $0 == kind })" }
  }
}

extension AppWorkouts {
  /// With two exercises of two sets and of one.
  fileprivate func whole(_ number: Int, _ changes: [String: String?] = [:]) -> String {
    let (first, second) = (number * 0x10 + 1, number * 0x10 + 2)
    let sets = [
      set(first * 0x10, of: first, in: number, at: 0), set(first * 0x10 + 1, of: first, in: number, at: 1),
    ]
    return workout(
      number,
      [exercise(first, in: number, sets), exercise(second, in: number, [set(second * 0x10, of: second, in: number, at: 0)])], changes)
  }
}

extension Workout {
  /// Whether a whole workout begins with this one: its records are the first ones of that. What stands behind the sets of the last
  /// exercise may be missing.
  fileprivate func isBeginning(of whole: Workout) -> Bool {
    var named = self
    named.exercises = whole.exercises
    return named == whole && exercises.count <= whole.exercises.count
      && zip(exercises, whole.exercises).allSatisfy { found, exercise in
        let sets = exercise.sets.prefix(found.sets.count)
        return found.id == exercise.id && found.name == exercise.name && Array(sets) == found.sets
      }
  }
}

extension WorkoutLog {
  /// Oldest first, the names of the workouts with how many sets each of their exercises has.
  fileprivate var picture: [String] {
    get throws {
      try store.read { try Self.workouts(in: $0) }.sorted { $0.name < $1.name }.map { workout in
        "\(workout.name): \(workout.exercises.map { "\($0.sets.count)" }.joined(separator: " "))"
      }
    }
  }
}

extension ImportWorld {
  /// The log beside an old file of these bytes.
  fileprivate func opened(_ bytes: Data, nowhere: Bool = false) throws -> WorkoutLog {
    try bytes.write(to: source)
    return try opened(nowhere: nowhere)
  }
}
