/// Cuts bytes into the records of a table. A record ends at a line break outside quotes.
struct CSVCutter {
  private enum State { case cellStart, plain, quoted, quoteInQuoted }

  /// Nil: any of the three delimiters.
  let delimiter: UInt8?
  private var state = State.cellStart
  private var lastWasReturn = false
  /// The bytes of the present record.
  private(set) var bytes: [UInt8] = []
  /// The line of its first byte, from 1.
  private(set) var startLine = 1
  private var line = 1
  /// How many bytes between records were taken so far.
  private(set) var breaks = 0

  static let delimiters: [UInt8] = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]

  init(delimiter: UInt8?) { self.delimiter = delimiter }

  var isInQuotes: Bool { state == .quoted }

  /// Takes bytes from the start of `piece`, until the record ends or has more than `limit` bytes. Returns whether it ends.
  mutating func take(_ piece: inout ArraySlice<UInt8>, limit: Int) -> Bool {
    if lastWasReturn, bytes.isEmpty, piece.first == UInt8(ascii: "\n") {
      // The second half of a line break that ended a record.
      piece = piece.dropFirst()
      breaks += 1
      lastWasReturn = false
    }
    var (count, isEnd) = (0, false)
    for byte in piece.prefix(limit + 1 - bytes.count) {
      if byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") && !lastWasReturn { line += 1 }
      lastWasReturn = byte == UInt8(ascii: "\r")
      isEnd = ends(byte)
      if isEnd { break }
      count += 1
    }
    bytes += piece.prefix(count)
    piece = piece.dropFirst(isEnd ? count + 1 : count)
    return isEnd
  }

  mutating func begin() {
    (state, bytes, startLine) = (.cellStart, [], line)
    breaks += 1
  }

  /// Whether the byte is the first of a line break that ends the record.
  private mutating func ends(_ byte: UInt8) -> Bool {
    if state == .quoted {
      if byte == UInt8(ascii: "\"") { state = .quoteInQuoted }
      return false
    }
    switch byte {
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return true
    case UInt8(ascii: "\""):
      // Inside quotes, two quotes mean one. `CSVCells` refuses a row that has a quote in a cell without quotes around it.
      state = state == .plain ? .plain : .quoted
    case _ where byte == delimiter || delimiter == nil && Self.delimiters.contains(byte):
      state = .cellStart
    case UInt8(ascii: " ") where state != .plain, UInt8(ascii: "\t") where state != .plain: break
    default: state = .plain
    }
    return false
  }

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
