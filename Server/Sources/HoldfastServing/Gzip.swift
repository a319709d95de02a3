internal import CZlib
package import Foundation

/// gzip by the system's zlib.
package enum Gzip {
  package enum Failure: Error {
    /// The bytes are no gzip, or not whole.
    case damaged
    /// What they hold is larger than the limit.
    case tooLarge
  }

  private static let gzip: Int32 = 15 + 16
  private static let structSize = Int32(MemoryLayout<z_stream>.size)

  /// Compresses with zlib's fastest level; nil when memory is short.
  package static func compressed(_ bytes: Data) -> Data? {
    var stream = z_stream()
    guard deflateInit2_(&stream, 1, Z_DEFLATED, gzip, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, structSize) == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    guard let bound = Int(exactly: deflateBound(&stream, uLong(bytes.count))) else { return nil }
    return run(&stream, bytes, into: bound) { deflate($0, Z_FINISH) }.flatMap { $0.code == Z_STREAM_END ? $0.bytes : nil }
  }

  /// Expands one gzip stream, without ever holding more than `limit` bytes of what it becomes.
  ///
  /// - Throws: `Failure`.
  package static func expanded(_ bytes: Data, limit: Int) throws -> Data {
    var stream = z_stream()
    guard inflateInit2_(&stream, gzip, ZLIB_VERSION, structSize) == Z_OK else { throw Failure.damaged }
    defer { inflateEnd(&stream) }
    // One byte of room more: a stream that fills it is too large.
    guard let result = run(&stream, bytes, into: limit + 1, { inflate($0, Z_FINISH) }) else { throw Failure.damaged }
    if result.bytes.count > limit { throw Failure.tooLarge }
    guard result.code == Z_STREAM_END, stream.avail_in == 0 else { throw Failure.damaged }
    return result.bytes
  }

  private static func run(
    _ stream: inout z_stream, _ bytes: Data, into capacity: Int, _ work: (UnsafeMutablePointer<z_stream>) -> Int32
  ) -> (bytes: Data, code: Int32)? {
    guard let count = UInt32(exactly: bytes.count), let room = UInt32(exactly: capacity) else { return nil }
    var out = Data(count: capacity)
    var input = bytes
    let code = input.withUnsafeMutableBytes { source in
      out.withUnsafeMutableBytes { target in
        stream.next_in = source.bindMemory(to: UInt8.self).baseAddress
        stream.avail_in = count
        stream.next_out = target.bindMemory(to: UInt8.self).baseAddress
        stream.avail_out = room
        return work(&stream)
      }
    }
    return (out.prefix(capacity - Int(stream.avail_out)), code)
  }
}
