import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("What an archive lacks of its store")
struct ArchiveWaitingTests {
  let notes: ArchivedNotes

  init() throws { notes = try ArchivedNotes() }

  private func waiting(readingAtMost bytes: Int64 = .max) throws -> Archive.Waiting {
    try notes.archive().waiting(readingAtMost: bytes)
  }

  /// A closed store whose last two commits are in the log that it left, and not in the archive.
  private func left() throws {
    let store = try notes.open()
    try notes.add(1, to: store)
    _ = try store.archive()
    try notes.fail(store, .inputOutput)
    for number in 2...3 { try notes.add(number, to: store) }
    try store.close()
  }

  @Test("of an open store it is what the status counts, also in a log that was begun anew; of a closed one it is nothing")
  func counted() throws {
    let store = try notes.open()
    #expect(try waiting() == .commits(0))
    for isNewLog in [false, true] {
      let first = isNewLog ? 11 : 1
      try notes.add(first, to: store)
      _ = try store.archive()
      if isNewLog { try store.checkpoint(.truncate) }
      #expect(try waiting() == .commits(0))
      try notes.fail(store, .inputOutput)
      for number in 1...3 { try notes.add(first + number, to: store) }
      #expect(try store.archiveStatus()?.waitingCommits == 3)
      #expect(try waiting() == .commits(3), "a new log: \(isNewLog)")
      try notes.pass(store)
      _ = try store.archive()
      #expect(try waiting() == .commits(0))
    }
    try store.close()
    #expect(try waiting() == .commits(0))
  }

  @Test("commits in a log that was left wait for the next opening; to ask changes no byte")
  func leftLog() throws {
    try left()
    let before = try notes.folder.files()
    #expect(try waiting(readingAtMost: 0) == .commits(2))
    #expect(try notes.folder.files() == before)
    let store = try notes.open()
    let history = try store.archive().history()
    #expect(history.allSatisfy { $0.kind != .gap } && history.count { $0.kind == .commit } >= 3, "\(history)")
    #expect(try waiting() == .commits(0))
    try store.close()
  }

  @Test("an archive that begins with a left log does not itself keep that log from being cut")
  func beginsWithLeftLog() throws {
    try left()
    try FileManager.default.removeItem(at: StoreFiles(notes.url).archive)
    let store = try notes.open { $0.busyTimeout = .zero }
    #expect(try DurableFile.size(StoreFiles(notes.url).log.path) == 0)
    #expect(try store.archive().history().map(\.kind) == [.base])
    try store.close()
  }

  @Test("commits of another program wait while its log has them; once they are in the file, it is the gap that the next opening makes")
  func otherProgram() throws {
    try notes.open().close()
    try ArchivedNotes.raw(notes.url) { other in
      for number in 1...2 { try other.execute("INSERT INTO notes (id, text) VALUES (\(number), 'by another program')") }
      #expect(try waiting() == .commits(2))
    }
    let gap = "the file differs from what was archived"
    let before = try notes.folder.files()
    #expect(try waiting() == .gap(gap))
    #expect(try notes.folder.files() == before)
    let store = try notes.open()
    #expect(try store.archive().history().filter { $0.kind == .gap }.map(\.text) == [gap])
    #expect(try waiting() == .commits(0))
    try store.close()
  }

  @Test("of a damaged log, a large file, a log or store that is gone, and an archive without a base it is not known, and why is told")
  func unknown() throws {
    try left()
    let log = StoreFiles(real: notes.url).log
    let whole = try Data(contentsOf: log)
    var damaged = whole
    // In the page of the first frame.
    damaged[32 + 24 + 100] ^= 1
    try damaged.write(to: log)
    #expect(try waiting() == .gap("a frame of the log is damaged"))
    try FileManager.default.removeItem(at: log)
    #expect(try waiting() == .gap("the file differs from what was archived"))
    #expect(try waiting(readingAtMost: 1_000) == .notRead)
    try FileManager.default.removeItem(at: notes.url)
    try whole.write(to: log)
    #expect(try waiting() == .unknown("there is no file at \(notes.url.path)"))
    try Data().write(to: notes.url)
    let folder = try ArchiveFolder(StoreFiles(notes.url), ArchivedNotes.key).folder(1)
    try FileManager.default.removeItem(at: folder)
    #expect(try waiting() == .gap("the archive has no whole base"))
  }
}
