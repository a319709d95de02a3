import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastMusic

/// A library and savers whose time only the test moves.
struct SaverWorld {
  let world: World
  let time = ManualTime()
  let told = Told()
  var library: MusicStore { world.library }

  static func inMemory() throws -> SaverWorld { SaverWorld(world: try World.inMemory()) }
  static func temporary() throws -> SaverWorld { SaverWorld(world: try World.temporary()) }

  func saver(loaded: LibraryState? = nil, debounce: Duration = .seconds(2)) -> LibrarySaver {
    LibrarySaver(
      library, loaded: loaded, plan: SavingPlan(debounce: debounce, longestDelay: .seconds(5)), clock: time.clock,
      onMissing: { [told] in told.add($0.map { "missing \($0)" }.joined()) }, onError: { [told] in told.add($0.code.rawValue) })
  }

  /// A saver that has loaded and stored a state.
  func saver(holding state: LibraryState) async throws -> LibrarySaver {
    let saver = saver(loaded: try await library.state())
    try await saver.store(state)
    return saver
  }

  /// Tracks and a list of them, whose entries repeat.
  static func state(_ titles: [String], list: [Int], seed: UInt64 = 7) -> LibraryState {
    var random = SeededGenerator(seed: seed)
    let tracks = titles.map { Sample.track($0, &random) }
    return LibraryState(tracks: tracks, playlists: [MusicPlaylist(id: random.id(), name: "List", trackIDs: list.map { tracks[$0].id })])
  }
}

extension LibrarySaver {
  /// Returns when this state is stored.
  func store(_ state: LibraryState) async throws {
    save(state)
    try await flush()
  }

  /// Flushes without `await`, on a thread of its own, which it blocks.
  func flushBlocking() async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      Thread.detachNewThread { continuation.resume(with: Result { try self.flush() }) }
    }
  }
}

/// Runs what waits for a time when a test moves it there.
final class ManualTime: @unchecked Sendable {
  // Guarded by `lock`.
  private var now = Duration.zero
  private var waiting: [(at: Duration, body: @Sendable () -> Void)] = []
  private let lock = NSLock()

  var clock: SaverClock {
    SaverClock(
      now: { self.lock.withLock { self.now } },
      wake: { time, body in self.lock.withLock { self.waiting.append((time, body)) } })
  }

  func advance(_ step: Duration) {
    let end = lock.withLock { now + step }
    while let next = take(until: end) { next() }
    lock.withLock { now = end }
  }

  private func take(until end: Duration) -> (@Sendable () -> Void)? {
    lock.withLock {
      guard let next = waiting.enumerated().filter({ $1.at <= end }).min(by: { $0.element.at < $1.element.at }) else { return nil }
      now = max(now, next.element.at)
      return waiting.remove(at: next.offset).body
    }
  }
}

/// What a saver told, in order.
final class Told: @unchecked Sendable {
  // Guarded by `lock`.
  private var lines: [String] = []
  private var arrived = AsyncStream<Void>.makeStream()
  private let lock = NSLock()

  func add(_ line: String) {
    lock.withLock { lines.append(line) }
    arrived.continuation.yield()
  }

  /// The first so many, once they are there.
  func first(_ count: Int) async -> [String] {
    var arrivals = arrived.stream.makeAsyncIterator()
    while lock.withLock({ lines.count < count }) { _ = await arrivals.next() }
    return lock.withLock { lines }
  }
}
