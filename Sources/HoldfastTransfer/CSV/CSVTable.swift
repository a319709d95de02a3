public import Foundation
import Holdfast

/// A table in a file: a header, and rows of cells between commas, semicolons or tabs (RFC 4180 and its common variants).
///
/// The file is read in pieces, so a file of any size needs the memory of one row. A cell in quotes may contain the delimiter, line breaks,
/// and doubled quotes. Blanks before a cell and after its closing quote are dropped. A first line `sep=;`, which Excel reads, names the
/// delimiter. Text is UTF-8, or UTF-16 with a byte order mark or with a header in ASCII. Otherwise rows use the given encoding; without
/// one, rows that are not UTF-8 are read as Windows-1252.
public struct CSVTable: Sendable {
  /// A row after the header, or a notice about one.
  public enum Line: Sendable {
    /// The cells of a row: as many as it has, not as many as the header has.
    case row([String], CSVPlace)
    /// A row that cannot be split into cells, and the reason.
    case damaged(reason: String, CSVPlace)
    /// A row that is not UTF-8, when no encoding was given. The row itself follows.
    case guessed(CSVPlace)
    /// A repeated header, as in files that were joined.
    case header
  }

  /// The file.
  public let source: ImportSource
  /// The encoding that a person gave; nil: none was given.
  public let encoding: String.Encoding?
  /// What a line `sep=` names, or the most frequent of comma, semicolon and tab in the header.
  public private(set) var delimiter = UInt8(ascii: ",")
  /// The cells of the first row that is not blank.
  public private(set) var header: [String] = []
  /// Whether a line `sep=` stands before the header.
  private var namesDelimiter = false

  /// The longest allowed row, in bytes: a quote that is not closed would otherwise include the rest of the file.
  public static let greatestRow = 1 << 20

  /// Opens the table and reads its header.
  ///
  /// - Throws: `.invalidSource` when there is no header; the errors of `lines(_:)`.
  public init(_ source: ImportSource, encoding: String.Encoding? = nil) throws {
    self.source = source
    self.encoding = encoding
    var found: (place: CSVPlace, isUnicode: Bool)?
    var named: UInt8?
    try rows(delimiter: nil) { place, text in
      guard named == nil, let delimiter = Self.named(place.original) else {
        found = (place, text.isUnicode)
        return false
      }
      named = delimiter
      return true
    }
    guard let found else { throw refused("there is no header", at: 0) }
    (delimiter, namesDelimiter) = (named ?? CSVCutter.delimiter(of: found.place.original[...]), named != nil)
    guard let header = try decoded(found.place, found.isUnicode).cells else { throw refused("its header cannot be read", at: 0) }
    self.header = header
  }

  /// Calls `body` with every row after the header, and with the number of bytes read so far. Skips blank rows.
  ///
  /// - Throws: `.invalidSource` with line and offset for a quote that is not closed, a row of more than `greatestRow` bytes, or bytes that
  ///   are not text in the given encoding; `.verificationFailed` when the file changed; the errors of `body`.
  public func lines(_ body: (Line, _ position: Int) throws -> Void) throws {
    var above = namesDelimiter ? 2 : 1
    try rows(delimiter: delimiter) { place, text in
      guard above == 0 else {
        above -= 1
        return true
      }
      let row = try decoded(place, text.isUnicode)
      if row.isGuessed { try body(.guessed(place), text.position) }
      guard let cells = row.cells else {
        try body(.damaged(reason: "a cell contains a quote that is not doubled", place), text.position)
        return true
      }
      try body(cells == header ? .header : .row(cells, place), text.position)
      return true
    }
  }

