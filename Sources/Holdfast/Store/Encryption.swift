import Foundation
internal import GRDB

/// Room for a key. The SQLite that the system brings cannot encrypt and would write plain text without a word, so the
/// ability is probed in memory before any path is touched.
enum Encryption {
  /// - Throws: `.encryptionUnavailable` when a key is given and this SQLite cannot use it.
  static func probe(_ key: Data?) throws {
    guard key != nil else { return }
    let memory = try DatabaseQueue()
    let answer = try memory.writeWithoutTransaction { db in
      try String.fetchOne(db, sql: "PRAGMA cipher_version") ?? String.fetchOne(db, sql: "PRAGMA cipher")
    }
    guard answer != nil else {
      throw StoreError(.encryptionUnavailable, "a key was given, and the SQLite in use cannot encrypt; nothing was opened")
    }
  }

  /// The first statement of a connection that uses the key.
  static func pragma(_ key: Data) -> String {
    let hex = key.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    return "PRAGMA key = \"x'\(hex)'\""
  }
}
