import Foundation
import Testing

@testable import HoldfastMusic

/// Headers as the documents of the formats draw them; only what is read stands in them.
@Suite("The type and the size of a picture") struct ImageHeaderTests {
  private static func header(_ parts: Any...) -> Data {
    parts.reduce(into: Data()) { data, part in
      if let text = part as? String { data += Data(text.utf8) }
      if let bytes = part as? [Int] { data += Data(bytes.map { UInt8($0) }) }
    }
  }

  private static let zeros = [0, 0, 0, 0]
  private static let png = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  static let pictures: [(String, Data, Int?, Int?)] = [
    ("image/png", header(png, zeros, "IHDR", [0, 0, 1, 2, 0, 0, 0, 9]), 258, 9),
    // An application segment of four bytes, a fill byte, a restart marker, and the frame.
    (
      "image/jpeg", header([0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 7, 7, 0xFF, 0xFF, 0xD0, 0xFF, 0xC2, 0, 17, 8, 1, 0, 2, 0]), 512, 256
    ),
    ("image/gif", header("GIF89a", [4, 1, 5, 0]), 260, 5), ("image/gif", header("GIF87a", [1, 0, 1, 0]), 1, 1),
    ("image/webp", header("RIFF", zeros, "WEBPVP8 ", zeros, [1, 2, 3, 4, 5, 6, 0x10, 0xC0, 0x20, 0x40]), 16, 32),
    // 14 bits of width less one, then 14 bits of height less one.
    ("image/webp", header("RIFF", zeros, "WEBPVP8L", zeros, [0x2F, 0x0F, 0xC0, 0x07, 0x00]), 16, 32),
    ("image/webp", header("RIFF", zeros, "WEBPVP8X", zeros, zeros, [15, 0, 0, 31, 0, 0]), 16, 32),
    ("image/bmp", header("BM", [Int](repeating: 0, count: 12), [40, 0, 0, 0, 7, 0, 0, 0, 0xFA, 0xFF, 0xFF, 0xFF]), 7, 6),
    ("image/heic", header(zeros, "ftypheic"), nil, nil), ("image/avif", header(zeros, "ftypavif"), nil, nil),
    ("image/tiff", header("II", [0x2A, 0]), nil, nil), ("image/tiff", header("MM", [0, 0x2A]), nil, nil),
    ("application/octet-stream", header(zeros, "ftypqt  "), nil, nil), ("application/octet-stream", Data(), nil, nil),
  ]

  @Test("are read from its first bytes", arguments: pictures)
  func sizes(_ mediaType: String, _ data: Data, _ width: Int?, _ height: Int?) {
    // A slice, as a larger file gives it, begins behind zero.
    for header in [ImageHeader(data), ImageHeader((Data([1]) + data).dropFirst())] {
      #expect((header.mediaType, header.width, header.height) == (mediaType, width, height))
    }
  }

  @Test("a picture that ends anywhere has its type or none, and never another size", arguments: pictures)
  func cut(_ mediaType: String, _ data: Data, _ width: Int?, _ height: Int?) {
    for length in data.indices {
      let header = ImageHeader(data.prefix(length))
      #expect([mediaType, "application/octet-stream"].contains(header.mediaType))
      #expect(header.width == nil || (header.width, header.height) == (width, height))
    }
  }

  @Test("a size of zero, and segments whose length leads nowhere, are no size")
  func nothing() {
    let pictures = [
      Self.header(Self.png, Self.zeros, "IHDR", [0, 0, 0, 0, 0, 0, 0, 9]), Self.header([0xFF, 0xD8, 0xFF, 0xE0, 0, 1, 0, 0]),
      Self.header([0xFF, 0xD8, 0xFF, 0xDA, 0, 4]), Self.header([0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0xFF]),
      Self.header("RIFF", Self.zeros, "WEBPVP9 ", Self.zeros),
    ]
    for picture in pictures { #expect(ImageHeader(picture).width == nil) }
  }
}
