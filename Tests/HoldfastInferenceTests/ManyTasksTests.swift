import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

@Suite("Many tasks at once", .timeLimit(.minutes(10))) struct ManyTasksTests {
  private static let tasks = 16
  private static let steps = 20

  /// What ends an attempt cancels its request at any moment: on Linux the platform's own code trapped, in two of three runs.
  @Test("what many tasks record, edit and read while a service is started, stopped and asked is all there, and arrives")
  func everything() async throws {
    let world = try await SentRows.telemetry.world(0)
    let inference = world.inference
    let api = TablesAPI()
    let server = try LoopbackServer { api.answer($0) }
    defer { server.stop() }
    let service = TablesAPI.service(world, server)
    let followed = Task {
      for try await sessions in inference.sessionUpdates() where sessions.count == Self.tasks { return }
    }
    defer { followed.cancel() }
    // Tells at once what the following task would wait for without end.
    let watches = try TableWatches(world.store, [GenerationSession.table])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<Self.tasks {
        group.addTask {
          let session = try await inference.startSession(with: "m\(number % 3)", type: .chat)
          for step in 0..<Self.steps {
            try await inference.record(SessionTests.generation(session, step, model: session.modelID))
            try await inference.record([TelemetryEvent(id: "\(number)/\(step)", type: .custom, occurredAt: Sample.date)])
            try await inference.setPreference("\(step)", named: "preference \(number)")
            let counted = try await inference.statistics(by: [.model]).map(\.generationCount).reduce(0, +)
            #expect(counted > step)
            switch (number + step) % 4 {
            case 0: await service.start()
            case 1: await service.stop()
            // One that another task's stop has ended throws.
            case 2: _ = try? await service.sync()
            default: _ = try await inference.syncStatus()
            }
          }
          try await inference.endSession(session.id)
        }
      }
      try await group.waitForAll()
    }
    await service.stop()
    try await service.sync()
    try #require(watches.woken == [GenerationSession.table])
    try await followed.value
    let all = Self.tasks * Self.steps
    #expect(try await inference.syncStatus().pending == [:])
    #expect(Set(SentRows.telemetry.ids(at: api)).count == all)
    #expect(try await inference.events(limit: 1_000).items.count == all)
    #expect(try await inference.statistics(by: []).map(\.generationCount) == [all])
    #expect(try await inference.sessions().items.allSatisfy { $0.generationCount == Self.steps && $0.endedAt != nil })
    #expect(try await inference.preferences().map(\.value) == Array(repeating: "\(Self.steps - 1)", count: Self.tasks))
    #expect(try world.isHealthy())
  }
}
