import Dispatch
import Foundation
public import Holdfast

/// Stores the states of an app that holds its library in memory: the last one that it was given, in one transaction, and of that
/// only what changed.
///
/// ```swift
/// let loaded = try library.state()
/// let saver = LibrarySaver(library, loaded: loaded) { log($0) }
/// saver.save(LibraryState(tracks: tracks, playlists: playlists))
/// try await saver.flush()
/// ```
///
/// A burst of states becomes one write. The file holds one of the states that were given at every moment, also when the process is
/// killed: playlists are never without their entries. Cancelling tasks has no effect on what was given. A saver that nobody holds any
/// more stores what it was given when its time has come; it does not do so when the process ends: `flush()` at the end of the app.
///
/// Other writers are welcome. What the app changed since the state before is written field by field: a play that a verb recorded
/// meanwhile stays, as does a track or a playlist that the app does not know. Where both changed one field of a track or
/// playlist, the app's value counts; the entries of a playlist are one field, and the order of all playlists another. A track
/// that the app changed and somebody else removed comes back, and into its playlists. One saver for a library: two would not know of each
/// other's states.
public final class LibrarySaver: @unchecked Sendable {
  private let library: MusicStore
  private let clock: SaverClock
  private let onError: @Sendable (StoreError) -> Void
  private let onMissing: @Sendable ([MissingEntry]) -> Void
  private let writing = DispatchQueue(label: "holdfast.saver", qos: .userInitiated)
  /// Apart from `writing`, so that what is told may wait for a flush.
  private let telling = DispatchQueue(label: "holdfast.saver.told", qos: .userInitiated)
  private let lock = NSLock()
  // Guarded by `lock`.
  private var plan: SavingPlan
  private var newest = LibraryState()
  private var failure: StoreError?
  private var flushes: [Int: @Sendable (StoreError?) -> Void] = [:]
  private var flushed = 0
  // Used on `writing` only.
  private var known: LibraryState?
  private var told: [MissingEntry] = []

  /// A saver that has nothing to write yet.
  ///
  /// - Parameters:
  ///   - loaded: what the app loaded, from which its states begin. Nil: the first state is compared with what is stored then, and
  ///     tracks and playlists that are not in it are removed.
  ///   - debounce: how long no further state may come before one is written; default half a second. Zero: at once.
  ///   - longestDelay: the longest time until a state is written however many come after it; default 5 seconds. After a failure that
  ///     may pass by itself (`.busy`, `.diskFull`, `.deviceLocked`, `.inputOutput`) it is tried again after this time, at
  ///     least a second; after others with the next state or flush. Nothing that was given is forgotten.
  ///   - onMissing: told of entries that were left out because their track is not in the state, or not in the library any more; when
  ///     they are others than the last time.
  ///   - onError: told of each write that failed. The file is as before. Both closures are called one after the other, on a
  ///     thread of the saver.
  public convenience init(
    _ library: MusicStore, loaded: LibraryState? = nil, debounce: Duration = .milliseconds(500), longestDelay: Duration = .seconds(5),
    onMissing: @escaping @Sendable ([MissingEntry]) -> Void = { _ in }, onError: @escaping @Sendable (StoreError) -> Void = { _ in }
  ) {
    self.init(
      library, loaded: loaded, plan: SavingPlan(debounce: debounce, longestDelay: longestDelay), clock: .continuous, onMissing: onMissing,
      onError: onError)
  }

  init(
    _ library: MusicStore, loaded: LibraryState?, plan: SavingPlan, clock: SaverClock,
    onMissing: @escaping @Sendable ([MissingEntry]) -> Void, onError: @escaping @Sendable (StoreError) -> Void
  ) {
    self.library = library
    self.plan = plan
    self.clock = clock
    self.onMissing = onMissing
    self.onError = onError
    known = loaded?.complete().state
  }

