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
  public var url: URL? { files?.url }
  /// As they were declared when the store was opened, without the kit's own.
  public let schemas: [StoreSchema]
  /// As they were given when the store was opened.
  public let options: StoreOptions
  /// Decided when the store was opened; it does not change.
  public let access: Access
  /// What stopped a migration, when the store is open read-only because of it: its recovery options name ways out.
  public let openingError: StoreError?
  /// What opening found beside the file and set right; empty as a rule. See `StoreNotice`.
  public let notices: [StoreNotice]
  /// The logger given in `options`.
  public var logger: Logger { options.logger }

  /// Nil in memory.
  package let files: StoreFiles?
  let writer: DatabaseQueue
  /// Nil where the writer's connection also reads: in memory, and where one connection was asked for.
  let readers: ReaderPool?
  let connections: ConnectionTable
  let commitWork: CommitWork
  let watches: WatchList
  /// The store that this one is a view of, whose connections it uses.
  private let original: Store?
  /// Removed with the store: of a temporary store, or the private copy that a store is read from.
  private let ownedFolder: WorkingFolder?
  /// Of a store that is read without a lock: how its files were when it was opened.
  let unlocked: StoreFiles.State?

  init(
    writer: DatabaseQueue, readers: ReaderPool? = nil, files: StoreFiles?, schemas: [StoreSchema], options: StoreOptions, access: Access,
    ownedFolder: WorkingFolder? = nil, openingError: StoreError? = nil, notices: [StoreNotice] = [],
    unlocked: StoreFiles.State? = nil
  ) {
    original = nil
    connections = ConnectionTable()
    watches = WatchList()
    commitWork = CommitWork()
    commitWork.addAfter(watches.countCommit)
    self.openingError = openingError
    self.notices = notices
    self.writer = writer
    self.readers = readers
    self.files = files
    self.schemas = schemas
    self.options = options
    self.access = access
    self.ownedFolder = ownedFolder
    self.unlocked = unlocked
  }

  /// The same data, refused to writers.
  private init(_ original: Store, readOnlyBecause reason: String) {
    self.original = original
    connections = original.connections
    watches = original.watches
    commitWork = original.commitWork
    openingError = original.openingError
    notices = original.notices
    writer = original.writer
    readers = original.readers
    files = original.files
    schemas = original.schemas
    options = original.options
    access = .readOnly(reason: reason)
    ownedFolder = original.ownedFolder
    unlocked = original.unlocked
  }

  deinit {
    guard original == nil else { return }
    // A read or write that was just cancelled may not have ended. Connections go after their statements.
    writer.asyncWriteWithoutTransaction { [connections, readers, access] db in
      readers?.drain()
      connections.finalize()
      try? readers?.closeIdle()
      connections.end(db, checkpoints: access == .readWrite)
    }
  }

  /// Ends all reading and writing, and leaves one self-contained file: its `-wal` and `-shm` are gone unless another
  /// process uses them. Later calls throw `.closed`. Closing twice is fine.
  public func close() throws { try close(checkpoints: access == .readWrite) }

  /// - Parameter checkpoints: false leaves the log as it is.
  func close(checkpoints: Bool) throws {
    try OpenDoor.check(self)
    // First: whoever is inside a door finishes, and nobody prepares a statement that would keep a connection open.
    let isFirst = connections.isClosed.raise()
    do {
      // Readers first: a connection that once read keeps the -wal file alive.
      readers?.drain()
      try writer.writeWithoutTransaction { db in
        connections.finalize()
        try readers?.closeIdle()
        connections.end(db, checkpoints: checkpoints)
      }
      try writer.close()
    } catch  where !isFirst {
      // The call that closed it has told.
    } catch {
      throw StoreError(error, path: path)
    }
  }

  /// The same data, refused to writers.
  package func readOnly(because reason: String) -> Store { Store(self, readOnlyBecause: reason) }

  /// Adds work to every commit of this store: what it throws rolls the transaction back.
  package func beforeCommit(_ work: @escaping @Sendable (Writer) throws -> Void) { commitWork.addBefore(work) }

  package var path: String { url?.path ?? "in memory" }

  func failure(_ error: any Error) -> StoreError {
    let failure = StoreError(error, path: url?.path)
    // What was queued when the store was closed meets a connection that is going or gone.
    if connections.isClosed.isRaised, [.misuse, .busy, .rolledBack].contains(failure.code) {
      return StoreError(.closed, "\(path) is closed", cause: error)
    }
    return failure
  }
}
