public import Foundation
internal import GRDB
public import Logging

/// One open database file with its schemas: where data live, and how they change, atomically.
///
/// A store is opened with `open(at:schemas:)`, `inMemory(schemas:)` or `temporary(schemas:)` and may be used from any
/// thread and task. Readers never wait for the writer; writers wait for each other.
/// Opening never deletes, resets or converts a file that is not its own.
public final class Store: Sendable {
  /// What the store allows, and why not more.
  public enum Access: Sendable, Equatable {
    case readWrite
    /// Write verbs throw `.readOnly`. The reason can be shown to a person.
    case readOnly(reason: String)
  }

  /// The file; nil in memory.
  public let url: URL?
  /// As they were declared when the store was opened, without the kit's own.
  public let schemas: [StoreSchema]
  /// As they were given when the store was opened.
  public let options: StoreOptions
  /// Decided when the store was opened; it does not change.
  public let access: Access
  /// The migration that failed, when the store is open read-only because of it: its recovery options name ways out.
  public let openingError: StoreError?
  /// That of the options.
  public var logger: Logger { options.logger }

  let writer: DatabaseQueue
  /// Nil where the writer's connection also reads: in memory, and where one connection was asked for.
  let readers: ReaderPool?
  let connections: ConnectionTable
  let commitHook = CommitHook()
  /// The store that this one is a view of, whose connections it uses.
  private let original: Store?
  /// For temporary stores.
  private let ownedFolder: OwnedFolder?

  init(
    writer: DatabaseQueue, readers: ReaderPool? = nil, url: URL?, schemas: [StoreSchema], options: StoreOptions, access: Access,
    ownedFolder: OwnedFolder? = nil,
    connections: ConnectionTable = ConnectionTable(), openingError: StoreError? = nil, original: Store? = nil
  ) {
    self.original = original
    self.openingError = openingError
    self.writer = writer
    self.readers = readers
    self.connections = connections
    self.url = url
    self.schemas = schemas
    self.options = options
    self.access = access
    self.ownedFolder = ownedFolder
  }

  deinit {
    guard original == nil else { return }
    // A read or write that was just cancelled may not have ended. Connections go after their statements.
    writer.asyncWriteWithoutTransaction { [connections, readers] _ in
      readers?.drain()
      connections.finalize()
    }
  }

  /// Ends all reading and writing, and leaves one self-contained file: its `-wal` and `-shm` are gone unless another
  /// process uses them. Later calls throw `.closed`. Closing twice is fine.
  public func close() throws {
    try OpenDoor.check(self)
    // First: whoever is inside a door finishes, and nobody prepares a statement that would keep a connection open.
    connections.isClosed.raise()
    do {
      // Readers first: a connection that once read keeps the -wal file alive.
      readers?.drain()
      writer.writeWithoutTransaction { _ in connections.finalize() }
      try readers?.closeIdle()
      try writer.close()
    } catch {
      let failure = StoreError(error)
      if failure.code != .misuse || !isClosedMessage(failure) { throw failure }
    }
  }

  private func isClosedMessage(_ error: StoreError) -> Bool { error.message.lowercased().contains("closed") }

  /// The same data, refused to writers.
  package func readOnly(because reason: String) -> Store {
    Store(
      writer: writer, readers: readers, url: url, schemas: schemas, options: options, access: .readOnly(reason: reason),
      ownedFolder: ownedFolder, connections: connections, openingError: openingError, original: self)
  }

  /// Adds work to every commit of this store: what it throws rolls the transaction back.
  package func beforeCommit(_ work: @escaping @Sendable (Writer) throws -> Void) { commitHook.set(work) }

  package var path: String { url?.path ?? "in memory" }

  func failure(_ error: any Error) -> StoreError {
    let failure = StoreError(error, path: url?.path)
    // What was queued when the store was closed meets a connection that is going or gone.
    let isLate = connections.isClosed.isRaised && (failure.code == .misuse || failure.code == .busy)
    if error is DatabaseError, isLate || (failure.code == .misuse && isClosedMessage(failure)) {
      return StoreError(.closed, "\(path) is closed", cause: error)
    }
    return failure
  }
}

/// Removes the folder of a temporary store when the last store that uses it goes away.
final class OwnedFolder: Sendable {
  private let url: URL

  init(_ url: URL) { self.url = url }

  deinit { try? FileManager.default.removeItem(at: url) }
}

/// The kit's state for each SQLite connection of a store.
final class ConnectionTable: @unchecked Sendable {
  // Guarded by `lock`; each `Connection` is used only on its own connection's queue.
  private var connections: [ObjectIdentifier: Connection] = [:]
  private let lock = NSLock()
  let isClosed = Flag()

  func connection(of db: Database) throws -> Connection {
    lock.lock()
    defer { lock.unlock() }
    let key = ObjectIdentifier(db)
    guard !isClosed.isRaised, let handle = db.sqliteConnection else { throw StoreError(.closed, "the store is closed") }
    // An object that took the place of a freed one has the same identifier.
    if let connection = connections[key], connection.handle == handle { return connection }
    let connection = Connection(handle)
    connections[key] = connection
    return connection
  }

  func finalize() {
    lock.lock()
    defer { lock.unlock() }
    for connection in connections.values { connection.finalize() }
    connections.removeAll()
  }
}

/// Work that belongs to every commit of a store: what it throws rolls the transaction back.
final class CommitHook: @unchecked Sendable {
  private var work: (@Sendable (Writer) throws -> Void)?
  private let lock = NSLock()

  func set(_ work: @escaping @Sendable (Writer) throws -> Void) {
    lock.lock()
    defer { lock.unlock() }
    self.work = work
  }

  func run(_ transaction: Writer) throws {
    lock.lock()
    let work = work
    lock.unlock()
    try work?(transaction)
  }
}
