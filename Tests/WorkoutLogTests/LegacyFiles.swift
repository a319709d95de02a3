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

  @Test("a database that cannot be imported is shown as far as it can be read, and never written to")
  func onlyRead() throws {
    let world = try ImportWorld("thiccc.sqlite")
    try world.database([AppDatabase.shipped, AppDatabase.laterWorkout(1)])
    // The copy that an import keeps cannot be made beside it.
    let folder = world.folder.file("app")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    try FileManager.default.createDirectory(at: folder.appendingPathComponent("store.sqlite"), withIntermediateDirectories: false)
    let bytes = try Data(contentsOf: world.source)
    let damaged = bytes.prefix(bytes.count / 2)
    try damaged.write(to: world.source)
    let log = try WorkoutLog.open(at: world.store, legacy: world.source, options: world.options)
    guard case .readOnly(let reason) = log.access else {
      Issue.record("\(log.access)")
      return
    }
    #expect(reason == log.importFailure?.message && log.importFailure?.code == .invalidSource)
    #expect(try log.workouts() == [])
    let error = #expect(throws: StoreError.self) { try log.save(Workout(id: UUID(), name: "w", startedAt: Date())) }
    #expect(error?.code == .readOnly)
    #expect(try Data(contentsOf: world.source) == damaged)
  }

  @Test("without an old file it is an opening like any other")
  func none() throws {
    let world = try ImportWorld()
    let log = try WorkoutLog.open(at: world.store, legacy: world.source, options: world.options)
    #expect(log.importReport == nil && log.access == .readWrite)
    try log.store.close()
  }
}
