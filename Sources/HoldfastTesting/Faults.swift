public import Foundation
import Holdfast

/// Holds the write lock of a store on another connection, as another process would, until `release()` or until the value is released.
public final class HeldWriteLock: Sendable {
  private let store: Store
  private let end = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)

  /// Takes the lock. Returns when the lock is held.
  ///
  /// - Throws: the errors of opening and writing; `.busy` when another connection holds the lock.
  public init(on url: URL) throws {
    store = try Store.open(at: url, schemas: [], options: .testing)
    let begun = DispatchSemaphore(value: 0)
    // Written before `begun` is signalled, and read after that.
    nonisolated(unsafe) var failure: (any Error)?
    Thread.detachNewThread { [store, end, ended] in
      do {
        try store.write { _ in
          begun.signal()
          end.wait()
        }
      } catch {
        failure = error
        begun.signal()
      }
      ended.signal()
    }
    begun.wait()
    if let failure { throw failure }
  }

  deinit { end.signal() }

  /// Releases the lock; returns when it is free. Call at most once.
  public func release() {
    end.signal()
    ended.wait()
  }
}

/// Damages the file of a closed store, as a failing disk or an incomplete copy would. Never use it on an open store.
public enum Damage {
  /// Overwrites `count` bytes from `offset` on. The file keeps its length.
  public static func overwrite(_ url: URL, at offset: Int, count: Int, with byte: UInt8 = 0xA5) throws {
    var bytes = try Data(contentsOf: url)
    let end = min(bytes.count, offset + count)
    guard offset >= 0, offset < end else { throw StoreError(.misuse, "\(url.path) has no byte \(offset)") }
    bytes.replaceSubrange(offset..<end, with: Data(repeating: byte, count: end - offset))
    try bytes.write(to: url)
  }

  /// Overwrites a whole page; the first is page 1, with the header and the list of tables.
  public static func overwritePage(_ url: URL, _ number: Int, pageBytes: Int = 4096) throws {
    try overwrite(url, at: (number - 1) * pageBytes, count: pageBytes)
  }

  /// Cuts the file to its first `count` bytes.
  public static func truncate(_ url: URL, to count: Int) throws {
    try Data(contentsOf: url).prefix(max(0, count)).write(to: url)
  }
}

/// Removes the permission to write to a file or folder, until the value is released.
///
/// Has no effect for the superuser: check `binds` first.
public final class WriteProtection: Sendable {
  private let path: String
  private let permissions: Int

  /// Whether file permissions apply to this process.
  public static var binds: Bool { geteuid() != 0 }

  /// Removes the permission.
  ///
  /// - Throws: the errors of changing permissions.
  public init(_ url: URL) throws {
    path = url.path
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    permissions = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0o600
    try FileManager.default.setAttributes([.posixPermissions: permissions & ~0o222], ofItemAtPath: path)
  }

  deinit { try? FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: path) }
}
