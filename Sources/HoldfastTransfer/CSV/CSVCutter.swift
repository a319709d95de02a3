/// Finds the ends of the records of a table, byte by byte: the line breaks outside quotes.
struct CSVCutter {
  private enum State { case cellStart, plain, quoted, quoteInQuoted }

  /// Nil: any of the three delimiters.
  let delimiter: UInt8?
  private var state = State.cellStart

  static let delimiters: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]

  init(delimiter: UInt8?) { self.delimiter = delimiter }

  var isInQuotes: Bool { state == .quoted }

  /// Takes the next byte. Returns whether it ends the record; then it is the first byte of a line break.
  mutating func take(_ byte: UInt8) -> Bool {
    if state == .quoted {
      if byte == UInt8(ascii: "\"") { state = .quoteInQuoted }
      return false
    }
    switch byte {
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return true
    case UInt8(ascii: "\""):
      // Inside quotes, two quotes mean one. `CSVCells` refuses a row that has a quote in a cell without quotes around it.
      state = state == .plain ? .plain : .quoted
    case _ where delimiter.map { $0 == byte } ?? Self.delimiters.contains(byte):
      state = .cellStart
    case UInt8(ascii: " ") where state != .plain, UInt8(ascii: "\t") where state != .plain: break
    default: state = .plain
    }
    return false
  }

  mutating func begin() { state = .cellStart }

  /// The most frequent delimiter outside quotes; a comma where there is none.
  static func delimiter(of header: ArraySlice<UInt8>) -> UInt8 {
    var isQuoted = false
    var counts: [UInt8: Int] = [:]
    for byte in header {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if !isQuoted, delimiters.contains(byte) { counts[byte, default: 0] += 1 }
    }
    return delimiters.max { counts[$0, default: 0] < counts[$1, default: 0] } ?? UInt8(ascii: ",")
  }
}
