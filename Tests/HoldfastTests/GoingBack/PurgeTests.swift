import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Purging")
struct PurgeTests {
  private let notes: ArchivedNotes
  private let secret = "Zacharias Quirrenbach"
  private let id = UUID()

  init() throws { notes = try ArchivedNotes(key: nil) }

  @Test("a purged row is in no byte of the store, its snapshots and its archive")
  func everywhere() throws {
    let store = try filled()
    try store.snapshot()
    try store.label("with the secret")
    try store.write { tx in try tx.upsert(Person(id: id, name: secret + " the second")) }
    let report = try store.purge(Person.self, id: id)
    #expect(report.rows == ["people": 1] && report.beganArchiveAnew && report.snapshots.count == 1)
    #expect(try store.archive().history().contains { $0.kind == .gap && $0.text == "rows were purged" })
    try store.write { tx in try tx.insert(Person(id: UUID(), name: "later")) }
    try store.close()
    #expect(try holders() == [])
    // Also not in what is compressed.
    let file = notes.folder.file("then.sqlite")
    let restored = try Archive(of: notes.url).restore(to: .time(Date(timeIntervalSinceNow: 60)), at: file)
    #expect(restored.number > 0)
    #expect(try holders() == [])
  }

  @Test("a snapshot that is not listed goes, too: its description is damaged or missing", arguments: ["damaged", "missing"])
  func unlisted(description: String) throws {
    let store = try filled()
    let old = try store.snapshot()
    let file = old.description(try StoreFiles(notes.url))
    if description == "damaged" { try Data("{".utf8).write(to: file) } else { try FileManager.default.removeItem(at: file) }
    #expect(try store.snapshots() == [])
    #expect(try store.purge(Person.self, id: id).snapshots == [old.id])
    #expect(try store.snapshots().count == 1)
    try store.close()
    #expect(try holders() == [])
  }

  @Test("purging fails when the files that were set aside cannot be listed; called again, it ends the work")
  func unlistable() throws {
    let store = try filled()
    try notes.folder.forbidFolder("notes.sqlite.holdfast/quarantine")
    #expect(failure { try store.purge(Person.self, id: id) } != nil)
    try notes.folder.allowFolder("notes.sqlite.holdfast/quarantine")
    // The snapshot of the first call is the present state, and stays.
    #expect(try store.purge(Person.self, id: id).snapshots == [])
    #expect(try store.snapshots().count == 1)
    try store.close()
    #expect(try holders() == [])
  }

  @Test(
    "where another process archives, purging is refused before anything changes",
    arguments: [.continues, .off] as [ArchiveOptions.Mode])
  func elsewhere(mode: ArchiveOptions.Mode) throws {
    let store = try filled()
    let other = try notes.open(schemas: [.people]) { $0.archive.mode = mode }
    #expect(failure { try other.purge(Person.self, id: id) }?.code == .busy)
    #expect(try other.read { reader in try reader.count("SELECT count(*) FROM people WHERE name = \(secret)") } == 1)
    try other.close()
    try store.close()
  }

  @Test("when the process that archived has closed the store, purging takes the archive over")
  func takesOver() throws {
    let store = try filled()
    let other = try notes.open(schemas: [.people])
    #expect(failure { try other.purge(Person.self, id: id) }?.code == .busy)
    try store.close()
    #expect(try other.purge(Person.self, id: id).beganArchiveAnew)
    #expect(try other.archiveStatus()?.isWriting == true)
    try other.close()
    #expect(try holders() == [])
  }

  @Test("where the archive is switched off, purging removes it whole; the new snapshot is one that may give way later")
  func switchedOff() throws {
    let store = try filled()
    try store.close()
    #expect(try holders() != [])
    let off = try notes.open(schemas: [.people]) { $0.archive.mode = .off }
    #expect(try off.purge(Person.self, id: id).beganArchiveAnew)
    #expect(try off.snapshots().map(\.isAutomatic) == [true])
    try off.close()
    #expect(try holders() == [] && !ArchiveFolder(StoreFiles(notes.url)).exists)
  }

  @Test("the words of a purged row, and of the rows that hung on it, are in no full-text index any more")
  func fullText() throws {
    let store = try notes.open(schemas: [Shelves.schema])
    try store.fill()
    try store.write { tx in
      try tx.insert(Shelf("a shelf", number: 7))
      try tx.insert(Book("quirrenbach", number: 7, on: 7))
    }
    #expect(try store.purge(Shelf.self, id: .numbered(7)).rows == ["shelves": 1, "books": 1])
    try store.close()
    #expect(try holders(of: "quirrenbach") == [])
  }

  @Test("snapshots in the folder of the options go; those in a folder that the options named earlier stay")
  func folders() throws {
    for name in ["earlier", "present"] {
      try FileManager.default.createDirectory(at: notes.folder.file(name), withIntermediateDirectories: false)
    }
    let store = try filled { $0.snapshots.folder = notes.folder.file("earlier") }
    let stays = try store.snapshot()
    try store.close()
    let again = try notes.open(schemas: [.people]) { $0.snapshots.folder = notes.folder.file("present") }
    let goes = try again.snapshot()
    #expect(try again.purge(Person.self, id: id).snapshots == [goes.id])
    try again.close()
    #expect(try holders() == ["earlier/notes.sqlite.snapshots/\(stays.id).sqlite"])
  }

  /// An archived store with the secret.
  private func filled(_ change: (inout StoreOptions) -> Void = { _ in }) throws -> Store {
    let store = try notes.open(schemas: [.people], change)
    try store.write { tx in
      try tx.insert(Person(id: id, name: secret))
      for number in 0..<500 { try tx.insert(Person(id: UUID(), name: "person \(number)")) }
    }
    return store
  }

  /// The files that hold a word. Nil: the secret.
  private func holders(of word: String? = nil) throws -> [String] {
    #expect(try notes.folder.files().count >= 3)
    return try notes.folder.files(containing: word ?? secret)
  }
}

private struct Person: StoredRecord, Codable {
  static let table = "people"
  var id: UUID
  var name: String
}

extension StoreSchema {
  fileprivate static let people = StoreSchema(
    "people", migrations: [Migration("people/001", sql: "CREATE TABLE people (id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL) STRICT;")],
    records: [Person.self])
}
