internal import CHoldfast
package import Foundation
internal import GRDBSQLite

/// The bytes of a file, read through SQLite's file layer.
///
/// The file may be a database that this process has open, even outside the kit. When a process closes any descriptor of a file, POSIX drops
/// all its locks on that file. SQLite knows its own descriptors, and closes them later.
package final class FileBytes {
  private let connection: RawConnection
  private let path: String
  package let count: Int64
  private var place: Int64 = 0

  /// - Throws: `.notFound`, `.permissionDenied`, `.inputOutput`, the last one also for a folder, a pipe or a device.
  package init(_ url: URL) throws {
    path = url.path
    guard !DurableFile.isFolder(path) else { throw StoreError(.inputOutput, "\(path) is a folder") }
    guard !DurableFile.isSpecial(path) else { throw StoreError(.inputOutput, "\(path) is not a file") }
    let missing = StoreError(.notFound, "there is no file at \(path)")
    guard DurableFile.stands(path) else { throw missing }
    do {
      connection = try ConnectionFactory.plain(path)
    } catch  where !DurableFile.stands(path) {
      // Another process has removed it meanwhile: a journal whose transaction has ended, for example.
      throw missing
    }
    count = try Self.size(connection, path)
  }

  static func size(_ connection: RawConnection, _ path: String) throws -> Int64 {
    var size: Int64 = 0
    let code = holdfast_size(connection.handle, &size)
    guard code == SQLITE_OK else { throw connection.failure(code, path) }
    // SQLite reports a file of one byte as empty.
    return size > 0 ? size : min(1, DurableFile.size(path))
  }

  /// At most `length` bytes from `offset` on; fewer where the file has become shorter since it was opened.
  package func read(_ length: Int, at offset: Int64 = 0) throws -> Data {
    let length = Int(max(0, min(Int64(length), count - offset)))
    guard length > 0 else { return Data() }
    var data = Data(count: length)
    let code = data.withUnsafeMutableBytes { holdfast_read(connection.handle, $0.baseAddress, Int32(clamping: length), offset) }
    // SQLITE_IOERR_SHORT_READ is a macro that Swift cannot import.
    if code == SQLITE_IOERR | 2 << 8 { return data.prefix(Int(max(0, min(Int64(length), try Self.size(connection, path) - offset)))) }
    guard code == SQLITE_OK else { throw connection.failure(code, path) }
    return data
  }

  /// The next bytes after the last call, at most `length`; empty at the end.
  package func next(_ length: Int) throws -> Data {
    let piece = try read(length, at: place)
    place += Int64(piece.count)
    return piece
  }

  package func all() throws -> Data {
    var all = Data(capacity: Int(count))
    try pieces { all.append($0) }
    return all
  }

  func pieces(_ body: (Data) throws -> Void) throws {
    while case let piece = try next(1 << 20), !piece.isEmpty { try body(piece) }
  }
}
