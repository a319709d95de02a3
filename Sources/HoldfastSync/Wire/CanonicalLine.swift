internal import Holdfast

/// Reads a line that is written as `SyncRow.line` writes it, without a tree of JSON: nearly every line is one. Any other is nil here, and
/// `SyncRow.read` reads it in full or says what is wrong with it. What both read is the same row.
struct CanonicalLine {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var offset = 0

  static func read(_ line: UnsafeBufferPointer<UInt8>) -> (row: SyncRow, sequence: Int64?)? {
    var scanner = CanonicalLine(bytes: line)
    guard let read = scanner.row(), scanner.offset == line.count else { return nil }
    return read
  }

  private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// A living row: deleted ones have little to read.
  private mutating func row() -> (row: SyncRow, sequence: Int64?)? {
    guard take("{\"g\":"), let generation = whole(), 1...SyncRow.largestGeneration ~= generation, generation & 1 == 1,
      take(",\"h\":"), let birth = text().flatMap(Stamp.init), take(",\"k\":"), let key = text()
    else { return nil }
    var sequence: Int64?
    if take(",\"q\":") {
      sequence = whole()
      guard let sequence, sequence > 0 else { return nil }
    }
    guard take(",\"t\":"), let table = text(), SyncRow.isName(table) else { return nil }
    var values: RowValues = [:]
    let hasValues =
      !take(",\"v\":{")
      || members { scanner, column in
        values[column] = scanner.value()
        return SyncRow.isName(column.text) && values[column] != nil
      }
    var exceptions: [ExactText: SyncRow.Exception] = [:]
    let hasExceptions =
      hasValues
      && (!take(",\"x\":{")
        || members { scanner, group in
          exceptions[group] = scanner.exception(SyncRow.columns(of: group))
          return exceptions[group] != nil
        })
    guard hasExceptions, take("}") else { return nil }
    return (SyncRow(.init(table, key), generation: generation, birth: birth, values: values, exceptions: exceptions), sequence)
  }

  /// The members of an object behind its brace, in ascending order, which no two equal ones have.
  private mutating func members(_ read: (inout CanonicalLine, ExactText) -> Bool) -> Bool {
    var last: ExactText?
    repeat {
      guard let key = text().map({ ExactText($0) }), take(":") else { return false }
      if let last, !(last < key) { return false }
      last = key
      guard read(&self, key) else { return false }
    } while take(",")
    return take("}")
  }

  private mutating func exception(_ columns: [ExactText]) -> SyncRow.Exception? {
    guard columns.allSatisfy({ SyncRow.isName($0.text) }), Set(columns).count == columns.count, take("["),
      let stamp = text().flatMap(Stamp.init)
    else { return nil }
    var values: [ExactText] = []
    for _ in columns {
      guard take(","), let value = value() else { return nil }
      values.append(value)
    }
    return take("]") ? SyncRow.Exception(stamp, values) : nil
  }

  // MARK: Values

  /// A value in its canonical form.
  private mutating func value() -> ExactText? {
    let start = offset
    switch byte {
    case UInt8(ascii: "\""):
      guard string() != nil else { return nil }
      return slice(from: start).map { ExactText($0) }
    case UInt8(ascii: "n"): return take("null") ? SyncRow.null : nil
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      while Self.isOfNumber(byte) { offset += 1 }
      guard let text = slice(from: start) else { return nil }
      // Few digits are an exact number; "-0" and "007" are other spellings.
      if text.utf8.count <= 15, let number = Int64(text), number.description == text { return ExactText(text) }
      return JSONValue(json: text).flatMap(SyncValue.value).map(SyncValue.text)
    default: return nil
    }
  }

  private static func isOfNumber(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "-+.eE".utf8.contains(byte)
  }

  /// A whole number of up to 18 digits.
  private mutating func whole() -> Int64? {
    let start = offset
    while UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { offset += 1 }
    guard 1...18 ~= offset - start, offset == start + 1 || bytes[start] != UInt8(ascii: "0") else { return nil }
    return bytes[start..<offset].reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
  }

  private mutating func text() -> String? {
    guard let range = string() else { return nil }
    return String(validUTF8: UnsafeBufferPointer(rebasing: bytes[range]))
  }

  /// The range between the quotation marks of a string without escapes.
  private mutating func string() -> Range<Int>? {
    guard byte == UInt8(ascii: "\"") else { return nil }
    let start = offset + 1
    var end = start
    while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
      guard bytes[end] >= 0x20, bytes[end] != UInt8(ascii: "\\") else { return nil }
      end += 1
    }
    guard end < bytes.count else { return nil }
    offset = end + 1
    return start..<end
  }

  private func slice(from start: Int) -> String? {
    String(validUTF8: UnsafeBufferPointer(rebasing: bytes[start..<offset]))
  }

  private var byte: UInt8 { offset < bytes.count ? bytes[offset] : 0 }

  private mutating func take(_ literal: StaticString) -> Bool {
    let count = literal.utf8CodeUnitCount
    guard bytes.count - offset >= count else { return false }
    for place in 0..<count where bytes[offset + place] != literal.utf8Start[place] { return false }
    offset += count
    return true
  }
}
