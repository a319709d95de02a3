import Foundation
import HoldfastTesting
import Synchronization
import Testing

@testable import Holdfast

@Suite("An archive that cannot be written")
struct ArchiveFailureTests {
  let notes: ArchivedNotes

  init() throws { notes = try ArchivedNotes() }

  @Test(
    "on a full disk the next checkpoint moves the log without the archive: a gap; any other failure waits for a long log",
    arguments: [(.diskFull, 64 << 20), (.inputOutput, 64 << 20), (.inputOutput, 4_096)] as [(StoreError.Code, Int64)])
  func gap(code: StoreError.Code, maximumLogBytes: Int64) throws {
    let store = try notes.open { $0.archive.maximumLogBytes = maximumLogBytes }
    let ballast = ArchiveFolder(StoreFiles(real: notes.url), ArchivedNotes.key).ballast.path
    #expect(DurableFile.size(ballast) == 4 << 20)
    try notes.fail(store, code)
    #expect(DurableFile.stands(ballast) == (code != .diskFull))
    try notes.add(1, to: store)
    try notes.add(2, to: store)
    try store.checkpoint()
    try notes.pass(store)
    let gaps = try store.archive().history().filter { $0.kind == .gap }.map(\.text)
    let reason = code == .diskFull ? "because the disk was full" : "and the log became too long"
    let hasGap = code == .diskFull || maximumLogBytes == 4_096
    #expect(gaps == (hasGap ? ["the commits could not be archived, " + reason] : []))
    #expect(try store.archiveStatus()?.problem == nil)
    try store.close()
  }

  @Test("commits that were made while the archive failed are archived with their times and tables when it goes on")
  func times() throws {
    let clock = TestClock()
    let store = try notes.open { $0.now = { clock.now } }
    try notes.fail(store, .inputOutput)
    let made = try (1...3).map { number in
      let time = clock.advance(milliseconds: 60_000)
      try notes.add(number, to: store)
      return time
    }
    #expect(try store.archiveStatus()?.waitingCommits == 3)
    clock.advance(milliseconds: 60_000)
    try notes.pass(store)
    let commits = try store.archive().history().compactMap(\.details)
    #expect(commits.map(\.time) == made && commits.allSatisfy { $0.earliest == nil && $0.tables.contains("notes") }, "\(commits)")
    try store.close()
  }

  @Test(
    "a strict archive refuses commits with the code of its failure, keeps the log, and goes on by itself",
    arguments: [.diskFull, .inputOutput] as [StoreError.Code])
  func strict(code: StoreError.Code) throws {
    let store = try notes.open { ($0.archive.isStrict, $0.archive.maximumLogBytes) = (true, 1) }
    try notes.fail(store, code)
    #expect(failure { try notes.add(1, to: store) }?.code == code)
    try store.checkpoint()
    try notes.pass(store)
    // This one is still refused, and lets the archive try again.
    #expect(failure { try notes.add(1, to: store) }?.code == code)
    store.archiver?.queue.sync {}
    try notes.add(1, to: store)
    let history = try store.archive().history()
    #expect(history.filter { $0.kind == .gap } == [])
    #expect(history.filter { $0.kind == .commit }.count == 1, "\(history)")
    try store.close()
  }

  @Test("the ballast that gave way, or was deleted, is made again when the archive has room")
  func ballast() throws {
    let store = try notes.open()
    let archiver = try #require(store.archiver)
    let ballast = archiver.folder.ballast
    for loss in ["a full disk", "deleted"] {
      try notes.settle(store)
      #expect(DurableFile.size(ballast.path) == 4 << 20)
      if loss == "deleted" { try FileManager.default.removeItem(at: ballast) } else { try notes.fail(store, .diskFull) }
      #expect(!DurableFile.stands(ballast.path))
      try notes.pass(store)
      _ = try store.archive()
      archiver.queue.sync {
        archiver.retainsAt = .now
        archiver.retain()
      }
    }
    #expect(DurableFile.size(ballast.path) == 4 << 20)
    try store.close()
  }

