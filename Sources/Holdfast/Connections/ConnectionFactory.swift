internal import CHoldfast
import Foundation
internal import GRDB
internal import GRDBSQLite

/// Makes every connection of the kit, by its purpose: with the key, the lock wait, the settings and the limits that belong to it.
///
/// No connection checkpoints by itself, neither after commits nor at closing: `CheckpointDoor` does.
package struct ConnectionFactory {
  let path: String
  let options: StoreOptions

  init(_ files: StoreFiles, _ options: StoreOptions) { self.init(files.path, options) }

  init(_ path: String, _ options: StoreOptions) {
    self.path = path
    self.options = options
  }

  // MARK: Of a store that is open

  /// The one that writes. In WAL mode, where `keepsLog` says so.
  func writer(keepsLog: Bool = true) throws -> DatabaseQueue {
    let queue = try opened()
    guard keepsLog else { return queue }
    try queue.writeWithoutTransaction { db in try db.telling(of: path, beginLog) }
    return queue
  }

  /// Does not make the file, except with a SQLite that knows no URIs: GRDB opens with `SQLITE_OPEN_CREATE`, and in the midst of a replacement
  /// nothing may be made in its place.
  private func opened(tidies: Bool = false) throws -> DatabaseQueue {
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
    // Before it makes a log by this name.
    try checkPlace(db)
    let mode = try switchToWAL(db)
    guard mode == "wal" else { throw StoreError(.inputOutput, "\(path) cannot keep a log: SQLite answers \(mode ?? "nothing")") }
    try setDurability(options.durability, db)
    // The log and its index stand from the first look on: readers may not make them.
    try look(db)
    try checkPlace(db)
  }

  private func look(_ db: Database) throws { _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") }

  /// Asked after the first look, which takes the lock that a connection in WAL mode keeps: from then on the file is not replaced.
  ///
  /// - Throws: `.busy` where the path leads to another file: commits would go to the file that was replaced. `.notFound` where its folder
  ///   is gone.
  private func checkPlace(_ db: Database) throws {
    guard let handle = db.sqliteConnection, Self.hasMoved(handle) else { return }
    throw Self.replaced(path)
  }

  /// Whether the path of a connection leads to another file than the one that it has open, or to none. False in memory.
  static func hasMoved(_ handle: OpaquePointer) -> Bool {
    var hasMoved: Int32 = 0
    return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK && hasMoved != 0
  }

  /// SQLite opens a file for reading only, without an error, where it may not or cannot open it for writing. Then every write would fail.
  ///
  /// - Throws: `.damaged` where the file's header lets SQLite only read it; `.inputOutput` where opening it for writing failed.
  private func checkWritable(_ db: Database) throws {
    try look(db)
    guard let handle = db.sqliteConnection, sqlite3_db_readonly(handle, "main") == 1, DurableFile.mayWrite(path) else { return }
    // Offset 18 is the version of the format for writing, which SQLite knows up to 2: https://sqlite.org/fileformat2.html
    // With a key the header is encrypted.
    var version: UInt8 = 0
    if options.key == nil, holdfast_read(handle, &version, 1, 18) == SQLITE_OK, version > 2 {
      throw StoreError(.damaged, "\(path): its header says that it may only be read")
    }
    throw StoreError(.inputOutput, "\(path) could not be opened for writing", suggestion: "Open it again.", recoveryOptions: [.retry])
  }

  /// Two that begin a log at once: SQLite refuses one of them without asking how long it would wait.
  private func switchToWAL(_ db: Database) throws -> String? {
    let wait = LockWait(options)
    // Where it does wait, each attempt takes as long as all of them may.
    let end = ContinuousClock.now + .milliseconds(wait.timeoutMilliseconds)
    var attempt = 0
    while true {
      do {
        return try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
      } catch let error as DatabaseError
        where error.resultCode == .SQLITE_BUSY && ContinuousClock.now < end && wait.goesOn(attempt: attempt)
      {
        attempt += 1
      }
    }
  }

  /// One of the connections that read beside the writer; also the only one of a store that SQLite is asked for by a URI.
  ///
  /// - Parameter name: how SQLite is asked for the file, when not by its path.
  func reader(_ name: String? = nil) throws -> DatabaseQueue {
    try DatabaseQueue(path: name ?? path, configuration: configuration(readOnly: true))
  }

  /// All that there is of a store that may only be read, by its path.
  ///
  /// - Parameter tidies: a connection that may write, and does not, takes the index away that it made. For a file without a log.
  func onlyReader(tidies: Bool) throws -> DatabaseQueue {
    try looked(tidies ? opened(tidies: true) : reader(), look)
  }

  /// For an integrity check, which SQLite does only in part on a connection that may not write. Changes nothing.
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

  func memory(foreignKeys: Bool = true) throws -> DatabaseQueue {
    var configuration = configuration(readOnly: false)
    configuration.foreignKeysEnabled = foreignKeys
    return try DatabaseQueue(configuration: configuration)
  }

  // MARK: Of a file that stands somewhere

  /// SQLite's steps that a look may take: far more than any store's bookkeeping needs, and a second on a slow machine.
  static let looksAtMost = 10_000_000

  /// Reads, changes nothing, and gives up on what never ends.
  ///
  /// - Parameter ignoringLog: the file as it is without its log; only while nobody writes to it.
  func look(ignoringLog: Bool) throws -> RawConnection {
    let connection = try raw(
      ignoringLog ? Self.immutable(path) : path, flags: SQLITE_OPEN_READONLY | (ignoringLog ? SQLITE_OPEN_URI : 0))
    sqlite3_progress_handler(connection.handle, Int32(Self.looksAtMost), { _ in 1 }, nil)
    return connection
  }

  /// What is copied: the state of one moment.
  ///
  /// - Parameter name: how SQLite is asked for the file, when not by its path.
  func copySource(_ name: String? = nil) throws -> RawConnection {
    try raw(name ?? path, flags: SQLITE_OPEN_READONLY | (name == nil ? 0 : SQLITE_OPEN_URI))
  }

  /// Reads beside whoever has the store open, constraints included: SQLite leaves those out of its check on a read-only connection.
  ///
  /// - Parameter tidies: takes the index away that it made, when nobody else has the file open. For a file without a log.
  func examiner(tidies: Bool = false) throws -> RawConnection {
    let connection = try raw(path, flags: SQLITE_OPEN_READWRITE)
    _ = holdfast_checkpoints_on_close(connection.handle, tidies ? 1 : 0)
    return connection
  }

  /// A file of the kit's own that is being made or examined, alone.
  func working() throws -> RawConnection {
    let connection = try raw(path, flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
    try connection.run("PRAGMA foreign_keys = OFF")
    return connection
  }

  // MARK: Of any file

  /// For a file's bytes and its lock, and for sources, which are no stores and have no key.
  package static func plain(_ path: String, writable: Bool = false) throws -> RawConnection {
    try RawConnection(path, path: path, flags: writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY)
  }

  /// An empty database in memory, to ask what this SQLite can do.
  static func probe() throws -> RawConnection {
    try RawConnection(":memory:", path: "in memory", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
  }

  private func raw(_ name: String, flags: Int32) throws -> RawConnection {
    let connection = try RawConnection(name, path: path, flags: flags)
    sqlite3_busy_timeout(connection.handle, Int32(LockWait(options).timeoutMilliseconds))
    if let key = options.key { try Encryption.use(key, connection.handle, path) }
    return connection
  }

  /// A URI that promises SQLite that nobody changes the file meanwhile: it takes no lock and reads no log.
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
    // GRDB would end the process where a ROLLBACK fails, which needs memory. Whoever comes next rolls back: `Connection.settle`.
    configuration.allowsUnsafeTransactions = true
    #if os(iOS)
      // The kit's prepared statements belong to the readers: GRDB must not close them behind its back.
      configuration.automaticMemoryManagement = false
      configuration.observesSuspensionNotifications = options.releasesLocksWhenSuspended
    #endif
    configuration.label = "holdfast"
    let (trace, key, path) = (options.trace, options.key, path)
    configuration.prepareDatabase { db in
      guard let handle = db.sqliteConnection else { return }
      if let key { try Encryption.use(key, handle, path) }
      _ = holdfast_checkpoints_on_close(handle, tidies ? 1 : 0)
      sqlite3_wal_autocheckpoint(handle, 0)
      try db.execute(sql: "PRAGMA recursive_triggers = ON")
      // Keeps a log that once grew large from staying so on disk: 16 MiB.
      if !readOnly { try db.execute(sql: "PRAGMA journal_size_limit = 16777216") }
      if let trace {
        db.trace { event in
          let sql = event.description
          // The kit's own, now and then at the beginning of a transaction.
          if sql != LogLine.markNewLog { trace(sql) }
        }
      }
    }
    return configuration
  }

  /// Sets the policy of a writer and reads it back. Outside a transaction.
  func setDurability(_ durability: StoreOptions.Durability, _ db: Database) throws {
    try db.execute(sql: "PRAGMA synchronous = \(durability == .durable ? "FULL" : "NORMAL")")
    #if canImport(Darwin)
      // A plain fsync on Apple platforms reaches the drive's cache only.
      let isFull = durability == .durable ? 1 : 0
      try db.execute(sql: "PRAGMA fullfsync = \(isFull); PRAGMA checkpoint_fullfsync = \(isFull)")
    #endif
    let level = try Int.fetchOne(db, sql: "PRAGMA synchronous")
    guard level == (durability == .durable ? 2 : 1) else {
      throw StoreError(.misuse, "SQLite did not take the durability \(durability.rawValue)")
    }
  }
}
