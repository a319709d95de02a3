import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWorkouts
import Testing

@Suite("A long run") struct RandomRun {
  @Test("after each of hundreds of random verbs the log equals a model in memory")
  func againstModel() async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("A long run of the workout log: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let world = try World.temporary()
    var model = LogModel()
    for step in 0..<(ProofRun.isLong ? 600 : 200) {
      let name = try await act(world, &model, &random)
      let place = "seed \(seed), step \(step): \(name)"
      try #require(try await world.log.workouts() == model.finished, "\(place)")
      try #require(try await world.log.currentWorkout()?.workout == model.current, "\(place)")
      try #require(try await Set(world.log.templates()) == Set(model.templates), "\(place)")
      try #require(try await world.log.customExercises() == model.customs, "\(place)")
      guard step % 10 == 0 else { continue }
      let names = try await world.log.exerciseNames().items
      try #require(names.map(\.id) == model.nameKeys, "\(place)")
      for name in names {
        let history = try await world.log.history(of: name.name, limit: 1000).items
        try #require(history.count == name.uses && history.first?.startedAt == name.lastUsedAt, "\(place)")
        try #require(history.map(\.exercise) == model.history(of: name.id), "\(place)")
      }
    }
    #expect(try world.isHealthy())
    let reopened = try WorkoutLog.open(at: try world.store.copy(), options: .testing)
    #expect(try await reopened.workouts() == model.finished)
    #expect(try await reopened.currentWorkout()?.workout == model.current)
  }

  /// One random verb on both. Returns its name.
  private func act(_ world: World, _ model: inout LogModel, _ random: inout SeededGenerator) async throws -> String {
    world.clock.advance(milliseconds: Int64.random(in: 0...3_000_000, using: &random))
    if model.finished.count < 4 || random.chance(10) {
      let workout = random.chance(50) ? Sample.full(&random) : Sample.workout(random.pick(Sample.words), &random)
      try await world.log.save(workout)
      model.finished.append(workout)
      model.sort()
      return "save a new workout"
    }
    return switch Int.random(in: 0..<6, using: &random) {
    case 0: try await progress(world, &model, &random)
    case 1: try await plans(world, &model, &random)
    default: try await edit(world, &model, &random)
    }
  }

  private func edit(_ world: World, _ model: inout LogModel, _ random: inout SeededGenerator) async throws -> String {
    var workout = random.pick(model.finished)
    defer { model.replace(workout) }
    let exercise = workout.exercises.indices.randomElement(using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0 where model.finished.count > 10:
      #expect(try await world.log.deleteWorkout(workout.id))
      model.finished.removeAll { $0.id == workout.id }
      return "delete"
    case 1, 2:
      workout.name = random.pick(Sample.words)
      workout.startedAt = random.chance(30) ? random.date() : workout.startedAt
      if random.chance(50) { workout.exercises.append(Sample.fullExercise(&random)) }
      if random.chance(30), !workout.exercises.isEmpty { workout.exercises.removeFirst() }
      let sets = workout.exercises.flatMap(\.sets).shuffled(using: &random)
      if random.chance(50), workout.exercises.count > 1 {
        // Every set somewhere else.
        for place in workout.exercises.indices { workout.exercises[place].sets = [] }
        for set in sets { workout.exercises[Int.random(in: 0..<workout.exercises.count, using: &random)].sets.append(set) }
      }
      if random.chance(50) { workout.exercises.shuffle(using: &random) }
      try await world.log.save(workout)
      return "save"
    case 3:
      let new = Sample.fullExercise(&random)
      let place = Int.random(in: 0...workout.exercises.count, using: &random)
      try await world.log.addExercise(new, to: workout.id, before: place < workout.exercises.count ? workout.exercises[place].id : nil)
      workout.exercises.insert(new, at: place)
      return "add an exercise"
    case 4:
      guard let exercise else { return "nothing" }
      let moved = workout.exercises.remove(at: exercise)
      let place = Int.random(in: 0...workout.exercises.count, using: &random)
      try await world.log.moveExercise(moved.id, before: place < workout.exercises.count ? workout.exercises[place].id : nil)
      workout.exercises.insert(moved, at: place)
      return "move an exercise"
    case 5:
      guard let exercise else { return "nothing" }
      let new = Sample.fullSet(&random)
      let place = Int.random(in: 0...workout.exercises[exercise].sets.count, using: &random)
      let other = place < workout.exercises[exercise].sets.count ? workout.exercises[exercise].sets[place].id : nil
      try await world.log.addSet(new, to: workout.exercises[exercise].id, before: other)
      workout.exercises[exercise].sets.insert(new, at: place)
      return "add a set"
    case 6:
      guard let exercise, let set = workout.exercises[exercise].sets.indices.randomElement(using: &random) else { return "nothing" }
      #expect(try await world.log.removeSet(workout.exercises[exercise].sets.remove(at: set).id))
      return "remove a set"
    default:
      guard let exercise, let set = workout.exercises[exercise].sets.indices.randomElement(using: &random) else { return "nothing" }
      workout.exercises[exercise].sets[set].actual.reps = Int.random(in: 0...20, using: &random)
      workout.exercises[exercise].sets[set].note = random.pick(Sample.words)
      try await world.log.updateSet(workout.exercises[exercise].sets[set])
      return "update a set"
    }
  }

