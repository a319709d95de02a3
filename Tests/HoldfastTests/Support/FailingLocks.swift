import Foundation
import GRDB
import GRDBSQLite
import Synchronization

@testable import Holdfast

/// Makes locks in the index of a store's log fail on the writer's connection, as on a volume that fails for a moment.
enum FailingLocks {
  private struct Fault {
    /// The address of SQLite's own methods.
    let methods: UInt
    let code: Int32
    var left: Int
  }

  // By the address of the connection's file.
  private static let faults = Mutex<[UInt: Fault]>([:])

  /// Runs `body` while the next `count` locks fail with SQLite's `code`.
  static func within<T>(_ store: Store, next count: Int, code: Int32, _ body: () throws -> T) throws -> T {
    try store.onWriter { db in try plant(count, code, in: file(of: db)) }
    defer { try? store.onWriter { db in try remove(from: file(of: db)) } }
    return try body()
  }

  private static func plant(_ count: Int, _ code: Int32, in file: UnsafeMutablePointer<sqlite3_file>) throws {
    guard let own = file.pointee.pMethods else { throw StoreError(.misuse, "the file is closed") }
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: own.pointee)
    methods.pointee.xShmLock = { file, offset, count, flags in FailingLocks.lock(file, offset, count, flags) }
    let (key, fault) = (UInt(bitPattern: file), Fault(methods: UInt(bitPattern: own), code: code, left: count))
    faults.withLock { $0[key] = fault }
    file.pointee.pMethods = UnsafePointer(methods)
  }

  private static func remove(from file: UnsafeMutablePointer<sqlite3_file>) {
    let key = UInt(bitPattern: file)
    let fault = faults.withLock { $0.removeValue(forKey: key) }
    guard let fault, let own = UnsafePointer<sqlite3_io_methods>(bitPattern: fault.methods) else { return }
    file.pointee.pMethods.deallocate()
    file.pointee.pMethods = own
  }

  private static func file(of db: Database) throws -> UnsafeMutablePointer<sqlite3_file> {
    var file: UnsafeMutablePointer<sqlite3_file>?
    let code = sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    guard code == SQLITE_OK, let found = file else { throw StoreError(.misuse, "the store has no file") }
    return found
  }

  private static func lock(_ file: UnsafeMutablePointer<sqlite3_file>?, _ offset: Int32, _ count: Int32, _ flags: Int32) -> Int32 {
    let key = UInt(bitPattern: file)
    let fault = faults.withLock { faults in
      let fault = faults[key]
      if flags & SQLITE_SHM_LOCK != 0, let left = fault?.left, left > 0 { faults[key]?.left = left - 1 }
      return fault
    }
    guard let fault, let own = UnsafePointer<sqlite3_io_methods>(bitPattern: fault.methods), let lock = own.pointee.xShmLock else {
      return SQLITE_IOERR
    }
    guard flags & SQLITE_SHM_LOCK != 0, fault.left > 0 else { return lock(file, offset, count, flags) }
    errno = EIO
    return fault.code
  }
}
