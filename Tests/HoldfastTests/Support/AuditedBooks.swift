import Foundation
import HoldfastTesting

@testable import Holdfast

/// The small universe of an audit: books, whose covers are not audited, and loans, which hang on them and have a key of two columns.
enum AuditedBooks {
  static let v1 = Migration(
    "books/001",
    sql: """
      CREATE TABLE books (
        rowid INTEGER PRIMARY KEY, id ANY NOT NULL UNIQUE, title ANY, pages INTEGER UNIQUE, rating REAL, cover BLOB,
        revision INTEGER NOT NULL DEFAULT 1) STRICT;
      CREATE TABLE loans (
        book ANY NOT NULL REFERENCES books (id) ON DELETE CASCADE ON UPDATE CASCADE, number INTEGER NOT NULL, name TEXT,
        PRIMARY KEY (book, number)) STRICT, WITHOUT ROWID;
      """)
  /// Before the revisions, so that the order in which they are declared does not matter.
  static let declarations: [SchemaDeclaration] = [
    .audit("books", unaudited: ["cover", "rowid"]), .audit("loans", key: ["book", "number"]), .revisions(of: "books", except: ["cover"]),
  ]
  static let schema = StoreSchema("books", migrations: [v1], declarations: declarations)

  static func inMemory() throws -> Store { try Store.inMemory(schemas: [schema]) }
}

extension Store {
  /// Runs statements in one transaction.
  func run(_ statements: BoundSQL..., as verb: StaticString = "test") throws {
    try write(as: verb) { tx in for sql in statements { try tx.execute(sql) } }
  }

  /// One line for each entry of the audit, without its bases: `update books:a title: 1 -> 2`.
  func told() throws -> [String] {
    func text(_ values: [String: SQLValue]) -> String {
      values.sorted { $0.key < $1.key }.map { name, value in
        switch value {
        case .null: "\(name) null"
        case .integer(let number): "\(name) \(number)"
        case .real(let number): "\(name) \(number)"
        case .text(let text): "\(name) \(text)"
        case .blob(let bytes): "\(name) \(bytes.count) bytes"
        }
      }.joined(separator: ", ")
    }
    return try auditEntries().filter { $0.operation != .base }.map { entry in
      "\(entry.operation.rawValue) \(entry.table):\(entry.row) [\(text(entry.before))] [\(text(entry.after))]"
    }
  }
}
