import Foundation
import Holdfast

/// Reads the bytes of a GGUF file from its start, in pieces. Numbers are little-endian.
///
/// Only one piece and the requested bytes are in memory, whatever the file says: every length is compared with the rest of the
/// file before anything is read.
struct GGUFReader {
  private(set) var offset: Int64 = 0
  /// The size of the file, or of its first part.
  let size: Int64
  let path: String
  private let next: () throws -> Data?
  private var piece = Data()
  private var place = 0

  /// - Parameter next: returns the next bytes, and nil at the end.
  init(path: String, size: Int64, next: @escaping () throws -> Data?) {
    self.path = path
    self.size = size
    self.next = next
  }

  var left: Int64 { max(0, size - offset) }

  mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
    let width = Number.bitWidth / 8
    if piece.count - place >= width {
      let number = piece.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: place, as: Number.self) }
      place += width
      offset += Int64(width)
      return Number(littleEndian: number)
    }
    var number: Number = 0
    for (index, byte) in try bytes(Int64(width)).enumerated() { number |= Number(truncatingIfNeeded: byte) << Number(8 * index) }
    return number
  }

  /// - Throws: `.invalidSource` when fewer bytes are left.
  mutating func bytes(_ count: Int64) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try take(count) { bytes += $0 }
    return bytes
  }

  mutating func skip(_ count: Int64) throws { try take(count) { _ in } }

  private mutating func take(_ count: Int64, _ body: (Data) -> Void) throws {
    guard count >= 0, count <= left else { throw failure("\(count) bytes are to follow, and there are \(left) left") }
    var wanted = count
    while wanted > 0 {
      if place >= piece.count {
        guard let more = try next(), !more.isEmpty else { throw failure("the file ends here") }
        // Makes its indices begin at zero.
        piece = Data(more)
        place = 0
      }
      let taken = Int(min(wanted, Int64(piece.count - place)))
      body(piece[place..<place + taken])
      place += taken
      offset += Int64(taken)
      wanted -= Int64(taken)
    }
  }

  func failure(_ reason: String) -> StoreError {
    StoreError(
      .invalidSource, "\(path) has no GGUF header that can be read: at byte \(offset), \(reason)", offset: Int(clamping: offset))
  }
}
