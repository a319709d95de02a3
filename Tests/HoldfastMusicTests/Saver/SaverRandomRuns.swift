import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastMusic

@Suite("LibrarySaver at random", .timeLimit(.minutes(10))) struct SaverRandomRuns {
  @Test("each of hundreds of random sequences of saving, flushing, cancelling and letting go ends with the last state stored")
  func sequences() async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("LibrarySaver, sequences: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let library = try World.inMemory().library
    for sequence in 0..<(ProofRun.isLong ? 1_000 : 250) {
      let loaded = try await library.state()
      let debounce = random.pick([Duration.zero, .milliseconds(1), .seconds(3600)])
      // Now and then another saver takes over, when the one before has stored what it had.
      let saver = LibrarySaver(library, loaded: random.chance(50) ? loaded : nil, debounce: debounce)
      var last = loaded
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5:
          last = RandomState.next(after: last, &random)
          if random.chance(50) { saver.save(last) } else { await Self.cancelled { [last] in saver.save(last) } }
        case 5: try await saver.flush()
        case 6: try await saver.flushBlocking()
        case 7: await Self.cancelled { try? await saver.flush() }
        case 8: Task { try await saver.flush() }.cancel()
        default: await Task.yield()
        }
      }
      try await saver.flush()
      try #require(try await library.state() == last, "seed \(seed), sequence \(sequence)")
    }
    #expect(try await library.store.integrityCheck().findings.map(\.message) == [])
  }

  @Test("of many tasks that are cancelled at random, the state that was given last is stored")
  func manyTasks() async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("LibrarySaver, many tasks: seed \(seed)")
    let world = try World.temporary()
    let saver = LibrarySaver(world.library, loaded: LibraryState(), debounce: .milliseconds(1), longestDelay: .milliseconds(4))
    let last = LastState()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<32 {
        group.addTask {
          var random = SeededGenerator(seed: seed &+ UInt64(number))
          for _ in 0..<40 {
            let step = random.next()
            let task = Task {
              var random = SeededGenerator(seed: step)
              last.give(RandomState.make(&random), to: saver)
              if random.chance(30) { try? await saver.flush() }
            }
            if random.chance(50) { task.cancel() }
            if random.chance(50) { await task.value }
          }
        }
      }
    }
    // Tasks that nobody waited for may go on giving.
    repeat { try await saver.flush() } while last.count < 32 * 40
    try await saver.flush()
    #expect(try await world.library.state() == last.state, "seed \(seed)")
    #expect(try world.isHealthy())
  }

  private static func cancelled(_ body: @escaping @Sendable () async -> Void) async {
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await body()
    }.value
  }
}

/// Knows which state was given last, because it gives them one after the other.
private final class LastState: @unchecked Sendable {
  // Guarded by `lock`.
  private var last = LibraryState()
  private var given = 0
  private let lock = NSLock()

  var state: LibraryState { lock.withLock { last } }
  var count: Int { lock.withLock { given } }

  func give(_ state: LibraryState, to saver: LibrarySaver) {
    lock.withLock {
      (last, given) = (state, given + 1)
      saver.save(state)
    }
  }
}

/// Libraries of a few tracks and playlists, none of them without entries.
enum RandomState {
  static func make(_ random: inout SeededGenerator) -> LibraryState {
    var state = LibraryState(tracks: (0..<Int.random(in: 1...4, using: &random)).map { Sample.track("\($0)", &random) })
    for _ in 0..<2 { addList(to: &state, &random) }
    return state
  }

  static func next(after state: LibraryState, _ random: inout SeededGenerator) -> LibraryState {
    var next = state
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      switch Int.random(in: 0..<6, using: &random) {
      case 0: next.tracks.append(Sample.full(&random))
      case 1 where next.tracks.count > 4:
        let removed = next.tracks.remove(at: Int.random(in: 0..<next.tracks.count, using: &random)).id
        for place in next.playlists.indices { next.playlists[place].trackIDs.removeAll { $0 == removed } }
        next.playlists.removeAll { $0.trackIDs.isEmpty }
      case 2 where !next.tracks.isEmpty:
        next.tracks[Int.random(in: 0..<next.tracks.count, using: &random)].title = random.pick(Sample.words)
      case 3 where next.playlists.count > 3: next.playlists.remove(at: Int.random(in: 0..<next.playlists.count, using: &random))
      case 4 where !next.playlists.isEmpty:
        next.playlists[Int.random(in: 0..<next.playlists.count, using: &random)].trackIDs.shuffle(using: &random)
      case 5 where !next.playlists.isEmpty: next.playlists.shuffle(using: &random)
      default: addList(to: &next, &random)
      }
    }
    return next
  }

  private static func addList(to state: inout LibraryState, _ random: inout SeededGenerator) {
    guard !state.tracks.isEmpty else { return state.tracks.append(Sample.track("first", &random)) }
    let ids = (0..<Int.random(in: 1...5, using: &random)).map { _ in random.pick(state.tracks).id }
    state.playlists.append(MusicPlaylist(id: random.id(), name: random.pick(Sample.words), trackIDs: ids))
  }
}
