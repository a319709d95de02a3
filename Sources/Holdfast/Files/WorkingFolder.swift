package import Foundation

/// A folder for unfinished files, beside the file that they will become. Removed with the value.
///
/// The process that makes the folder holds a lock on it as long as the value lives. A folder without a lock was left by a killed process,
/// and the next process that works beside it removes it. A lock works across containers that share the volume; a process number would not.
/// On a volume without locks, an abandoned folder stays.
package final class WorkingFolder: Sendable {
  package let url: URL
  private let descriptor: Int32

  /// - Parameter purpose: one word, for people who find the folder.
  package convenience init(beside target: URL, _ purpose: String) throws {
    do {
      try self.init(in: target.deletingLastPathComponent(), purpose)
    } catch let error as StoreError {
      // The folder does not exist, so the file cannot be made.
      throw StoreError(
        error.code == .notFound ? .cannotCreate : error.code, "\(target.path) cannot be made: \(error.message)", cause: error.cause)
    }
  }

  /// For copies of a store that is only looked at: beside it, or in the temporary folder where this process may not write beside it.
  package convenience init(for files: StoreFiles, _ purpose: String) throws {
    if DurableFile.mayWrite(files.parent.path) {
      try self.init(beside: files.url, purpose)
    } else {
      try self.init(in: FileManager.default.temporaryDirectory, purpose)
    }
  }

  /// - Throws: `.cannotCreate`, `.permissionDenied`, `.diskFull`, `.notFound`.
  package init(in folder: URL, _ purpose: String) throws {
    Self.removeAbandoned(in: folder)
    // Tries again: another process may take the new folder for an abandoned one before it is locked.
    for _ in 0..<100 {
      let url = folder.appendingPathComponent("\(Self.prefix)\(purpose)-\(UUID().uuidString)")
      guard mkdir(url.path, 0o700) == 0 else { throw DurableFile.posix(folder.path, .cannotCreate) }
      // Between `mkdir` and `lock`, another process may have found the folder unlocked, and may be removing it.
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

  static let prefix = ".holdfast-"

  /// Removes the folders that killed processes have left in `folder`.
  static func removeAbandoned(in folder: URL) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    // The name ends with a UUID, so no other program's folder is taken for one of ours.
    for name in names where name.hasPrefix(prefix) && IDCodec.parse(name.suffix(IDCodec.byteCount)) != nil {
      let url = folder.appendingPathComponent(name)
      guard case .taken(let descriptor) = lock(url) else { continue }
      // `lock` returns `.taken` on a volume without locks, too: the folder may be in use there.
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { _ = try? DurableFile.remove(url) }
      close(descriptor)
    }
  }

  enum Lock {
    /// Close the descriptor to give it back.
    case taken(Int32)
    case held
    /// Another process has removed the folder. Its name may lead to a new folder or to none.
    case gone
    case failed(Int32)
  }

  /// Locks a folder for this process; with `isShared`, beside others that do the same. On a volume without locks it returns `.taken`, though another process may use the folder.
  static func lock(_ url: URL, isShared: Bool = false) -> Lock {
    let descriptor = open(url.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return errno == ENOENT ? .gone : .failed(errno) }
    if flock(descriptor, (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0, errno == EWOULDBLOCK {
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
