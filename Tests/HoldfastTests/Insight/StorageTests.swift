import GRDB
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Where a store's bytes are", .timeLimit(.minutes(10)))
struct StorageTests {
  @Test("tables, indexes and free pages are all pages of the database; a search index is one with its tables")
  func sum() async throws {
    let store = try Shelves.temporary()
    try store.fill(books: 300)
    try await store.write { tx in _ = try tx.execute("UPDATE books SET extra = hex(zeroblob(2000))") }
    try await store.write { tx in _ = try tx.execute("UPDATE books SET extra = ''") }
    let (use, pages) = (try await store.storage(), try await store.statistics())
    #expect(use.freeBytes > 0 && use.freeBytes == Int64(pages.freePages * pages.pageBytes))
    #expect(use.objects.reduce(use.freeBytes) { $0 + $1.bytes } == Int64(pages.pages * pages.pageBytes))
    #expect(use.fileBytes == pages.fileBytes && use.logBytes == pages.logBytes)
    #expect(use.rewindNeedsBytes == 2 * (use.fileBytes + use.logBytes) && use.diskFreeBytes ?? 1 > 0)
    #expect(use.objects.map(\.bytes) == use.objects.map(\.bytes).sorted(by: >) && !use.objects.contains(where: \.isEstimated))
    let own = use.objects.filter { $0.name.hasPrefix("books") }.map { "\($0.kind.rawValue) \($0.name) of \($0.table)" }.sorted()
    #expect(own == ["index books_by_shelf of books", "search books_search of books_search", "table books of books"])
  }

  @Test("without `dbstat` the sizes of tables and indexes are estimates that add up to the pages in use")
  func estimates() throws {
    let store = try Shelves.temporary()
    try store.fill(books: 300)
    try store.write { tx in _ = try tx.execute("UPDATE books SET extra = hex(zeroblob(500))") }
    let counted = try store.storage().objects
    let used = counted.reduce(0) { $0 + $1.bytes }
    let estimated = try store.inspect { db in try ObjectSizes(db.texts, countsPages: false).objects() }
    #expect(abs(estimated.reduce(0) { $0 + $1.bytes } - used) <= Int64(estimated.count))
    #expect(estimated.allSatisfy(\.isEstimated) && estimated.first?.name == "books" && counted.first?.name == "books")
    #expect(Set(estimated.map(\.name)).union(["sqlite_schema"]) == Set(counted.map(\.name)))
  }

  @Test(
    "a disk with less room than a rewind needs is told, with the need rounded up",
    arguments: [
      (nil, 1, nil), (1, 1, nil), (0, 0, nil), (0, 1, "The disk has 0 MB free; a rewind needs 1 MB."),
      (120_999_999, 340_000_001, "The disk has 120 MB free; a rewind needs 341 MB."),
    ] as [(Int64?, Int64, String?)])
  func warning(free: Int64?, needed: Int64, words: String?) {
    var use = StorageUse()
    (use.diskFreeBytes, use.rewindNeedsBytes) = (free, needed)
    #expect(use.warning == words)
  }

  @Test("a store in memory has tables, and no files")
  func memory() throws {
    let use = try Shelves.inMemory().storage()
    #expect(use.objects.contains { $0.name == "books" })
    #expect([use.fileBytes, use.logBytes, use.archiveBytes, use.rewindNeedsBytes] == [0, 0, 0, 0] && use.warning == nil)
  }

  @Test("the copies of a store count apart from its file")
  func copies() throws {
    let notes = try ArchivedNotes()
    let store = try notes.open()
    try notes.add(1, to: store)
    _ = try store.snapshot()
    _ = try store.archive()
    let use = try store.storage()
    let status = try store.snapshotStatus()
    #expect(use.snapshotBytes == status.bytes && use.archiveBytes == status.archiveBytes)
    #expect(use.snapshotBytes > 0 && use.archiveBytes > 0 && use.quarantineBytes == 0)
  }
}
