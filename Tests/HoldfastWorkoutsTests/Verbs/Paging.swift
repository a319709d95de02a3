import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWorkouts
import Testing

@Suite("Paging") struct Paging {
  private typealias List = PagedList<WorkoutLog>

  private static let lists = [
    List("workouts") { try await $0.workouts(after: $1, limit: $2) }, List("templates") { try await $0.templates(after: $1, limit: $2) },
    List("custom exercises") { try await $0.customExercises(after: $1, limit: $2) },
    List("names of exercises") { try await $0.exerciseNames(after: $1, limit: $2) },
    List("matching names") { try await $0.exerciseNames(matching: "lift", after: $1, limit: $2) },
    List("search") { try await $0.search("lift day", after: $1, limit: $2) },
    List("history of an exercise") { try await $0.history(of: "LIFT 1", after: $1, limit: $2) },
  ]

  /// Many of the same moment, the same name, and the same exercise twice.
  private static func crowd(seed: UInt64) -> [Workout] {
    var random = SeededGenerator(seed: seed)
    return (0..<80).map { place in
      let exercises = (0..<3).map { _ in Sample.exercise("Lift \(Int.random(in: 0..<12, using: &random))", &random) }
      let startedAt = Date(timeIntervalSince1970: Double(1_700_000_000 + place / 4))
      return Sample.workout("Day \(place % 7)", at: startedAt, exercises, &random)
    }
  }

  /// One for the tests that only read.
  private static let shared = Task { try await Paging.filled(WorkoutLog.inMemory()) }

  private static func filled(_ log: WorkoutLog) async throws -> WorkoutLog {
    let workouts = crowd(seed: 100)
    try await log.store.write { tx in
      try WorkoutLog.save(workouts, in: tx)
      for workout in workouts.prefix(30) { _ = try WorkoutLog.saveTemplate(from: workout.id, named: workout.name, in: tx) }
      for place in 0..<30 { try WorkoutLog.save(CustomExercise(id: UUID(), name: "Lift \(place)"), in: tx) }
    }
    return log
  }

  @Test("pages of every size put together are the whole list", arguments: lists.map(\.name))
  func allPages(name: String) async throws {
    let list = try #require(Self.lists.first { $0.name == name })
    try await list.checkSizes(in: Self.shared.value, atLeast: 11)
  }

  @Test("a row that was there all the time comes exactly once, whatever is added and removed between pages", arguments: lists.map(\.name))
  func changesBetweenPages(name: String) async throws {
    let list = try #require(Self.lists.first { $0.name == name })
    let world = try World.temporary()
    _ = try await Self.filled(world.log)
    var random = SeededGenerator(seed: 102)
    var removable = Array(Self.crowd(seed: 100).prefix(60))
    var new = Self.crowd(seed: 103)
    let before = Set(try await list.page(world.log, nil, 10_000).items)
    let found = try await list.items(of: world.log, limit: 3) {
      if let workout = new.popLast() {
        try await world.log.save(workout)
        try await world.log.saveTemplate(from: workout.id, named: workout.name)
        try await world.log.save(CustomExercise(id: workout.id, name: "Lift of \(workout.id)"))
      }
      removable.shuffle(using: &random)
      if let workout = removable.popLast() { try await world.log.deleteWorkout(workout.id) }
      if random.chance(20), let template = try await world.log.templates().randomElement(using: &random) {
        try await world.log.deleteTemplate(template.id)
      }
    }
    let kept = before.intersection(try await list.page(world.log, nil, 10_000).items)
    #expect(Set(found).count == found.count, "none twice")
    #expect(kept.isSubset(of: found), "none left out")
  }

  @Test("a page of an empty log is the last")
  func empty() async throws {
    let world = try World.temporary()
    for list in Self.lists {
      let page = try await list.page(world.log, nil, 10)
      #expect(page.items == [] && page.next == nil, "\(list.name)")
    }
  }

  @Test("a key of another list, or of another exercise or text, is refused")
  func foreignKeys() async throws {
    let log = try await Self.shared.value
    try await List.checkKeys(of: Self.lists, in: log)
    var keys: [PageKey?] = []
    for list in Self.lists { keys.append(try await list.page(log, nil, 2).next) }
    await #expect(throws: StoreError.self) { try await log.search("lift", after: keys[5], limit: 2) }
    await #expect(throws: StoreError.self) { try await log.history(of: "Lift 2", after: keys[6], limit: 2) }
  }
}
