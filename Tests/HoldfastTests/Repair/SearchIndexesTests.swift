import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Search indexes of what is restored", .timeLimit(.minutes(10)))
struct SearchIndexesTests {
  let folder: TemporaryFolder
  let store: Store

  /// An archived store with three books, which its search index does not have.
  init() throws {
    folder = try TemporaryFolder()
    store = try folder.archivedStore()
    try store.fill()
    try store.write { tx in _ = try tx.execute("INSERT INTO books_search (books_search) VALUES ('delete-all')") }
    try #require(try store.integrityCheck().findings.map(\.part) == [.fullText])
  }

  private var url: URL { folder.file("store.sqlite") }

  private func found(in store: Store) throws -> Int {
    try store.read { reader in try reader.count("SELECT count(*) FROM books_search WHERE books_search MATCH 'book'") }
  }

  private func found(in file: URL) throws -> [[String?]] {
    try ConnectionFactory.plain(file.path).texts("SELECT count(*) FROM books_search WHERE books_search MATCH 'book'")
  }

  @Test("a moment with a stale search index is built with a sound one, and a rewind to it has no findings")
  func archive() throws {
    let stale = try store.moment()
    let file = folder.file("then.sqlite")
    try store.archive().restore(to: stale, at: file)
    #expect(try found(in: file) == [["3"]])
    try store.write { tx in try tx.insert(Book("later", number: 9)) }
    let plan = try store.rewindPlan(to: stale)
    #expect(plan.findings == [] && plan.tables == [TableDifference(table: "books", added: 0, removed: 1, changed: 0)])
    #expect(try store.differences(from: stale, to: store.moment()).map(\.added) == [1])
    try store.rewind(to: stale)
    #expect(try found(in: store) == 3)
    #expect(try store.integrityCheck().findings == [])
    try store.close()
  }

  @Test("a closed store is rewound to a moment with a stale search index")
  func closedArchive() throws {
    try store.close()
    try Store.rewind(at: url, to: .time(.distantFuture), options: .testing)
    #expect(try Store.check(at: url, schemas: [Shelves.schema], options: .testing).findings == [])
  }

  @Test("a snapshot keeps a stale search index, and what is restored from it has a sound one", arguments: [true, false])
  func snapshot(isOpen: Bool) throws {
    let id = try store.snapshot().id
    if isOpen { try store.restore(snapshot: id) }
    #expect(try store.drill(snapshot: id).hasPassed)
    try store.close()
    if !isOpen { try Store.restore(at: url, snapshot: id, options: .testing) }
    #expect(try Store.check(at: url, schemas: [Shelves.schema], options: .testing).findings == [])
    let again = try folder.store([Shelves.schema])
    #expect(try found(in: again) == 3 && again.titles() == ["book 0", "book 1", "book 2"])
    #expect(try Snapshot.verify(id, of: url, options: .testing).rows["books"] == 3)
    try again.close()
  }

  @Test("an index whose text is another one at each reading cannot be made sound: the moment is refused, a snapshot is restored")
  func hopeless() throws {
    try store.write { tx in
      try tx.execute("CREATE VIEW noise AS SELECT rowid AS docid, hex(randomblob(8)) AS word FROM books")
      try tx.execute("CREATE VIRTUAL TABLE noise_search USING fts5 (word, content = 'noise', content_rowid = 'docid')")
    }
    let error = failure { try store.archive().restore(to: store.moment(), at: folder.file("other.sqlite")) }
    #expect(error?.code == .verificationFailed && error?.message.contains("noise_search") == true, "\(String(describing: error))")
    #expect(!FileManager.default.fileExists(atPath: folder.file("other.sqlite").path))
    let id = try store.snapshot().id
    try store.close()
    try Store.restore(at: url, snapshot: id, options: .testing)
    #expect(try found(in: url) == [["3"]])
  }
}
