package import Foundation

/// The locks of this process on a file. Closing any descriptor of the file drops them all.
package enum HeldLocks {
  /// Whether a lock is held. SQLite holds one as long as a connection has a database with a log open.
  ///
  /// Asks Linux through a descriptor of its own, which stays open: closing it would drop the locks. Always true on other systems.
  /// - Throws: `POSIXError` when the file cannot be opened or asked about.
  package static func exist(on url: URL) throws -> Bool {
    // Platform: locks are asked for as Linux does.
    #if os(Linux)
      let descriptor = open(url.path, O_RDWR)
      guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      var lock = flock()
      (lock.l_type, lock.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
      // F_OFD_GETLK: a lock of this process counts as another's.
      guard fcntl(descriptor, 36, &lock) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      return lock.l_type != Int16(F_UNLCK)
    #else
      return true
    #endif
  }
}
