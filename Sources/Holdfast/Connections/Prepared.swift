internal import Foundation
internal import GRDB
internal import GRDBSQLite

/// An SQL text by which its statement is found again. Hashed by its length and some of its bytes: that tells nearly all texts apart, and to
/// compare one text with its own copy costs nothing, while to hash hundreds of bytes at each call costs more than to bind the values.
struct SQLText: Hashable {
  let text: String

  /// Byte for byte, as the hash is: two spellings of é are one text to Swift, and two to SQLite.
  static func == (one: SQLText, other: SQLText) -> Bool {
    let same: Bool?? = one.text.utf8.withContiguousStorageIfAvailable { first in
      other.text.utf8.withContiguousStorageIfAvailable { second in
        guard first.count == second.count, let start = first.baseAddress, let otherStart = second.baseAddress else {
          return first.isEmpty && second.isEmpty
        }
        return start == otherStart || memcmp(start, otherStart, first.count) == 0
      }
    }
    return (same ?? nil) ?? one.text.utf8.elementsEqual(other.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    let sample = text.utf8.withContiguousStorageIfAvailable(Self.sample) ?? Array(text.utf8).withUnsafeBufferPointer(Self.sample)
    hasher.combine(text.utf8.count)
    hasher.combine(sample)
  }

  /// Of eight bytes at five places: names of tables, columns and conditions differ in one of them as a rule.
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
  /// Whether it would begin or end the transaction of the closure that runs it.
  let controlsTransaction: Bool
  var spare = Spare<OpaquePointer>()

  init(_ sql: String) {
    self.sql = sql
    controlsTransaction = SQLTokens.controlsTransaction(sql)
  }

  deinit { finalize() }

  func finalize() {
    while let statement = spare.take() { sqlite3_finalize(statement) }
  }
}
