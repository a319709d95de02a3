import Foundation
import GRDBSQLite
import Holdfast

/// The keys of encrypted stores, from the environment, which every process of a run has.
enum Keys {
  private static let variable = "TORTURE_KEY"

  /// Nil: the stores are not encrypted.
  static let key = ProcessInfo.processInfo.environment[variable].flatMap { try? StoreKey(text: $0) }
  static var options: StoreOptions {
    var options = StoreOptions.production
    options.key = key
    return options
  }

  /// The key that a store gets: the same bytes, the other way round.
  static let other = key.flatMap { try? StoreKey(Data($0.bytes.reversed())) }

  /// Runs the same command with a key. Fails where SQLite cannot encrypt.
  static func again(_ verb: String, _ arguments: [String]) throws -> Bool {
    let key = StoreKey.random().bytes.map { String(format: "%02x", Int($0)) }.joined()
    let child = try Subprocess([verb] + arguments, environment: [variable: key])
    return child.wait(seconds: 3_600) == .exited(0)
  }

  /// Whether the file is a database that is not encrypted.
  static func isPlain(_ path: String) -> Bool {
    let header = try? FileHandle(forReadingFrom: URL(fileURLWithPath: path)).read(upToCount: 16)
    return header == Data("SQLite format 3\0".utf8)
  }

  /// Whether SQLite reads the file with this key.
  static func opens(_ path: String, _ key: StoreKey) -> Bool {
    // A connection that may not write leaves a log that is there as it is, and where there is none, it leaves a new one behind.
    let flags = FileManager.default.fileExists(atPath: path + "-wal") ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    guard let handle = try? Oracle.open(path, flags) else { return false }
    defer { sqlite3_close(handle) }
    return give(key, to: handle) && sqlite3_exec(handle, "SELECT count(*) FROM sqlite_schema", nil, nil, nil) == SQLITE_OK
  }

  /// Without a line of the product. Returns whether SQLite took it.
  static func give(_ key: StoreKey, to handle: OpaquePointer) -> Bool {
    typealias Give = @convention(c) (OpaquePointer?, UnsafeRawPointer?, Int32) -> Int32
    guard let symbol = dlsym(nil, "sqlite3_key") else { return false }
    let bytes = Data("raw:".utf8) + key.bytes
    return sqlite3_exec(handle, "PRAGMA cipher = 'aegis'", nil, nil, nil) == SQLITE_OK
      && bytes.withUnsafeBytes { unsafeBitCast(symbol, to: Give.self)(handle, $0.baseAddress, Int32($0.count)) } == SQLITE_OK
  }
}
