public import Foundation
internal import GRDB
public import Logging

/// One open database file with its schemas. It keeps data, and changes them atomically.
///
/// Open a store with `open(at:schemas:)`, `inMemory(schemas:)` or `temporary(schemas:)`. Any thread and task may use it. Readers never wait
/// for the writer; writers wait for each other. Opening never deletes, resets or converts a file that is not a store.
public final class Store: Sendable {
  /// Whether the store may be written to.
  public enum Access: Sendable, Equatable {
    case readWrite
    /// Write verbs throw `.readOnly`. The reason is written for people.
    case readOnly(reason: String)
  }

  /// The real path of the file; nil in memory.
  public var url: URL? { files?.url }
  /// The schemas that were declared at opening, without the kit's own.
  public let schemas: [StoreSchema]
  /// The options that were given at opening.
  public let options: StoreOptions
  /// Whether the store may be written to. Decided at opening; it does not change.
  public let access: Access
  /// The error of a failed migration, when the store is open read-only because of it. Its recovery options say what can be done.
  public let openingError: StoreError?
  /// The problems that opening found beside the file and repaired; usually empty. See `StoreNotice`.
  public let notices: [StoreNotice]
  /// The logger given in `options`.
  public var logger: Logger { options.logger }

  /// Nil in memory.
  package let files: StoreFiles?
  let writer: WriterQueue
  /// Nil where the writer's connection also reads: in memory, read-only, and when the options ask for one connection.
  let readers: ReaderPool?
  let connections: ConnectionTable
  /// Nil where commits do not wait for the disk: with `.fast`, in memory and read-only.
  let logFlush: LogFlush?
  let commitWork: CommitWork
  let watches: WatchList
  let retries: Retries
  /// Nil when the options switch metrics off.
  let recorder: MetricsRecorder?
  /// Nil when the options switch metrics off, in memory, and read-only.
  let dayNotes: DayNotes?
  /// Whether a schema declares an audit.
  let isAudited: Bool
  /// Nil where no archive is written.
  let archiver: Archiver?
  /// Nil when the options schedule no snapshots, in memory, and read-only.
  let schedule: SnapshotSchedule?
  /// Nil in memory, and for a store that is not open for writing.
  let damageWatch: DamageWatch?
  /// Nil when nothing is removed by itself. It knows the store, and is set at the end of `init`.
  nonisolated(unsafe) private(set) var retentionSchedule: RetentionSchedule?
  /// The store of which this one is a read-only view. They share their connections.
  private let original: Store?
  /// A folder that is removed with the store: of a temporary store, or of the private copy that a store is read from.
  private let ownedFolder: WorkingFolder?
  /// The state of the files at opening, for a store that is read without a lock.
  let unlocked: StoreFiles.State?

  init(
    writer: DatabaseQueue, readers: ReaderPool? = nil, files: StoreFiles?, schemas: [StoreSchema], options: StoreOptions, access: Access,
    ownedFolder: WorkingFolder? = nil, openingError: StoreError? = nil, notices: [StoreNotice] = [],
    unlocked: StoreFiles.State? = nil, retries: Retries? = nil, archiver: Archiver? = nil,
    isNew: Bool = false
  ) {
    original = nil
    self.archiver = archiver
    self.retries = retries ?? Retries(options)
    let recorder = options.metrics ? MetricsRecorder(now: options.now) : nil
    self.recorder = recorder
    dayNotes = access == .readWrite ? files.flatMap { DayNotes($0, options, recorder, isNew: isNew) } : nil
    connections = ConnectionTable(recorder, slowStatementThreshold: options.slowStatementThreshold)
    readers?.recorder = recorder
    logFlush = options.durability == .durable && access == .readWrite ? files.map { LogFlush($0.log, options.flushLog) } : nil
    watches = WatchList()
    commitWork = CommitWork()
    commitWork.addAfter(watches.countCommit)
    schedule =
      access == .readWrite && !options.opensOneConnection ? files.flatMap { SnapshotSchedule($0, schemas, options, archiver) } : nil
    if let schedule { commitWork.addAfter(schedule.committed) }
    damageWatch = access == .readWrite && !options.opensOneConnection ? files.map { DamageWatch($0, options) } : nil
    if let damageWatch { commitWork.addAfter(damageWatch.committed) }
    self.openingError = openingError
    self.notices = notices
    self.writer = WriterQueue(writer)
    self.readers = readers
    self.files = files
    self.schemas = schemas
    isAudited = schemas.contains { schema in schema.declarations.contains { $0.audited != nil } }
    self.options = options
    self.access = access
    self.ownedFolder = ownedFolder
    self.unlocked = unlocked
    damageWatch?.store = self
    schedule?.lookForDamage = { [weak self] in if let self { damageWatch?.lookAtPages(of: self) } }
    let isLimited = options.retention.audit != RetentionLimits() || schemas.contains { !$0.retention.isEmpty }
    if access == .readWrite, files != nil, !options.opensOneConnection, options.retention.isAutomatic, isLimited {
      let schedule = RetentionSchedule(self)
      retentionSchedule = schedule
      commitWork.addAfter(schedule.committed)
    }
  }

