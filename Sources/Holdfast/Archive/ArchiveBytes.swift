internal import CHoldfast
import Foundation

/// Reads big-endian numbers from the beginning of `bytes` on. Each call returns nil behind the end.
struct ArchiveBytes {
  private let bytes: Data
  private(set) var place: Int

  init(_ bytes: Data) { (self.bytes, place) = (bytes, bytes.startIndex) }

  var rest: Data { bytes[place...] }

  mutating func take(_ count: Int) -> Data? {
    guard count >= 0, bytes.endIndex - place >= count else { return nil }
    defer { place += count }
    return bytes[place..<place + count]
  }

  mutating func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
    take(MemoryLayout<Number>.size).map { Number(bigEndian: $0.withUnsafeBytes { $0.loadUnaligned(as: Number.self) }) }
  }
}

extension Data {
  /// The exclusive or with the bytes of `other`, as far as both reach.
  mutating func combine(_ other: Data) {
    let count = Swift.min(count, other.count)
    withUnsafeMutableBytes { mine in other.withUnsafeBytes { holdfast_exclusive_or(mine.baseAddress, $0.baseAddress, count) } }
  }

  mutating func add<Number: FixedWidthInteger>(_ number: Number) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}
