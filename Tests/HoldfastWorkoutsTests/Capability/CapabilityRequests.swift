import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastWorkouts

@Suite("Requests of a capability", .timeLimit(.minutes(10))) struct CapabilityRequests {
  @Test(
    "what is no request is answered by an error that says what is wrong",
    arguments: [
      ("", "byte 0"), ("{", "byte 1"), ("[]", "expected an object"), ("7", "expected an object"), ("{}", "there is none"),
      (#""loadAllWorkouts" "loadAllWorkouts""#, "end of the file"), (#"{"pauseWorkout":1}"#, "$.pauseWorkout should be null"),
      (#""saveWorkout""#, "without its value"), (#"{"saveWorkout":null}"#, "$.saveWorkout"),
      (#"{"deleteWorkout":7}"#, "$.deleteWorkout"), (#"{"loadWorkoutById":"x"}"#, "$.loadWorkoutById is not a UUID: x"),
      (#"{"loadAllWorkouts":null,"deleteWorkout":null}"#, "deleteWorkout is the second"), ("\u{FEFF}nul", "nul"), ("{\u{0}}", "UTF-16"),
      (#"{"loadAllWorkouts":1}"#, "expected an object"), (#"{"startWorkout":{}}"#, "$.startWorkout cannot be read: name is missing"),
      (#"{"loadTotals":{"week":1}}"#, "there is no such key as week"), (#"{"loadTotals":{"unit":"kg","unit":"lb"}}"#, "unit"),
      (#"{"loadAllWorkouts":{"after":7}}"#, "$.loadAllWorkouts.after is not a page key"),
      (#"{"loadVolumeByWorkout":{"from":"2026-01-02T00:00:00Z","to":"2026-01-01T00:00:00Z"}}"#, "from is later than to"),
      (#"{"loadTotals":{"as_of":"now"}}"#, "as_of is not a date: now"), (#"{"loadTotals":{"time_zone":"Mars"}}"#, "no time zone Mars"),
      (#"{"loadRecords":{"formula":"guess"}}"#, "no formula guess"), (#"{"moveSet":{"set_id":null,"before":null}}"#, "$.moveSet.set_id"),
    ])
  func noRequest(request: String, says: String) async throws {
    let error = try Core.error(await WorkoutCapability(try World.inMemory().log).handle(Data(request.utf8)))
    #expect(error.code == "invalid_source" && error.message.contains(says), "\(error)")
    #expect(error.suggestion != nil)
  }

  @Test(
    "an operation that there is not is an error that says where they stand", arguments: [#""improveWorkout""#, #"{"improveWorkout":{}}"#])
  func unknown(request: String) async throws {
    let error = try Core.error(await WorkoutCapability(try World.inMemory().log).handle(Data(request.utf8)))
    #expect(error.code == "misuse" && error.message == #"there is no operation "improveWorkout""#)
    #expect(error.suggestion?.contains("WorkoutCapability.md") == true)
  }

  @Test("a workout without one of the core's keys is refused by name, and what is stored stays")
  func missingKeys() async throws {
    let world = try World.inMemory()
    var random = SeededGenerator(seed: 4)
    let stored = Sample.full(&random, exercises: 1)
    try await world.log.save(stored)
    let tree = try Core.tree(Data(try JSONText.bytes(of: CoreWorkout(stored))))
    let spare: Set = ["workout_id", "exercise_id", "set_index", "distance", "distance_unit", "completed_at"]
    var refused = 0
    for (path, changed) in Self.without(oneOf: tree) {
      guard let key = path.last, !spare.contains(key), path != ["exercises", "sets", "note"] else { continue }
      let answer = await WorkoutCapability(world.log).handle(Core.request("saveWorkout", changed.canonicalText()))
      #expect(try Core.error(answer).message.contains("\(key) is missing"), "\(path)")
      refused += 1
    }
    // Of the workout, the exercise, its body part, and three sets.
    #expect(refused == 7 + 12 + 3 + 3 * (6 + 6 + 5))
    #expect(try await world.log.workouts() == [stored])
  }

  @Test("a key that nobody knows is refused with its place, because it would be lost")
  func unknownKey() async throws {
    let world = try World.inMemory()
    var random = SeededGenerator(seed: 5)
    let text = try Core.text(of: Sample.full(&random, exercises: 2))
    let changed = text.replacingOccurrences(of: #""rep_range":"#, with: #""tempo":"3-1-1","rep_range":"#)
    let error = try Core.error(await WorkoutCapability(world.log).handle(Core.request("saveWorkout", changed)))
    #expect(error.message == "the object at $.saveWorkout.exercises[0].sets[0].suggest cannot be read: there is no such key as tempo")
    #expect(try await world.log.workouts().isEmpty)
  }

  @Test("what the log refuses is an error with the log's code, and everything is as before")
  func refused() async throws {
    let world = try World.inMemory()
    let capability = WorkoutCapability(world.log)
    var random = SeededGenerator(seed: 6)
    let stored = Sample.full(&random)
    try await world.log.save(stored)
    var twice = stored
    twice.exercises.append(stored.exercises[0])
    twice.name = "changed"
    #expect(try Core.error(await capability.handle(.saveWorkout(CoreWorkout(twice))).json).code == "constraint")
    #expect(try await world.log.workouts() == [stored])
    try world.store.close()
    #expect(try Core.error(await capability.handle(.loadAllWorkouts()).json).code == "closed")
  }

  @Test("a stored workout that cannot be read makes an error, and not a history without it")
  func damagedRow() async throws {
    let world = try World.inMemory()
    var random = SeededGenerator(seed: 7)
    try await world.log.save(Sample.workouts(2, &random))
    try await world.store.write { tx in _ = try tx.execute("UPDATE exercises SET notes = '{' WHERE id IN (SELECT min(id) FROM exercises)") }
    let error = try Core.error(await WorkoutCapability(world.log).handle(.loadAllWorkouts()).json)
    #expect(error.code == "decoding" && error.message.contains("exercises"), "\(error)")
  }

  @Test("no request traps, whatever it is", arguments: 0..<4)
  func random(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let world = try World.inMemory()
    let capability = WorkoutCapability(world.log)
    let request = Array(try Core.request(.saveWorkout(CoreWorkout(Sample.full(&random, exercises: 1)))))
    let responses = try Core.names(of: "WorkoutResponse")
    for _ in 0..<300 {
      var bytes = request
      for _ in 0..<random.pick([1, 2, 8]) {
        let place = random.pick(Array(bytes.indices))
        switch random.pick([0, 1, 2]) {
        case 0: bytes[place] = random.pick(Array("{}[]\",:0919eE-.nul\\".utf8))
        case 1: bytes.remove(at: place)
        default: bytes.removeSubrange(place...)
        }
        if bytes.isEmpty { bytes = [0] }
      }
      guard case .object(let members) = try Core.tree(await capability.handle(Data(bytes))) else { throw StoreError(.misuse, "no object") }
      #expect(members.count == 1 && responses.isSuperset(of: members.keys))
    }
    #expect(try world.isHealthy())
  }

  /// Each tree with one member less, anywhere in it, with the keys that lead there.
  private static func without(oneOf tree: JSONValue) -> [([String], JSONValue)] {
    switch tree {
    case .object(let members):
      members.flatMap { key, value -> [([String], JSONValue)] in
        var less = members
        less[key] = nil
        return [([key], .object(less))]
          + without(oneOf: value).map { path, inner in ([key] + path, .object(members.merging([key: inner]) { $1 })) }
      }
    case .array(let elements):
      elements.indices.flatMap { index in
        without(oneOf: elements[index]).map { path, inner in
          var changed = elements
          changed[index] = inner
          return (path, .array(changed))
        }
      }
    default: []
    }
  }
}
