import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting

/// A store of its own, with a clock that only the test moves and a log of every statement.
struct World {
  let inference: InferenceStore
  let clock: TestClock
  let statements: TracedStatements

  /// Every world begins at 2026-01-01T00:00:00Z, with a key for secrets. Its file is removed with it.
  static func temporary(secretKey: SecretKey? = World.secretKey) throws -> World {
    try make(secretKey) { try Store.temporary(schemas: [InferenceStore.schema], options: $0) }
  }

  static func inMemory(secretKey: SecretKey? = World.secretKey) throws -> World {
    try make(secretKey) { try Store.inMemory(schemas: [InferenceStore.schema], options: $0) }
  }

  /// The same 32 bytes in every world.
  static let secretKey = SecretKey { Data((0..<32).map { UInt8($0) }) }

  private static func make(_ secretKey: SecretKey?, _ open: (StoreOptions) throws -> Store) throws -> World {
    let clock = TestClock()
    let statements = TracedStatements()
    var options = StoreOptions.testing
    options.busyTimeout = .seconds(5)
    options.now = { clock.now }
    options.trace = { statements.append($0) }
    return World(inference: InferenceStore(try open(options), secretKey: secretKey), clock: clock, statements: statements)
  }

  var store: Store { inference.store }

  func isHealthy() throws -> Bool { try store.integrityCheck().findings.map(\.message) == [] }
}
