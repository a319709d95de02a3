package import Foundation

// Questions about a path: what is there, and where it leads.

extension DurableFile {
  /// Follows links and returns the real path, so that a file written "beside" another one is in the real file's folder.
  ///
  /// - Throws: `.notFound` for a link that leads nowhere, and for a name that is not UTF-8, whose text may be the name of another file;
  ///   `.permissionDenied` and `.inputOutput` for a link that cannot be followed.
  package static func real(_ url: URL) throws -> URL {
    let real = url.resolvingSymlinksInPath()
    var (meant, found) = (stat(), stat())
    let isThere = stat(url.path, &meant) == 0
    let reason = errno
    // Compares scalars: with a combining mark behind it, U+FFFD is part of another `Character`.
    let isOdd =
      isThere
      ? real.path.unicodeScalars.contains("\u{FFFD}")
        && !(stat(real.path, &found) == 0 && found.st_dev == meant.st_dev && found.st_ino == meant.st_ino)
      : isOddFolder(url.deletingLastPathComponent())
    guard !url.path.isEmpty, !isOdd else {
      throw StoreError(.notFound, "\(url.absoluteString) leads to a name that is not UTF-8", suggestion: nameIsNotUTF8)
    }
    // A path that exists and still looks like a link leads to something without a name, such as a pipe.
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

  package static let nameIsNotUTF8 = "Another file could be taken for it. Rename it to a UTF-8 name, and try again."

  /// Whether anything has this name, even a link that leads nowhere.
  package static func stands(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// The size of the file at a path, in bytes; 0 where there is no file.
  package static func size(_ path: String) -> Int64 { status(path).map { Int64($0.st_size) } ?? 0 }

  /// The file number (inode) at a path; 0 where there is no file.
  static func number(_ path: String) -> UInt64 { status(path).map { UInt64($0.st_ino) } ?? 0 }

  /// When a file's content was changed last, in nanoseconds since 1970; 0: no file. `asFile`: also a new name, or a time that was set.
  static func changedAt(_ path: String, asFile: Bool = false) -> Int64 {
    guard let status = status(path) else { return 0 }
    // Platform: `stat` names its times as the system does.
    #if canImport(Darwin)
      let time = asFile ? status.st_ctimespec : status.st_mtimespec
    #else
      let time = asFile ? status.st_ctim : status.st_mtim
    #endif
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// How many names (hard links) the file at a path has; 0 where there is no file.
  static func hardLinks(_ path: String) -> Int { status(path).map { Int(clamping: $0.st_nlink) } ?? 0 }

  /// The error where a database was expected: says what stands there instead.
  package static func noFile(_ path: String) -> StoreError {
    if isFolder(path) { return StoreError(.notADatabase, "\(path) is a folder") }
    if isSpecial(path) { return StoreError(.notADatabase, "\(path) is not a file, but a pipe, a socket or a device") }
    return StoreError(.notFound, "there is no file at \(path)")
  }

  /// Whether two names lead to one file. Links are not followed.
  static func isSame(_ one: String, _ other: String) -> Bool {
    var (first, second) = (stat(), stat())
    return lstat(one, &first) == 0 && lstat(other, &second) == 0 && first.st_ino == second.st_ino && first.st_dev == second.st_dev
  }

  static func mayWrite(_ path: String) -> Bool { access(path, W_OK) == 0 }

  static func isFolder(_ path: String) -> Bool { kind(path) == S_IFDIR }

  static func isFile(_ path: String) -> Bool { kind(path) == S_IFREG }

  /// Whether the path leads to something other than a file or folder: a device, a pipe, a socket.
  package static func isSpecial(_ path: String) -> Bool { kind(path).map { $0 != S_IFREG && $0 != S_IFDIR } ?? false }

  private static func kind(_ path: String) -> mode_t? { status(path).map { $0.st_mode & S_IFMT } }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
  }

  /// The real path of the file that an export replaces.
  ///
  /// - Throws: `.cannotCreate` for something that is not a file, `.notFound` for a link that leads nowhere.
  package static func replaceable(_ url: URL) throws -> URL {
    let real = try real(url)
    guard !isSpecial(real.path) else { throw StoreError(.cannotCreate, "\(url.path) is not a file") }
    guard !isFolder(real.path) else {
      throw StoreError(.cannotCreate, "\(url.path) is a folder, and a file is to be written", suggestion: "Name a file in it.")
    }
    return real
  }

  /// - Throws: `.diskFull` when the volume of `folder` has fewer than `bytes` bytes free. Does nothing where the free space is unknown.
  static func checkFreeSpace(_ bytes: Int64, in folder: URL, for what: String) throws {
    guard let free = freeBytes(in: folder), free < bytes else { return }
    throw StoreError(.diskFull, "\(what) needs \(bytes) bytes of free space in \(folder.path), and \(free) are left")
  }

  /// The free space on the volume of `folder`; nil where it is unknown.
  static func freeBytes(in folder: URL) -> Int64? {
    var volume = statvfs()
    guard statvfs(folder.path, &volume) == 0 else { return nil }
    return Int64(clamping: UInt64(volume.f_bavail).multipliedReportingOverflow(by: UInt64(volume.f_frsize)).partialValue)
  }

  /// The system's error for a path, as the kit's error.
  static func posix(_ path: String, _ otherwise: StoreError.Code, _ code: Int32 = errno) -> StoreError {
    StoreError(self.code(of: code, otherwise), "\(path): \(String(cString: strerror(code)))")
  }

  static func isOutOfResources(_ error: any Error) -> Bool {
    posixCode(of: (error as? StoreError)?.cause ?? error).map([EMFILE, ENFILE, ENOMEM].contains) ?? false
  }

  private static func posixCode(of error: any Error) -> Int32? {
    let cocoa = error as NSError
    // On Linux the value of NSUnderlyingErrorKey is a POSIXError, which `as? NSError` does not convert.
    let underlying = (cocoa.userInfo[NSUnderlyingErrorKey] as? any Error).map { $0 as NSError } ?? cocoa
    return underlying.domain == NSPOSIXErrorDomain ? Int32(truncatingIfNeeded: underlying.code) : nil
  }

  /// Whether this is the system's error, or Foundation's of a file: its codes below 1,024.
  static func isOfFiles(_ error: any Error) -> Bool {
    let cocoa = error as NSError
    return posixCode(of: error) != nil || cocoa.domain == NSCocoaErrorDomain && (0..<1024).contains(cocoa.code)
  }

  /// Runs `body`. Its error becomes the kit's, and names `url`.
  package static func naming<T>(_ url: URL, _ body: () throws -> T) throws -> T {
    do { return try body() } catch { throw failure(error, url) }
  }

  /// Any error of work on a file, as the kit's error that names `url`.
  package static func failure(_ error: any Error, _ url: URL?) -> StoreError {
    if let error = error as? StoreError { return url.map(error.naming) ?? error }
    let cocoa = error as NSError
    let name = url.map { "\($0.path): " } ?? ""
    if let code = posixCode(of: error) {
      return StoreError(self.code(of: code, .inputOutput), name + String(cString: strerror(code)), cause: error)
    }
    let code: StoreError.Code =
      switch CocoaError.Code(rawValue: cocoa.code) {
      case .fileNoSuchFile, .fileReadNoSuchFile: .notFound
      case .fileReadNoPermission, .fileWriteNoPermission: .permissionDenied
      case .fileWriteOutOfSpace: .diskFull
      case .fileWriteVolumeReadOnly: .cannotCreate
      default: .inputOutput
      }
    return StoreError(code, name + cocoa.localizedDescription, cause: error)
  }

  static func code(of posix: Int32, _ otherwise: StoreError.Code) -> StoreError.Code {
    switch posix {
    case ENOSPC, EDQUOT: .diskFull
    case EACCES, EPERM: .permissionDenied
    case EROFS: .cannotCreate
    case ENOENT: .notFound
    case ENOMEM: .outOfMemory
    default: otherwise
    }
  }
}