  private func progress(_ world: World, _ model: inout LogModel, _ random: inout SeededGenerator) async throws -> String {
    guard var current = model.current else {
      let template = model.templates.randomElement(using: &random)
      let begun =
        if let template { try await world.log.startWorkout(from: template.id) } else { try await world.log.startWorkout(named: "Now") }
      #expect(begun.workout.exercises.map(\.name) == (template?.exercises.map(\.name) ?? []))
      model.current = begun.workout
      return "start"
    }
    if random.chance(20) {
      model.finished.append(try await world.log.finishWorkout())
      model.sort()
      model.current = nil
      #expect(model.finished.contains { $0.id == current.id && $0.exercises == current.exercises && $0.endedAt != nil })
      return "finish"
    }
    if random.chance(10) {
      #expect(try await world.log.discardWorkout()?.workout == current)
      model.current = nil
      return "discard"
    }
    guard let exercise = current.exercises.indices.randomElement(using: &random) else {
      current.exercises.append(Sample.fullExercise(&random))
      try await world.log.save(current)
      model.current = current
      return "save the workout in progress"
    }
    current.exercises[exercise].sets.append(try await world.log.logSet(in: current.exercises[exercise].id, .init(weight: 80, reps: 5)))
    model.current = current
    return "log a set"
  }

  private func plans(_ world: World, _ model: inout LogModel, _ random: inout SeededGenerator) async throws -> String {
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      model.templates.append(try await world.log.saveTemplate(from: random.pick(model.finished).id, named: random.pick(Sample.words)))
      return "save a template from a workout"
    case 1:
      guard let place = model.templates.indices.randomElement(using: &random) else { return "nothing" }
      model.templates[place].name = random.pick(Sample.words)
      model.templates[place].exercises.shuffle(using: &random)
      try await world.log.save(model.templates[place])
      return "save a template"
    case 2:
      guard model.templates.count > 4 else { return "nothing" }
      #expect(try await world.log.deleteTemplate(model.templates.removeFirst().id))
      return "delete a template"
    case 3, 4:
      let exercise = Sample.customExercise(random.pick(Sample.words), &random)
      let isTaken = model.customs.contains { SortText.folded($0.name) == SortText.folded(exercise.name) }
      do {
        try await world.log.save(exercise)
        #expect(!isTaken)
        model.customs.append(exercise)
        model.sort()
      } catch let error as StoreError {
        #expect(isTaken && error.code == .constraint)
      }
      return "save a custom exercise"
    default:
      guard let place = model.customs.indices.randomElement(using: &random) else { return "nothing" }
      let (custom, name) = (model.customs[place], "\(random.pick(Sample.words)) \(UInt8.random(in: .min ... .max, using: &random))")
      guard !model.nameKeys.contains(SortText.folded(name)) else { return "nothing" }
      #expect(try await world.log.renameCustomExercise(custom.id, to: name, inHistory: true))
      model.rename(custom, to: name)
      return "rename an exercise"
    }
  }
}

/// What the log should be, in plain Swift.
private struct LogModel {
  /// Newest first.
  var finished: [Workout] = []
  var current: Workout?
  var templates: [WorkoutTemplate] = []
  /// By name.
  var customs: [CustomExercise] = []

  mutating func sort() {
    finished.sort { ($0.startedAt, $0.id.uuidString) > ($1.startedAt, $1.id.uuidString) }
    customs.sort { Self.key($0.name).utf8.lexicographicallyPrecedes(Self.key($1.name).utf8) }
  }

  mutating func replace(_ workout: Workout) {
    if let place = finished.firstIndex(where: { $0.id == workout.id }) { finished[place] = workout }
    sort()
  }

  mutating func rename(_ custom: CustomExercise, to name: String) {
    func renamed(_ exercises: [Exercise]) -> [Exercise] {
      exercises.map { exercise in
        var exercise = exercise
        if Self.key(exercise.name) == Self.key(custom.name) { exercise.name = name }
        return exercise
      }
    }
    for place in finished.indices { finished[place].exercises = renamed(finished[place].exercises) }
    for place in templates.indices { templates[place].exercises = renamed(templates[place].exercises) }
    if let workout = current { current?.exercises = renamed(workout.exercises) }
    for place in customs.indices where customs[place].id == custom.id { customs[place].name = name }
    sort()
  }

  var nameKeys: [String] {
    let exercises = finished.flatMap(\.exercises) + templates.flatMap(\.exercises) + (current?.exercises ?? [])
    return Set((exercises.map(\.name) + customs.map(\.name)).map(Self.key)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  func history(of key: String) -> [Exercise] {
    finished.flatMap { $0.exercises.reversed() }.filter { Self.key($0.name) == key }
  }

  private static func key(_ name: String) -> String { SortText.folded(name) }
}
