import Foundation
internal import GRDB
internal import GRDBSQLite

/// Encryption by key. The system's SQLite cannot encrypt, and would write plain text without an error. So the kit tests this ability on a
/// database in memory before it touches any path.
enum Encryption {
  /// - Throws: `.encryptionUnavailable` when a key is given and this SQLite cannot use it.
  static func probe(_ key: Data?) throws {
    guard key != nil else { return }
    let memory = try ConnectionFactory.probe()
    let answer = try memory.texts("PRAGMA cipher_version") + memory.texts("PRAGMA cipher")
    guard answer.contains(where: { $0.first != nil }) else {
      throw StoreError(.encryptionUnavailable, "a key was given, and the SQLite in use cannot encrypt; nothing was opened")
    }
  }

  /// Gives a connection its key, before its first read.
  ///
  /// - Throws: `.wrongKey`, without SQLite's own message, which could contain the statement and so the key.
  static func use(_ key: Data, _ handle: OpaquePointer, _ path: String) throws {
    guard sqlite3_exec(handle, "PRAGMA key = \(quoted(key))", nil, nil, nil) == SQLITE_OK else {
      throw StoreError(.wrongKey, "\(path): SQLite did not accept the key")
    }
  }

  /// The key as it stands in a statement: its bytes, from which no key is derived.
  static func quoted(_ key: Data) -> String {
    "\"x'" + key.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined() + "'\""
  }
}
