internal import Foundation
internal import GRDB
internal import GRDBSQLite

/// A key to find the statement of an SQL text. Hashes the length and a few of the bytes, which tells nearly all texts apart. Hashing
/// hundreds of bytes at each call costs more than binding the values; comparing a text with its own copy costs nothing.
struct SQLText: Hashable {
  let text: String

  static func == (one: SQLText, other: SQLText) -> Bool { one.text.hasBytes(of: other.text) }

  func hash(into hasher: inout Hasher) {
    let sample = text.utf8.withContiguousStorageIfAvailable(Self.sample) ?? Array(text.utf8).withUnsafeBufferPointer(Self.sample)
    hasher.combine(text.utf8.count)
    hasher.combine(sample)
  }

  /// Eight bytes at each of five places. Names of tables, columns and conditions nearly always differ at one of the places.
  private static func sample(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    let last = bytes.count - 8
    guard last >= 0 else { return bytes.reduce(0) { $0 << 8 | UInt64($1) } }
    let raw = UnsafeRawBufferPointer(bytes)
    return (0...4).reduce(0) { sum, part in
      (sum ^ raw.loadUnaligned(fromByteOffset: last * part / 4, as: UInt64.self)) &* 0x9E37_79B9_7F4A_7C15
    }
  }
}

/// An SQL text whose statements SQLite steps through.
final class Prepared {
  let sql: String
  /// Whether the SQL begins or ends a transaction, which a closure in a transaction may not do.
  let controlsTransaction: Bool
  var spare = Spare<OpaquePointer>()
  /// What it reads; nil until a live query has asked, and after the schema has changed.
  var tables: UsedTables?

  init(_ sql: String) {
    self.sql = sql
    controlsTransaction = SQLTokens.controlsTransaction(sql)
  }

  deinit { finalize() }

  func finalize() {
    while let statement = spare.take() { sqlite3_finalize(statement) }
  }
}
