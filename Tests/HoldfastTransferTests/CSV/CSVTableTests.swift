import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Tables of comma-separated values")
struct CSVTableTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func table(_ bytes: Data, encoding: String.Encoding? = nil) throws -> CSVTable {
    try bytes.write(to: folder.file("a.csv"))
    return try CSVTable(ImportSource(folder.file("a.csv")), encoding: encoding)
  }

  private func rows(_ text: String) throws -> [[String]] { try rows(Data(text.utf8)) }

  private func rows(_ bytes: Data) throws -> [[String]] {
    var rows: [[String]] = []
    let table = try table(bytes)
    try table.lines { line, _ in
      switch line {
      case .row(let cells, _): rows.append(cells)
      case .damaged(_, let place): rows.append(["damaged", place.path.description])
      case .guessed(let place): rows.append(["guessed", place.path.description])
      case .header: rows.append(["header"])
      }
    }
    return rows
  }

  @Test(
    "cells are cut as RFC 4180 and spreadsheets have them",
    arguments: [
      (#"1,2"#, ["1", "2"]), (#","#, ["", ""]), (#"1,"#, ["1", ""]), (#""1,2",3"#, ["1,2", "3"]), (#""a""b","#, [#"a"b"#, ""]),
      (#""","#, ["", ""]), (#""""","#, [#"""#, ""]), (#"  1 , "2" ,3"#, ["1 ", "2", "3"]), (#"a""b,1"#, [#"a"b"#, "1"]),
      (#"a"b,1"#, ["damaged", "line 2"]), (#""a"b,1"#, ["damaged", "line 2"]), ("\"a\nb\",1", ["a\nb", "1"]),
      ("é,\u{301}", ["é", "\u{301}"]),
      ("a,b", ["header"]),
    ])
  func cells(row: String, expected: [String]) throws {
    #expect(try rows("a,b\n\(row)\n") == [expected])
  }

  @Test("each row that is not UTF-8 has a notice before it")
  func otherEncoding() throws {
    let bytes: Data = Data("a,b\n".utf8) + [0xE9] + Data(",1\n2,3\n".utf8) + [0xE8] + Data(",4\n".utf8)
    #expect(try rows(bytes) == [["guessed", "line 2"], ["é", "1"], ["2", "3"], ["guessed", "line 4"], ["è", "4"]])
  }

  @Test("the delimiter is what the header has most of", arguments: [",", ";", "\t"])
  func delimiters(delimiter: String) throws {
    let text = ["a", "\"b,;,;\"", "c\n1", "2", "3"].joined(separator: delimiter)
    #expect(try table(Data(text.utf8)).header == ["a", "b,;,;", "c"])
    #expect(try rows(text) == [["1", "2", "3"]])
  }

  @Test(
    "a first line sep= names the delimiter, also where the header has more of another one",
    arguments: [("sep=;", ";"), ("SEP=,", ","), ("\"sep=;\"", ";"), ("sep=\t", "\t"), ("\u{FEFF}sep=;;;", ";")])
  func separatorLine(line: String, delimiter: String) throws {
    let other = delimiter == "," ? ";" : ","
    #expect(try rows("\(line)\r\na\(other)a\(other)a\(delimiter)b\r\n1\(other)5\(delimiter)2\r\n") == [["1\(other)5", "2"]])
    let table = try table(Data("\(line)\na b\(delimiter)c\n".utf8))
    #expect(table.header == ["a b", "c"])
  }

  @Test("a header that only begins with sep is a header")
  func noSeparatorLine() throws {
    #expect(try table(Data("sep=x,b\n1,2\n".utf8)).header == ["sep=x", "b"])
    #expect(try table(Data("sep=,b\n1,2\n".utf8)).header == ["sep=", "b"])
  }

  @Test("UTF-16 is known without a mark", arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian])
  func wideWithoutMark(encoding: String.Encoding) throws {
    let table = try table(#require("Date;Größe\n1;2\n".data(using: encoding)))
    #expect(table.header == ["Date", "Größe"])
  }

  @Test("places are lines and bytes of the file, whatever its encoding", arguments: [String.Encoding.utf8, .utf16LittleEndian])
  func places(encoding: String.Encoding) throws {
    let texts = ["\u{FEFF}a,b\r\n", "\"1\r\n2\",é\r\n", "\r\n", "3,4"]
    let bytes = try texts.map { try #require($0.data(using: encoding)) }
    var places: [CSVPlace] = []
    try table(Data(bytes.joined())).lines { line, _ in if case .row(_, let place) = line { places.append(place) } }
    #expect(places.map(\.line) == [2, 5])
    #expect(places.map(\.offset) == [bytes[0].count, bytes[0].count + bytes[1].count + bytes[2].count])
    #expect(places.map(\.isCut) == [false, true])
    #expect(places.map { String(decoding: $0.original, as: UTF8.self) } == ["\"1\r\n2\",é", "3,4"])
  }

  @Test("a line break of two bytes ends one row, also where one piece of the file ends between them", arguments: [-1, 0, 1])
  func pieces(shift: Int) throws {
    let long = String(repeating: "x", count: 1 << 16 - 8 + shift)
    var places: [CSVPlace] = []
    try table(Data("a,b\r\n\(long),1\r\n2,3\r\n".utf8)).lines { line, _ in if case .row(_, let place) = line { places.append(place) } }
    #expect(places.map(\.line) == [2, 3])
    #expect(places.map(\.offset) == [5, long.utf8.count + 9])
  }

  @Test("a file without a row that is not blank is no table", arguments: ["", "\n \n\t"])
  func nothing(text: String) throws {
    let error = #expect(throws: StoreError.self) { try table(Data(text.utf8)) }
    #expect(error?.code == .invalidSource && error?.message.hasSuffix("is no table: there is no header") == true)
  }

  @Test("random cells come back, in quotes and without, over many pieces of the file", arguments: 1...4)
  func random(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let letters = ["a", "三体", "é", "🏋️", " ", "\"", ",", ";", "\n", "\r\n", "\t", "1.5", "\u{301}"]
    var expected: [[String]] = []
    var text = "a,b,c\n"
    for _ in 0..<2_000 {
      // Without blanks at their ends, which are no part of a cell without quotes.
      let cells = (0..<3).map { _ in
        (0..<Int.random(in: 0...6, using: &random)).map { _ in random.pick(letters) }.joined().trimmingCharacters(in: .whitespaces)
      }
      expected.append(cells)
      text += cells.map { cell in
        let needsQuotes = cell.utf8.contains { "\",\n\r\t;".utf8.contains($0) } || Bool.random(using: &random)
        return needsQuotes ? "\"" + cell.replacingOccurrences(of: "\"", with: "\"\"", options: .literal) + "\"" : cell
      }.joined(separator: ",")
      text += "\r\n"
    }
    // A row of empty cells only is one, because of its commas.
    #expect(try rows(text) == expected, "seed \(seed)")
  }
}
