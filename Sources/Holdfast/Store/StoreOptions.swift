public import Foundation
public import Logging

/// Options for opening a store. Start from a preset and change what differs.
public struct StoreOptions: Sendable {
  /// How much a commit survives power loss. After a crash of the process both keep every commit.
  public enum Durability: String, Sendable {
    /// `synchronous=NORMAL`: power loss may undo the last commits, but never damages the file.
    case fast
    /// A commit that returned is on the disk. Costs one disk flush; writers that wait at the same time share one. Reads and observers may
    /// see a commit shortly before it is on the disk.
    case durable
  }

  /// What opening does with migrations that have not run yet.
  public enum Migrating: Sendable {
    /// Take a verified snapshot, run all migrations in one transaction, and verify the result.
    case automatically
    /// Leave the file unchanged and open it read-only; see `Store.plan(at:schemas:)`.
    case never
  }

  /// How much a commit survives power loss. Default `.fast`.
  public var durability: Durability = .fast
  /// How long an operation waits for another connection's lock. Default 5 seconds. Zero fails at once, sometimes also because a reader of
  /// this process holds a lock for a moment.
  public var busyTimeout: Duration = .seconds(5)
  /// Connections that read at the same time. Default 4; values below 1 count as 1.
  public var readerCount = 4
  /// Whether a missing file is made. Default true. False: a missing file is `.notFound`.
  public var createsIfMissing = true
  /// Whether the store is opened read-only. Default false. True: nothing in the file changes, and write verbs throw `.readOnly`.
  public var opensReadOnly = false
  /// What opening does with migrations that have not run yet. Default `.automatically`.
  public var migrating: Migrating = .automatically
  /// Whether a store whose migration failed opens read-only, so that people still see their data. Default true; `Store.openingError` then has
  /// the error, and so has every write. False, as in `development`: opening throws it.
  public var opensUnmigrated = true
  /// The key of an encrypted store. A new store is encrypted with it, and so are its snapshots and what is set aside. The SQLite in use must
  /// be able to encrypt; otherwise opening throws `.encryptionUnavailable` before it touches the path. Default nil: not encrypted. See
  /// `Documentation/Encryption.md`.
  public var key: StoreKey?
  /// Whether every commit is kept, for going back to any moment. Default: where an archive was begun, it goes on.
  public var archive = ArchiveOptions()
  /// Logs one line for each opening, lock wait, retry, migration, import and damage, without values. Default: silent.
  public var logger = Logger(label: "holdfast", factory: { _ in SwiftLogNoOpLogHandler() })
  /// Receives every SQL text before it runs, without the values bound to it. For development and tests. Default nil.
  public var trace: (@Sendable (String) -> Void)?
  /// Whether the store counts what it does, and keeps figures by day; see `Store.metrics()` and `Store.keptMetrics()`. Default true: about
  /// 0.1 microseconds for each call of `read` or `write`, and 4 KB of memory for each verb. False: nothing is counted or kept.
  public var metrics = true
  /// Statements that take this long or longer are told by `Store.metrics()`, with their plans. Default 20 milliseconds. Zero: every
  /// statement, for development. Nil: none, and none is timed; nor without `metrics`.
  ///
  /// From 20 milliseconds on, times are measured in ticks of the system, 4 milliseconds on most, and may be wrong by one: that costs each
  /// statement about 0.02 microseconds. A smaller threshold is measured exactly, for about 0.05 microseconds. A statement that is slow for
  /// the first time costs about a millisecond more, after its transaction: its plan is read then.
  public var slowStatementThreshold: Duration? = .milliseconds(20)
  /// The clock. Default: the system's. Tests pass a fixed one.
  public var now: @Sendable () -> Date = { Date() }
  /// The source of new ids. Default: UUID version 7.
  public var newID: NewID = .v7
  /// Called before each migration and at the end, with the number of finished ones, on the opening thread. Default nil.
  public var onMigration: (@Sendable (_ done: Int, _ total: Int) -> Void)?
  /// The snapshots that the store takes by itself, their folder and their rotation. Default: before migrations, imports and restores; the
  /// newest five stay.
  public var snapshots = SnapshotOptions()
  /// How much is kept of the tables for which a schema declares it, and of the audit. Default: as the schemas declare, and the whole audit.
  public var retention = RetentionOptions()
  /// Looks for damage when the store is idle and the last clean look, in any process, is older than this, and after a crash: compares the
  /// pages with the archive, if this store writes one, and runs SQLite's quick check, on a thread of its own. See `Store.damage`. Default:
  /// a day. Zero: after each pause of two seconds. Nil: never by itself. The first look of a store comes when no commit follows another for
  /// two seconds, or when the store is open for a minute.
  public var looksForDamageEvery: Duration? = .seconds(86_400)
  /// The app's version, recorded with each migration that it runs. Default nil.
  public var appVersion: String?

  // Platform: the system suspends apps.
  #if os(iOS)
    /// Releases all locks while the app is suspended: the system ends an app that holds a lock in a shared container (0xdead10cc). The app
    /// posts GRDB's `Database.suspendNotification` and `resumeNotification`; in between, operations throw `.busy`. Default false. Not run
    /// on the platforms where Holdfast is tested.
    public var releasesLocksWhenSuspended = false
    /// The protection class of new files. Default: readable after the first unlock, so that work in the background goes on.
    public var fileProtection: FileProtectionType = .completeUntilFirstUserAuthentication
  #endif

  /// Called while waiting for a lock: true ends the wait as if the time were over.
  package var stopsWaiting: @Sendable () -> Bool = { false }
  /// Called by `close` with the store's path and the problem, when the archive could not be written. The store itself is closed properly.
  /// Default: does nothing, as an app asks `Store.archiveStatus()`.
  package var onArchiveProblem: @Sendable (_ store: String, _ problem: StoreError) -> Void = { _, _ in }
  /// Flushes the log behind a descriptor. Returns 0, or the system's error number. Tests count and fail flushes.
  package var flushLog: @Sendable (Int32) -> Int32 = { DurableFile.flushContent($0) }
  /// Opens one connection, on which reads wait for writes. For work on a file that no other code of this process uses.
  package var opensOneConnection = false

  /// The same defaults as `production`.
  public init() {}

  /// These options for a working copy of a store: it has no snapshots and no archive, and must not use the store's.
  package var forCopy: StoreOptions {
    var options = self
    options.snapshots = SnapshotOptions()
    options.archive.mode = .off
    options.retention.isAutomatic = false
    options.looksForDamageEvery = nil
    return options
  }

  /// For people's data: waits up to five seconds for locks, and takes a snapshot before it migrates.
  public static let production = StoreOptions()

  /// For tests: waits up to half a second for a lock. Not less, because a reader of this process may hold a lock for a moment.
  public static var testing: StoreOptions {
    var options = StoreOptions()
    options.busyTimeout = .milliseconds(500)
    options.readerCount = 2
    options.retention.isAutomatic = false
    options.looksForDamageEvery = nil
    return options
  }

  /// For development: every commit is durable, every statement is logged at the debug level, and a migration that fails makes opening throw.
  public static var development: StoreOptions {
    var options = StoreOptions()
    options.durability = .durable
    options.opensUnmigrated = false
    options.logger = Logger(label: "holdfast")
    options.logger.logLevel = .debug
    options.trace = { [logger = options.logger] sql in logger.debug("\(sql)") }
    return options
  }
}
