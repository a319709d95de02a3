import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWorkouts
import Testing

@Suite("Paging") struct Paging {
  private typealias List = PagedList<WorkoutLog>

  private static let lists = [
    List("workouts") { try $0.workouts(after: $1, limit: $2) }, List("templates") { try $0.templates(after: $1, limit: $2) },
    List("custom exercises") { try $0.customExercises(after: $1, limit: $2) },
    List("names of exercises") { try $0.exerciseNames(after: $1, limit: $2) },
    List("matching names") { try $0.exerciseNames(matching: "lift", after: $1, limit: $2) },
    List("search") { try $0.search("lift day", after: $1, limit: $2) },
    List("history of an exercise") { try $0.history(of: "LIFT 1", after: $1, limit: $2) },
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

  private func world() throws -> (World, [Workout]) {
    let world = try World.temporary()
    let workouts = Self.crowd(seed: 100)
    try world.log.save(workouts)
    for workout in workouts.prefix(30) { try world.log.saveTemplate(from: workout.id, named: workout.name) }
    for place in 0..<30 { try world.log.save(CustomExercise(id: UUID(), name: "Lift \(place)")) }
    return (world, workouts)
  }

  @Test("pages of every size put together are the whole list", arguments: lists.map(\.name))
  func allPages(name: String) throws {
    let list = try #require(Self.lists.first { $0.name == name })
    let (world, _) = try world()
    try list.checkSizes(in: world.log, atLeast: 11)
  }

  @Test("a row that was there all the time comes exactly once, whatever is added and removed between pages", arguments: lists.map(\.name))
  func changesBetweenPages(name: String) throws {
    let list = try #require(Self.lists.first { $0.name == name })
    let (world, workouts) = try world()
    var random = SeededGenerator(seed: 102)
    var removable = Array(workouts.prefix(60))
    var new = Self.crowd(seed: 103)
    let before = Set(try list.page(world.log, nil, 10_000).items)
    let found = try list.items(of: world.log, limit: 3) {
      if let workout = new.popLast() {
        try world.log.save(workout)
        try world.log.saveTemplate(from: workout.id, named: workout.name)
        try world.log.save(CustomExercise(id: workout.id, name: "Lift of \(workout.id)"))
      }
      removable.shuffle(using: &random)
      if let workout = removable.popLast() { try world.log.deleteWorkout(workout.id) }
      if random.chance(20), let template = try world.log.templates().randomElement(using: &random) {
        try world.log.deleteTemplate(template.id)
      }
    }
    let kept = before.intersection(try list.page(world.log, nil, 10_000).items)
    #expect(Set(found).count == found.count, "none twice")
    #expect(kept.isSubset(of: found), "none left out")
  }

  @Test("a page of an empty log is the last")
  func empty() throws {
    let world = try World.temporary()
    for list in Self.lists {
      let page = try list.page(world.log, nil, 10)
      #expect(page.items == [] && page.next == nil, "\(list.name)")
    }
  }

  @Test("a key of another list, or of another exercise or text, is refused")
  func foreignKeys() throws {
    let (world, _) = try world()
    try List.checkKeys(of: Self.lists, in: world.log)
    let keys = try Self.lists.map { try $0.page(world.log, nil, 2).next }
    #expect(throws: StoreError.self) { try world.log.search("lift", after: keys[5], limit: 2) }
    #expect(throws: StoreError.self) { try world.log.history(of: "Lift 2", after: keys[6], limit: 2) }
  }

  @Test("a key that was kept as JSON goes on where it stopped")
  func keptKey() throws {
    let (world, _) = try world()
    let key = try #require(try world.log.workouts(after: nil, limit: 10).next)
    let kept = try JSONDecoder().decode(PageKey.self, from: JSONEncoder().encode(key))
    #expect(try world.log.workouts(after: kept, limit: 9).items == world.log.workouts(after: key, limit: 9).items)
  }
}
