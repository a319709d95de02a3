import Foundation
import Holdfast
import HoldfastTransfer
import Testing

@testable import HoldfastTool

@Suite("Rows that are written one by one")
struct RowWriterTests {
  @Test(
    "CSV is that of RFC 4180: quotes where they are needed; nil is nothing, an empty text two quotes",
    arguments: [
      (["a", "b c"], "a,b c\r\n"), (["a,b", "c\"d", "e\r\nf"], "\"a,b\",\"c\"\"d\",\"e\r\nf\"\r\n"), ([nil, "", "x"], ",\"\",x\r\n"),
      ([nil], "\"\"\r\n"), (["\"\u{301}"], "\"\"\"\u{301}\"\r\n"),
    ] as [([String?], String)])
  func csv(cells: [String?], line: String) {
    #expect(String(decoding: RowWriter.csv(cells), as: UTF8.self).utf8.elementsEqual(line.utf8))
  }

  @Test("text with tabs has one row a line: tabs, line breaks and backslashes are escapes")
  func tsv() {
    #expect(String(decoding: RowWriter.tsv(["a\tb", nil, "c\\d\r\n"]), as: UTF8.self) == "a\\tb\t\tc\\\\d\\r\\n\n")
  }

  @Test("on a terminal rows keep their tabs and line breaks, and no other control character")
  func printable() {
    let shown = DisplayText.printableLines("a\tb\r\n\u{1B}[31m", breaks: ["\n", "\r", "\t"])
    #expect(shown == "a\tb\r\n\u{FFFD}[31m")
  }

  /// Counts the items that are in memory.
  private final class Held: @unchecked Sendable {
    // Used by one thread.
    var now = 0
    var most = 0
    var read = 0
  }

  private final class Item: Sendable {
    let number: Int
    private let held: Held

    init(_ number: Int, _ held: Held) {
      (self.number, self.held) = (number, held)
      held.now += 1
      held.read += 1
      held.most = max(held.most, held.now)
    }

    deinit { held.now -= 1 }
  }

  private static let count = 20_000

  /// The same items in pages, as the libraries' lists, and row by row, as plain tables.
  private static func lists(_ held: Held) -> [ListDescription] {
    let fields = [ShownField<Item>("number", "NUMBER") { .count($0.number) }, ShownField<Item>("text") { .text("item \($0.number)") }]
    let pages = ListDescription("pages", "by number", fields) { _ in
      count
    } page: { _, key, size in
      let first = key == nil ? 0 : held.read
      return Page(
        items: (first..<min(count, first + size)).map { Item($0, held) }, next: first + size < count ? PageKey(.integer(0), .null) : nil)
    }
    let rows = ListDescription("rows", "by number", fields) { _ in
      count
    } rows: { _, offset, limit, body in
      for number in offset..<min(count, limit.map { offset + $0 } ?? count) { try body(Item(number, held)) }
    }
    return [pages, rows]
  }

  @Test("a list of any length is written with a page of it in memory, and its output begins long before its end", arguments: [0, 1])
  func constantMemory(place: Int) throws {
    let held = Held()
    let list = Self.lists(held)[place]
    var (pieces, readAtFirst, longest) = (0, 0, 0)
    let form = RowWriter.Form.document(before: "[", after: "]")
    let written = try Store.inMemory(schemas: []).read { reader in
      try RowWriter.write(Selection(), of: list, as: form, in: reader) { piece in
        if pieces == 0 { readAtFirst = held.read }
        pieces += 1
        longest = max(longest, piece.count)
      }
    }
    #expect(written == Self.count && held.read == Self.count && pieces > 5)
    #expect(held.most <= 200 && readAtFirst < Self.count / 5 && longest < 1 << 17, "\(held.most) \(readAtFirst) \(longest)")
  }

  @Test("a document that is written row by row has the bytes of one that is written at once", arguments: ["a", "rows", "z\"z"], [0, 1, 3])
  func document(name: String, count: Int) throws {
    let list = ListDescription("x", "", [ShownField<Int>("n") { .count($0) }, ShownField<Int>("s") { .texts(["\($0)"]) }]) { _ in
      Array(0..<count)
    }
    let document = Document(ok: true, ["store": .string("/s"), "total": .number(count)])
    let (before, after) = document.around(name)
    var bytes: [UInt8] = []
    let objects = try Store.inMemory(schemas: []).read { reader in
      _ = try RowWriter.write(Selection(), of: list, as: .document(before: before, after: after), in: reader) { bytes += $0 }
      return try list.lines(in: reader).objects
    }
    let whole = Document(ok: true, ["store": .string("/s"), "total": .number(count), name: .array(objects)])
    #expect(String(decoding: bytes, as: UTF8.self) == whole.text)
  }
}
