internal import CHoldfast
package import Foundation

/// gzip, as HTTP carries it, and the zlib streams of archives.
package enum Gzip {
  /// Nil where it would not be shorter, and when memory is short.
  package static func compressed(_ bytes: Data) -> Data? {
    changed(bytes, capacity: bytes.count) { holdfast_gzip($0.baseAddress, $0.count, $1.baseAddress, $1.count) }
  }

  /// Nil for what is no whole gzip or zlib stream, or expands to more than `limit` bytes.
  package static func expanded(_ bytes: Data, limit: Int) -> Data? {
    changed(bytes, capacity: limit) { holdfast_inflate($0.baseAddress, $0.count, $1.baseAddress, $1.count) }
  }

  /// The bytes that `change` writes into room for `capacity`; it returns their number, or a negative one.
  static func changed(
    _ bytes: Data, capacity: Int, _ change: (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) -> Int
  ) -> Data? {
    var out = Data(count: capacity)
    let length = bytes.withUnsafeBytes { source in out.withUnsafeMutableBytes { change(source, $0) } }
    return length < 0 ? nil : out.prefix(length)
  }
}
