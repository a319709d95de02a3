import Foundation
import Holdfast
import HoldfastTransfer
import SwiftCSV

/// A table in a file, read in pieces: the bytes are cut between records, and SwiftCSV makes cells of them.
///
/// That parser swallows the rest of a text with an open quote, gives up at a stray one, and takes a quote together with an accent
/// behind it for another sign. So each record's cells are counted beforehand; where the counts differ, records are parsed one by
/// one, and the bad ones are told.
struct CSVFile: Sendable {
  /// What stands in a file after its header.
  enum Line {
    case row([String], CSVPlace)
    case damaged(reason: String, CSVPlace)
    /// The first record that is not UTF-8 in a file whose encoding nobody named. The record itself follows.
    case guessed(CSVPlace)
    /// The header once more, as in files that were put behind each other.
    case header
  }

  let source: ImportSource
  let encoding: String.Encoding?
  private(set) var delimiter = UInt8(ascii: ",")
  private(set) var header: [String] = []

  /// No cell and no record is longer: a quote that is not closed would take in everything behind it.
  static let greatestRecord = 1 << 20
  private static let batch = 1 << 16

  /// Reads the header.
  ///
  /// - Throws: `.invalidSource` when there is none.
  init(_ source: ImportSource, encoding: String.Encoding?) throws {
    self.source = source
    self.encoding = encoding
    var found: (record: Record, bytes: [UInt8], isUnicode: Bool)?
    try records(delimiter: nil) { batch, text in
      guard let first = batch.records.first(where: { !$0.isBlank }) else { return true }
      found = (first, Array(batch.bytes[first.range]), text.isUnicode)
      return false
    }
    guard let found else { throw refused("there is no header", at: 0) }
    delimiter = CSVCutter.delimiter(of: found.bytes[...])
    let bytes = found.bytes[...]
    guard let header = try? cells(Self.decoded(bytes, encoding, found.isUnicode, place(found.record, bytes)).text).first else {
      throw refused("its header cannot be read", at: 0)
    }
    self.header = header
  }

  /// Calls `body` with every record behind the header, and with how far the file is read.
  ///
  /// - Throws: `.invalidSource` with line and offset for a quote that is not closed, a record of more than a mebibyte, what is no text or
  ///   not in the encoding that was named; `.verificationFailed` when the file changed; what `body` throws.
  func lines(_ body: (Line, _ position: Int) throws -> Void) throws {
    var hasHeader = false
    var hasGuessed = false
    try records(delimiter: delimiter) { batch, text in
      var records = batch.records.filter { !$0.isBlank }
      if !hasHeader, !records.isEmpty {
        records.removeFirst()
        hasHeader = true
      }
      guard !records.isEmpty else { return true }
      var texts: [String] = []
      for (number, record) in records.enumerated() {
        let bytes = batch.bytes[record.range]
        let (decoded, isGuessed) = try Self.decoded(bytes, encoding, text.isUnicode, place(record, bytes))
        // The byte order mark of a file that was put behind another.
        texts.append(decoded.unicodeScalars.first == "\u{FEFF}" ? String(decoded.unicodeScalars.dropFirst()) : decoded)
        if isGuessed, !hasGuessed {
          hasGuessed = true
          records[number].tellsGuess = true
        }
      }
      let together = try? cells(texts.joined(separator: "\n"))
      let areAsCut = together.map { zip($0, records).allSatisfy { $0.count == $1.cells } && $0.count == records.count } ?? false
      for (number, record) in records.enumerated() {
        let place = place(record, batch.bytes[record.range])
        if record.tellsGuess { try body(.guessed(place), text.position) }
        let line = areAsCut ? together.map { Line.row($0[number], place) } : nil
        let found = line ?? alone(texts[number], record, place)
        if case .row(let cells, _) = found, cells == header {
          try body(.header, text.position)
        } else {
          try body(found, text.position)
        }
      }
      return true
    }
  }

  private func alone(_ text: String, _ record: Record, _ place: CSVPlace) -> Line {
    guard let rows = try? cells(text) else {
      return .damaged(reason: "a quote stands inside of a cell, and is not doubled in quotes", place)
    }
    guard rows.count == 1, let row = rows.first, row.count == record.cells else {
      return .damaged(reason: "a sign in it changes where its cells end", place)
    }
    return .row(row, place)
  }

  /// By the parser, with a row behind them that must come out as it is.
  private func cells(_ text: String) throws -> [[String]] {
    let sign = CSVDelimiter.character(Character(Unicode.Scalar(delimiter)))
    let csv = try EnumeratedCSV(string: text + "\n.\n", delimiter: sign, loadColumns: false, rowLimit: 0)
    var rows: [[String]] = []
    try csv.enumerateAsArray(startAt: 0, rowLimit: nil) { rows.append($0) }
    guard rows.popLast() == ["."] else { throw StoreError(.invalidSource, "a quote is not closed") }
    return rows
  }

