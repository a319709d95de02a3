import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("A commit that a killed process has not ended")
struct ArchiveUnfinishedCommitTests {
  let notes: ArchivedNotes

  init() throws { notes = try ArchivedNotes() }

  /// Writes what a process leaves that is killed within COMMIT: the frames of the commit are in the log, and SQLite's index does not have them.
  private func leaveCommit(_ number: Int) throws {
    let copy = notes.folder.file("copy.sqlite")
    let (files, copied) = (StoreFiles(real: notes.url), StoreFiles(real: copy))
    try notes.url.copyStore(to: copy)
    let after = try ArchivedNotes.raw(copy) { other in
      try other.execute("PRAGMA wal_autocheckpoint = 0; INSERT INTO notes (id, text) VALUES (\(number), 'never committed')")
      return try Data(contentsOf: copied.log)
    }
    let log = try FileHandle(forUpdating: files.log)
    try log.write(contentsOf: after)
    try log.close()
  }

  @Test(
    "is not archived, and the commit that takes its place makes no gap", arguments: [false, true], [Checkpoint.passive, .truncate])
  func unfinished(beginsLog: Bool, mode: Checkpoint) throws {
    let store = try notes.open()
    let other = try notes.open()
    for number in 1...3 { try notes.add(number, to: other) }
    // Then SQLite begins the log anew at the next commit.
    if beginsLog { try store.checkpoint() }
    try leaveCommit(4)
    try store.checkpoint(mode)
    #expect(try store.archive().history().compactMap(\.details?.number) == [1, 2, 3])
    try notes.add(5, to: other)
    #expect(try store.moment() == .commit(4))
    #expect(try store.archive().history().allSatisfy { $0.kind != .gap })
    try other.close()
    try store.close()
    let archive = try notes.archive()
    #expect(try archive.verify().findings == [] && archive.waiting() == .commits(0))
    #expect(try notes.restored(.time(.distantFuture)) == ["1note 1", "2note 2", "3note 3", "5note 5"])
  }

  @Test("what another process commits between a checkpoint and the archive's new read transaction is not cut away unarchived")
  func commitBeforePin() throws {
    let store = try notes.open()
    let other = try notes.open()
    try notes.add(1, to: store)
    let archiver = try #require(store.archiver)
    try store.checkpoint()
    #expect(archiver.queue.sync { archiver.mayBeginAnew })
    try notes.add(2, to: other)
    #expect(!archiver.pin())
    #expect(archiver.queue.sync { archiver.last.commit } == 2)
    try other.close()
    try store.close()
  }

  @Test("an opening that saw an empty file moves nothing of the store that another process has made there and archives meanwhile")
  func madeMeanwhile() throws {
    // What a process leaves that is killed before the first migration has ended.
    let (files, begun) = (StoreFiles(real: notes.url), notes.folder.file("begun.sqlite"))
    try ArchivedNotes.raw(begun, creating: true) { empty in
      try empty.execute("PRAGMA journal_mode = WAL; CREATE TABLE a (b); DROP TABLE a")
      try FileManager.default.copyItem(at: begun, to: notes.url)
      try FileManager.default.copyItem(at: StoreFiles(real: begun).log, to: files.log)
    }
    var options = ArchivedNotes.options
    options.archive.mode = .begins
    let opening = try Opening(files, [ArchivedNotes.schema], options)
    let store = try notes.open()
    let archiver = try #require(store.archiver)
    // As where its process is killed: no read transaction of the archive holds the log.
    try archiver.queue.sync { archiver.source = try ArchiveSource(archiver.files, archiver.options) }
    archiver.queue.suspend()
    try notes.add(1, to: store)
    let other = try opening.open()
    archiver.queue.resume()
    #expect(try store.moment() == .commit(1))
    #expect(try store.archive().history().allSatisfy { $0.kind != .gap })
    try other.close()
    try store.close()
  }
}
