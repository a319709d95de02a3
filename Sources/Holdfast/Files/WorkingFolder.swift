package import Foundation

/// A folder for files that are not finished, beside the file that they become. Removed with the value.
///
/// Its maker holds a lock on it as long as it lives. A folder without one was left by a process that was killed, and is removed by
/// whoever next works beside it. A lock says that in every container that shares the volume; the number of a process would not. On a volume
/// without locks, what was left stays.
package final class WorkingFolder: Sendable {
  package let url: URL
  private let descriptor: Int32

  /// - Parameter purpose: one word, for people who find the folder.
  package convenience init(beside target: URL, _ purpose: String) throws {
    do {
      try self.init(in: target.deletingLastPathComponent(), purpose)
    } catch let error as StoreError {
      // Of a folder that is not there: the file cannot be made.
      throw StoreError(
        error.code == .notFound ? .cannotCreate : error.code, "\(target.path) cannot be made: \(error.message)", cause: error.cause)
    }
  }

  /// - Throws: `.cannotCreate`, `.permissionDenied`, `.diskFull`, `.notFound`.
  package init(in folder: URL, _ purpose: String) throws {
    Self.removeAbandoned(in: folder)
    // A few times: another may take the folder for a left one before it is locked.
    for _ in 0..<100 {
      let url = folder.appendingPathComponent("\(Self.prefix)\(purpose)-\(UUID().uuidString)")
      guard mkdir(url.path, 0o700) == 0 else { throw DurableFile.posix(folder.path, .cannotCreate) }
      // Between the two somebody may have found it without a lock, and removes it.
      switch Self.lock(url) {
      case .taken(let descriptor): self.descriptor = descriptor
      case .held, .gone: continue
      case .failed(let number):
        rmdir(url.path)
        throw DurableFile.posix(url.path, .cannotCreate, number)
      }
      self.url = url
      return
    }
    throw StoreError(.busy, "no folder for files under way could be made in \(folder.path)")
  }

  deinit {
    _ = try? DurableFile.remove(url)
    close(descriptor)
  }

  package func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  private static let prefix = ".holdfast-"

  /// Removes what processes that were killed have left in `folder`.
  package static func removeAbandoned(in folder: URL) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    // The length is that of the identifier: nobody else's folder is called so.
    for name in names where name.hasPrefix(prefix) && IDCodec.parse(name.suffix(IDCodec.byteCount)) != nil {
      let url = folder.appendingPathComponent(name)
      guard case .taken(let descriptor) = lock(url) else { continue }
      // `lock` says `.taken` on a volume without locks, too: the folder may be in use there.
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { _ = try? DurableFile.remove(url) }
      close(descriptor)
    }
  }

  enum Lock {
    /// Close the descriptor to give it back.
    case taken(Int32)
    case held
    /// Somebody removed the folder, perhaps after it was opened: its name is another's or nobody's.
    case gone
    case failed(Int32)
  }

  /// Locks a folder for this process. A volume without such locks knows of no other's either.
  static func lock(_ url: URL) -> Lock {
    let descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return errno == ENOENT ? .gone : .failed(errno) }
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      close(descriptor)
      return .held
    }
    var (named, held) = (stat(), stat())
    guard stat(url.path, &named) == 0, fstat(descriptor, &held) == 0, named.st_ino == held.st_ino, named.st_dev == held.st_dev else {
      close(descriptor)
      return .gone
    }
    return .taken(descriptor)
  }
}
