public import Holdfast

/// A library in a store of its own, with a clock that only the test moves and a log of every statement.
///
/// ```swift
/// let world = try LibraryWorld(ReadingList.schema) { ReadingList($0) }
/// try world.library.save(book)
/// #expect(try world.isHealthy())
/// ```
public struct LibraryWorld<Library: Sendable>: Sendable {
  /// What is tested.
  public var library: Library
  /// Its store. A file is removed when the store goes away.
  public let store: Store
  /// Begins at 2026-01-01T00:00:00Z.
  public let clock: TestClock
  /// What the library ran.
  public let statements: TracedStatements

  /// A store with `schema`, in a folder of its own or in memory.
  public init(_ schema: StoreSchema, inMemory: Bool = false, library: (Store) -> Library) throws {
    let (clock, statements) = (TestClock(), TracedStatements())
    var options = StoreOptions.testing
    // A reader that meets a half-written log header takes the write lock for a moment, so even one store alone may have to wait.
    options.busyTimeout = .seconds(5)
    options.now = { clock.now }
    options.trace = { statements.append($0) }
    store = try inMemory ? Store.inMemory(schemas: [schema], options: options) : Store.temporary(schemas: [schema], options: options)
    self.library = library(store)
    (self.clock, self.statements) = (clock, statements)
  }

  /// Whether the integrity check finds nothing.
  public func isHealthy() throws -> Bool { try store.integrityCheck().isHealthy }
}

/// One verb of a library, for the checks that must leave none out.
public struct LibraryVerb<Library, Known>: Sendable {
  /// Names it in what a check says.
  public var name: String
  /// The tables whose observers it wakes: those that it changes, and those to which a delete cascades; none for a read.
  public var changes: Set<String>
  /// Calls it, on a library that was filled.
  public var run: @Sendable (Library, Known) throws -> Void

  /// A verb that changes these tables.
  public init(name: String, changes: Set<String> = [], run: @escaping @Sendable (Library, Known) throws -> Void) {
    (self.name, self.changes, self.run) = (name, changes, run)
  }
}