  /// A view of the same data that refuses to write.
  private init(_ original: Store, readOnlyBecause reason: String) {
    self.original = original
    connections = original.connections
    logFlush = nil
    watches = original.watches
    commitWork = original.commitWork
    retries = original.retries
    recorder = original.recorder
    dayNotes = original.dayNotes
    archiver = original.archiver
    schedule = original.schedule
    damageWatch = original.damageWatch
    retentionSchedule = original.retentionSchedule
    openingError = original.openingError
    notices = original.notices
    writer = original.writer
    readers = original.readers
    files = original.files
    schemas = original.schemas
    isAudited = original.isAudited
    options = original.options
    access = .readOnly(reason: reason)
    ownedFolder = original.ownedFolder
    unlocked = original.unlocked
  }

  deinit {
    guard original == nil else { return }
    // A read or write that was just cancelled may still be running. A connection closes only after its statements.
    writer.runLater { [connections, readers, access, archiver, schedule, damageWatch] db in
      schedule?.end()
      damageWatch?.end()
      readers?.drain()
      connections.finalize()
      try? readers?.closeIdle()
      connections.end(db, archiver, checkpoints: access == .readWrite)
    }
  }

  /// Ends all reads and writes, and leaves one self-contained file: its `-wal` and `-shm` are gone unless another process uses them, or its
  /// archive could not take commits that are in the log. Later calls throw `.closed`. Closing twice has no effect. A scheduled snapshot
  /// under way ends after its step, without a result.
  public func close() throws { try close(checkpoints: access == .readWrite) }

  /// - Parameter checkpoints: false leaves the log unchanged.
  package func close(checkpoints: Bool) throws {
    try OpenDoor.check(self)
    // First: calls under way finish, and no new call prepares a statement that would keep a connection open.
    let isFirst = connections.isClosed.raise()
    schedule?.end()
    damageWatch?.end()
    do {
      // Readers first: a connection that has read keeps the -wal file.
      readers?.drain()
      try writer.run { db in
        logFlush?.end()
        connections.finalize()
        try readers?.closeIdle()
        connections.end(db, archiver, checkpoints: checkpoints)
      }
      if isFirst, let problem = archiver?.problem { options.onArchiveProblem(path, problem) }
      try writer.close()
    } catch  where !isFirst {
      // The first call that closes the store reports the error.
    } catch {
      throw StoreError(error, path: path)
    }
  }

  /// A view of the same data that refuses to write.
  package func readOnly(because reason: String) -> Store { Store(self, readOnlyBecause: reason) }

  /// Adds work to every commit of this store. An error of `work` rolls the transaction back.
  package func beforeCommit(_ work: @escaping @Sendable (Writer) throws -> Void) { commitWork.addBefore(work) }

  /// Runs `work` after every commit of this store, as long as the store lives. `work` must be short, and must not use the store.
  package func afterCommit(_ work: @escaping @Sendable () -> Void) { commitWork.addAfter(work) }

  package var path: String { url?.path ?? "in memory" }

  func failure(_ error: any Error) -> StoreError {
    let failure = StoreError(error, path: url?.path)
    // A call that was queued when the store was closed finds its connection closing or closed.
    if connections.isClosed.isRaised, [.misuse, .busy, .rolledBack].contains(failure.code) {
      return StoreError(.closed, "\(path) is closed", cause: error)
    }
    return failure
  }

  /// Runs `body`; its errors become this store's.
  func telling<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch { throw failure(error) }
  }
}
