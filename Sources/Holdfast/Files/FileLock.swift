/// SQLite's exclusive lock on a store's file while the value lives: no other connection has the file open. Changes nothing in it.
final class FileLock {
  private let connection: RawConnection

  /// Nil when another connection has the file open. Throws `.permissionDenied` where this process may only read: such a lock needs more.
  init?(_ files: StoreFiles) throws {
    try files.checkPermission(files.path)
    connection = try ConnectionFactory.plain(files.path, writable: true)
    switch connection.lockExclusively() {
    case .taken: break
    case .held: return nil
    case .failed(let error): throw error
    }
  }

  /// Takes the lock. Throws `.busy` when another connection had the file open for the whole busy timeout.
  static func waiting(_ files: StoreFiles, _ options: StoreOptions) throws -> FileLock {
    let wait = LockWait(options)
    var attempt = 0
    while true {
      if let lock = try FileLock(files) { return lock }
      guard wait.goesOn(attempt: attempt) else { throw held(files) }
      attempt += 1
    }
  }

  static func held(_ files: StoreFiles) -> StoreError {
    StoreError(
      .busy, "\(files.path) is open, here or in another process", suggestion: "Close it, and try again.", recoveryOptions: [.retry])
  }
}
