import Foundation
import HoldfastTesting

@testable import Holdfast

/// A folder with an archived store of notes.
struct ArchivedNotes {
  static let schema = StoreSchema(
    "notes", migrations: [Migration("notes/001", sql: "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;")])

  let folder: TemporaryFolder
  let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("notes.sqlite")
  }

  func open(
    _ url: URL? = nil, schemas: [StoreSchema] = [ArchivedNotes.schema], _ change: (inout StoreOptions) -> Void = { _ in }
  ) throws -> Store {
    var options = StoreOptions.testing
    options.archive.mode = .begins
    change(&options)
    return try Store.open(at: url ?? self.url, schemas: schemas, options: options)
  }

  func add(_ number: Int, to store: Store) throws {
    try store.write { tx in _ = try tx.execute("INSERT INTO notes (id, text) VALUES (\(number), \("note \(number)"))") }
  }

  func texts(_ store: Store) throws -> [String] {
    try store.read { reader in try reader.values("SELECT id || text FROM notes ORDER BY id") { row in try row.text() } }
  }

  func texts(of file: URL) throws -> [String] {
    try ConnectionFactory.plain(file.path).texts("SELECT id || text FROM notes ORDER BY id").compactMap { $0[0] }
  }
}
