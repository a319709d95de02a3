import Foundation
import Holdfast

/// Converts the bytes of a table's file: drops a byte order mark, and turns UTF-16 into UTF-8. Bytes in other encodings stay unchanged,
/// because in all of them the characters that separate cells and rows are ASCII.
struct CSVText {
  private enum Width {
    case unknown, narrow
    case wide(isLittle: Bool)
  }

  private var width = Width.unknown
  /// Bytes of an incomplete unit, or of the first half of a surrogate pair.
  private var rest: [UInt8] = []
  private let url: URL
  private let encoding: String.Encoding?
  /// The number of bytes of the file that were read so far.
  private(set) var position = 0
  /// The length of the byte order mark in bytes.
  private(set) var mark = 0
  /// The error behind the bytes that were returned; thrown at the next call.
  private var failure: StoreError?

  init(_ url: URL, _ encoding: String.Encoding?) {
    self.url = url
    self.encoding = encoding
  }

  /// Whether the file itself shows that it is Unicode. This counts more than the given encoding.
  var isUnicode: Bool {
    if case .wide = width { return true }
    return mark > 0
  }

  /// The number of the file's bytes that `bytes` came from.
  func length(_ bytes: ArraySlice<UInt8>) -> Int {
    guard case .wide = width else { return bytes.count }
    return 2 * String(decoding: bytes, as: UTF8.self).utf16.count
  }

  /// Returns the bytes before a damaged place; the next call throws the error.
  mutating func take(_ piece: Data) throws -> [UInt8] {
    if let failure { throw failure }
    var bytes = rest + piece
    // The offset of the first of these bytes in the file.
    var start = position - rest.count
    rest = []
    defer { position += piece.count }
    if case .unknown = width {
      // A file of three bytes is no table.
      guard bytes.count > 3 else {
        rest = bytes
        return []
      }
      (width, mark) = Self.begin(bytes, encoding)
      bytes.removeFirst(mark)
      start += mark
    }
    guard case .wide(let isLittle) = width else {
      guard let zero = bytes.firstIndex(of: 0) else { return bytes }
      failure = refused("it is not text: byte \(start + zero) is 0", start + zero)
      return Array(bytes[..<zero])
    }
    return narrowed(bytes, isLittle, from: start)
  }

  mutating func finish() throws -> [UInt8] {
    if let failure { throw failure }
    guard case .wide = width else { return rest }
    guard rest.isEmpty else { throw refused("its UTF-16 ends in the middle of a character", position) }
    return []
  }

  private static func begin(_ bytes: [UInt8], _ encoding: String.Encoding?) -> (Width, mark: Int) {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return (.narrow, 3) }
    if bytes.starts(with: [0xFF, 0xFE]) { return (.wide(isLittle: true), 2) }
    if bytes.starts(with: [0xFE, 0xFF]) { return (.wide(isLittle: false), 2) }
    switch encoding {
    case .utf16LittleEndian?: return (.wide(isLittle: true), 0)
    case .utf16BigEndian?, .utf16?: return (.wide(isLittle: false), 0)
    default: break
    }
    // Without a mark, every other byte of letters in ASCII is 0.
    switch bytes.prefix(4).map({ $0 == 0 }) {
    case [false, true, false, true]: return (.wide(isLittle: true), 0)
    case [true, false, true, false]: return (.wide(isLittle: false), 0)
    default: return (.narrow, 0)
    }
  }

  private mutating func narrowed(_ bytes: [UInt8], _ isLittle: Bool, from start: Int) -> [UInt8] {
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count / 2)
    var high = false
    for index in stride(from: 0, to: bytes.count - bytes.count % 2, by: 2) {
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      let unit = isLittle ? second << 8 | first : first << 8 | second
      let isLow = (0xDC00...0xDFFF).contains(unit)
      guard isLow == high, unit != 0 else {
        failure = refused("its UTF-16 is damaged before byte \(start + index)", start + index)
        break
      }
      high = (0xD800...0xDBFF).contains(unit)
      units.append(unit)
    }
    if high { units.removeLast() }
    rest = Array(bytes.suffix(bytes.count % 2 + (high ? 2 : 0)))
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  private func refused(_ reason: String, _ offset: Int) -> StoreError {
    StoreError(.invalidSource, "\(url.path) is no table: \(reason)", offset: offset)
  }
}
