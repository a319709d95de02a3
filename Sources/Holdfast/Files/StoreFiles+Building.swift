package import Foundation

extension StoreFiles {
  /// Makes a store under a working name, lets `body` fill and close it, sets aside a log whose file is gone, and gives the store its name.
  ///
  /// - Throws: `.busy` when another process has made a file with this name meanwhile; the errors of `body`. No new file is left then.
  package func building<T>(_ options: StoreOptions, _ body: (URL) throws -> T) throws -> (result: T, notices: [StoreNotice]) {
    try checkName()
    do {
      let folder = try WorkingFolder(beside: url, "building")
      let new = folder.file(url.lastPathComponent)
      let result = try body(new)
      guard DurableFile.size(new.path + "-wal") == 0 else { throw StoreError(.inputOutput, "\(new.path) could not be written whole") }
      try LogLine.adopt(ownerOfCopies(options.key), by: new, options)
      try DurableFile.flush(new)
      let lock = try lockOfOrphans(options)
      defer { withExtendedLifetime(lock) {} }
      let notices = try DurableFile.stands(path) ? [] : settleLog(options)
      try giveName(to: new, options)
      return (result, notices)
    } catch {
      throw StoreError(error).naming(url)
    }
  }

  /// Renames the finished store. Replaces an empty file with that name, unless a connection has it open.
  private func giveName(to new: URL, _ options: StoreOptions) throws {
    guard DurableFile.stands(path), DurableFile.size(path) == 0 else { return try DurableFile.place(new, at: url) }
    guard let lock = try FileLock(self) else { throw FileLock.held(self) }
    defer { withExtendedLifetime(lock) {} }
    // The file was filled meanwhile, so `place` throws `.busy`.
    guard DurableFile.size(path) == 0 else { return try DurableFile.place(new, at: url) }
    try DurableFile.move(new, over: url)
  }
}

extension DurableFile {
  /// Makes a new file: `body` builds it under a working name, and it gets its name when it is complete and flushed.
  ///
  /// - Throws: `.cannotCreate` for such a file, or a log that SQLite would read into it; the errors of `body`. No new file is left then.
  static func making<T>(_ target: URL, _ body: (URL) throws -> T) throws -> T {
    for suffix in [""] + StoreFiles.logs { try checkIsFree(target.path + suffix) }
    let folder = try WorkingFolder(beside: target, "building")
    let working = folder.file(target.lastPathComponent)
    do {
      let result = try body(working)
      try flush(working)
      try place(working, at: target)
      return result
    } catch {
      throw StoreError(error).naming(target)
    }
  }

  /// - Throws: `.cannotCreate` when something stands at the path.
  static func checkIsFree(_ path: String) throws {
    guard stands(path) else { return }
    throw StoreError(.cannotCreate, "\(path) is already there; it was left as it is", suggestion: "Choose another name.")
  }
}
