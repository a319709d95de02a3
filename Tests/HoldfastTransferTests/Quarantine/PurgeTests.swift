import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Purging after an import")
struct PurgeTests {
  private static let secret = "Zacharias Quirrenbach"
  private let folder: TemporaryFolder
  private let id = UUID()
  private var url: URL { folder.file("store.sqlite") }
  private var source: URL { folder.file("notes.txt") }

  init() throws { folder = try TemporaryFolder() }

  @Test("no quarantined record that names the row, no file that was set aside and no state of the archive has it; sources and copies stay")
  func everywhere() throws {
    let snapshot = try imported()
    // Sets the whole store aside.
    try Store.restore(at: url, snapshot: snapshot, options: .testing)
    #expect(try Store.filesSetAside(of: url).count == 1)
    let store = try open()
    #expect(try store.quarantine.count() == 2)
    let report = try store.purge(Person.self, id: id)
    #expect(report.rows == ["people": 1] && report.quarantined == 1 && report.setAside == 1 && report.beganArchiveAnew)
    #expect(report.sourceBackups == [source.path + ".backup"])
    #expect(try store.quarantine.records().items.map(\.path) == ["line 3"])
    #expect(try Store.filesSetAside(of: url) == [])
    try store.write { tx in try tx.insert(Person(id: UUID(), name: "later")) }
    try restoreAll(store.archive())
    try store.close()
    #expect(try holders() == ["notes.txt", "notes.txt.backup"])
  }

  /// An archived store with the secret in a row and in a quarantined record. Returns a snapshot of it.
  private func imported() throws -> String {
    let store = try open()
    try store.write { tx in try tx.insert(Person(id: id, name: Self.secret)) }
    // Other programs write ids in capitals.
    let text = "a\n\(id.uuidString) \(Self.secret)\nsomebody else, and too long"
    try text.write(to: source, atomically: true, encoding: .utf8)
    #expect(try store.importing(NoteFormat(text), from: ImportSource(source)).problemCount == 2)
    let snapshot = try store.snapshot()
    try store.close()
    return snapshot.id
  }

  private func open() throws -> Store {
    var options = StoreOptions.testing
    options.archive.mode = .begins
    let store = try folder.store([NoteWorld.schema, .people], options: options)
    _ = try store.archive()
    return store
  }

  /// Writes each state of the archive to a file of its own, where nothing is compressed.
  private func restoreAll(_ archive: Archive) throws {
    let commits = Set(try archive.history().map(\.commit))
    #expect(commits.count >= 2)
    for commit in commits { try archive.restore(to: .commit(commit), at: folder.file("state-\(commit).sqlite")) }
  }

  /// The files that hold the secret. Folders have no content.
  private func holders() throws -> [String] {
    let secret = Data(Self.secret.utf8)
    return try folder.contents().filter { FileManager.default.contents(atPath: folder.file($0).path)?.range(of: secret) != nil }
  }
}

private struct Person: StoredRecord {
  static let table = "people"
  static let columns = ["id", "name"]
  var id: UUID
  var name: String

  init(id: UUID, name: String) { (self.id, self.name) = (id, name) }

  init(row: inout StoredRow) throws {
    id = try row.id()
    name = try row.text()
  }

  func encode(into values: inout Values) throws {
    try values.id(id)
    try values.text(name)
  }
}

extension StoreSchema {
  fileprivate static let people = StoreSchema(
    "people", migrations: [Migration("people/001", sql: "CREATE TABLE people (id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL) STRICT;")],
    records: [Person.self])
}
