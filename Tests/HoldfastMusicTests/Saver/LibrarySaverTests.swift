import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastMusic

@Suite("LibrarySaver", .timeLimit(.minutes(10))) struct LibrarySaverTests {
  @Test("as an app writes it: a state is given, and is in the file after a flush")
  func promise() async throws {
    let world = try World.temporary()
    let state = SaverWorld.state(["a", "b"], list: [1, 0, 1])
    let saver = LibrarySaver(world.library, debounce: .milliseconds(500))
    saver.save(LibraryState(tracks: state.tracks, playlists: state.playlists))
    try await saver.flush()
    #expect(try await world.library.state() == state)
    #expect(try world.isHealthy())
  }

  @Test("a blocking flush stores too, for the end of an app that cannot wait otherwise")
  func blockingFlush() async throws {
    let world = try SaverWorld.inMemory()
    let saver = world.saver()
    let state = SaverWorld.state(["a"], list: [0])
    saver.save(state)
    try await saver.flushBlocking()
    #expect(try await world.library.state() == state)
    try await saver.flushBlocking()
  }

  @Test("a blocking flush inside a door of the store is refused, and the state stays to be stored")
  func flushInsideDoor() async throws {
    let world = try SaverWorld.inMemory()
    let saver = world.saver()
    let state = SaverWorld.state(["a"], list: [0])
    try await world.library.store.write { _ in
      saver.save(state)
      #expect(code { try saver.flush() } == .misuse)
    }
    try await saver.flush()
    #expect(try await world.library.state() == state)
  }

  @Test("the last of a burst is written once, when its time has come and not before")
  func debounced() async throws {
    let world = try SaverWorld.inMemory()
    let saver = world.saver(loaded: LibraryState())
    for title in ["a", "b", "c"] { saver.save(SaverWorld.state([title], list: [0])) }
    world.time.advance(.seconds(1))
    #expect(try await world.library.state() == LibraryState())
    _ = world.world.statements.take()
    world.time.advance(.seconds(1))
    try await saver.flush()
    #expect(try await world.library.tracks().map(\.title) == ["c"])
    #expect(world.world.statements.take().filter { $0.hasPrefix("INSERT INTO tracks ") }.count == 1)
  }

  @Test("a saver that goes out of scope stores what it was given when its time has come")
  func outOfScope() async throws {
    let world = try SaverWorld.inMemory()
    let state = SaverWorld.state(["a"], list: [0, 0])
    weak var gone: LibrarySaver?
    do {
      let saver = world.saver()
      saver.save(state)
      gone = saver
    }
    world.time.advance(.seconds(2))
    // The last to hold it is the write.
    #expect(await eventually { gone == nil })
    #expect(try await world.library.state() == state)
  }

  @Test("what is given by a task that is cancelled is stored, and a flush that is cancelled waits all the same")
  func cancellation() async throws {
    let world = try SaverWorld.inMemory()
    let saver = world.saver()
    let state = SaverWorld.state(["a"], list: [0])
    try await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await saver.store(state)
    }.value
    #expect(try await world.library.state() == state)
  }

  @Test("only rows that changed are written, and nothing when nothing did")
  func onlyChanges() async throws {
    let world = try SaverWorld.inMemory()
    var state = SaverWorld.state((0..<50).map { "track \($0)" }, list: Array(0..<50))
    let saver = try await world.saver(holding: state)
    _ = world.world.statements.take()
    try await saver.store(state)
    #expect(world.world.statements.take() == [])
    state.tracks[7].title = "another"
    state.playlists[0].trackIDs.swapAt(3, 4)
    try await saver.store(state)
    let writes = world.world.statements.take().filter { !$0.hasPrefix("SELECT") }
    #expect(writes.map { $0.prefix(30) } == ["UPDATE tracks SET title = ?2, ", "UPDATE collection_tracks SET t"])
    #expect(try await world.library.state() == state)
  }

  @Test("entries whose track is not in the state are left out and told, once, and come when the track does")
  func missingEntries() async throws {
    let world = try SaverWorld.inMemory()
    let whole = SaverWorld.state(["a", "b"], list: [0, 1, 0])
    let saver = world.saver()
    let part = LibraryState(tracks: [whole.tracks[0]], playlists: whole.playlists)
    for _ in 0..<3 {
      try await saver.store(part)
    }
    let list = whole.playlists[0].id
    #expect(try await world.library.playlists().map(\.trackIDs) == [[whole.tracks[0].id, whole.tracks[0].id]])
    try await saver.store(whole)
    #expect(try await world.library.state() == whole)
    try await saver.store(part)
    let missing = "missing \(MissingEntry(playlistID: list, trackID: whole.tracks[1].id))"
    #expect(await world.told.first(2) == [missing, missing])
  }

  @Test("removing a track keeps the other entries of its playlists")
  func removedTrack() async throws {
    let world = try SaverWorld.inMemory()
    var state = SaverWorld.state(["a", "b", "c"], list: [0, 1, 2, 1])
    let saver = try await world.saver(holding: state)
    let removed = state.tracks.remove(at: 1).id
    try await saver.store(state)
    state.playlists[0].trackIDs.removeAll { $0 == removed }
    #expect(try await world.library.state() == state)
  }

  @Test("a write that fails tells, keeps the state and is tried again by the next flush")
  func failure() async throws {
    let world = try SaverWorld.temporary()
    let state = SaverWorld.state(["a"], list: [0])
    let saver = world.saver()
    let lock = try HeldWriteLock(on: try #require(world.library.store.url))
    saver.save(state)
    #expect(await asyncCode { try await saver.flush() } == .busy)
    lock.release()
    #expect(try await world.library.state() == LibraryState())
    try await saver.flush()
    #expect(try await world.library.state() == state)
    #expect(await world.told.first(1) == ["busy"])
  }

  @Test("a write that fails for a cause that passes is tried again by itself")
  func retry() async throws {
    let world = try SaverWorld.temporary()
    let state = SaverWorld.state(["a"], list: [0])
    let saver = world.saver(debounce: .zero)
    let lock = try HeldWriteLock(on: try #require(world.library.store.url))
    saver.save(state)
    _ = await world.told.first(1)
    lock.release()
    // The failure was told before it was planned again: the time goes on until the plan has seen it.
    while try await world.library.state() != state {
      world.time.advance(.seconds(5))
      await Task.yield()
    }
  }

  @Test("a state with one id twice changes nothing, and the next one is stored")
  func twice() async throws {
    let world = try SaverWorld.inMemory()
    let state = SaverWorld.state(["a"], list: [0])
    let saver = try await world.saver(holding: state)
    for bad in [
      LibraryState(tracks: state.tracks + state.tracks, playlists: state.playlists),
      LibraryState(tracks: state.tracks, playlists: state.playlists + state.playlists),
    ] {
      #expect(await asyncCode { try await saver.store(bad) } == .constraint)
      #expect(try await world.library.state() == state)
    }
    try await saver.store(LibraryState(tracks: state.tracks))
    #expect(try await world.library.state() == LibraryState(tracks: state.tracks))
    #expect(await world.told.first(2) == ["constraint", "constraint"])
  }

  @Test("a flush of a closed store throws and loses nothing in memory")
  func closed() async throws {
    let world = try SaverWorld.temporary()
    let saver = world.saver()
    saver.save(SaverWorld.state(["a"], list: [0]))
    try world.library.store.close()
    for _ in 0..<2 { #expect(await asyncCode { try await saver.flush() } == .closed) }
    #expect(code { try saver.flush() } == .closed)
  }

  @Test("what is told may wait for a flush")
  func flushWhenTold() async throws {
    let world = try SaverWorld.inMemory()
    let told = Told()
    let box = SaverBox()
    let saver = LibrarySaver(
      world.library, loaded: nil, plan: SavingPlan(debounce: .zero, longestDelay: .seconds(5)), clock: world.time.clock,
      onMissing: { _ in
        do {
          try box.saver?.flush()
          told.add("flushed")
        } catch { told.add("\(error)") }
      }, onError: { _ in })
    box.saver = saver
    let whole = SaverWorld.state(["a"], list: [0])
    saver.save(LibraryState(playlists: whole.playlists))
    #expect(await told.first(1) == ["flushed"])
    box.saver = nil
  }
}

/// Set before anything is told, and cleared after.
private final class SaverBox: @unchecked Sendable {
  var saver: LibrarySaver?
}
