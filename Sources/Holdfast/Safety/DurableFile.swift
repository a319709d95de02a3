package import Foundation

/// Writing files so that a crash or power loss leaves the old content or the new, never a piece of it.
package enum DurableFile {
  /// Replaces the file at `url`: writes beside it, flushes, renames, flushes the folder.
  ///
  /// - Throws: `.diskFull`, `.permissionDenied`, `.cannotCreate`, `.inputOutput`; the old file is as before.
  package static func replace(_ url: URL, with content: Data) throws {
    let temporary = Store.working(beside: url, "writing")
    do {
      guard try create(temporary.path) else { throw StoreError(.cannotCreate, "\(temporary.path) is there already") }
      let file = try FileHandle(forWritingTo: temporary)
      try file.write(contentsOf: content)
      try file.synchronize()
      try file.close()
      try move(temporary, to: url)
    } catch {
      try? FileManager.default.removeItem(at: temporary)
      throw failure(error, url).naming(url, insteadOf: temporary)
    }
  }

  /// Where a path leads: links are followed, so that what is written beside a file is written beside the file itself.
  ///
  /// - Throws: `.notFound` for a link that leads nowhere, and for a name that is not UTF-8: what it looks like in text may be another file;
  ///   `.permissionDenied` and `.inputOutput` for a link that cannot be followed.
  package static func real(_ url: URL) throws -> URL {
    let real = url.resolvingSymlinksInPath()
    var (meant, found) = (stat(), stat())
    let isThere = stat(url.path, &meant) == 0
    let reason = errno
    // By its scalars: a mark behind the sign would make another character of it.
    let isOdd =
      isThere
      ? real.path.unicodeScalars.contains("\u{FFFD}")
        && !(stat(real.path, &found) == 0 && found.st_dev == meant.st_dev && found.st_ino == meant.st_ino)
      : isOddFolder(url.deletingLastPathComponent())
    guard !url.path.isEmpty, !isOdd else {
      throw StoreError(.notFound, "\(url.absoluteString) leads to a name that is not UTF-8", suggestion: nameIsNotUTF8)
    }
    // What is there and still a link leads to what has no name, as a pipe.
    guard !isThere, lstat(real.path, &found) == 0, found.st_mode & S_IFMT == S_IFLNK else { return real }
    guard reason == ENOENT else {
      errno = reason
      throw posix(url.path, .inputOutput)
    }
    throw StoreError(.notFound, "\(url.path) is a link that leads nowhere")
  }

  /// Whether the real name of a folder is not UTF-8.
  private static func isOddFolder(_ folder: URL) -> Bool {
    guard let path = realpath(folder.path, nil) else { return false }
    defer { free(path) }
    return String(validatingCString: path) == nil
  }

  package static let nameIsNotUTF8 = "It could be taken for another one: rename it so that it is UTF-8, and try again."

  /// Whether anything has this name, a link that leads nowhere too.
  package static func stands(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Whether something that is neither a file nor a folder stands there: a device, a pipe, a socket.
  package static func isSpecial(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    return status.st_mode & S_IFMT != S_IFREG && status.st_mode & S_IFMT != S_IFDIR
  }

  /// The file that an export replaces.
  ///
  /// - Throws: `.cannotCreate` for what is no file, `.notFound` for a link that leads nowhere.
  package static func replaceable(_ url: URL) throws -> URL {
    let real = try real(url)
    guard !isSpecial(real.path) else { throw StoreError(.cannotCreate, "\(url.path) is not a file") }
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: real.path, isDirectory: &isFolder), isFolder.boolValue {
      throw StoreError(.cannotCreate, "\(url.path) is a folder, and what is written is one file", suggestion: "Name a file in it.")
    }
    return real
  }

  /// A new, empty file that only its owner may read. Returns false when one is there already.
  package static func create(_ path: String) throws -> Bool {
    let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR, 0o600)
    guard descriptor < 0 else {
      // New and empty: no SQLite connection can hold a lock on it that closing would drop.
      close(descriptor)
      return true
    }
    if errno == EEXIST { return false }
    // Whatever forbids it, the file cannot be made; only a full disk passes by itself.
    throw StoreError(errno == ENOSPC || errno == EDQUOT ? .diskFull : .cannotCreate, "\(path): \(String(cString: strerror(errno)))")
  }

  /// Renames over what stands there, and flushes the folder: without that the rename itself may be lost.
  package static func move(_ source: URL, to target: URL) throws {
    guard rename(source.path, target.path) == 0 else { throw posix(target.path, .inputOutput) }
    try flushFolder(of: target)
  }

  /// Gives a finished file its name, only where nothing stands yet: another process may have made one meanwhile.
  static func place(_ source: URL, at target: URL) throws {
    var status = stat()
    if lstat(target.path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size == 0 { unlink(target.path) }
    if link(source.path, target.path) == 0 {
      unlink(source.path)
    } else if errno == EEXIST {
      throw StoreError(.busy, "\(target.path) was made by another process meanwhile")
    } else {
      // A volume without hard links.
      guard rename(source.path, target.path) == 0 else { throw posix(target.path, .inputOutput) }
    }
    try flushFolder(of: target)
  }

  /// Flushes a file's content to the disk. Never for a database that is open in this process.
  package static func flush(_ url: URL) throws {
    do {
      // For reading: the copy of a write-protected file is write-protected itself.
      let file = try FileHandle(forReadingFrom: url)
      try file.synchronize()
      try file.close()
    } catch {
      throw failure(error, url)
    }
  }

  package static func flushFolder(of url: URL) throws {
    let folder = url.deletingLastPathComponent().path
    let descriptor = open(folder, O_RDONLY)
    guard descriptor >= 0 else { throw posix(folder, .inputOutput) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw posix(folder, .inputOutput) }
  }

  /// Copies a file and flushes the copy. The copy must not exist yet.
  package static func copy(_ source: URL, to target: URL) throws {
    do {
      try FileManager.default.copyItem(at: source, to: target)
      try flush(target)
      try flushFolder(of: target)
    } catch {
      throw failure(error, target)
    }
  }

  /// The system's complaint about a path, as the kit's error.
  static func posix(_ path: String, _ otherwise: StoreError.Code) -> StoreError {
    let code = errno
    return StoreError(self.code(of: code, otherwise), "\(path): \(String(cString: strerror(code)))")
  }

  package static func failure(_ error: any Error, _ url: URL) -> StoreError {
    if let error = error as? StoreError { return error }
    let cocoa = error as NSError
    let underlying = cocoa.userInfo[NSUnderlyingErrorKey] as? NSError ?? cocoa
    if underlying.domain == NSPOSIXErrorDomain {
      let code = Int32(truncatingIfNeeded: underlying.code)
      return StoreError(self.code(of: code, .inputOutput), "\(url.path): \(String(cString: strerror(code)))", cause: error)
    }
    let code: StoreError.Code =
      switch CocoaError.Code(rawValue: cocoa.code) {
      case .fileNoSuchFile, .fileReadNoSuchFile: .notFound
      case .fileReadNoPermission, .fileWriteNoPermission: .permissionDenied
      case .fileWriteOutOfSpace: .diskFull
      case .fileWriteVolumeReadOnly: .cannotCreate
      default: .inputOutput
      }
    return StoreError(code, "\(url.path): \(cocoa.localizedDescription)", cause: error)
  }

  private static func code(of posix: Int32, _ otherwise: StoreError.Code) -> StoreError.Code {
    switch posix {
    case ENOSPC, EDQUOT: .diskFull
    case EACCES, EPERM: .permissionDenied
    case EROFS: .cannotCreate
    case ENOENT: .notFound
    default: otherwise
    }
  }
}
