import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastWorkouts

@Suite("Order of a capability", .timeLimit(.minutes(10))) struct CapabilityOrder {
  @Test("many threads ask at once: answers come in the order of the questions, and each once")
  func order() async throws {
    let capability = WorkoutCapability(try World.temporary().log)
    let told = Told()
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<16 {
        group.addTask {
          for number in 0..<50 {
            // The lock makes "asked before" a fact; the capability knows nothing of it.
            told.asking(task * 50 + number) { question in
              capability.handle(number % 2 == 0 ? Core.saving(task) : Data(#"{"loadWorkoutById":"x"}"#.utf8)) { _ in told.answered(question)
              }
            }
          }
        }
      }
    }
    // What is asked last is answered last.
    _ = await capability.handle(.loadAllWorkouts())
    #expect(told.questions.count == 800)
    #expect(told.answers == told.questions)
  }

  @Test("a finish and what follows it never pass each other: the workout that was saved is the one that is deleted")
  func saveThenDelete() async throws {
    let world = try World.temporary()
    let capability = WorkoutCapability(world.log)
    let told = Told()
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<100 {
        group.addTask {
          let workout = Workout(id: NewID.v7(), name: "\(task)", startedAt: Date())
          capability.handle(.saveWorkout(CoreWorkout(workout))) { _ in }
          capability.handle(.deleteWorkout(workout.id)) { if $0 == .workoutDeleted(workout.id, existed: true) { told.answered(task) } }
          // Waiting, too, is a place in the order.
          if await capability.handle(.loadWorkoutById(workout.id)) == .workoutLoaded(nil) { told.answered(1000 + task) }
        }
      }
    }
    #expect(told.answers.count == 200)
    #expect(try await world.log.workouts().isEmpty)
  }

  @MainActor
  @Test("what tasks of one actor ask is done in the order in which they began")
  func actorTasks() async throws {
    let world = try World.inMemory()
    let capability = WorkoutCapability(world.log)
    let told = Told()
    var tasks: [Task<Void, Never>] = []
    for number in 0..<100 {
      tasks.append(
        Task { @MainActor in
          told.asking(number) { _ in }
          // When a task goes on after its answer is the runtime's affair.
          _ = await capability.handle(.saveWorkout(CoreWorkout(Workout(id: NewID.v7(), name: "\(number)", startedAt: Date()))))
        })
    }
    for task in tasks { await task.value }
    let done = try await world.store.read { try $0.values("SELECT name FROM workouts ORDER BY rowid") { try $0.text() } }
    #expect(done == told.questions.map { "\($0)" } && done.count == 100)
  }

  @Test("a request of a task that is cancelled is done and answered")
  func cancelled() async throws {
    let world = try World.inMemory()
    let capability = WorkoutCapability(world.log)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await capability.handle(Core.saving(1))
    }
    #expect(try Core.tree(await task.value) == Core.tree(Core.saved(Core.id)))
    #expect(try await world.log.workouts().count == 1)
  }

  @Test("an answer may ask again")
  func nested() async throws {
    let capability = WorkoutCapability(try World.inMemory().log)
    let answer: Data = await withCheckedContinuation { continuation in
      capability.handle(Core.saving(1)) { _ in
        capability.handle(.deleteWorkout(Core.id)) { response in continuation.resume(returning: response.json) }
      }
    }
    #expect(answer == WorkoutResponse.workoutDeleted(Core.id, existed: true).json)
  }
}

/// What was asked and answered, in order.
private final class Told: @unchecked Sendable {
  // Unchecked because a lock guards the state.
  private let lock = NSLock()
  private var asked: [Int] = []
  private var known: [Int] = []
  private let told = NSLock()

  func asking(_ question: Int, _ ask: (Int) -> Void) {
    lock.withLock {
      asked.append(question)
      ask(question)
    }
  }

  func answered(_ question: Int) { told.withLock { known.append(question) } }

  var questions: [Int] { lock.withLock { asked } }
  var answers: [Int] { told.withLock { known } }
}

extension Core {
  /// The same workout, with another name.
  fileprivate static func saving(_ number: Int) -> Data {
    saving(times: #""start_timestamp":"2025-12-25T10:15:30Z","end_timestamp":null"#, named: "\(number)")
  }
}
