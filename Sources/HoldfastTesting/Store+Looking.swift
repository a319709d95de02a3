public import Foundation
public import Holdfast

extension Store {
  /// Copies the store's present state to a new file in the same folder.
  ///
  /// - Throws: `.misuse` for a store in memory; SQLite's error as `RawDatabase.Failure`.
  public func copy(named name: String = "copy.sqlite") throws -> URL {
    guard let url else { throw StoreError(.misuse, "a store in memory has no file to copy") }
    let copy = url.deletingLastPathComponent().appendingPathComponent(name)
    let target = copy.path.replacingOccurrences(of: "'", with: "''")
    try RawDatabase.with(url) { try $0.execute("VACUUM INTO '\(target)'") }
    return copy
  }

  /// The number of rows that `body` changes, including rows of full-text indexes.
  public func rowsChanged(by body: (Writer) throws -> Void) throws -> Int {
    try write { tx in
      let before = try tx.count("SELECT total_changes()")
      try body(tx)
      return try tx.count("SELECT total_changes()") - before
    }
  }

  /// One text per row of a query: the row's values joined by spaces. A BLOB becomes its size.
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
