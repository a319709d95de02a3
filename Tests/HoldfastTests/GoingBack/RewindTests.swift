import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Rewinding a store", .timeLimit(.minutes(10)))
struct RewindTests {
  let folder: TemporaryFolder
  let store: Store

  /// An archived store with a shelf and three books.
  init() throws {
    folder = try TemporaryFolder()
    store = try folder.archivedStore()
    try store.fill()
  }

  @Test("a rewind from a state with rows that point at nothing can be undone, and the plan tells those rows")
  func dangling() throws {
    let sound = try store.moment()
    let plain = try ConnectionFactory.plain(folder.file("store.sqlite").path, writable: true)
    try plain.run("PRAGMA foreign_keys = OFF")
    try plain.run("DELETE FROM shelves")
    let report = try store.rewind(to: sound)
    #expect(try store.count("shelves") == 1)
    let undo = Moment.label(report.undo)
    let findings = try store.rewindPlan(to: undo).findings
    #expect(findings.count == 3 && findings.allSatisfy { $0.hasPrefix("a row of books points at a row of shelves") }, "\(findings)")
    #expect(try store.differences(from: sound, to: undo).map(\.table) == ["shelves"])
    try store.rewind(to: undo)
    #expect(try store.count("shelves") == 0 && store.titles() == ["book 0", "book 1", "book 2"])
    try store.archive().restore(to: undo, at: folder.file("then.sqlite"))
    try store.rewind(to: sound)
    #expect(try store.integrityCheck().findings == [])
    try store.close()
  }

  @Test(
    "another program's VACUUM that changed the size of the pages hinders no rewind and no restore of a snapshot", arguments: [1024, 16384])
  func otherPages(_ size: Int) throws {
    let (moment, snapshot) = (try store.moment(), try store.snapshot())
    try store.write { tx in _ = try tx.execute("DELETE FROM books") }
    try store.close()
    let file = folder.file("store.sqlite")
    try RawDatabase.with(file) { raw in try raw.execute("PRAGMA journal_mode = DELETE; PRAGMA page_size = \(size); VACUUM") }
    let again = try folder.archivedStore()
    try again.rewind(to: moment)
    #expect(try again.titles().count == 3 && again.integrityCheck().isHealthy)
    try again.write { tx in _ = try tx.execute("DELETE FROM books") }
    try again.restore(snapshot: snapshot.id)
    #expect(try again.titles().count == 3 && again.integrityCheck().isHealthy)
    #expect(try again.read { try $0.value("SELECT page_size FROM pragma_page_size") { try $0.int() } } == size)
    try again.close()
    #expect(try Store.rewind(at: file, to: moment, options: .testing).kept != nil)
    #expect(try folder.store([Shelves.schema]).titles().count == 3)
  }

  @Test("where an earlier state has no room, nothing of it is built, whether the store is open or not")
  func noRoom() throws {
    let moment = try store.moment()
    let file = folder.file("store.sqlite")
    // The state is built upon its base, which has this size now.
    let base = try #require(ArchiveFolder(StoreFiles(file)).generations().last.map { $0.base($0.bases[0]) })
    let whole = UInt64(DurableFile.size(base.path))
    // Larger than the free space: the checks read sizes.
    try Damage.resize(base, to: 1 << 42)
    var failures: [StoreError?] = [
      failure { try store.rewind(to: moment) }, failure { try store.rewindPlan(to: moment) },
      failure { try store.differences(from: moment, to: moment) },
      failure { try store.bringBack(Book.self, id: .numbered(1100), from: moment) },
      failure { try store.archive().restore(to: moment, at: folder.file("then.sqlite")) },
    ]
    try store.close()
    failures.append(failure { try Store.rewind(at: file, to: moment, options: .testing) })
    try Damage.resize(base, to: whole)
    #expect(failures.allSatisfy { $0?.code == .diskFull }, "\(failures)")
    #expect(try folder.contents().filter { $0.contains(".holdfast-") || $0.contains("then") } == [])
    #expect(try Store.rewind(at: file, to: moment, options: .testing).kept != nil)
  }
}