  // MARK: Records

  private struct Record {
    var range: Range<Int>
    var line: Int
    var offset: Int
    var cells: Int
    var isBlank: Bool
    var tellsGuess = false
    var isCut = false
  }

  private struct Batch {
    var bytes: [UInt8] = []
    var records: [Record] = []
  }

  /// Cuts the file, and hands over many records together. `body` returns whether it wants more.
  private func records(delimiter: UInt8?, _ body: (Batch, CSVText) throws -> Bool) throws {
    var text = CSVText(source.url, encoding)
    var cutter = CSVCutter(delimiter: delimiter)
    var batch = Batch()
    var (line, start, startLine, offset) = (1, 0, 1, 0)
    var lastWasReturn = false
    func end(at place: Int) {
      let range = start..<place
      let isBlank = batch.bytes[range].allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      batch.records.append(Record(range: range, line: startLine, offset: offset + text.mark, cells: cutter.cells, isBlank: isBlank))
    }
    func take(_ bytes: [UInt8]) throws -> Bool {
      for byte in bytes {
        let isPair = byte == UInt8(ascii: "\n") && lastWasReturn
        lastWasReturn = byte == UInt8(ascii: "\r")
        if !isPair, byte == UInt8(ascii: "\n") || lastWasReturn { line += 1 }
        if isPair, !cutter.isInQuotes, start == batch.bytes.count {
          // The second half of a line break that ended a record.
          offset += text.length([byte])
          continue
        }
        batch.bytes.append(byte)
        guard cutter.take(byte) else {
          if batch.bytes.count - start > Self.greatestRecord { throw tooLong(cutter.isInQuotes, startLine, offset + text.mark) }
          continue
        }
        end(at: batch.bytes.count - 1)
        cutter.begin()
        offset += text.length(batch.bytes[start...])
        (start, startLine) = (batch.bytes.count, line)
        if start >= Self.batch || delimiter == nil {
          guard try body(batch, text) else { return false }
          batch = Batch()
          start = 0
        }
      }
      return true
    }
    var isStopped = false
    try source.pieces { piece in
      isStopped = try !take(text.take(piece))
      return !isStopped
    }
    guard !isStopped, try take(text.finish()) else { return }
    if cutter.isInQuotes { throw tooLong(true, startLine, offset + text.mark) }
    if start < batch.bytes.count {
      end(at: batch.bytes.count)
      batch.records[batch.records.count - 1].isCut = true
    }
    if !batch.records.isEmpty { _ = try body(batch, text) }
  }

  private func place(_ record: Record, _ bytes: ArraySlice<UInt8>) -> CSVPlace {
    CSVPlace(line: record.line, offset: record.offset, original: Array(bytes), isCut: record.isCut)
  }

  private func tooLong(_ isQuoted: Bool, _ line: Int, _ offset: Int) -> StoreError {
    refused(
      isQuoted
        ? "a quote in the row that begins in line \(line), at byte \(offset), is not closed within \(Self.greatestRecord) bytes"
        : "the row that begins in line \(line), at byte \(offset), has more than \(Self.greatestRecord) bytes", at: offset)
  }

  private func refused(_ reason: String, at offset: Int) -> StoreError {
    var error = StoreError(.invalidSource, "\(source.url.path) is no table of workouts: \(reason)")
    error.offset = offset
    return error
  }

  // MARK: Text

  private static func decoded(
    _ bytes: ArraySlice<UInt8>, _ encoding: String.Encoding?, _ isUnicode: Bool, _ place: CSVPlace
  ) throws -> (text: String, isGuessed: Bool) {
    let text = String(decoding: bytes, as: UTF8.self)
    let isUTF8 = bytes.allSatisfy { $0 < 0x80 } || text.utf8.elementsEqual(bytes)
    guard let encoding, !isUnicode else { return isUTF8 ? (text, false) : (Windows1252.text(bytes), true) }
    // Foundation has no text for the five that are not defined.
    if encoding == .windowsCP1252 { return (Windows1252.text(bytes), false) }
    if [.utf16, .utf16LittleEndian, .utf16BigEndian].contains(encoding) { return (text, false) }
    guard let named = String(data: Data(bytes), encoding: encoding) else {
      var error = StoreError(.invalidSource, "line \(place.line) is not in the encoding that was named")
      error.offset = place.offset
      throw error
    }
    return (named, false)
  }
}

/// Where a row stands in its file.
struct CSVPlace: Sendable {
  /// From 1.
  var line: Int
  /// In the file.
  var offset: Int
  var original: [UInt8]
  /// The file ends with it, without a line break.
  var isCut = false

  var path: SourcePath { .text("line \(line)") }
}
