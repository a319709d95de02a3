import Foundation

/// Bytes of a damaged file. What lies beyond their end is nil, never a trap.
struct PageBytes {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// A whole number without a sign, the most significant byte first.
  func number(_ offset: Int, _ count: Int) -> UInt64? {
    slice(offset, count)?.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The same for numbers that fit an `Int`.
  func int(_ offset: Int, _ count: Int) -> Int? { number(offset, count).flatMap { Int(exactly: $0) } }

  func slice(_ offset: Int, _ count: Int) -> ArraySlice<UInt8>? {
    guard offset >= 0, count >= 0, count <= bytes.count, offset <= bytes.count - count else { return nil }
    return bytes[offset..<offset + count]
  }

  /// SQLite's number of one to nine bytes. Moves the offset behind it.
  /// Format: https://www.sqlite.org/fileformat2.html#varint
  func varint(_ offset: inout Int) -> Int64? {
    var value: UInt64 = 0
    for place in 0..<9 {
      guard let byte = slice(offset, 1)?.first else { return nil }
      offset += 1
      if place == 8 { return Int64(bitPattern: value << 8 | UInt64(byte)) }
      value = value << 7 | UInt64(byte & 0x7F)
      if byte < 0x80 { return Int64(bitPattern: value) }
    }
    return nil
  }

  /// The values of the record that fills these bytes; nil where they are none.
  /// Format: https://www.sqlite.org/fileformat2.html#record_format
  var record: [SQLValue]? {
    var place = 0
    guard let headerBytes = varint(&place), headerBytes >= 1, headerBytes <= bytes.count else { return nil }
    var types: [Int64] = []
    while place < headerBytes {
      guard let type = varint(&place), type >= 0, type != 10, type != 11 else { return nil }
      types.append(type)
    }
    guard place == headerBytes else { return nil }
    var values: [SQLValue] = []
    values.reserveCapacity(types.count)
    for type in types {
      guard let value = value(of: type, &place) else { return nil }
      values.append(value)
    }
    return place == bytes.count ? values : nil
  }

  private func value(of type: Int64, _ place: inout Int) -> SQLValue? {
    switch type {
    case 0: return .null
    case 8: return .integer(0)
    case 9: return .integer(1)
    case 1...7:
      let count = type < 5 ? Int(type) : type == 5 ? 6 : 8
      guard let raw = number(place, count) else { return nil }
      place += count
      if type == 7 {
        let real = Double(bitPattern: raw)
        // As SQLite reads it, which never writes one.
        return real.isNaN ? .null : .real(real)
      }
      let unused = 64 - UInt64(count) * 8
      return .integer(Int64(bitPattern: raw << unused) >> Int64(unused))
    default:
      guard let count = Int(exactly: (type - 12) / 2), let content = slice(place, count) else { return nil }
      place += count
      guard !type.isMultiple(of: 2) else { return .blob(Data(content)) }
      let text = String(decoding: content, as: UTF8.self)
      // Bytes that are no UTF-8 were replaced.
      return text.utf8.elementsEqual(content) ? .text(text) : nil
    }
  }
}
