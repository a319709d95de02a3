import AudiobookLibrary
import Foundation
import Holdfast
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

  /// A copy of the file at this moment, in the same folder.
  func copy(_ name: String = "copy.sqlite") throws -> URL {
    let url = try #require(store.url).deletingLastPathComponent().appendingPathComponent(name)
    try RawDatabase.with(try #require(store.url)) { try $0.execute("VACUUM INTO '\(url.path)'") }
    return url
  }

  /// How many rows `body` changes, those of search indexes included.
  func rowsChanged(by body: (Transaction) throws -> Void) throws -> Int {
    try store.write { tx in
      let before = try tx.count("SELECT total_changes()")
      try body(tx)
      return try tx.count("SELECT total_changes()") - before
    }
  }

  /// One text per row of a query, its values joined by spaces.
  func rows(_ sql: SQL, columns: Int = 1) throws -> [String] {
    try store.read { reader in
      try reader.values(sql) { row in
        try (0..<columns).map { _ in
          switch try row.value() {
          case .null: "NULL"
          case .integer(let value): "\(value)"
          case .real(let value): "\(value)"
          case .text(let value): value
          case .blob(let value): "\(value.count) bytes"
          }
        }.joined(separator: " ")
      }
    }
  }

  func isHealthy() throws -> Bool { try store.integrityCheck().findings.map(\.message) == [] }
}

// Unchecked because a lock guards the state.
final class TestClock: @unchecked Sendable {
  private let lock = NSLock()
  private var milliseconds: Int64 = 1_767_225_600_000

  var now: Date {
    lock.withLock { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
  }

  /// Moves the clock on, and returns the new time.
  @discardableResult
  func advance(milliseconds step: Int64 = 1000) -> Date {
    lock.withLock { milliseconds += step }
    return now
  }
}

final class TracedStatements: @unchecked Sendable {
  private let lock = NSLock()
  private var texts: [String] = []

  func append(_ text: String) { lock.withLock { texts.append(text) } }

  /// The statements since the last call, without what triggers and full-text indexes do inside.
  func take() -> [String] {
    let taken = lock.withLock {
      defer { texts = [] }
      return texts
    }
    let control = ["--", "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "PRAGMA"]
    return taken.filter { text in
      !control.contains(where: text.hasPrefix) && !text.contains("'main'.") && !text.contains("sqlite_schema")
        && !text.contains("sqlite_master")
    }
  }
}

extension NSLock {
  fileprivate func withLock<T>(_ body: () -> T) -> T {
    lock()
    defer { unlock() }
    return body()
  }
}
