enum CSVCells {
  /// Splits a row into cells. Nil where a quote in a cell is not doubled, or a closing quote is followed by anything but blanks.
  static func cells(
    of row: ArraySlice<UInt8>, _ delimiter: UInt8, _ text: (ArraySlice<UInt8>) throws -> String
  ) rethrows -> [String]? {
    var cells: [String] = []
    cells.reserveCapacity(16)
    var place = row.startIndex
    while true {
      place = behindBlanks(row, place, delimiter)
      if place < row.endIndex, row[place] == quote {
        guard let (content, end) = quoted(row, place + 1) else { return nil }
        cells.append(try text(content))
        place = behindBlanks(row, end, delimiter)
        guard place == row.endIndex || row[place] == delimiter else { return nil }
      } else {
        let end = row[place...].firstIndex(of: delimiter) ?? row.endIndex
        guard let content = plain(row[place..<end]) else { return nil }
        cells.append(try text(content))
        place = end
      }
      guard place < row.endIndex else { return cells }
      place += 1
    }
  }

  private static let quote = UInt8(ascii: "\"")

  private static func behindBlanks(_ row: ArraySlice<UInt8>, _ place: Int, _ delimiter: UInt8) -> Int {
    var place = place
    while place < row.endIndex, row[place] != delimiter, row[place] == UInt8(ascii: " ") || row[place] == UInt8(ascii: "\t") { place += 1 }
    return place
  }

  /// The content between quotes, and the index behind the closing quote.
  private static func quoted(_ row: ArraySlice<UInt8>, _ start: Int) -> (content: ArraySlice<UInt8>, end: Int)? {
    guard let first = row[start...].firstIndex(of: quote) else { return nil }
    if first + 1 == row.endIndex || row[first + 1] != quote { return (row[start..<first], first + 1) }
    var content: [UInt8] = []
    var place = start
    while let next = row[place...].firstIndex(of: quote) {
      content += row[place..<next]
      guard next + 1 < row.endIndex, row[next + 1] == quote else { return (content[...], next + 1) }
      content.append(quote)
      place = next + 2
    }
    return nil
  }

  /// The content of a cell without quotes around it, in which two quotes mean one, too.
  private static func plain(_ cell: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard cell.contains(quote) else { return cell }
    let closed = Array(cell) + [quote]
    guard let (content, end) = quoted(closed[...], 0), end == closed.count else { return nil }
    return content
  }
}