  /// Takes a state to be stored soon, in the place of those before; returns at once. From any thread or task.
  ///
  /// Entries whose track is not in the state are left out. What makes a state unfit to be stored, such as an id that stands twice, is
  /// told by `onError` and by `flush()`, each time that it is tried, until a state comes that is fit.
  public func save(_ state: LibraryState) { handle(.given, giving: state) }

  /// Returns when the last state given before is stored. Cancelling the task does not shorten the wait.
  ///
  /// - Throws: what `MusicStore.saveTracks` throws, `.busy`, `.diskFull`, `.readOnly`, `.closed`; the state stays to be stored.
  public func flush() async throws {
    let failure = await withCheckedContinuation { continuation in flush { continuation.resume(returning: $0) } }
    if let failure { throw failure }
  }
  /// The same, blocking the thread: for `applicationWillTerminate` and other places that cannot wait otherwise.
  ///
  /// - Throws: `.misuse` inside a door of the library's store, for whose end the write would wait.
  public func flush() throws {
    guard lock.withLock({ plan.isPending }) else { return }
    // Throws inside a door.
    try library.store.read { _ in }
    let done = DispatchSemaphore(value: 0)
    // Written before the semaphore is signalled, read after.
    nonisolated(unsafe) var failure: StoreError?
    flush {
      failure = $0
      done.signal()
    }
    done.wait()
    if let failure { throw failure }
  }

  private func flush(_ done: @escaping @Sendable (StoreError?) -> Void) {
    let id = lock.withLock {
      flushed += 1
      flushes[flushed] = done
      return flushed
    }
    handle(.flush(id))
  }

  /// What waits holds the saver: it lives until everything is stored.
  private func handle(_ event: SavingPlan.Event, giving state: LibraryState? = nil, failure: StoreError? = nil) {
    let (actions, newest): ([SavingPlan.Action], LibraryState) = lock.withLock {
      if let state { self.newest = state }
      if let failure { self.failure = failure }
      return (plan.handle(event, at: clock.now()), self.newest)
    }
    for action in actions {
      switch action {
      case .wake(let time): clock.wake(time) { self.handle(.woke(time)) }
      case .write: writing.async { self.write(newest) }
      case .answer(let ids, let isStored): answer(ids, isStored)
      }
    }
  }

  private func answer(_ ids: [Int], _ isStored: Bool) {
    let (answered, failure): ([@Sendable (StoreError?) -> Void], StoreError?) = lock.withLock {
      (ids.compactMap { flushes.removeValue(forKey: $0) }, isStored ? nil : self.failure)
    }
    for done in answered { done(failure) }
  }

  private func write(_ given: LibraryState) {
    let (state, left) = given.complete()
    var missing = left
    do {
      if state != known {
        missing += try library.store.write { tx in
          try MusicStore.saveChanges(from: known ?? MusicStore.state(in: tx), to: state, in: tx)
        }
        known = state
      }
      if missing != told {
        told = missing
        if !missing.isEmpty { telling.async { [onMissing, missing] in onMissing(missing) } }
      }
      handle(.wrote)
    } catch {
      let failure = StoreError(error)
      telling.async { [onError] in onError(failure) }
      handle(.failed(passes: [.busy, .diskFull, .deviceLocked, .inputOutput].contains(failure.code)), failure: failure)
    }
  }
}

/// The time of a saver, so that tests need not wait for it.
struct SaverClock: Sendable {
  /// Since any fixed moment.
  var now: @Sendable () -> Duration
  /// Runs the closure at this time, or soon after.
  var wake: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

  static let continuous: SaverClock = {
    let start = ContinuousClock.now
    let now: @Sendable () -> Duration = { start.duration(to: .now) }
    return SaverClock(now: now) { time, body in
      let parts = (time - now()).components
      // A year is for ever.
      let seconds = min(Double(parts.seconds) + Double(parts.attoseconds) / 1e18, 31_536_000)
      DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + max(0, seconds), execute: body)
    }
  }()
}
