import Foundation

/// The type and size of a picture, from its first bytes.
///
/// Sources: RFC 2083 (PNG), ITU-T T.81 annex B (JPEG), GIF89a, the WebP container specification, the BMP file header, ISO/IEC
/// 14496-12 (`ftyp`, for HEIC and AVIF; their size is deeper in the file and is not read).
struct ImageHeader: Equatable {
  var mediaType = "application/octet-stream"
  var width: Int?
  var height: Int?

  init(_ data: Data) {
    let bytes = HeaderBytes(data)
    if bytes.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0) {
      mediaType = "image/png"
      if bytes.has("IHDR", at: 12) { take(bytes.big(4, at: 16), bytes.big(4, at: 20)) }
    } else if bytes.has([0xFF, 0xD8, 0xFF], at: 0) {
      mediaType = "image/jpeg"
      readJPEG(bytes)
    } else if bytes.has("GIF87a", at: 0) || bytes.has("GIF89a", at: 0) {
      mediaType = "image/gif"
      take(bytes.little(2, at: 6), bytes.little(2, at: 8))
    } else if bytes.has("RIFF", at: 0), bytes.has("WEBP", at: 8) {
      mediaType = "image/webp"
      readWebP(bytes)
    } else if bytes.has("BM", at: 0), bytes.little(4, at: 14) == 40 {
      mediaType = "image/bmp"
      // The height is negative if the picture's first row is its top row.
      let height = bytes.little(4, at: 22).map { Int(Int32(truncatingIfNeeded: $0).magnitude) }
      take(bytes.little(4, at: 18), height)
    } else if bytes.has("ftyp", at: 4), let brand = bytes.text(4, at: 8) {
      if ["heic", "heix", "mif1", "msf1"].contains(brand) { mediaType = "image/heic" }
      if brand == "avif" { mediaType = "image/avif" }
    } else if bytes.has([0x49, 0x49, 0x2A, 0x00], at: 0) || bytes.has([0x4D, 0x4D, 0x00, 0x2A], at: 0) {
      mediaType = "image/tiff"
    }
  }

  private mutating func take(_ width: Int?, _ height: Int?) {
    guard let width, let height, width > 0, height > 0 else { return }
    self.width = width
    self.height = height
  }

  /// Follows the segments by their lengths to the frame header, which holds the size.
  private mutating func readJPEG(_ bytes: HeaderBytes) {
    var place = 2
    while let marker = bytes.big(2, at: place), marker >> 8 == 0xFF {
      switch marker & 0xFF {
      case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF: return take(bytes.big(2, at: place + 7), bytes.big(2, at: place + 5))
      case 0xFF: place += 1
      case 0x01, 0xD0...0xD8: place += 2
      case 0xD9, 0xDA: return
      default:
        guard let length = bytes.big(2, at: place + 2), length >= 2 else { return }
        place += 2 + length
      }
    }
  }

  private mutating func readWebP(_ bytes: HeaderBytes) {
    switch bytes.text(4, at: 12) {
    case "VP8 ": take(bytes.little(2, at: 26).map { $0 & 0x3FFF }, bytes.little(2, at: 28).map { $0 & 0x3FFF })
    case "VP8L":
      guard let packed = bytes.little(4, at: 21) else { return }
      take((packed & 0x3FFF) + 1, (packed >> 14 & 0x3FFF) + 1)
    case "VP8X": take(bytes.little(3, at: 24).map { $0 + 1 }, bytes.little(3, at: 27).map { $0 + 1 })
    default: return
    }
  }
}

/// Bytes at a place; nil beyond the end.
private struct HeaderBytes {
  private let data: Data

  init(_ data: Data) { self.data = data }

  private func bytes(_ count: Int, at place: Int) -> Data? {
    guard place >= 0, count <= data.count, place <= data.count - count else { return nil }
    return data.dropFirst(place).prefix(count)
  }

  func has(_ expected: [UInt8], at place: Int) -> Bool { bytes(expected.count, at: place).map { Array($0) == expected } ?? false }
  func has(_ expected: String, at place: Int) -> Bool { has(Array(expected.utf8), at: place) }
  func text(_ count: Int, at place: Int) -> String? { bytes(count, at: place).map { String(decoding: $0, as: UTF8.self) } }
  func big(_ count: Int, at place: Int) -> Int? { bytes(count, at: place)?.reduce(0) { $0 << 8 | Int($1) } }
  func little(_ count: Int, at place: Int) -> Int? { bytes(count, at: place)?.reversed().reduce(0) { $0 << 8 | Int($1) } }
}
