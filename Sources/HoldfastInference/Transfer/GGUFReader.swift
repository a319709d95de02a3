import Foundation
import Holdfast

/// The bytes of a GGUF file from its start, in pieces. Numbers are little-endian.
///
/// Never more is kept in memory than a piece and what is asked for, whatever the file says of itself: every length is compared with
/// what is left of the file before anything is read.
struct GGUFReader {
  /// Where the next byte stands.
  private(set) var offset: Int64 = 0
  /// Of the file, or of its beginning.
  let size: Int64
  /// For messages.
  let path: String
  private let next: () throws -> Data?
  private var piece = Data()
  private var place = 0

  /// - Parameter next: gives the next bytes, and nil at the end.
  init(path: String, size: Int64, next: @escaping () throws -> Data?) {
    self.path = path
    self.size = size
    self.next = next
  }

  var left: Int64 { max(0, size - offset) }

  /// A whole number.
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

  /// - Throws: `.invalidSource` when so many are not left.
  mutating func bytes(_ count: Int64) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try take(count) { bytes += $0 }
    return bytes
  }

  /// - Throws: `.invalidSource` when so many are not left.
  mutating func skip(_ count: Int64) throws { try take(count) { _ in } }

  private mutating func take(_ count: Int64, _ body: (Data) -> Void) throws {
    guard count >= 0, count <= left else { throw failure("\(count) bytes are to follow, and there are \(left) left") }
    var wanted = count
    while wanted > 0 {
      if place >= piece.count {
        guard let more = try next(), !more.isEmpty else { throw failure("the file ends here") }
        // Its indices begin at zero.
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

  /// The source makes no sense here.
  func failure(_ reason: String) -> StoreError {
    var error = StoreError(.invalidSource, "\(path) has no GGUF header that can be read: at byte \(offset), \(reason)")
    error.offset = Int(clamping: offset)
    return error
  }
}
