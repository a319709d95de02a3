import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

/// A format for rows beside JSON.
enum RowFormat: String, CaseIterable, EnumerableFlag, Sendable {
  case csv, tsv, jsonl

  static func help(for format: RowFormat) -> ArgumentHelp? {
    switch format {
    case .csv: "Write the rows as CSV (RFC 4180): bytes in Base64, an unknown value as nothing."
    case .tsv: "Write the rows as text with tabs, one row a line."
    case .jsonl: "Write the rows as JSON, one object a line."
    }
  }
}

/// Writes rows in one format, one after the other. Holds one row and one piece of the output, however many rows there are.
struct RowWriter {
  enum Form: Sendable {
    case rows(RowFormat)
    /// An array in a document, with the texts around it.
    case document(before: String, after: String)
  }

  private static let piece = 1 << 16
  private let names: [String]
  private let form: Form
  private let send: ([UInt8]) throws -> Void
  private var buffer: [UInt8] = []
  private var count = 0

  /// Writes the lines of a list; returns how many.
  static func write(
    _ selection: Selection, of list: ListDescription, as form: Form, in reader: Reader, to send: ([UInt8]) throws -> Void
  ) throws -> Int {
    try withoutActuallyEscaping(send) { send in
      var writer = RowWriter(names: list.members, form: form, send: send)
      try writer.begin()
      _ = try selection.each(of: list, in: reader) { try writer.add($0.values()) }
      try writer.end()
      return writer.count
    }
  }

  private mutating func begin() throws {
    switch form {
    case .rows(.csv): buffer += Self.csv(names)
    case .rows(.tsv): buffer += Self.tsv(names)
    case .rows(.jsonl): break
    case .document(let before, _): buffer += before.utf8
    }
  }

  private mutating func add(_ values: [ShownValue]) throws {
    switch form {
    case .rows(.csv): buffer += Self.csv(values.map(\.cell))
    case .rows(.tsv): buffer += Self.tsv(values.map(\.cell))
    case .rows(.jsonl): buffer += (object(values).canonicalText() + "\n").utf8
    case .document: buffer += ((count == 0 ? "\n    " : ",\n    ") + Document.text(object(values), indent: "    ")).utf8
    }
    count += 1
    if buffer.count >= Self.piece { try flush() }
  }

  private mutating func end() throws {
    if case .document(_, let after) = form { buffer += ((count == 0 ? "" : "\n  ") + after).utf8 }
    try flush()
  }

  private mutating func flush() throws {
    guard !buffer.isEmpty else { return }
    try send(buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  private func object(_ values: [ShownValue]) -> JSONValue {
    .object(Dictionary(zip(names, values.map(\.json))) { _, last in last })
  }

  /// One row by RFC 4180. Nil is nothing, and an empty text two quotes. A row of one nil is two quotes, too: many programs skip an empty line.
  static func csv(_ cells: [String?]) -> [UInt8] {
    let quote = UInt8(ascii: "\"")
    let quoted = cells.map { cell -> [UInt8] in
      guard let bytes = cell?.utf8 else { return cells.count == 1 ? [quote, quote] : [] }
      let isPlain = !bytes.isEmpty && !bytes.contains { $0 == quote || $0 == UInt8(ascii: ",") || $0 == 0x0D || $0 == 0x0A }
      return isPlain ? Array(bytes) : [quote] + bytes.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
    }
    return quoted.joined(separator: [UInt8(ascii: ",")]) + [0x0D, 0x0A]
  }

  /// One row on one line: a tab, a line break and a backslash in a cell are `\t`, `\n`, `\r` and `\\`. Nil is nothing.
  static func tsv(_ cells: [String?]) -> [UInt8] {
    let escaped = cells.map { cell in
      (cell ?? "").utf8.flatMap { byte -> [UInt8] in
        switch byte {
        case UInt8(ascii: "\\"): Array(#"\\"#.utf8)
        case 0x09: Array(#"\t"#.utf8)
        case 0x0A: Array(#"\n"#.utf8)
        case 0x0D: Array(#"\r"#.utf8)
        default: [byte]
        }
      }
    }
    return escaped.joined(separator: [0x09]) + [0x0A]
  }
}

extension ShownValue {
  /// The value as a cell for programs: as in JSON, but a text without quotes, and bytes in Base64. Nil where it is unknown.
  fileprivate var cell: String? {
    switch self {
    case .bytes(let data): return data.base64EncodedString()
    case .told(let value, _): return value.cell
    default: break
    }
    switch json {
    case .null: return nil
    case .string(let text): return text
    case let value: return value.canonicalText()
    }
  }
}
