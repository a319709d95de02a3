package import Foundation

extension StoreFiles {
  /// Makes a store under way, lets `body` fill and close it, and gives it its name when it is whole. A log that was left of a file that is
  /// gone is set aside before.
  ///
  /// - Throws: `.busy` when another process has made a file of this name meanwhile; what `body` throws. Nothing is then there that was not
  ///   there before.
  package func building<T>(_ options: StoreOptions, _ body: (URL) throws -> T) throws -> (result: T, notices: [StoreNotice]) {
    try checkName()
    var working: URL?
    do {
      let folder = try WorkingFolder(beside: url, "building")
      let new = folder.file(url.lastPathComponent)
      working = new
      let result = try body(new)
      guard DurableFile.size(new.path + "-wal") == 0 else { throw StoreError(.inputOutput, "\(new.path) could not be written whole") }
      try DurableFile.flush(new)
      let lock = try lockOfOrphans(options)
      defer { withExtendedLifetime(lock) {} }
      let notices = try DurableFile.stands(path) ? [] : settleLog(options)
      try giveName(to: new, options)
      return (result, notices)
    } catch {
      throw StoreError(error).naming(url, insteadOf: working)
    }
  }

  /// Also replaces an empty file of that name, unless a connection has it open.
  private func giveName(to new: URL, _ options: StoreOptions) throws {
    guard DurableFile.stands(path), DurableFile.size(path) == 0 else { return try DurableFile.place(new, at: url) }
    guard let lock = try FileLock(self) else { throw FileLock.held(self) }
    defer { withExtendedLifetime(lock) {} }
    // Filled meanwhile: taking the name refuses.
    guard DurableFile.size(path) == 0 else { return try DurableFile.place(new, at: url) }
    try DurableFile.move(new, over: url)
  }
}
