import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("The recovery options of a file with an archive", .timeLimit(.minutes(10)))
struct RecoveryOptionTests {
  let folder: TemporaryFolder
  let clock = TestClock()

  init() throws { folder = try TemporaryFolder() }

  private var url: URL { folder.file("store.sqlite") }

  /// A closed store with an archive, and a snapshot that was made before or after the last commit.
  private func made(snapshotIsLast: Bool) throws -> (snapshot: Snapshot, newest: Date) {
    let store = try folder.archivedStore { [clock] in $0.now = { clock.now } }
    if snapshotIsLast { try store.fill() }
    clock.advance()
    let snapshot = try store.snapshot()
    clock.advance()
    if !snapshotIsLast { try store.fill() }
    try store.close()
    return (snapshot, try #require(try Archive(of: url).reach().newest))
  }

  @Test(
    "a damaged, overwritten or missing file offers to be healed, then its archive and its snapshot, the newer one first",
    arguments: ["damaged", "overwritten", "missing"], [true, false])
  func offered(accident: String, snapshotIsLast: Bool) throws {
    let (snapshot, newest) = try made(snapshotIsLast: snapshotIsLast)
    switch accident {
    case "damaged": try Damage.overwrite(url, at: 100, count: 200)
    case "overwritten": try Data(repeating: 7, count: 100_000).write(to: url)
    default: try FileManager.default.removeItem(at: url)
    }
    let error = try #require(failure { try folder.store([Shelves.schema], options: .testing.with { $0.createsIfMissing = false }) })
    let offered: [StoreError.RecoveryOption] = [.rewind(newest: newest), .restoreSnapshot(id: snapshot.id)]
    let inOrder: [StoreError.RecoveryOption] = snapshotIsLast ? offered.reversed() : offered
    #expect(error.recoveryOptions == [.heal] + inOrder, "\(error)")
    #expect(error.recoverySuggestion?.hasPrefix("Heal the store") == true, "\(error.recoverySuggestion ?? "")")
    if snapshotIsLast {
      try Store.rewind(at: url, to: .time(.distantFuture), options: .testing)
    } else {
      try Store.heal(at: url, schemas: [Shelves.schema], options: .testing)
    }
    let again = try folder.store([Shelves.schema])
    #expect(try again.titles().count == 3)
    try again.close()
  }

  @Test("a file that is no database and has nothing beside it offers nothing, and the advice is another file")
  func nothing() throws {
    try Data("no database".utf8).write(to: url)
    let error = try #require(failure { try folder.store([Shelves.schema]) })
    #expect(error.recoveryOptions == [] && error.recoverySuggestion == "Choose another file; this one was left as it is.")
  }

  @Test("a folder of an archive without a base offers no rewind")
  func withoutBase() throws {
    try Data("no database".utf8).write(to: url)
    try FileManager.default.createDirectory(at: folder.file("store.sqlite.holdfast/archive"), withIntermediateDirectories: true)
    #expect(failure { try folder.store([Shelves.schema]) }?.recoveryOptions == [])
  }
}
