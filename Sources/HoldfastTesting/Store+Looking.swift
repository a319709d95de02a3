public import Foundation
public import Holdfast

extension Store {
  /// A copy of the file at this moment, in the same folder.
  ///
  /// - Throws: `.misuse` for a store in memory; what SQLite says.
  public func copy(named name: String = "copy.sqlite") throws -> URL {
    guard let url else { throw StoreError(.misuse, "a store in memory has no file to copy") }
    let copy = url.deletingLastPathComponent().appendingPathComponent(name)
    let target = copy.path.replacingOccurrences(of: "'", with: "''")
    try RawDatabase.with(url) { try $0.execute("VACUUM INTO '\(target)'") }
    return copy
  }

  /// How many rows `body` changes, those of search indexes included.
  public func rowsChanged(by body: (Writer) throws -> Void) throws -> Int {
    try write { tx in
      let before = try tx.count("SELECT total_changes()")
      try body(tx)
      return try tx.count("SELECT total_changes()") - before
    }
  }

  /// One text per row of a query, its values joined by spaces; a BLOB is told by its size.
  public func rows(_ sql: BoundSQL, columns: Int = 1) throws -> [String] {
    try read { reader in
      try reader.values(sql) { row in
        try (0..<columns).map { _ in
          switch try row.value() {
          case .null: "NULL"
          case .integer(let value): "\(value)"
          case .real(let value): "\(value)"
          case .text(let value): value
          case .blob(let value): "\(value.count) bytes"
          }
        }.joined(separator: " ")
      }
    }
  }
}