  @Test(
    "the oldest part goes after a commit when it is time, and on a full disk by itself; then the archive goes on", .timeLimit(.minutes(10)),
    arguments: [true, false])
  func makesRoom(isFull: Bool) async throws {
    try notes.open().close()
    try ArchivedNotes.raw(notes.url) { try $0.execute("INSERT INTO notes (id, text) VALUES (99, 'by another program')") }
    let store = try notes.open { $0.snapshots.maximumBytes = 4 << 20 }
    // A second part, behind the gap.
    _ = try store.archive()
    try notes.settle(store)
    let oldest = try #require(try store.archiveStatus()?.oldest)
    let quarantine = try StoreFiles(notes.url).quarantine
    try FileManager.default.createDirectory(at: quarantine, withIntermediateDirectories: true)
    // Leaves the archive nothing of the cap for all copies.
    try Data(count: 4 << 20).write(to: quarantine.appendingPathComponent("old.sqlite"))
    let archiver = try #require(store.archiver)
    if isFull { try notes.fail(store, .diskFull) } else { archiver.queue.sync { archiver.retainsAt = .now } }
    try notes.add(1, to: store)
    var statuses = store.archiveUpdates().makeAsyncIterator()
    var status = await statuses.next()
    while let seen = status, seen.oldest == oldest { status = await statuses.next() }
    #expect((status?.problem != nil) == isFull)
    #expect(try store.archiveStatus()?.waitingCommits == (isFull ? 1 : 0))
    try notes.pass(store)
    _ = try store.archive()
    let history = try await store.archive().history()
    #expect(history.filter { $0.kind == .gap }.count == 1 && history.filter { $0.kind == .commit }.count == 1, "\(history)")
    try store.close()
  }

  @Test(
    "a log whose commits are not archived stays at closing, and the next opening archives them; then it is gone",
    arguments: ["the archive fails", "another process archived"])
  func closing(why: String) throws {
    let log = try StoreFiles(notes.url).log
    let (archiving, other) = (try notes.open(), try notes.open())
    #expect(failure { try other.moment() }?.code == .busy)
    let (first, last) = why == "the archive fails" ? (other, archiving) : (archiving, other)
    try first.close()
    if why == "the archive fails" { try notes.fail(last, .inputOutput) }
    try notes.add(1, to: last)
    try last.close()
    #expect(DurableFile.size(log.path) > 0)
    let again = try notes.open()
    let history = try again.archive().history()
    #expect(history.filter { $0.kind == .gap } == [])
    // When it was made is known only between two times.
    #expect(history.compactMap(\.details).map { $0.earliest == nil } == [false], "\(history)")
    try again.close()
    #expect(!DurableFile.stands(log.path))
    #expect(try notes.gaps() == [])
  }

  @Test("while the first copy of the store is made, and one after a gap, a commit is not refused, and follows the copy")
  func copying() throws {
    let meanwhile = Meanwhile()
    let store = try notBegun { options in
      options.archive.isStrict = true
      options.now = {
        meanwhile.run()
        return Date()
      }
    }
    let archiver = try #require(store.archiver)
    for number in 1...2 {
      try notes.settle(store)
      // The copy begins with a look at the clock.
      meanwhile.next { [notes] in
        let refusal = failure { try notes.add(number, to: store) }
        return archiver.phase == .copying && refusal == nil
      }
      if number == 1 { try store.checkpoint() } else { try archiver.beginAnew(because: ArchiveGap.fileDiffers.rawValue) }
      _ = try store.archive()
      #expect(meanwhile.results == Array(repeating: true, count: number))
    }
    #expect(try store.archive().history().map(\.kind) == [.base, .commit, .gap, .commit])
    #expect(try notes.restored(.time(.distantFuture), by: store.archive()) == ["1note 1", "2note 2"])
    try store.close()
  }

  @Test("where another process archives and fails, a strict store refuses no commit; that process archives it later")
  func elsewhere() throws {
    let archiving = try notes.open()
    let other = try notes.open { $0.archive.isStrict = true }
    #expect(failure { try other.moment() }?.code == .busy)
    try notes.fail(archiving, .inputOutput)
    try notes.add(1, to: other)
    try notes.pass(archiving)
    try archiving.checkpoint()
    #expect(try archiving.archive().history().map(\.kind) == [.base, .commit])
    try other.close()
    try archiving.close()
  }

  /// A store whose archive has not begun, and begins at the next checkpoint.
  private func notBegun(_ change: (inout StoreOptions) -> Void) throws -> Store {
    try notes.open { $0.archive.mode = .off }.close()
    // As long as the lock is held, another process seems to archive.
    let lock = try FolderLock(ArchiveFolder(StoreFiles(notes.url), ArchivedNotes.key).url, busy: StoreError(.busy, "the test holds it"))
    let store = try notes.open(notes.url, change)
    try notes.settle(store)
    withExtendedLifetime(lock) {}
    return store
  }
}

/// Work for the next time that a store looks at its clock.
private final class Meanwhile: Sendable {
  private let work = Mutex<(@Sendable () -> Bool)?>(nil)
  private let told = Mutex<[Bool]>([])

  /// What each work returned.
  var results: [Bool] { told.withLock { $0 } }

  func next(_ body: @escaping @Sendable () -> Bool) { work.withLock { $0 = body } }

  func run() {
    let body: (@Sendable () -> Bool)? = work.withLock { work in
      defer { work = nil }
      return work
    }
    guard let body else { return }
    let result = body()
    told.withLock { $0.append(result) }
  }
}
