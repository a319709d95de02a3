import Foundation
import Holdfast

/// The hash of a source's file, and the hash of the bytes that were read from it. Both are computed only for a source that is imported.
final class SourceHashes: @unchecked Sendable {
  // Guarded by `lock`.
  private var file: String?
  /// Computes the hash of the bytes that were read last, and keeps them meanwhile.
  private var pending: (@Sendable () throws -> String)?
  private var reading: Later<String>?
  private let lock = NSLock()

  /// The hash of the file, by `compute` at the first call. The hash of the read bytes is computed on another thread from then on.
  func ofFile(_ compute: () throws -> String) throws -> String {
    if let known = begin() { return known }
    let found = try compute()
    return lock.withLock {
      let known = file ?? found
      file = known
      return known
    }
  }

  private func begin() -> String? {
    lock.withLock {
      if let work = pending { reading = Later(work) }
      pending = nil
      return file
    }
  }

  /// Remembers how the hash of bytes that were read is computed.
  func read(_ hash: @escaping @Sendable () throws -> String) { lock.withLock { (pending, reading) = (hash, nil) } }

  /// The hash of the bytes that were read last; nil when none were read whole.
  func ofReading() throws -> String? {
    _ = begin()
    return try lock.withLock { reading }?.value()
  }
}
