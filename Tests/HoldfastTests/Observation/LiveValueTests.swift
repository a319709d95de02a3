import Foundation
import Holdfast
import HoldfastTesting
import Observation
import Testing

@Suite("Live values", .timeLimit(.minutes(10)))
@MainActor
struct LiveValueTests {
  /// Waits until `condition` holds, woken by every change of what it reads.
  @available(iOS 17, macOS 14, *)
  private func until(_ condition: @escaping @MainActor () -> Bool) async {
    while true {
      let changed = AsyncStream.makeStream(of: Void.self)
      let holds = withObservationTracking(condition) { changed.continuation.yield() }
      if holds { return }
      for await _ in changed.stream { break }
    }
  }

  @available(iOS 17, macOS 14, *)
  @Test("a live value has the present value first, and each new one after a commit")
  func values() async throws {
    let store = try Shelves.temporary()
    let live = LiveValue(store.updates { reader in try reader.count("SELECT count(*) FROM books") })
    #expect(live.value == nil)
    await until { live.value == 0 }
    // Its own watch began before these. They tell at once what would be waited for without end.
    let watches = try TableWatches(store, ["books"])
    try await store.write { tx in
      try tx.insert(Shelf("one"))
      try tx.insert(Book("a"))
    }
    try #require(watches.woken == ["books"])
    await until { live.value == 1 }
    #expect(live.error == nil)
  }

  @available(iOS 17, macOS 14, *)
  @Test("a live value keeps its last value and says why watching ended")
  func error() async throws {
    let store = try Shelves.temporary()
    try store.fill()
    let live = LiveValue(store.updates { reader in try reader.all(Book.self).count })
    await until { live.value == 3 }
    let watches = try TableWatches(store, ["books"])
    try await store.write { tx in _ = try tx.execute("UPDATE books SET title = CAST(x'FF' AS TEXT)") }
    try #require(watches.woken == ["books"])
    await until { live.error != nil }
    #expect(live.error?.code == .decoding)
    #expect(live.value == 3)
  }

  @available(iOS 17, macOS 14, *)
  @Test("a live value follows the status of an archive, and keeps the last one when the store is closed")
  func archive() async throws {
    let folder = try TemporaryFolder()
    let store = try folder.archivedStore()
    let live = LiveValue(store.archiveUpdates())
    await until { live.value?.isWriting == true }
    try await store.write { tx in try tx.insert(Shelf("one")) }
    await until { live.value.map { $0.newestCommit > 0 } ?? false }
    try store.close()
    #expect(live.error == nil && live.value?.problem == nil)
  }

  @available(iOS 17, macOS 14, *)
  @Test("a live value that goes away lets go of its store")
  func goesAway() async throws {
    var store: Store? = try Shelves.temporary()
    weak let watched = store
    var live: LiveValue<Int>? = try LiveValue(
      #require(store).updates { reader in try reader.count("SELECT count(*) FROM books") })
    await until { live?.value == 0 }
    live = nil
    store = nil
    // The watch ends on the store's own queues; each round gives them the thread.
    #expect(await eventually { watched == nil })
  }
}
