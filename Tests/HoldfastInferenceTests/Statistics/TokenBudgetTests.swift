import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

@Suite("Budgets of tokens") struct TokenBudgetTests {
  /// The clock begins at the first moment of 2026. 15 tokens a generation.
  private func left(_ budget: GenerationSettings.TokenBudget?) async throws -> Int? {
    let world = try World.inMemory()
    let inference = world.inference
    world.clock.advance(milliseconds: 9 * 86_400_000 + 3_600_000)
    try await inference.save(InferenceConfiguration(generation: GenerationSettings(tokenBudget: budget), createdAt: Sample.date))
    let session = try await inference.startSession(with: "m", type: .chat)
    let now = world.clock.now
    // Two of this day, one of the day before, one of the month before.
    for (number, seconds) in [0.0, -3_600, -3_601, -800_000].enumerated() {
      try await inference.record(SessionTests.generation(session, number, at: now + seconds, model: "m\(number)"))
    }
    #expect(try await inference.deleteSession(session.id))
    return try await inference.tokensLeft()
  }

  @Test("what is left is the least of the limits of a request, a day and a month in UTC, also of what was deleted since")
  func limits() async throws {
    #expect(try await left(nil) == nil)
    #expect(try await left(.init()) == nil)
    #expect(try await left(.init(maxTokensPerRequest: 7)) == 7)
    #expect(try await left(.init(maxTokensPerDay: 100)) == 70)
    #expect(try await left(.init(maxTokensPerMonth: 100)) == 55)
    #expect(try await left(.init(maxTokensPerRequest: 80, maxTokensPerDay: 100, maxTokensPerMonth: 1_000)) == 70)
    #expect(try await left(.init(maxTokensPerRequest: 80, maxTokensPerDay: 29)) == 0)
    #expect(try await left(.init(maxTokensPerRequest: -1)) == 0)
  }
}
