import Foundation

// Files that are no databases, opened to be read. A database is read through `FileBytes`.

extension DurableFile {
  /// Opens a file to read it; nil where nothing has this name. Never waits, as opening a pipe that nobody writes to would.
  ///
  /// - Throws: `.inputOutput` for a folder, a pipe or a device; the system's error.
  static func openToRead(_ url: URL) throws -> Int32? {
    let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let code = errno
      if code == ENOENT { return nil }
      throw failure(POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO), url)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw notAFile(url)
    }
    return descriptor
  }

  /// A file to read from. Throws `.notFound`, and as `openToRead`.
  static func handle(reading url: URL) throws -> FileHandle {
    guard let descriptor = try openToRead(url) else { throw posix(url.path, .notFound, ENOENT) }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// The whole content of a file. Throws as `handle(reading:)`, and the errors of reading.
  static func content(of url: URL) throws -> Data {
    let file = try handle(reading: url)
    return try naming(url) { try file.readToEnd() ?? Data() }
  }

  /// The names in a folder. A folder that is not there is an empty one.
  static func names(in folder: URL) throws -> [String] {
    do { return try FileManager.default.contentsOfDirectory(atPath: folder.path) } catch {
      if !stands(folder.path) { return [] }
      throw failure(error, folder)
    }
  }

  /// The error where something else stands in a file's place.
  static func notAFile(_ url: URL) -> StoreError {
    StoreError(
      .inputOutput, "\(url.path) is not a file, and a file should be there", suggestion: "Move it to another place, and try again.")
  }
}
