import Foundation
import HoldfastTesting
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
    _ = try store.archive()
    try fail(store, code)
    #expect(code != .diskFull || !DurableFile.stands(ArchiveFolder(StoreFiles(real: notes.url)).ballast.path))
    try notes.add(1, to: store)
    try notes.add(2, to: store)
    try store.checkpoint()
    try pass(store)
    let gaps = try store.archive().history().filter { $0.kind == .gap }.map(\.text)
    let reason = code == .diskFull ? "because the disk was full" : "and the log became too long"
    let hasGap = code == .diskFull || maximumLogBytes == 4_096
    #expect(gaps == (hasGap ? ["the commits could not be archived, " + reason] : []))
    #expect(try store.archiveStatus()?.problem == nil)
    try store.close()
  }

  @Test(
    "a strict archive refuses commits with the code of its failure, keeps the log, and goes on by itself",
    arguments: [.diskFull, .inputOutput] as [StoreError.Code])
  func strict(code: StoreError.Code) throws {
    let store = try notes.open { ($0.archive.isStrict, $0.archive.maximumLogBytes) = (true, 1) }
    _ = try store.archive()
    try fail(store, code)
    #expect(failure { try notes.add(1, to: store) }?.code == code)
    try store.checkpoint()
    try pass(store)
    // This one is still refused, and lets the archive try again.
    #expect(failure { try notes.add(1, to: store) }?.code == code)
    store.archiver?.queue.sync {}
    try notes.add(1, to: store)
    let history = try store.archive().history()
    #expect(history.filter { $0.kind == .gap } == [])
    #expect(history.filter { $0.kind == .commit }.count == 1)
    try store.close()
  }

  /// The archive fails, and goes on failing.
  private func fail(_ store: Store, _ code: StoreError.Code) throws {
    let archiver = try #require(store.archiver)
    archiver.queue.sync {
      archiver.attempt { throw StoreError(code, "as the test says") }
      archiver.resumesAt = .now + .seconds(3_600)
    }
  }

  /// The next try will not fail.
  private func pass(_ store: Store) throws {
    let archiver = try #require(store.archiver)
    archiver.queue.sync { archiver.resumesAt = .now }
  }
}
