import Foundation
import HoldfastTesting
import Synchronization
import Testing

@testable import Holdfast

@Suite("A strict archive, where no commit is refused")
struct ArchiveStrictTests {
  let notes: ArchivedNotes

  init() throws { notes = try ArchivedNotes() }

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
