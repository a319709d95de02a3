import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWorkouts
import Testing

@Suite("Search") struct Searching {
  /// One for the tests that only read.
  private static let shelf = Task { try await Searching.filled(World.inMemory()).log }

  /// Workouts in several scripts, one a day, the last of these lines the newest.
  private static func filled(_ world: World) async throws -> World {
    var random = SeededGenerator(seed: 40)
    let lines: [(name: String, note: String?, exercise: String, pinned: [String], notes: [String])] = [
      ("Push", "Slept badly", "Bench Press", [], ["left shoulder"]), ("月亮代表我的心", nil, "深蹲", ["膝盖不要过脚尖"], []),
      ("脚の日", nil, "スクワット", [], ["ゆっくり"]), ("Séance A", "Développé", "Développé couché", [], []),
      ("Жим", nil, "Жим лёжа", ["локти внутрь"], []), ("Upper/Lower", nil, "T-Bar Row", [], ["2×10", "or not"]),
      ("ขา", "งานวิจัย", "Press", [], []),
    ]
    for (day, line) in lines.enumerated() {
      let exercise = Exercise(id: random.id(), name: line.exercise, pinnedNotes: line.pinned, notes: line.notes)
      let startedAt = Date(timeIntervalSince1970: Double(1_700_000_000 + day * 86_400))
      try await world.log.save(Workout(id: random.id(), name: line.name, note: line.note, startedAt: startedAt, exercises: [exercise]))
    }
    let template = WorkoutTemplate(id: random.id(), name: "Push template", exercises: [Sample.exercise("Bench Press", &random)])
    try await world.log.save(template)
    return world
  }

  @Test(
    "what people type is found in names and notes of workouts and of exercises, newest first",
    arguments: [
      ("push", ["Push"]), ("PUSH bench", ["Push"]), ("bench slept should", ["Push"]), ("press", ["ขา", "Push"]), ("pre", ["ขา", "Push"]),
      ("代表", ["月亮代表我的心"]), ("心", ["月亮代表我的心"]), ("蹲", ["月亮代表我的心"]), ("膝盖 月亮", ["月亮代表我的心"]), ("スクワ", ["脚の日"]), ("ゆっ", ["脚の日"]),
      ("脚", ["脚の日", "月亮代表我的心"]), ("developpe", ["Séance A"]), ("seance couche", ["Séance A"]), ("ЛЁЖА локти", ["Жим"]),
      ("t-bar", ["Upper/Lower"]), ("upper/lower", ["Upper/Lower"]), ("or not", ["Upper/Lower"]), ("วิจัย", ["ขา"]), ("template", []),
      ("squat", []),
      ("push press squat", []),
    ])
  func found(text: String, expected: [String]) async throws {
    #expect(try await Self.shelf.value.search(text).items.map(\.name) == expected)
  }

  @Test(
    "operators, quotes and columns are words without a meaning of their own",
    arguments: [
      ("\"", []), ("*", []), ("push NOT bench", []), ("name:push", []), ("(", []), ("push)", ["Push"]), ("^push", ["Push"]), ("-", []),
      ("' OR 1=1 --", []), ("{name} : x", []), ("\0", []), ("push AND", []), ("pu\0be", ["Push"]),
    ] as [(String, [String])])
  func inert(text: String, expected: [String]) async throws {
    #expect(try await Self.shelf.value.search(text).items.map(\.name) == expected)
  }

  @Test("a text without a word finds nothing", arguments: ["", " ", "…", "*", "🏋️"])
  func nothing(text: String) async throws {
    let page = try await Self.shelf.value.search(text, limit: 5)
    #expect(page.items == [] && page.next == nil)
  }

  @Test("a whole page that was pasted in is a search like any other")
  func longText() async throws {
    let log = try await Self.shelf.value
    #expect(try await log.search(String(repeating: "push ", count: 5000)).items.map(\.name) == ["Push"])
    #expect(try await log.search(String(repeating: "push ", count: 60) + "squat").items == [])
    #expect(
      try await log.exerciseNames(matching: String(repeating: "press ", count: 5000)).items.map(\.name) == ["Bench Press", "Press"])
  }

  @Test("what is found follows every change, of a workout as of its exercises, and comes with everything in it")
  func changes() async throws {
    let world = try await Self.filled(World.temporary())
    var workout = try #require(try await world.log.search("bench").items.first)
    #expect(try await world.log.workout(workout.id) == workout)
    workout.exercises[0].name = "深蹲"
    workout.note = nil
    try await world.log.save(workout)
    #expect(try await world.log.search("bench").items == [])
    #expect(try await world.log.search("slept").items == [])
    #expect(try await world.log.search("push 深蹲").items == [workout])
    workout.exercises[0].notes = []
    try await world.log.save(workout)
    #expect(try await world.log.search("shoulder").items == [])
    try await world.store.vacuum()
    #expect(try await world.log.search("深蹲").items.count == 2)
    try await world.log.deleteWorkout(workout.id)
    #expect(try await world.log.search("深蹲").items.count == 1)
    #expect(try await world.log.search("push").items == [])
    #expect(try world.isHealthy())
  }
}
