import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWorkouts
import Testing

/// A log of its own, with a clock that only the test moves and a log of every statement.
struct World {
  let log: WorkoutLog
  let clock: TestClock
  let statements: TracedStatements

  /// Every world begins at 2026-01-01T00:00:00Z. Its file is removed with it.
  static func temporary() throws -> World {
    try make { try Store.temporary(schemas: [WorkoutLog.schema], options: $0) }
  }

  static func inMemory() throws -> World {
    try make { try Store.inMemory(schemas: [WorkoutLog.schema], options: $0) }
  }

  private static func make(_ open: (StoreOptions) throws -> Store) throws -> World {
    let clock = TestClock()
    let statements = TracedStatements()
    var options = StoreOptions.testing
    options.busyTimeout = .seconds(5)
    options.now = { clock.now }
    options.trace = { statements.append($0) }
    return World(log: WorkoutLog(try open(options)), clock: clock, statements: statements)
  }

  var store: Store { log.store }

  func isHealthy() throws -> Bool { try store.integrityCheck().findings.map(\.message) == [] }

  /// Each row that the statements since the last call wrote, as `INSERT workouts`; deletes by cascade are not told.
  func writes() -> [String] {
    statements.take().compactMap { text in
      let words = text.replacingOccurrences(of: "\"", with: "").split(separator: " ")
      return switch words.first {
      case "INSERT", "DELETE": words.count > 2 ? "\(words[0]) \(words[2])" : nil
      case "UPDATE": words.count > 1 ? "UPDATE \(words[1])" : nil
      default: nil
      }
    }
  }
}
