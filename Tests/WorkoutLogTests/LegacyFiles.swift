import Foundation
import Holdfast
import HoldfastTesting
import Testing
import WorkoutLog

@Suite("Opening beside the app's old file") struct LegacyFiles {
  @Test("the first opening brings the old file in, and later ones do not look again")
  func imported() throws {
    let world = try ImportWorld("thiccc.sqlite")
    try world.database([AppDatabase.shipped, AppDatabase.laterWorkout(1)])
    let log = try WorkoutLog.open(at: world.store, legacy: world.source, options: world.options)
    #expect(log.importReport?.picture == "workouts 1: 1 imported" && log.access == .readWrite)
    #expect(try log.workouts().count == 1)
    try log.store.close()
    let again = try WorkoutLog.open(at: world.store, legacy: world.source, options: world.options)
    #expect(again.importReport == nil && again.importFailure == nil)
    try again.store.close()
  }

  @Test("where no store can be made, the old file is shown and never written to")
  func onlyRead() throws {
    let world = try ImportWorld("thiccc.sqlite")
    try world.database([AppDatabase.shipped, AppDatabase.laterWorkout(1), AppDatabase.exercise(0x11, in: 1)])
    let bytes = try Data(contentsOf: world.source)
    let log = try WorkoutLog.open(
      at: world.folder.file("no such folder/store.sqlite"), legacy: world.source, options: world.options)
    #expect(log.access == .readOnly(reason: log.importFailure?.message ?? ""))
    #expect(try log.workouts().map { "\($0.name): \($0.exercises.map(\.name))" } == ["workout 1: [\"exercise 17\"]"])
    let error = #expect(throws: StoreError.self) { try log.save(Workout(id: UUID(), name: "w", startedAt: Date())) }
    #expect(error?.code == .readOnly)
    #expect(try Data(contentsOf: world.source) == bytes)
    #expect(try world.folder.contents() == ["thiccc.sqlite"])
  }

  @Test("an old file that is cut off shows nothing, says why and stays as it is", arguments: ["thiccc.sqlite", "history.json"])
  func damaged(name: String) throws {
    let world = try ImportWorld(name)
    if name == "thiccc.sqlite" {
      try world.database([AppDatabase.shipped, AppDatabase.laterWorkout(1)])
    } else {
      try Data("[\(AppWorkouts.core.workout(1, []))]".utf8).write(to: world.source)
    }
    let bytes = try Data(contentsOf: world.source)
    try bytes.prefix(bytes.count / 2).write(to: world.source)
    let log = try WorkoutLog.open(at: world.store, legacy: world.source, options: world.options)
    #expect(log.access == .readOnly(reason: log.importFailure?.message ?? "") && log.importFailure?.code == .invalidSource)
    #expect(try log.workouts() == [])
    #expect(try Data(contentsOf: world.source) == bytes.prefix(bytes.count / 2))
    #expect(try world.folder.contents() == [name])
  }

  @Test("an old file that cannot be imported does not close the store that is there")
  func besideStore() throws {
    let world = try ImportWorld()
    _ = try world.report(AppWorkouts.core.workout(1, []))
    try Data("{}".utf8).write(to: world.source)
    let log = try WorkoutLog.open(at: world.store, legacy: world.source, options: world.options)
    #expect(log.access == .readWrite && log.importFailure?.code == .invalidSource)
    #expect(try log.workouts().count == 1)
    try log.store.close()
  }

  @Test("without an old file it is an opening like any other")
  func none() throws {
    let world = try ImportWorld()
    let log = try WorkoutLog.open(at: world.store, legacy: world.source, options: world.options)
    #expect(log.importReport == nil && log.access == .readWrite)
    try log.store.close()
  }
}
