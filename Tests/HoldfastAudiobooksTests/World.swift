import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import Testing

/// A library in a folder of its own, with a clock that only the test moves and a log of every statement.
struct World {
  let library: AudiobookLibrary
  let clock: TestClock
  let statements: TracedStatements

  /// Every world begins at 2026-01-01T00:00:00Z. Its file is removed with it.
  static func temporary() throws -> World {
    try make { try Store.temporary(schemas: [AudiobookLibrary.schema], options: $0) }
  }

  static func inMemory() throws -> World {
    try make { try Store.inMemory(schemas: [AudiobookLibrary.schema], options: $0) }
  }

  private static func make(_ open: (StoreOptions) throws -> Store) throws -> World {
    let clock = TestClock()
    let statements = TracedStatements()
    var options = StoreOptions.testing
    // A reader that meets a half-written log header takes the write lock for a moment, so even one store alone may have to wait.
    options.busyTimeout = .seconds(5)
    options.now = { clock.now }
    options.trace = { statements.append($0) }
    return World(library: AudiobookLibrary(try open(options)), clock: clock, statements: statements)
  }

  var store: Store { library.store }

  func copy(_ name: String = "copy.sqlite") throws -> URL { try store.copy(named: name) }

  func rowsChanged(by body: (Writer) throws -> Void) throws -> Int { try store.rowsChanged(by: body) }

  func rows(_ sql: BoundSQL, columns: Int = 1) throws -> [String] { try store.rows(sql, columns: columns) }

  func isHealthy() throws -> Bool { try store.integrityCheck().findings.map(\.message) == [] }
}
