internal import CHoldfast
package import Foundation

/// Makes, names, copies and removes files. After a crash or power loss each step is either done or not done. A step that throws has changed
/// nothing, unless its error says otherwise.
///
/// A new name survives power loss only after its folder is flushed. So each function here that gives a name flushes the folder, and takes
/// the name back when flushing fails. Only this code changes files; a test checks that.
package enum DurableFile {
  /// Replaces the file at `url`: writes a file beside it, flushes that file, renames it, flushes the folder.
  ///
  /// - Throws: `.diskFull`, `.permissionDenied`, `.cannotCreate`, `.inputOutput`; the old file is unchanged.
  package static func replace(_ url: URL, with content: Data) throws {
    let folder = try WorkingFolder(beside: url, "writing")
    let working = folder.file(url.lastPathComponent)
    try naming(url) {
      try write(content, to: working)
      try move(working, over: url)
    }
  }

  /// Makes a new file with this content and flushes it. Does not flush the folder, so the name may be lost at power loss.
  static func write(_ content: Data, to url: URL) throws {
    guard try create(url.path) else { throw StoreError(.cannotCreate, "\(url.path) is there already") }
    try naming(url) {
      let file = try FileHandle(forWritingTo: url)
      try file.write(contentsOf: content)
      try file.synchronize()
      try file.close()
    }
  }

  // MARK: Names

  /// Renames a finished file to `target`, only if no file has that name: another process may have made one meanwhile.
  ///
  /// - Throws: `.busy` when the name is taken. `source` then keeps its name.
  package static func place(_ source: URL, at target: URL) throws {
    try takeName(target, for: source)
    do {
      try flushFolder(of: target)
    } catch {
      // After power loss the name might be there or not. It is taken back, so that "failed" is true.
      try giveBack(target, to: source, because: error)
    }
  }

  /// Renames a finished file to `target`, and deletes the file that had that name before.
  ///
  /// - Throws: the file system's error. The old file keeps its name, or the message says that it may come back after power loss.
  package static func move(_ source: URL, over target: URL) throws {
    guard stands(target.path) else {
      do {
        return try place(source, at: target)
      } catch let error as StoreError where error.code == .busy {
        return try move(source, over: target)
      }
    }
    guard holdfast_exchange(source.path, target.path) == 0 else {
      // This volume cannot exchange two names.
      guard rename(source.path, target.path) == 0 else { throw posix(target.path, .inputOutput) }
      do { return try flushFolder(of: target) } catch { throw mayBeOld(target, error) }
    }
    do {
      try flushFolder(of: target)
    } catch {
      guard holdfast_exchange(source.path, target.path) == 0 else { throw mayBeOld(target, error) }
      throw error
    }
    // `source` now names the old content.
    unlink(source.path)
  }

  private static func mayBeOld(_ target: URL, _ error: any Error) -> StoreError {
    StoreError(.inputOutput, "\(target.path) was replaced, and may be the old file again after power loss", cause: error)
  }

  private static func takeName(_ target: URL, for source: URL) throws {
    if holdfast_rename_exclusively(source.path, target.path) == 0 { return }
    if [ENOSYS, EINVAL, ENOTSUP].contains(errno) {
      // This volume has no exclusive rename: link the file to the new name, then remove the old name.
      if link(source.path, target.path) == 0 {
        unlink(source.path)
        return
      }
    }
    if errno == EEXIST { throw StoreError(.busy, "\(target.path) was made by another process meanwhile") }
    throw posix(target.path, .inputOutput)
  }

  private static func giveBack(_ target: URL, to source: URL, because error: any Error) throws -> Never {
    guard rename(target.path, source.path) == 0 else {
      throw StoreError(.inputOutput, "\(target.path) was made, and may be gone after power loss", cause: error)
    }
    throw error
  }

  // MARK: Files

  /// Makes a new, empty file that only its owner may read. Returns false when a file is there already.
  package static func create(_ path: String) throws -> Bool {
    let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor < 0 else {
      // The file is new and empty, so no SQLite connection holds a lock that closing this descriptor would drop.
      close(descriptor)
      return true
    }
    if errno == EEXIST { return false }
    // A full disk may pass by itself. For any other reason the file cannot be made.
    throw StoreError(errno == ENOSPC || errno == EDQUOT ? .diskFull : .cannotCreate, "\(path): \(String(cString: strerror(errno)))")
  }

  /// Makes a folder that only its owner may read, and the missing folders above it. Flushes each new name.
  static func makeFolder(_ url: URL) throws {
    guard mkdir(url.path, 0o700) != 0 else { return try flushFolder(of: url) }
    let parent = url.deletingLastPathComponent()
    switch errno {
    case EEXIST:
      // Another process may have made it and been killed before it flushed the name.
      return try flushFolder(of: url)
    case ENOENT where parent.path != url.path:
      try makeFolder(parent)
      guard mkdir(url.path, 0o700) == 0 || errno == EEXIST else { throw posix(url.path, .cannotCreate) }
      try flushFolder(of: url)
    default: throw posix(url.path, .cannotCreate)
    }
  }

  /// Copies a file, and flushes the copy and its name. The copy must not exist yet; only its owner may read it.
  ///
  /// Reads through SQLite's file layer, because the source may be a database that this process has open. Writes nothing where the copy has no
  /// room: a copy that fills the disk would stop the commits of others until it fails.
  ///
  /// - Parameter take: gets the bytes, piece by piece. Default: nobody wants them.
  package static func copy(_ source: URL, to target: URL, _ take: (Data) -> Void = { _ in }) throws {
    let bytes = try FileBytes(source)
    try checkFreeSpace(bytes.count, in: target.deletingLastPathComponent(), for: "a copy of \(source.path)")
    guard try create(target.path) else { throw StoreError(.cannotCreate, "\(target.path) is there already") }
    do {
      let file = try FileHandle(forWritingTo: target)
      var written: Int64 = 0
      try bytes.pieces {
        try file.write(contentsOf: $0)
        take($0)
        written += Int64($0.count)
      }
      guard written == bytes.count else { throw StoreError(.inputOutput, "\(source.path) became shorter while it was copied") }
      try file.synchronize()
      try file.close()
      try flushFolder(of: target)
    } catch {
      unlink(target.path)
      throw failure(error, target)
    }
  }

  /// Removes a file or a folder with all that is in it. Returns false when nothing is there.
  @discardableResult
  package static func remove(_ url: URL) throws -> Bool {
    guard stands(url.path) else { return false }
    do {
      try FileManager.default.removeItem(at: url)
      return true
    } catch {
      if !stands(url.path) { return false }
      throw failure(error, url)
    }
  }

  // MARK: Flushing

  /// Flushes a file's content to the disk. Never for a database that is open in this process.
  package static func flush(_ url: URL) throws {
    // Opened for reading, because the copy of a write-protected file is write-protected, too.
    let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw posix(url.path, .inputOutput) }
    defer { close(descriptor) }
    try flush(descriptor, url.path)
  }

  package static func flushFolder(of url: URL) throws { try flush(url.deletingLastPathComponent()) }

  /// Opens a file to flush it with `flushContent`. Never a database's main file: closing the descriptor would drop SQLite's locks.
  static func openToFlush(_ url: URL) throws -> Int32 {
    let descriptor = open(url.path, O_RDONLY | O_CLOEXEC)
    // SQLite has made the file, so it is not missing for a reason that the caller could mend.
    guard descriptor >= 0 else { throw errno == ENOENT ? StoreError(.inputOutput, "\(url.path) is gone") : posix(url.path, .inputOutput) }
    return descriptor
  }

  /// Flushes a file's content and length. Returns 0, or the system's error number.
  ///
  /// After an error do not believe a later success: the system may have marked the unwritten pages as written.
  static func flushContent(_ descriptor: Int32) -> Int32 {
    // Platform: flushing is the system's.
    #if canImport(Darwin)
      // A plain fsync reaches the drive's cache only. Some volumes know nothing else.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
      guard [ENOTSUP, EINVAL, ENOTTY].contains(errno) else { return errno }
      return fsync(descriptor) == 0 ? 0 : errno
    #else
      return fdatasync(descriptor) == 0 ? 0 : errno
    #endif
  }

  /// Flushes the content of an open file. After an error, the file's last bytes may be lost even if a later flush succeeds.
  static func flush(_ descriptor: Int32, _ path: String) throws {
    #if canImport(Darwin)
      // A plain fsync reaches the drive's cache only.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(descriptor) == 0 else { throw posix(path, .inputOutput) }
  }
}
