internal import CHoldfast
import Foundation
internal import GRDB
internal import GRDBSQLite

/// Makes every connection of the kit, each for one purpose, with its key, lock wait, settings and limits.
///
/// No connection checkpoints by itself, neither after commits nor at closing. Only `CheckpointDoor` checkpoints.
package struct ConnectionFactory {
  let path: String
  let options: StoreOptions

  init(_ files: StoreFiles, _ options: StoreOptions) { self.init(files.path, options) }

  init(_ path: String, _ options: StoreOptions) {
    self.path = path
    self.options = options
  }

  // MARK: Connections of an open store

  /// The connection that writes. In WAL mode when `keepsLog` is true.
  func writer(keepsLog: Bool = true) throws -> DatabaseQueue {
    let queue = try opened()
    guard keepsLog else { return queue }
    try queue.writeWithoutTransaction { db in try db.telling(of: path, beginLog) }
    return queue
  }

  /// Does not create the file, except with a SQLite build that knows no URIs. GRDB opens with `SQLITE_OPEN_CREATE`, and during a
  /// replacement no file may be created under the store's name.
  private func opened(tidies: Bool = false) throws -> DatabaseQueue {
    try Self.checkLength(path)
    do {
      // Some builds of SQLite know no URIs.
      let name = sqlite3_compileoption_used("USE_URI") != 0 ? Self.uri(path, "mode=rw") : path
      return try DatabaseQueue(path: name, configuration: configuration(readOnly: false, tidies: tidies))
    } catch  where !DurableFile.stands(path) {
      throw Self.replaced(path, error)
    }
  }

  static func replaced(_ path: String, _ error: (any Error)? = nil) -> StoreError {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    guard DurableFile.isFolder(folder) else { return StoreError(.notFound, "\(path) is gone, and its folder with it", cause: error) }
    return StoreError(
      .busy, "\(path) was replaced or moved away while it was opened", suggestion: "Open it again.", recoveryOptions: [.retry],
      cause: error)
  }

  private func beginLog(_ db: Database) throws {
    try checkWritable(db)
    // Before SQLite makes a log with this name.
    try checkPlace(db)
    let mode = try switchToWAL(db)
    guard mode == "wal" else { throw StoreError(.inputOutput, "\(path) cannot keep a log: SQLite answers \(mode ?? "nothing")") }
    try setFlushing(false, db)
    // The log and its index exist after this first look. Readers may not make them.
    try look(db)
    try checkPlace(db)
  }

  private func look(_ db: Database) throws { _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") }

  /// Call after the first look. That look takes the lock that a connection in WAL mode keeps, so the file cannot be replaced afterwards.
  ///
  /// - Throws: `.busy` where the path leads to another file: commits would go to the file that was replaced. `.notFound` where the folder
  ///   is gone.
  private func checkPlace(_ db: Database) throws {
    guard let handle = db.sqliteConnection, Self.hasMoved(handle) else { return }
    throw Self.replaced(path)
  }

  /// Whether the path of a connection now leads to no file, or to another file than the open one. False for a database in memory.
  static func hasMoved(_ handle: OpaquePointer) -> Bool {
    var hasMoved: Int32 = 0
    return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK && hasMoved != 0
  }

  /// SQLite opens a file read-only, without an error, when it cannot open it for writing. Every write would fail later.
  ///
  /// - Throws: `.damaged` where the file's header lets SQLite only read it; `.inputOutput` where opening it for writing failed.
  private func checkWritable(_ db: Database) throws {
    try look(db)
    guard let handle = db.sqliteConnection, sqlite3_db_readonly(handle, "main") == 1, DurableFile.mayWrite(path) else { return }
    // Byte 18 is the version of the format for writing. SQLite knows versions up to 2: https://sqlite.org/fileformat2.html A key leaves it
    // readable.
    var version: UInt8 = 0
    if holdfast_read(handle, &version, 1, 18) == SQLITE_OK, version > 2 {
      throw StoreError(.damaged, "\(path): its header says that it may only be read")
    }
    throw StoreError(.inputOutput, "\(path) could not be opened for writing", suggestion: "Open it again.", recoveryOptions: [.retry])
  }

  /// When two connections switch to WAL at once, SQLite refuses one of them without calling its busy handler.
  private func switchToWAL(_ db: Database) throws -> String? {
    let wait = LockWait(options)
    // When SQLite does call the busy handler, one attempt may take the whole timeout.
    let end = ContinuousClock.now + .milliseconds(wait.timeoutMilliseconds)
    var attempt = 0
    while true {
      do {
        // SQLite answers "wal" before it commits the change: only the step after the answer tells whether that failed.
        return try String.fetchAll(db, sql: "PRAGMA journal_mode = WAL").first
      } catch let error as DatabaseError
        where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < end && wait.goesOn(attempt: attempt)
      {
        attempt += 1
      }
    }
  }

  /// A connection that reads beside the writer. Only these connections of a store may be opened by a URI.
  ///
  /// - Parameter name: the name or URI given to SQLite. Nil: the path.
  func reader(_ name: String? = nil) throws -> DatabaseQueue {
    try Self.checkLength(path)
    return try DatabaseQueue(path: name ?? path, configuration: configuration(readOnly: true))
  }

  /// The only connection of a store that is opened read-only, by its path.
  ///
  /// - Parameter tidies: opens for writing, but never writes, so that SQLite deletes its index at closing. For a file without a log.
  func onlyReader(tidies: Bool) throws -> DatabaseQueue {
    try looked(tidies ? opened(tidies: true) : reader(), look)
  }

  /// A connection for an integrity check. Opens for writing where possible: SQLite checks less on a read-only one. Changes nothing.
  ///
  /// - Parameter tidies: as for `onlyReader`.
  func checker(tidies: Bool) throws -> DatabaseQueue {
    DurableFile.mayWrite(path) ? try looked(opened(tidies: tidies), checkWritable) : try looked(reader(), look)
  }

  private func looked(_ queue: DatabaseQueue, _ look: (Database) throws -> Void) throws -> DatabaseQueue {
    try queue.writeWithoutTransaction { db in
      try db.telling(of: path) { db in
        try look(db)
        try checkPlace(db)
      }
    }
    return queue
  }

  /// SQLite cannot encrypt a database in memory, and need not.
  func memory(foreignKeys: Bool = true) throws -> DatabaseQueue {
    var options = options
    options.key = nil
    var configuration = ConnectionFactory(path, options).configuration(readOnly: false)
    configuration.foreignKeysEnabled = foreignKeys
    return try DatabaseQueue(configuration: configuration)
  }

  // MARK: Connections to a file that may not be open

  /// How many steps of SQLite a look may take: far more than the bookkeeping of any store needs, and about a second on a slow machine.
  static let looksAtMost = 10_000_000

  /// Reads only, and stops a query that does not end.
  ///
  /// - Parameter ignoringLog: reads the file without its log. Only safe while no connection writes to the file.
  func look(ignoringLog: Bool) throws -> RawConnection {
    let connection = try raw(
      ignoringLog ? Self.immutable(path) : path, flags: SQLITE_OPEN_READONLY | (ignoringLog ? SQLITE_OPEN_URI : 0))
    sqlite3_progress_handler(connection.handle, Int32(Self.looksAtMost), { _ in 1 }, nil)
    return connection
  }

  /// The source of a copy: one read transaction sees one state. `name`: the URI given to SQLite. Nil: the path.
  func copySource(_ name: String? = nil) throws -> RawConnection {
    try raw(name ?? path, flags: SQLITE_OPEN_READONLY | (name == nil ? 0 : SQLITE_OPEN_URI))
  }

  /// Reads beside other connections and checks constraints, too: SQLite leaves them out of its check on a read-only connection.
  ///
  /// - Parameter tidies: SQLite deletes its index at closing, if no other connection is left. For a file without a log.
  func examiner(tidies: Bool = false) throws -> RawConnection {
    let connection = try raw(path, flags: SQLITE_OPEN_READWRITE)
    _ = holdfast_checkpoints_on_close(connection.handle, tidies ? 1 : 0)
    return connection
  }

  /// A file that the kit is making or examining, and that nothing else has open. Foreign keys are off.
  func working() throws -> RawConnection {
    let connection = try raw(path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    try connection.run("PRAGMA foreign_keys = OFF")
    return connection
  }

  /// Reads a file that nothing writes to. Makes no log and no index beside a file that has none.
  ///
  /// - Throws: `.notFound`, and the errors of opening.
  func still() throws -> RawConnection { try raw(Self.still(path), flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI) }

  /// The same, with a second file of that kind and with the same key, which the connection attaches as `other`.
  func still(beside other: String) throws -> RawConnection {
    let connection = try still()
    try connection.attach(Self.still(other), as: "other", options.key)
    return connection
  }

  private static func still(_ path: String) throws -> String {
    guard DurableFile.stands(path) else { throw DurableFile.noFile(path) }
    return StoreFiles(real: URL(fileURLWithPath: path)).hasLog ? uri(path, "mode=ro") : immutable(path)
  }

  // MARK: Connections to any file

  /// For a file's bytes and its lock, and for import sources, which are no stores and have no key.
  package static func plain(_ path: String, writable: Bool = false) throws -> RawConnection {
    try RawConnection(path, path: path, flags: writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY)
  }

  /// An empty database in memory, to find out which features this SQLite has.
  static func probe() throws -> RawConnection {
    try RawConnection(":memory:", path: "in memory", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
  }

  /// - Throws: `.invalidValue` for a path that SQLite cannot open: with eight bytes for the suffix of a journal it may have 512.
  static func checkLength(_ path: String) throws {
    guard path.utf8.count > 504 else { return }
    throw StoreFiles(real: URL(fileURLWithPath: path)).pathIsTooLong
  }

  private func raw(_ name: String, flags: Int32) throws -> RawConnection {
    let connection = try RawConnection(name, path: path, flags: flags)
    sqlite3_busy_timeout(connection.handle, Int32(LockWait(options).timeoutMilliseconds))
    if let key = options.key { try connection.use(key) }
    return connection
  }

  /// A URI that promises SQLite that the file does not change: SQLite takes no lock and reads no log.
  static func immutable(_ path: String) -> String { uri(path, "immutable=1") }

  private static func uri(_ path: String, _ question: String) -> String {
    let allowed = CharacterSet.urlPathAllowed.subtracting(CharacterSet(charactersIn: "?#%"))
    guard let escaped = path.addingPercentEncoding(withAllowedCharacters: allowed) else { return path }
    return "file:\(escaped)?\(question)"
  }

  private func configuration(readOnly: Bool, tidies: Bool = false) -> GRDB.Configuration {
    var configuration = GRDB.Configuration()
    configuration.readonly = readOnly
    configuration.busyMode = .callback(LockWait(options).goesOn)
    configuration.foreignKeysEnabled = true
    // Otherwise GRDB ends the process when ROLLBACK fails, for example for lack of memory. `Connection.settle` rolls back later.
    configuration.allowsUnsafeTransactions = true
    // Platform: GRDB watches the memory of iOS, and each system flushes in its own way.
    #if os(iOS)
      // The kit owns the readers' prepared statements. GRDB must not close them.
      configuration.automaticMemoryManagement = false
      configuration.observesSuspensionNotifications = options.releasesLocksWhenSuspended
    #endif
    configuration.label = "holdfast"
    let (trace, key, path) = (options.trace, options.key, path)
    configuration.prepareDatabase { db in
      guard let handle = db.sqliteConnection else { return }
      if let key { try Encryption.give(key, to: handle, path) }
      _ = holdfast_checkpoints_on_close(handle, tidies ? 1 : 0)
      // `Connection.execute` takes a statement that was compiled anew for one whose schema has changed, and SQLite compiles some anew for a
      // value, too. The price: the writer finds no rows of `LIKE ?` by an index. Readers, which nobody observes, still do.
      if !readOnly { _ = holdfast_plans_ignore_values(handle) }
      sqlite3_wal_autocheckpoint(handle, 0)
      try db.execute(sql: "PRAGMA recursive_triggers = ON")
      // A log that once grew large is cut to 16 MiB.
      if !readOnly { try db.execute(sql: "PRAGMA journal_size_limit = 16777216") }
      if let trace {
        db.trace { event in
          let sql = event.description
          // The kit runs these statements itself, sometimes, after the app's.
          if ![LogLine.markNewLog, StatementPlan.columnsSQL, StatementPlan.schemaSQL].contains(sql) { trace(sql) }
        }
      }
    }
    return configuration
  }

  /// Sets whether SQLite flushes the log at each commit of a writer, and reads the setting back. Call outside a transaction.
  ///
  /// False: SQLite flushes the log before it moves pages into the file, and the file after it has moved all of them. `LogFlush` then flushes
  /// the commits of a durable store.
  func setFlushing(_ eachCommit: Bool, _ db: Database) throws {
    try db.execute(sql: "PRAGMA synchronous = \(eachCommit ? "FULL" : "NORMAL")")
    #if canImport(Darwin)
      // A plain fsync on Apple platforms reaches the drive's cache only.
      let isFull = eachCommit || options.durability == .durable ? 1 : 0
      try db.execute(sql: "PRAGMA fullfsync = \(isFull); PRAGMA checkpoint_fullfsync = \(isFull)")
    #endif
    let level = try Int.fetchOne(db, sql: "PRAGMA synchronous")
    guard level == (eachCommit ? 2 : 1) else {
      throw StoreError(.misuse, "SQLite did not accept how a store with the durability \(options.durability.rawValue) flushes")
    }
  }
}
