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
    let lines = LogLines()
    let archiving = try notes.open { $0.logger = lines.logger }
    let other = try notes.open { $0.logger = lines.logger }
    #expect(try other.archiveStatus()?.isWriting == false)
    for number in 1...300 { try notes.add(number, to: other) }
    try notes.add(301, to: archiving)
    for number in 302...600 { try notes.add(number, to: number % 2 == 0 ? other : archiving) }
    try archiving.checkpoint(.truncate)
    for number in 601...700 { try notes.add(number, to: other) }
    try archiving.checkpoint()
    let history = try archiving.archive().history()
    #expect(history.filter { $0.kind == .gap }.isEmpty)
    #expect(history.filter { $0.kind == .commit }.count == 700, "\(history.prefix(3))")
    #expect(history.filter { $0.details?.earliest != nil }.count >= 500)
    let commit = try #require(history.first { $0.kind == .commit }).commit + 499
    #expect(try notes.restored(.commit(commit), by: archiving.archive()).count == 500)
    try other.close()
    try archiving.close()
    #expect(try notes.gaps().isEmpty)
    // Once, however many commits another store makes.
    let version = try ArchivedNotes.raw(notes.url) { try $0.rows("SELECT sqlite_version()") }[0][0]
    let isOld = version.compare("3.51.3", options: .numeric) == .orderedAscending
    #expect(lines.all.count { $0.hasPrefix("warning") && $0.contains("SQLite 3.51.3") } == (isOld ? 1 : 0))
  }

  @Test("another store that commits all the time erases no frame, however often the log is moved meanwhile")
  func manyCheckpoints() async throws {
    let archiving = try notes.open()
    let other = try notes.open()
    async let committed: Void = offTask { _ in for number in 1...600 { try self.notes.add(number, to: other) } }
    for _ in 1...600 { _ = try await archiving.checkpoint(.passive) }
    try await committed
    let history = try await archiving.archive().history()
    #expect(history.filter { $0.kind == .gap } == [])
    #expect(history.filter { $0.kind == .commit }.count == 600, "\(history.prefix(3))")
    try other.close()
    try archiving.close()
  }

  @Test("a failing archive fails no commit, tells its problem and goes on; a strict one fails the commit")
  func failing() throws {
    for isStrict in [false, true] {
      let url = notes.folder.file("strict-\(isStrict).sqlite")
      try notes.open(url).close()
      // No segment is open before the first commit.
      let store = try notes.open(url) { $0.archive.isStrict = isStrict }
      _ = try store.archive()
      let archiver = try #require(store.archiver)
      let (generation, away) = (archiver.folder.folder(1), notes.folder.file("away-\(isStrict)"))
      // A file has the folder's name, so no segment can be made. On the archive's queue: it never finds neither.
      try archiver.queue.sync {
        try FileManager.default.moveItem(at: generation, to: away)
        try Data().write(to: generation)
      }
      try notes.add(1, to: store)
      _ = try? store.archive()
      #expect(try store.archiveStatus()?.problem != nil)
      #expect(failure { try notes.add(2, to: store) }?.code == (isStrict ? .inputOutput : nil))
      try archiver.queue.sync {
        try FileManager.default.removeItem(at: generation)
        try FileManager.default.moveItem(at: away, to: generation)
        archiver.resumesAt = .now
      }
      _ = try store.archive()
      #expect(try store.archiveStatus()?.problem == nil)
      try notes.add(3, to: store)
      #expect(try store.archive().history().filter { $0.kind == .gap }.isEmpty)
      try store.close()
    }
  }

  @Test("rewinds are refused where another process archives, before anything is built, and told what to do; when that has ended, they work")
  func elsewhere() throws {
    let archiving = try notes.open()
    let other = try notes.open()
    // A rewind that had begun would find that there is no such label.
    let refusal = failure { try other.rewind(to: .label("never")) }
    #expect(refusal?.code == .busy && refusal?.suggestion?.contains("`Store.rewind(to:)`") == true)
    try archiving.close()
    try other.label("here")
    #expect(failure { try other.rewind(to: .label("never")) }?.code == .notFound)
    try other.close()
  }

  @Test("the process that archives writes a label that another one asks for, behind the commits of both; no request stays")
  func labelElsewhere() throws {
    let archiving = try notes.open()
    let other = try notes.open()
    try notes.add(1, to: archiving)
    try notes.add(2, to: other)
    let began = ContinuousClock.now
    try other.label("here")
    #expect(ContinuousClock.now - began < .seconds(4))
    try notes.add(3, to: other)
    let file = notes.folder.file("here.sqlite")
    #expect(try archiving.archive().restore(to: .label("here"), at: file).number == 2)
    #expect(try notes.texts(of: file) == ["1note 1", "2note 2"])
    let archiver = try #require(archiving.archiver)
    #expect(archiver.folder.requests() == [])
    try other.close()
    try archiving.close()
  }

  @Test("a label that nobody writes is refused, and its request taken back; that of a killed process is written by the next that archives")
  func labelWithoutAnswer() throws {
    try notes.open().close()
    let files = try StoreFiles(notes.url)
    var lock: FolderLock? = try FolderLock(files.archive, busy: files.archivedElsewhere)
    let other = try notes.open()
    let archiver = try #require(other.archiver)
    #expect(failure { _ = try archiver.request("never", wait: .milliseconds(100)) }?.code == .busy)
    #expect(archiver.folder.requests() == [])
    let left = ArchiveRecord.label(.init(commit: 0, time: 1, text: "left"))
    try left.framed(ArchivedNotes.seal).write(to: archiver.folder.newRequest())
    try Data("nothing".utf8).write(to: archiver.folder.newRequest())
    withExtendedLifetime(lock) {}
    lock = nil
    _ = try other.moment()
    try other.onWriter { _ in archiver.writeRequested() }
    #expect(archiver.folder.requests() == [])
    #expect(try other.archive().history().map(\.text).contains("left"))
    #expect(archiver.queue.sync { archiver.segment?.isFlushed } == true)
    try other.close()
  }

  @Test("what another process commits while the archiving one closes is archived before SQLite may move and delete the log")
  func commitsAtClosing() throws {
    let archiving = try notes.open()
    let other = try notes.open()
    let archiver = try #require(archiving.archiver)
    var isMoved = false
    let mayMove = archiver.close {
      isMoved = true
      try? notes.add(1, to: other)
    } lock: {
      (try? notes.add(2, to: other)) != nil
    }
    #expect(isMoved && mayMove)
    #expect(try notes.archive().history().compactMap(\.details?.number) == [1, 2])
    try other.close()
    try archiving.close()
  }

  @Test(
    "a log that a killed process began without a commit makes no gap; one with a commit that nobody archived does",
    arguments: [false, true])
  func logBetween(hasCommit: Bool) throws {
    let archiving = try notes.open()
    try notes.add(1, to: archiving)
    _ = try archiving.archive()
    try archiving.checkpoint()
    let archiver = try #require(archiving.archiver)
    if hasCommit {
      // Only without the archive's read transaction can another program move what is not archived.
      try archiver.queue.sync { archiver.source = try ArchiveSource(archiver.files, archiver.options) }
      try ArchivedNotes.raw(notes.url) { try $0.execute("INSERT INTO notes (id, text) VALUES (9, 'unseen')") }
    }
    // Begins the log anew. The next process gives a log without a commit any salts.
    _ = try ArchivedNotes.raw(notes.url) { try $0.rows("PRAGMA wal_checkpoint(RESTART)") }
    let other = try notes.open()
    try notes.add(2, to: other)
    let (phase, commit) = archiver.queue.sync {
      archiver.attempt { try archiver.drain(all: true) }
      return (archiver.phase, archiver.last.commit)
    }
    #expect(phase == (hasCommit ? .needsBase(reason: ArchiveGap.fileDiffers.rawValue) : .following))
    #expect(commit == (hasCommit ? 1 : 2))
    try other.close()
    try archiving.close()
  }

  @Test("no base is made of a file behind which another process has committed; the next checkpoint makes it")
  func baseBehindCommit() throws {
    let archiving = try notes.open()
    let other = try notes.open()
    let archiver = try #require(archiving.archiver)
    archiver.queue.sync { archiver.pauseBeforeBase = 3_600 }
    try notes.add(1, to: other)
    try archiver.beginAnew(because: "the test asks")
    try notes.add(2, to: other)
    archiver.queue.sync { archiver.beginBase("the test asks") }
    #expect(archiver.queue.sync { archiver.phase } == .needsBase(reason: "the test asks"))
    try archiving.checkpoint()
    _ = try archiving.archive()
    #expect(archiver.queue.sync { archiver.phase } == .following)
    try other.close()
    try archiving.close()
  }

  @Test(
    "when the process that archives closes the store, another takes over at its next checkpoint or for a moment; no commit is lost",
    arguments: ["checkpoint", "moment"])
  func takesOver(by call: String) throws {
    let (archiving, other) = (try notes.open(), try notes.open())
    #expect(failure { try other.moment() }?.code == .busy)
    try notes.add(1, to: other)
    try archiving.close()
    try notes.add(2, to: other)
    #expect(try other.archiveStatus()?.isWriting == false)
    if call == "checkpoint" { try other.checkpoint() } else { #expect(try other.moment() == .commit(2)) }
    #expect(try other.archiveStatus()?.isWriting == true)
    let history = try other.archive().history()
    #expect(history.map(\.kind) == [.base, .commit, .commit], "\(history)")
    let first = try #require(history.compactMap(\.details).first)
    #expect(first.earliest != nil && first.rowsChanged == nil && first.tables == [])
    try other.close()
    #expect(try notes.archive().history().map(\.kind) == [.base, .commit, .commit])
  }

  @Test("the status follows the commits, and ends with the store")
  func updates() async throws {
    let store = try notes.open()
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
