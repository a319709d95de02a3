import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

/// The archive of a store of notes.
struct ArchiveTests {
  let folder: TemporaryFolder
  let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.url.appendingPathComponent("notes.sqlite")
  }

  @Test("every commit can be had back as it was")
  func everyCommit() throws {
    let store = try open()
    var states: [Int64: [String]] = [:]
    for number in 1...40 {
      try write(store, number)
      let commits = try store.archive().history().filter { $0.kind == .commit }
      states[try #require(commits.last).commit] = try texts(store)
    }
    #expect(states.count == 40)
    for (commit, texts) in states {
      let file = folder.url.appendingPathComponent("at-\(commit).sqlite")
      try store.archive().restore(to: .commit(commit), at: file)
      #expect(try self.texts(of: file) == texts, "commit \(commit)")
    }
    try store.close()
  }

  @Test("commits of several openings, with checkpoints between, are one row without a gap")
  func severalOpenings() throws {
    for opening in 0..<4 {
      let store = try open()
      for number in 1...10 {
        try write(store, opening * 10 + number)
        if number == 5 { try store.checkpoint(opening % 2 == 0 ? .restart : .truncate) }
      }
      try store.close()
    }
    let history = try Archive(of: url).history()
    #expect(history.filter { $0.kind == .gap }.isEmpty)
    #expect(history.filter { $0.kind == .commit }.count >= 40)
  }

  @Test("a label names a state")
  func label() throws {
    let store = try open()
    try write(store, 1)
    try store.label("before")
    let before = try texts(store)
    try write(store, 2)
    let file = folder.url.appendingPathComponent("labelled.sqlite")
    try store.archive().restore(to: .label("before"), at: file)
    #expect(try texts(of: file) == before)
    try store.close()
  }

  private func open() throws -> Store {
    var options = StoreOptions.testing
    options.archive.mode = .begins
    return try Store.open(at: url, schemas: [.archived], options: options)
  }

  private func write(_ store: Store, _ number: Int) throws {
    try store.write { tx in
      try tx.execute("INSERT INTO notes (id, text) VALUES (\(number), \(String(repeating: "note \(number) ", count: number * 20)))")
      try tx.execute("UPDATE notes SET text = text || 'x' WHERE id % 3 = \(number % 3)")
      if number % 7 == 0 { try tx.execute("DELETE FROM notes WHERE id < \(number - 3)") }
    }
  }

  private func texts(_ store: Store) throws -> [String] {
    try store.read { reader in try reader.values("SELECT id || text FROM notes ORDER BY id") { row in try row.text() } }
  }

  private func texts(of file: URL) throws -> [String] {
    try ConnectionFactory.plain(file.path).texts("SELECT id || text FROM notes ORDER BY id").compactMap { $0[0] }
  }
}

extension StoreSchema {
  fileprivate static let archived = StoreSchema(
    "archived", migrations: [Migration("archived/001-notes", sql: "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;")])
}
