import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import HoldfastWorkouts
import Testing

@Suite("Opening beside the app's old file") struct LegacyFiles {
  @Test("the first opening brings the old file in, and later ones do not look again")
  func imported() throws {
    let world = try ImportWorld("thiccc.sqlite")
    try world.database([AppDatabase.shipped, AppDatabase.laterWorkout(1)])
    let log = try world.opened()
    #expect(log.importReport?.picture == "workouts 1: 1 imported" && log.access == .readWrite)
    #expect(try log.store.read { try WorkoutLog.workouts(in: $0) }.count == 1)
    try log.store.close()
    let again = try world.opened()
    #expect(again.importReport == nil && again.importFailure == nil)
    try again.store.close()
  }

  @Test("where no store can be made, the old file is shown and never written to")
  func onlyRead() throws {
    let world = try ImportWorld("thiccc.sqlite")
    try world.database([AppDatabase.shipped, AppDatabase.laterWorkout(1), AppDatabase.exercise(0x11, in: 1)])
    let bytes = try Data(contentsOf: world.source)
    let log = try world.opened(nowhere: true)
    #expect(log.access == .readOnly(reason: log.importFailure?.message ?? ""))
    #expect(
      try log.store.read { try WorkoutLog.workouts(in: $0) }.map { "\($0.name): \($0.exercises.map(\.name))" } == [
        "workout 1: [\"exercise 17\"]"
      ])
    let error = #expect(throws: StoreError.self) {
      try log.store.write { try WorkoutLog.save(Workout(id: UUID(), name: "w", startedAt: Date()), in: $0) }
    }
    #expect(error?.code == .readOnly)
    #expect(try Data(contentsOf: world.source) == bytes)
    #expect(try world.folder.contents() == ["thiccc.sqlite"])
  }

  @Test("not now: the old file is shown and never written to, no log is made, and the next opening brings it in")
  func putOff() throws {
    let world = try ImportWorld("thiccc.sqlite")
    try world.database([AppDatabase.shipped, AppDatabase.laterWorkout(1)])
    let bytes = try Data(contentsOf: world.source)
    let log = try WorkoutLog.open(at: world.store, legacy: world.source, options: world.options) { _ in false }
    #expect(log.access == .readOnly(reason: log.importFailure?.message ?? "") && log.importFailure?.code == .cancelled)
    #expect(try log.store.read { try WorkoutLog.workouts(in: $0) }.map(\.name) == ["workout 1"])
    #expect(try world.folder.contents() == ["thiccc.sqlite"] && Data(contentsOf: world.source) == bytes)
    let later = try world.opened()
    #expect(later.access == .readWrite && later.importReport?.picture == "workouts 1: 1 imported")
    try later.store.close()
  }

  @Test(
    "an old file that is cut off before anything of it is whole shows nothing, says why and stays as it is",
    arguments: ["thiccc.sqlite", "history.json"])
  func damaged(name: String) throws {
    let world = try ImportWorld(name)
    if name == "thiccc.sqlite" {
      try world.database([AppDatabase.shipped, AppDatabase.laterWorkout(1)])
    } else {
      try Data("[\(AppWorkouts.core.workout(1, []))]".utf8).write(to: world.source)
    }
    let bytes = try Data(contentsOf: world.source)
    try bytes.prefix(bytes.count / 2).write(to: world.source)
    let log = try world.opened()
    #expect(log.access == .readOnly(reason: log.importFailure?.message ?? "") && log.importFailure?.code == .invalidSource)
    #expect(try log.store.read { try WorkoutLog.workouts(in: $0) } == [])
    #expect(try Data(contentsOf: world.source) == bytes.prefix(bytes.count / 2))
    #expect(try world.folder.contents() == [name])
  }

  @Test("an old file of null says that no workout was in progress: it is in, and a set can be logged")
  func null() throws {
    let world = try ImportWorld()
    try Data("null".utf8).write(to: world.source)
    let log = try world.opened()
    #expect(log.access == .readWrite && log.importReport?.isClean == true && log.importFailure == nil)
    _ = try log.store.write { try WorkoutLog.startWorkout(named: "Legs", in: $0) }
    try log.store.close()
    let again = try world.opened()
    #expect(again.importReport == nil && again.importFailure == nil)
    #expect(try again.store.read { try WorkoutLog.currentWorkout(in: $0) }?.workout.name == "Legs")
    try again.store.close()
  }

  @Test("an old file without a record hides nothing: the log is made, says why, and looks again", arguments: ["{}", "{ }\n", "", " \n"])
  func holdsNothing(text: String) throws {
    let world = try ImportWorld()
    try Data(text.utf8).write(to: world.source)
    let log = try world.opened()
    #expect(log.access == .readWrite && log.importReport == nil && log.importFailure?.code == .invalidSource)
    try log.store.write { try WorkoutLog.save(Workout(id: UUID(), name: "w", startedAt: Date()), in: $0) }
    try log.store.close()
    #expect(try String(contentsOf: world.source, encoding: .utf8) == text)
    try Data(AppWorkouts.core.workout(1, []).utf8).write(to: world.source)
    let later = try world.opened()
    #expect(later.importReport?.picture == "workouts 1: 1 imported")
    #expect(try later.store.read { try WorkoutLog.workouts(in: $0) }.count == 2)
    try later.store.close()
  }

  @Test("where no store can be made either, a file without a record is an empty log that is only read")
  func nothingAndNowhere() throws {
    let world = try ImportWorld()
    try Data("{}".utf8).write(to: world.source)
    let log = try world.opened(nowhere: true)
    #expect(log.access == .readOnly(reason: log.importFailure?.message ?? ""))
    #expect(try log.store.read { try WorkoutLog.workouts(in: $0) } == [] && world.folder.contents() == ["current-workout.json"])
  }

  @Test("an old database that is damaged in its middle opens as an empty log that is only read, and stays as it is")
  func damagedInside() throws {
    let world = try ImportWorld("thiccc.sqlite")
    try world.database(
      [AppDatabase.shipped] + (1...400).map { AppDatabase.laterWorkout($0, ["note": "'\(String(repeating: "n", count: 200))'"]) })
    var bytes = try Data(contentsOf: world.source)
    // Pages in the middle: the first ones have the tables' names.
    let middle = bytes.count / 8192 * 4096
    for offset in middle..<(middle + 4 * 4096) { bytes[offset] = 0x5A }
    try bytes.write(to: world.source)
    let log = try world.opened()
    #expect(log.access == .readOnly(reason: log.importFailure?.message ?? "") && log.importFailure != nil)
    #expect(try log.store.read { try WorkoutLog.workouts(in: $0) } == [])
    #expect(try Data(contentsOf: world.source) == bytes && world.folder.contents() == ["thiccc.sqlite"])
  }

  @Test("an old table that does not say its unit opens as an empty log with that question")
  func withoutUnit() throws {
    let world = try ImportWorld("strong.csv")
    let table = """
      Date,Workout Name,Duration,Exercise Name,Set Order,Weight,Reps,Distance,Seconds,Notes,Workout Notes,RPE
      2024-03-01 18:30:00,"Push",1h,"Bench Press",1,60.0,8.0,0,0.0,"","",
      """
    try Data(table.utf8).write(to: world.source)
    let log = try world.opened()
    #expect(log.access == .readOnly(reason: log.importFailure?.message ?? ""))
    #expect(log.importFailure?.recoverySuggestion?.contains("kg") == true)
    #expect(try log.store.read { try WorkoutLog.workouts(in: $0) } == [])
  }

  @Test("an old file that cannot be imported does not close the store that is there")
  func besideStore() throws {
    let world = try ImportWorld()
    _ = try world.report(AppWorkouts.core.workout(1, []))
    try Data("{}".utf8).write(to: world.source)
    let log = try world.opened()
    #expect(log.access == .readWrite && log.importFailure?.code == .invalidSource)
    #expect(try log.store.read { try WorkoutLog.workouts(in: $0) }.count == 1)
    try log.store.close()
  }
}
