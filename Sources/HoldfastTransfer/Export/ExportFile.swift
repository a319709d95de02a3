import Foundation
import Holdfast

/// A file that is written in pieces and hashed on the way.
struct ExportFile {
  private let handle: FileHandle
  private var sum = SHA256Sum()
  private var buffer = Data()
  private var bytes: Int64 = 0

  /// Replaces the file at `url` by the content that `body` writes. The old file stays until the end.
  ///
  /// - Throws: `.misuse` for a file of the exported store: replacing it would end the store.
  static func replace<T>(
    _ url: URL, from store: Store, _ body: (inout ExportFile) throws -> T
  ) throws -> (result: T, url: URL, bytes: Int64, sha256: String) {
    try store.files?.checkIsNotOwn(url)
    let url = try DurableFile.replaceable(url)
    let folder = try WorkingFolder(beside: url, "writing")
    let working = folder.file(url.lastPathComponent)
    do {
      var file = try ExportFile(at: working)
      let result = try body(&file)
      let (bytes, sha256) = try file.close()
      try DurableFile.move(working, over: url)
      return (result, url, bytes, sha256)
    } catch {
      throw DurableFile.failure(error, url)
    }
  }

  private init(at url: URL) throws {
    guard try DurableFile.create(url.path) else { throw StoreError(.cannotCreate, "\(url.path) is there already") }
    // Written without SQLite: an export, under a working name.
    handle = try FileHandle(forWritingTo: url)
  }

  mutating func line(_ value: JSONValue) throws { try write((value.canonicalText() + "\n").utf8) }

  mutating func write(_ bytes: some Collection<UInt8>) throws {
    buffer.append(contentsOf: bytes)
    if buffer.count > 1 << 18 { try flush() }
  }

  mutating func hashSoFar() throws -> String {
    try flush()
    return sum.hex
  }

  private mutating func close() throws -> (Int64, String) {
    try flush()
    try handle.synchronize()
    try handle.close()
    return (bytes, sum.hex)
  }

  private mutating func flush() throws {
    try handle.write(contentsOf: buffer)
    sum.add(buffer)
    bytes += Int64(buffer.count)
    buffer.removeAll(keepingCapacity: true)
  }
}
