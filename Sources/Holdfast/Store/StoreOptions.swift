public import Foundation
public import Logging

/// How a store is opened. Start from a preset and change what differs.
public struct StoreOptions: Sendable {
  /// What a commit promises after power loss. After a crash of the process both keep every commit.
  public enum Durability: String, Sendable {
    /// `synchronous=NORMAL`: the last commits may be missing after power loss; the file is never damaged by it.
    case fast
    /// `synchronous=FULL`: a commit that returned is on the disk. Costs one disk flush a commit.
    case durable
  }

  /// What opening does about migrations that have not run yet.
  public enum Migrating: Sendable {
    /// Take a verified snapshot, run them in one transaction, verify.
    case automatically
    /// Leave the file as it is and open read-only; see `Store.plan(at:schemas:)`.
    case never
  }

  /// Default `.fast`.
  public var durability: Durability = .fast
  /// How long an operation waits for another connection's lock. Default 5 seconds. Zero fails at once, now and then also on a
  /// lock that a reader of this process holds for a moment.
  public var busyTimeout: Duration = .seconds(5)
  /// Connections that read at the same time. Default 4; values below 1 count as 1.
  public var readerCount = 4
  /// Default true. False: a missing file is `.notFound`.
  public var createsIfMissing = true
  /// Default false. True: nothing in the file is changed and write verbs throw `.readOnly`.
  public var opensReadOnly = false
  /// Default `.automatically`.
  public var migrating: Migrating = .automatically
  /// Room for the key of an encrypted file. The SQLite in use must be able to encrypt, otherwise opening throws
  /// `.encryptionUnavailable` before the path is touched. Default nil: not encrypted.
  public var key: Data?
  /// One line each for opening, lock waits, migrations, imports and damage, without values. Default: silent.
  public var logger = Logger(label: "holdfast", factory: { _ in SwiftLogNoOpLogHandler() })
  /// Receives every SQL text before it runs, without the values bound to it. For development and tests. Default nil.
  public var trace: (@Sendable (String) -> Void)?
  /// The clock. Tests pass a fixed one.
  public var now: @Sendable () -> Date = { Date() }
  /// Where new ids come from. Default: UUID version 7.
  public var newID: NewID = .v7
  /// Is told before each migration how many are done, and at the end; on the thread that opens. For a screen that waits. Default nil.
  public var onMigration: (@Sendable (_ done: Int, _ total: Int) -> Void)?
  /// The app's version, written beside each migration that it runs. Default nil.
  public var appVersion: String?

  #if os(iOS)
    /// Gives up all locks while the app is suspended: the system ends an app that holds one in a shared container (0xdead10cc). The app
    /// posts GRDB's `Database.suspendNotification` and `resumeNotification`; in between, operations throw `.busy`. Default false. Not run
    /// on the platforms where Holdfast is tested.
    public var releasesLocksWhenSuspended = false
    /// The protection class of the files that are made. Default: readable after the first unlock, so that work in the background goes on.
    public var fileProtection: FileProtectionType = .completeUntilFirstUserAuthentication
  #endif

  /// Asked while a lock is waited for: true gives up at once, as when the time were over.
  package var stopsWaiting: @Sendable () -> Bool = { false }
  /// For one piece of work on a file that nobody else of this process uses: readers wait for the writer.
  package var opensOneConnection = false

  /// The defaults: those of `production`.
  public init() {}

  /// For people's data: waits five seconds for locks, migrates with a snapshot.
  public static let production = StoreOptions()

  /// For tests: waits half a second for a lock. Not less: a reader of this process may hold it for moments.
  public static var testing: StoreOptions {
    var options = StoreOptions()
    options.busyTimeout = .milliseconds(500)
    options.readerCount = 2
    return options
  }

  /// For development: every commit is durable and every statement is logged at the debug level.
  public static var development: StoreOptions {
    var options = StoreOptions()
    options.durability = .durable
    var logger = Logger(label: "holdfast")
    logger.logLevel = .debug
    options.logger = logger
    let traceLogger = logger
    options.trace = { traceLogger.debug("\($0)") }
    return options
  }
}
