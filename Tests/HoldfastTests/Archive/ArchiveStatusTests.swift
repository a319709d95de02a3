import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("The status of an archive, and its drills", .timeLimit(.minutes(10)))
struct ArchiveStatusTests {
  let folder: TemporaryFolder
  let clock = TestClock()
  var url: URL { folder.file("store.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  /// The store, whose archive is ready.
  private func open(_ change: (inout StoreOptions) -> Void = { _ in }) throws -> Store {
    try folder.archivedStore { [clock] options in
      options.now = { clock.now }
      change(&options)
    }
  }

  @Test("the status names the first moment that can be restored, and each gap as the time line does")
  func reach() throws {
    let began = clock.now
    let store = try open()
    clock.advance()
    try store.fill()
    _ = try store.archive()
    let first = try #require(try store.archiveStatus())
    let newest = try #require(first.newest)
    #expect(first.oldest == began && first.gaps == [] && newest >= clock.now)
    try store.close()
    try RawDatabase.with(url) { try $0.execute("UPDATE shelves SET name = 'by another program'") }
    clock.advance()
    let again = try open()
    let status = try #require(try again.archiveStatus())
    #expect(status.oldest == began && status.gaps.count == 1 && status.gaps.first?.gapFrom != nil)
    #expect(try status.gaps == again.archive().history().filter { $0.kind == .gap })
    clock.advance()
    try again.purge(Shelf.self, id: .numbered(1))
    let purged = try #require(try again.archiveStatus())
    let oldest = try #require(purged.oldest)
    #expect(oldest >= clock.now && purged.gaps.map(\.text) == ["rows were purged"])
  }

  @Test("the ballast does not count as a part of the archive")
  func ballast() throws {
    let store = try open()
    try Data(count: 4 << 20).write(to: folder.file("store.sqlite.holdfast/archive/ballast"))
    let status = try #require(try store.archiveStatus())
    #expect(status.bytes > 0 && status.bytes < 1 << 20)
    #expect(try store.snapshotStatus().archiveBytes == status.bytes)
    try store.close()
  }

  @Test("a process that does not archive names the first moment and the gaps, too")
  func elsewhere() throws {
    let archiving = try open()
    let other = try open()
    let status = try #require(try other.archiveStatus())
    #expect(try !status.isWriting && status.oldest == archiving.archiveStatus()?.oldest && status.oldest != nil)
  }

  @Test("when a drill of the archive passes, the status and its updates say so, and only the file with its time is left")
  func drill() async throws {
    let store = try open()
    try store.fill()
    _ = try store.archive()
    var updates = store.archiveUpdates().makeAsyncIterator()
    let first = await updates.next()
    #expect(first != nil && first?.lastDrill == nil)
    let before = try folder.contents()
    clock.advance()
    let drill = try await store.drillArchive()
    #expect(try drill.hasPassed && drill.endedAt == clock.now && drill.commit.number == store.archiveStatus()?.newestCommit)
    #expect(drill.report.checked == IntegrityReport.Part.allCases.filter { $0 != .kinds })
    #expect(try Set(folder.contents()).subtracting(before) == ["store.sqlite.holdfast/archive/drilled"])
    #expect(try store.archiveStatus()?.lastDrill == clock.now)
    #expect(try Archive(of: url).lastDrill == clock.now)
    // Ends only when an update tells it.
    while let status = await updates.next(), status.lastDrill == nil {}
    try store.close()
  }

  @Test("a drill fails for a damaged base and a damaged commit, and the last time that passed stays", arguments: ["base", "segment"])
  func damaged(part: String) throws {
    let store = try open()
    try store.fill()
    #expect(try store.drillArchive().hasPassed)
    let passed = clock.now
    clock.advance()
    let generation = try #require(try ArchiveFolder(StoreFiles(url)).generations().last)
    let (base, segment) = (try #require(generation.bases.last), try #require(generation.segments.last))
    try Damage.flip(part == "base" ? generation.base(base) : generation.segment(segment))
    #expect(failure { try store.drillArchive() }?.code == .damaged)
    #expect(try store.archiveStatus()?.lastDrill == passed)
  }

  @Test("findings in the newest state are told, and such a drill has not passed")
  func findings() throws {
    let store = try open()
    try store.fill(books: 1)
    try store.write { tx in _ = try tx.execute("UPDATE books SET title = ''") }
    let drill = try store.drillArchive()
    #expect(!drill.hasPassed && drill.report.findings.map(\.part) == [.invariants])
    #expect(try store.archiveStatus()?.lastDrill == nil)
  }

  @Test("the schedule of drills drills the archive, too, whether there is a snapshot or not; its failure is told")
  func scheduled() throws {
    func drilled(after hours: Int64) throws -> (at: Date?, error: String?) {
      clock.advance(milliseconds: hours * 3_600_000)
      let store = try open { $0.snapshots.drill = .seconds(86_400) }
      store.schedule?.settle()
      defer { try? store.close() }
      return (try store.archiveStatus()?.lastDrill, try store.snapshotStatus().lastError)
    }
    try open().close()
    let first = try drilled(after: 1)
    #expect(first.at == clock.now && first.error == nil)
    #expect(try drilled(after: 23).at == first.at)
    #expect(try drilled(after: 1).at == clock.now)
    let generation = try #require(try ArchiveFolder(StoreFiles(url)).generations().last)
    try Data("damaged".utf8).write(to: generation.base(#require(generation.bases.last)))
    let last = try drilled(after: 24)
    #expect(last.at == first.at?.addingTimeInterval(86_400) && last.error?.contains("damaged") == true, "\(last)")
  }
}
