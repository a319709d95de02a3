public import Holdfast

/// A library in its own store, with a clock that only the test moves, and a log of every statement.
///
/// ```swift
/// let world = try LibraryWorld<ReadingList>()
/// try await world.library.save(book)
/// #expect(try world.isHealthy())
/// ```
public struct LibraryWorld<Library: Holdfast.Library>: Sendable {
  /// The library under test.
  public var library: Library
  /// Its store. A store in a file is removed when the value is released.
  public let store: Store
  /// The store's clock. Starts at 2026-01-01T00:00:00Z.
  public let clock: TestClock
  /// The statements that ran in the store.
  public let statements: TracedStatements

  /// Makes a store in its own folder or in memory.
  ///
  /// - Parameters:
  ///   - schema: another version of the library's schema.
  ///   - library: makes the library, when it needs more than its store.
  public init(
    _ schema: StoreSchema = Library.schema, inMemory: Bool = false, library: (Store) -> Library = { Library($0) }
  ) throws {
    let (clock, statements) = (TestClock(), TracedStatements())
    var options = StoreOptions.testing
    // A reader that finds a half-written log header takes the write lock for a moment, so even a single store may have to wait.
    options.busyTimeout = .seconds(5)
    options.now = { clock.now }
    options.trace = { statements.append($0) }
    store = try inMemory ? Store.inMemory(schemas: [schema], options: options) : Store.temporary(schemas: [schema], options: options)
    self.library = library(store)
    (self.clock, self.statements) = (clock, statements)
  }

  /// Whether the integrity check has no findings.
  public func isHealthy() throws -> Bool { try store.integrityCheck().isHealthy }
}

/// One verb of a library, for checks of all verbs.
public struct LibraryVerb<Library, Known>: Sendable {
  /// The verb's name in messages.
  public var name: String
  /// The tables whose observers wake: the tables that the verb changes, also by cascading deletes. Empty for a read.
  public var changes: Set<String>
  /// Calls the verb on a filled library.
  public var run: @Sendable (Library, Known) async throws -> Void

  /// Makes a verb that changes these tables.
  public init(name: String, changes: Set<String> = [], run: @escaping @Sendable (Library, Known) async throws -> Void) {
    (self.name, self.changes, self.run) = (name, changes, run)
  }
}
