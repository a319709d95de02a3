import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastWorkouts

@Suite("Hostile requests of a capability", .timeLimit(.minutes(10))) struct CapabilityHostile {
  /// Numbers at the ends of what JSON, Swift and SQLite hold.
  private static let numbers = [
    "0", "-0", "-1", "1", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e400", "-1e400", "1e308", "1.5", "1e3",
    "NaN", "\"1\"", "true", "null", "[]", "{}", "",
  ]
  private static let times = [
    "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999999999Z", "0000-01-01T00:00:00Z", "4001-01-02T00:00:00Z",
    "2025-12-25T10:15:30+23:59", "2025-02-30T00:00:00Z", "",
  ]
  private static let texts = [
    "", "\\u0000", "\\\"", "\\\" OR \\\"", "*", "NEAR(", "a AND", "-", "e\\u0301", "\\ud83c\\udfcb", "\\ud800", "%", "' OR 1=1 --",
    String(repeating: "a ", count: 500),
  ]

  private static var requests: [String] {
    var requests: [String] = []
    for number in numbers {
      for list in ["loadAllWorkouts", "loadTemplates", "loadCustomExercises", "loadExerciseNames", "loadVolumeByWeek"] {
        requests.append(#"{"\#(list)":{"limit":\#(number)}}"#)
      }
      requests += [
        #"{"searchWorkouts":{"text":"push","limit":\#(number)}}"#, #"{"loadHistory":{"exercise":"bench press","limit":\#(number)}}"#,
        #"{"loadProgress":{"exercise":"bench press","limit":\#(number)}}"#, #"{"startWorkout":{"name":"w","idle_limit":\#(number)}}"#,
        #""discardWorkout""#, #"{"\#(number)":1}"#, #"{"deleteWorkout":\#(number)}"#,
      ]
    }
    for time in times {
      requests += [
        #"{"loadTotals":{"as_of":"\#(time)","time_zone":"Pacific/Kiritimati"}}"#, #"{"loadVolumeByWorkout":{"from":"\#(time)"}}"#,
        #"{"loadVolumeByBodyPart":{"to":"\#(time)"}}"#, #"{"loadVolumeByExercise":{"from":"\#(time)","to":"\#(time)"}}"#,
        #"{"loadTotals":{"as_of":"\#(time)","time_zone":"America/Los_Angeles"}}"#,
      ]
    }
    for text in texts {
      requests += [
        #"{"searchWorkouts":{"text":"\#(text)"}}"#, #"{"loadExerciseNames":{"text":"\#(text)"}}"#,
        #"{"loadRecords":{"exercise":"\#(text)"}}"#, #"{"loadTotals":{"time_zone":"\#(text)"}}"#, #"{"loadTotals":{"unit":"\#(text)"}}"#,
        #"{"loadAllWorkouts":{"after":["t\#(text)"]}}"#, #"{"loadTemplates":{"after":["\#(text)"]}}"#,
      ]
    }
    for key in ["[]", #"["i9223372036854775807","tx"]"#, #"["rnan","tx"]"#, #"["r-inf","n"]"#, #"["tx","ty","tz"]"#, #"["b!"]"#] {
      for list in ["loadAllWorkouts", "loadTemplates", "loadCustomExercises", "loadExerciseNames"] {
        requests.append(#"{"\#(list)":{"after":\#(key),"limit":2}}"#)
      }
      requests.append(#"{"loadHistory":{"exercise":"bench press","after":\#(key)}}"#)
    }
    for open in ["[", "{\"a\":", "{\"saveWorkout\":[", "{\"saveWorkout\":{\"exercises\":[{\"sets\":["] {
      requests.append(String(repeating: open, count: 10_000))
    }
    return requests
  }

  @Test("hostile numbers, times, texts, keys and depths are answered, each once, and nothing that is stored changes")
  func answered() async throws {
    let log = try await WorkoutLog.inMemorySample()
    let before = try await log.workouts()
    let capability = WorkoutCapability(log)
    var errors = 0
    var random = SeededGenerator(seed: 1)
    let requests = Self.requests.filter { _ in ProofRun.isLong || random.chance(25) }
    for request in requests {
      let answer = await capability.handle(Data(request.utf8))
      guard case .error(let failure) = try WorkoutResponse(answer: answer) else { continue }
      errors += 1
      let isKnown = ["invalid_source", "misuse", "invalid_value", "not_found", "constraint"].contains(failure.code)
      #expect(isKnown && !failure.message.isEmpty, "\(request.prefix(200)): \(failure)")
    }
    #expect(errors > requests.count / 5 && errors < requests.count)
    #expect(try await log.workouts() == before)
    #expect(try await log.currentWorkout() == nil)
    #expect(try await log.store.integrityCheck().findings.map(\.message) == [])
  }

  @Test("numbers and times at the ends of what a store holds come back as they were, and every statistic of them is answered")
  func ends() async throws {
    let log = try WorkoutLog.inMemory()
    let capability = WorkoutCapability(log)
    var saved: [Workout] = []
    let starts = [DateCodec.range.lowerBound, 0, DateCodec.range.upperBound].compactMap(DateCodec.date(milliseconds:))
    for (number, start) in starts.enumerated() {
      let sets = [Double.greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude].map { weight in
        ExerciseSet(
          id: UUID(), distanceUnit: .kilometers,
          actual: .init(weight: weight, reps: .max, durationSeconds: .max, distance: weight, rpe: weight, restSeconds: .min),
          isCompleted: true, completedAt: start)
      }
      let exercise = Exercise(id: UUID(), name: "\u{0}", superset: .min, weightUnit: .kilograms, restSeconds: .max, sets: sets)
      saved.append(
        Workout(id: UUID(), name: "\(number)", startedAt: start, endedAt: starts[0], durationSeconds: .max, exercises: [exercise]))
    }
    for workout in saved {
      #expect(try await capability.handle(Core.request("saveWorkout", Core.text(of: workout))) == Core.saved(workout.id))
    }
    #expect(try await log.workouts() == saved.reversed())
    for zone in ["Pacific/Kiritimati", "America/Los_Angeles", "UTC"] {
      for request in [
        #"{"loadRecords":{}}"#, #"{"loadRecords":{"formula":"brzycki","unit":"kg"}}"#, #"{"loadProgress":{"exercise":"\u0000"}}"#,
        #"{"loadVolumeByWorkout":{}}"#, #"{"loadVolumeByExercise":{}}"#, #"{"loadVolumeByBodyPart":{}}"#,
        #"{"loadVolumeByWeek":{"limit":3,"time_zone":"\#(zone)"}}"#,
        #"{"loadTotals":{"time_zone":"\#(zone)"}}"#, #"{"loadHistory":{"exercise":"\u0000"}}"#, #""loadExerciseNames""#,
      ] {
        let answer = await capability.handle(Data(request.utf8))
        let response = try WorkoutResponse(answer: answer)
        if case .error(let failure) = response { Issue.record("\(zone) \(request): \(failure)") }
      }
    }
  }

  @Test("a period without an end has every workout from its beginning on, also one whose year was mistyped")
  func withoutEnd() async throws {
    let log = try WorkoutLog.inMemory()
    let start = try #require(DateCodec.parseISO8601("5025-12-25T10:15:30Z").flatMap(DateCodec.date(milliseconds:)))
    try await log.save(Workout(id: UUID(), name: "w", startedAt: start))
    let capability = WorkoutCapability(log)
    for from in ["2025-01-01T00:00:00Z", "4500-01-01T00:00:00Z"] {
      let answer = await capability.handle(Core.request("loadVolumeByWorkout", #"{"from":"\#(from)"}"#))
      guard case .volumeByWorkoutLoaded(let volumes) = try WorkoutResponse(answer: answer) else {
        Issue.record("\(String(decoding: answer, as: UTF8.self))")
        continue
      }
      #expect(volumes.map(\.name) == ["w"])
    }
    let operation = WorkoutOperation.loadVolumeByWorkout(during: start ..< .behindAll)
    #expect(try JSONDecoder().decode(WorkoutOperation.self, from: Core.request(operation)) == operation)
  }
}
