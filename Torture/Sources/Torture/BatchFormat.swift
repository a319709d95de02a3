import Foundation
import Holdfast
import HoldfastTransfer

/// `[{"number": 1, "lines": ["…", …]}, …]`: the source that is imported.
struct BatchFormat: ImportFormat {
  let name = "torture-batches"
  let version = 1
  let kinds = [(name: "batches", table: "batches")]
  let total: Int
  private let batches: [Source]

  struct Source: Codable, Sendable {
    var number: Int
    var lines: [String]
  }

  init(_ data: Data) throws {
    do {
      batches = try JSONDecoder().decode([Source].self, from: data)
    } catch {
      throw StoreError(.invalidSource, "this is no list of batches", cause: error)
    }
    total = batches.count
  }

  static func data(_ batches: [Batch]) throws -> Data {
    let encoder = JSONEncoder()
    // Without it the order of the keys differs from process to process.
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(batches.map { Source(number: $0.number, lines: $0.lines) })
  }

  func scan(_ reader: Reader, _ visit: (Scanned<Batch>, Int) throws -> Void) throws {
    for (position, source) in batches.enumerated() {
      let batch = Batch(number: source.number, lines: source.lines)
      try visit(
        .record(
          SourceRecord(
            kind: "batches", key: String(batch.number), path: .text("batch \(batch.number)"), fields: Self.fields(batch), content: batch,
            original: .bytes(Array("batch \(batch.number)".utf8)))), position)
    }
  }

  func write(_ record: SourceRecord<Batch>, in transaction: LibraryTransaction) throws { try Library.save(record.content, in: transaction) }

  func readBack(_ record: SourceRecord<Batch>, in reader: Reader) throws -> StoredShape? {
    try Library.batch(record.content.number, in: reader).map { StoredShape(fields: Self.fields($0)) }
  }

  private static func fields(_ batch: Batch) -> [SourceField] {
    [SourceField("number", .integer(Int64(batch.number))), SourceField("lines", .array(batch.lines.map(JSONValue.string)))]
  }
}