  /// The delimiter that a line `sep=;` names, and a spreadsheet may have quoted or filled with empty cells; nil for any other line.
  private static func named(_ line: [UInt8]) -> UInt8? {
    let text = String(decoding: line, as: UTF8.self).lowercased().filter { $0 != "\"" && $0 != "\u{FEFF}" }
    guard text.hasPrefix("sep="), let sign = text.dropFirst(4).utf8.first, ",;\t".utf8.contains(sign) else { return nil }
    return text.dropFirst(5).allSatisfy { ",;\t ".contains($0) } ? sign : nil
  }

  // MARK: Rows

  /// Cuts the file into rows until `body` returns false.
  private func rows(delimiter: UInt8?, _ body: (CSVPlace, CSVText) throws -> Bool) throws {
    var text = CSVText(source.url, encoding)
    var cutter = CSVCutter(delimiter: delimiter)
    // The bytes of the earlier rows.
    var length = 0
    var offset: Int { length + cutter.breaks * text.length([UInt8(ascii: "\n")]) + text.mark }
    var row: String { "the row that begins in line \(cutter.startLine), at byte \(offset)," }
    func end(isCut: Bool) throws -> Bool {
      let isBlank = cutter.bytes.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      return try isBlank || body(CSVPlace(line: cutter.startLine, offset: offset, original: cutter.bytes, isCut: isCut), text)
    }
    func take(_ piece: [UInt8]) throws -> Bool {
      var rest = piece[...]
      while cutter.take(&rest, limit: Self.greatestRow) {
        guard try end(isCut: false) else { return false }
        length += text.length(cutter.bytes[...])
        cutter.begin()
      }
      guard cutter.bytes.count <= Self.greatestRow else {
        let most = "\(Self.greatestRow) bytes"
        throw refused(cutter.isInQuotes ? "a quote in \(row) is not closed within \(most)" : "\(row) has more than \(most)", at: offset)
      }
      return true
    }
    var isStopped = false
    try source.pieces { piece in
      isStopped = try !take(text.take(piece))
      return !isStopped
    }
    guard !isStopped, try take(text.finish()) else { return }
    if cutter.isInQuotes { throw refused("a quote in \(row) is not closed", at: offset) }
    _ = try end(isCut: true)
  }

  private func refused(_ reason: String, at offset: Int) -> StoreError {
    StoreError(.invalidSource, "\(source.url.path) is no table: \(reason)", offset: offset)
  }

  // MARK: Text

  private func decoded(_ place: CSVPlace, _ isUnicode: Bool) throws -> (cells: [String]?, isGuessed: Bool) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    // A byte order mark inside the file comes from a file that was joined to another.
    let row = place.original.starts(with: mark) ? place.original.dropFirst(mark.count) : place.original[...]
    guard let encoding, !isUnicode else {
      let isUTF8 = row.allSatisfy { $0 < 0x80 } || String(validUTF8: row) != nil
      let cells = CSVCells.cells(of: row, delimiter) { isUTF8 ? String(decoding: $0, as: UTF8.self) : Windows1252.text($0) }
      return (cells, !isUTF8)
    }
    let cells = try CSVCells.cells(of: row, delimiter) { cell in
      // Foundation cannot decode the five bytes that Windows-1252 does not define.
      if encoding == .windowsCP1252 { return Windows1252.text(cell) }
      if [.utf16, .utf16LittleEndian, .utf16BigEndian].contains(encoding) { return String(decoding: cell, as: UTF8.self) }
      guard let named = String(data: Data(cell), encoding: encoding) else {
        throw StoreError(.invalidSource, "line \(place.line) is not in the encoding that was named", offset: place.offset)
      }
      return named
    }
    return (cells, false)
  }
}

/// The place of a row in its file.
public struct CSVPlace: Sendable {
  /// The number of the row's first line, from 1.
  public let line: Int
  /// The offset of the row's first byte in the file.
  public let offset: Int
  /// The row's bytes without its line break; UTF-16 is converted to UTF-8.
  public let original: [UInt8]
  /// Whether the file ends with this row, without a line break.
  public let isCut: Bool

  /// `line 12`.
  public var path: SourcePath { .text("line \(line)") }
}
