import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

/// A folder with people, their letters and lists of letters: an export of another store, and a store that imports it and refuses long texts.
/// One person is to be forgotten, with one letter.
struct ImportedLetters {
  let folder: TemporaryFolder
  let person = UUID()
  let letter = UUID()
  /// A letter of another person.
  let stays = UUID()
  var url: URL { folder.file("store.sqlite") }
  var source: URL { folder.file("letters.holdfast") }

  /// Writes the source. Of its rows, three will be refused: a letter of the person, the place of the person's letter in a second list, and
  /// the place of the other letter there.
  init() throws {
    folder = try TemporaryFolder()
    let store = try Store.inMemory(schemas: [Self.schema(longest: 1_000)], options: .testing)
    let long = String(repeating: "far too long ", count: 10)
    let (lists, other) = ([UUID(), UUID()], UUID())
    try store.write { tx in
      try tx.insert(contentsOf: [Person(id: person, name: "quirrenbach"), Person(id: other, name: "somebody")])
      try tx.insert(Letter(id: letter, personID: person, text: "zephyranthes"))
      try tx.insert(Letter(id: stays, personID: other, text: "harmless"))
      try tx.insert(Letter(id: UUID(), personID: person, text: long))
      for (list, remark) in zip(lists, ["short", long]) {
        try tx.execute("INSERT INTO lists (id) VALUES (\(list))")
        for member in [letter, stays] { try tx.execute("INSERT INTO list_letters VALUES (\(list), \(member), \(remark))") }
      }
    }
    _ = try store.export(to: source)
    try store.close()
  }

  func importing(into store: Store) throws -> ImportReport {
    let source = try ImportSource(source)
    return try store.importing(PortableImport(try source.document(), schemas: [Self.schema(longest: 40)]), from: source)
  }

  /// An archived store after an import, with the person in every kind of copy: two snapshots, a store that was set aside, the archive's base
  /// and commits, the quarantine, the ledger, and a problem of the report.
  func withPast() throws -> Store {
    var store = try open()
    #expect(try importing(into: store).problemCount == 3)
    _ = try store.write { tx in
      let problem = #"{"kind": "letters", "path": "by hand", "reason": "\#(person.uuidString) is damaged"}"#
      return try tx.execute("UPDATE holdfast_imports SET report = json_insert(report, '$.problems[#]', json(\(problem)))")
    }
    let snapshot = try store.snapshot().id
    try store.close()
    try Store.restore(at: url, snapshot: snapshot, options: .testing)
    store = try open()
    for text in ["zephyranthes again", "zephyranthes"] {
      _ = try store.write { tx in try tx.execute("UPDATE letters SET text = \(text) WHERE id = \(letter)") }
    }
    try store.snapshot()
    return store
  }

  /// Writes each state of the archive to a file of its own, where nothing is compressed.
  func restoreAll(_ archive: Archive) throws {
    let commits = Set(try archive.history().map(\.commit))
    #expect(commits.count >= 2)
    for commit in commits { try archive.restore(to: .commit(commit), at: folder.file("state-\(commit).sqlite")) }
  }

  /// The files that hold the person or the letter: a name, or an id as text in either case or as 16 bytes. Folders have no content.
  func holders() throws -> [String] {
    let ids = [person, letter].flatMap { id in
      [Data(IDCodec.lowercase(id).utf8), Data(IDCodec.uppercase(id).utf8), withUnsafeBytes(of: id.uuid) { Data($0) }]
    }
    let secrets = ids + ["quirrenbach", "zephyranthes"].map { Data($0.utf8) }
    return try folder.contents().filter { name in
      guard let content = FileManager.default.contents(atPath: folder.file(name).path) else { return false }
      return secrets.contains { content.range(of: $0) != nil }
    }
  }

  private func open() throws -> Store {
    var options = StoreOptions.testing
    options.archive.mode = .begins
    let store = try folder.store([Self.schema(longest: 40)], options: options)
    _ = try store.archive()
    return store
  }

  private static func schema(longest: Int) -> StoreSchema {
    let sql = """
      CREATE TABLE people (rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL) STRICT;
      CREATE TABLE letters (
        rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, person_id TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
        text TEXT NOT NULL CHECK (length(text) < \(longest))) STRICT;
      CREATE TABLE lists (id TEXT NOT NULL PRIMARY KEY) STRICT;
      CREATE TABLE list_letters (
        list_id TEXT NOT NULL REFERENCES lists (id) ON DELETE CASCADE, letter_id TEXT NOT NULL REFERENCES letters (id) ON DELETE CASCADE,
        remark TEXT NOT NULL CHECK (length(remark) < \(longest)), PRIMARY KEY (list_id, letter_id)) STRICT;
      """
    return StoreSchema(
      "letters", migrations: [Migration("letters/001", sql: sql)], records: [Person.self, Letter.self],
      declarations: [.fullText("people_search", of: "people", ["name"]), .fullText("letters_search", of: "letters", ["text"])])
  }
}
