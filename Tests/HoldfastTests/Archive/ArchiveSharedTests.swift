import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("An archive beside others")
struct ArchiveSharedTests {
  let notes: ArchivedNotes

  init() throws { notes = try ArchivedNotes() }

  @Test("one of two stores archives; the commits of the other are archived, too, and a checkpoint loses none")
  func twoStores() throws {
    let archiving = try notes.open()
    _ = try archiving.archive()
    let other = try notes.open()
    #expect(try other.archiveStatus()?.isWriting == false)
    for number in 1...300 { try notes.add(number, to: other) }
    try notes.add(301, to: archiving)
    for number in 302...600 { try notes.add(number, to: number % 2 == 0 ? other : archiving) }
    try archiving.checkpoint(.truncate)
    for number in 601...700 { try notes.add(number, to: other) }
    try archiving.checkpoint()
    let history = try archiving.archive().history()
    #expect(history.filter { $0.kind == .gap }.isEmpty)
    #expect(history.filter { $0.kind == .commit }.count == 700)
    #expect(history.filter { $0.details?.earliest != nil }.count >= 500)
    let file = notes.folder.file("then.sqlite")
    let commit = try #require(history.first { $0.kind == .commit }).commit + 499
    try archiving.archive().restore(to: .commit(commit), at: file)
    #expect(try RawDatabase.with(file) { try $0.rows("SELECT count(*) FROM notes") } == [["500"]])
    try other.close()
    try archiving.close()
    #expect(try Archive(of: notes.url).history().filter { $0.kind == .gap }.isEmpty)
  }

  @Test("a log that a killed process left is archived before it is moved into the file")
  func leftLog() throws {
    let store = try notes.open()
    _ = try store.archive()
    for number in 1...50 { try notes.add(number, to: store) }
    let copy = try TemporaryFolder()
    let there = copy.file("notes.sqlite")
    // The files as a kill would leave them, before the archive has all commits.
    try store.write { tx in _ = try tx.execute("INSERT INTO notes (id, text) VALUES (51, 'last')") }
    for suffix in ["", "-wal", ".holdfast"] {
      try FileManager.default.copyItem(atPath: notes.url.path + suffix, toPath: there.path + suffix)
    }
    let again = try notes.open(there)
    #expect(try again.archive().history().filter { $0.kind == .gap }.isEmpty)
    #expect(try again.archive().history().filter { $0.kind == .commit }.count >= 51)
    try again.close()
    try store.close()
  }

  @Test("a failing archive fails no commit, tells its problem and goes on; a strict one fails the commit")
  func failing() throws {
    for isStrict in [false, true] {
      let url = notes.folder.file("strict-\(isStrict).sqlite")
      let first = try notes.open(url)
      _ = try first.archive()
      try first.close()
      // No segment is open before the first commit.
      let store = try notes.open(url) { $0.archive.isStrict = isStrict }
      _ = try store.archive()
      let generation = StoreFiles(real: url).archive.appendingPathComponent("00000001")
      try FileManager.default.moveItem(at: generation, to: notes.folder.file("away-\(isStrict)"))
      try notes.add(1, to: store)
      _ = try? store.archive()
      #expect(try store.archiveStatus()?.problem != nil)
      if isStrict {
        #expect(throws: StoreError.self) { try notes.add(2, to: store) }
      } else {
        try notes.add(2, to: store)
      }
      try FileManager.default.moveItem(at: notes.folder.file("away-\(isStrict)"), to: generation)
      _ = try store.archive()
      #expect(try store.archiveStatus()?.problem == nil)
      try notes.add(3, to: store)
      #expect(try store.archive().history().filter { $0.kind == .gap }.isEmpty)
      try store.close()
    }
  }

  @Test("a purged row is in no byte of the store, its snapshots and its archive")
  func purge() throws {
    let secret = "Zacharias Quirrenbach"
    let store = try notes.open(schemas: [.people])
    let id = UUID()
    try store.write { tx in
      try tx.insert(Person(id: id, name: secret))
      for number in 0..<500 { try tx.insert(Person(id: UUID(), name: "person \(number)")) }
    }
    try store.snapshot()
    try store.label("with the secret")
    try store.write { tx in try tx.upsert(Person(id: id, name: secret + " the second")) }
    let report = try store.purge(Person.self, id: id)
    #expect(report.rows == ["people": 1] && report.beganArchiveAnew && report.snapshots.count == 1)
    #expect(try store.archive().history().contains { $0.kind == .gap && $0.text == "rows were purged" })
    try store.write { tx in try tx.insert(Person(id: UUID(), name: "later")) }
    try store.close()
    var searched = 0
    let all = try #require(FileManager.default.enumerator(atPath: notes.folder.url.path))
    while let name = all.nextObject() as? String {
      guard let bytes = try? Data(contentsOf: notes.folder.file(name)) else { continue }
      searched += 1
      #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(name)")
    }
    #expect(searched >= 4)
    // Also not in what is compressed.
    let file = notes.folder.file("then.sqlite")
    let restored = try Archive(of: notes.url).restore(to: .time(Date(timeIntervalSinceNow: 60)), at: file)
    #expect(restored.number > 0)
    #expect(try Data(contentsOf: file).range(of: Data(secret.utf8)) == nil)
  }

  @Test("the status follows the commits, and ends with the store")
  func updates() async throws {
    let store = try notes.open()
    _ = try store.archive()
    var statuses = store.archiveUpdates().makeAsyncIterator()
    _ = await statuses.next()
    try notes.add(1, to: store)
    let commits = try await store.archive().history().filter { $0.kind == .commit }.count
    var status = await statuses.next()
    while let seen = status, seen.newestCommit < Int64(commits) { status = await statuses.next() }
    #expect(status?.isWriting == true)
    try store.close()
    while await statuses.next() != nil {}
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
