import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWorkouts
import Testing

@testable import HoldfastFuzz

/// A process that trains, and is killed at random moments.
///
/// 20 times in the short form of `make proof`; 400 times in the long one.
@Suite("kill -9 of an app that trains", .serialized)
struct WorkoutKillTests {
  private static let kills = KillWorld.isShort ? 20 : 400

  @Test("the log holds all verbs that returned and at most one more, whole, beside SQLite's files and the record of looks for damage")
  func kill() async throws {
    let seed = UInt64.random(in: 0...UInt64(UInt32.max))
    print("the workout in progress, \(Self.kills) kills: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    let url = folder.file("log.sqlite")
    try WorkoutLog.open(at: url).store.close()
    // What must be there: another log, in which the same verbs run.
    let training = Training()
    let expected = try WorkoutLog.inMemory(options: training.options)
    var (inProgress, finished, further) = (0, 0, 0)
    for kill in 0..<Self.kills {
      let run = seed &+ UInt64(kill) &* 1000
      let lines = try Driver.start(["--train-into", url.path, "--seed", "\(run)"]).killed(afterLine: Int.random(in: 1...80, using: &random))
      try #require(lines == (1...max(1, lines.count)).map { "done \($0)" }, "kill \(kill) of seed \(seed): \(lines.suffix(2))")
      #expect(try Self.isKnown(folder, ["log.sqlite", "log.sqlite-wal", "log.sqlite-shm"]))
      for number in 1...max(1, lines.count) { try training.step(number, of: run, in: expected) }

      let log = try WorkoutLog.open(at: url)
      #expect(try await log.store.integrityCheck().findings.map(\.message) == [])
      let found = try await Content(log)
      if try await found != Content(expected) {
        further += 1
        try training.step(lines.count + 1, of: run, in: expected)
      }
      try #require(try await found == Content(expected), "kill \(kill) of seed \(seed) after verb \(lines.count)")
      #expect(try log.store.rows("SELECT count(*) FROM workouts WHERE state = 'active'") == [found.current == nil ? "0" : "1"])
      try log.store.close()
      #expect(try Self.isKnown(folder, ["log.sqlite"]))
      if found.current != nil { inProgress += 1 }
      finished = max(finished, found.finished.count)
    }
    print("\(inProgress) of them during a workout, \(further) between a commit and its word, \(finished) finished workouts")
    #expect(inProgress * 2 > Self.kills && finished > 0)
  }

  /// Whether the folder has only these files, and what is known about the soundness of the store.
  private static func isKnown(_ folder: TemporaryFolder, _ names: Set<String>) throws -> Bool {
    try folder.contents().allSatisfy {
      names.contains($0) || $0 == "log.sqlite.holdfast" || $0.hasPrefix("log.sqlite.holdfast/health")
    }
  }

  /// Everything in a log.
  private struct Content: Equatable {
    var finished: [Workout]
    var current: WorkoutInProgress?

    init(_ log: WorkoutLog) async throws {
      finished = try await log.workouts()
      current = try await log.currentWorkout()
    }
  }

  @Test("of two processes that start a workout one is told that the other has, and the workout stays as it is")
  func twoProcesses() async throws {
    let folder = try TemporaryFolder()
    let url = folder.file("log.sqlite")
    try WorkoutLog.open(at: url).store.close()
    let drivers = try (0..<2).map { _ in try Driver.start(["--start-in", url.path]) }
    let lines = try drivers.flatMap { try $0.lines() }.sorted()
    let log = try WorkoutLog.open(at: url)
    let current = IDCodec.lowercase(try #require(try await log.currentWorkout()).id)
    #expect(lines == ["constraint the workout \(current) is in progress, and there is one at a time", "started \(current)"])
    #expect(try Driver.start(["--start-in", url.path]).lines() == [lines[0]])
    #expect(try await log.finishWorkout().name == "Of a process of its own")
    #expect(try await log.store.integrityCheck().findings.map(\.message) == [])
    try log.store.close()
  }
}
