import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import Testing

/// A library of its own, with a clock that only the test moves and a log of every statement.
struct World {
  let library: MusicStore
  let clock: TestClock
  let statements: TracedStatements

  /// Every world begins at 2026-01-01T00:00:00Z. Its file is removed with it.
  static func temporary() throws -> World {
    try make { try Store.temporary(schemas: [MusicStore.schema], options: $0) }
  }

  static func inMemory() throws -> World {
    try make { try Store.inMemory(schemas: [MusicStore.schema], options: $0) }
  }

  private static func make(_ open: (StoreOptions) throws -> Store) throws -> World {
    let clock = TestClock()
    let statements = TracedStatements()
    var options = StoreOptions.testing
    options.busyTimeout = .seconds(5)
    options.now = { clock.now }
    options.trace = { statements.append($0) }
    return World(library: MusicStore(try open(options)), clock: clock, statements: statements)
  }

  var store: Store { library.store }

  func isHealthy() throws -> Bool { try store.integrityCheck().findings.map(\.message) == [] }
}
