import Dispatch
import Foundation
public import Holdfast

/// Stores the latest state of an app that holds its library in memory. Each write is one transaction of the changes only.
///
/// ```swift
/// let loaded = try await library.state()
/// let saver = LibrarySaver(library, loaded: loaded) { log($0) }
/// saver.save(LibraryState(tracks: tracks, playlists: playlists))
/// try await saver.flush()
/// ```
///
/// A burst of states becomes one write. At every moment, also after the process is killed, the file holds one of the given states:
/// playlists are never without their entries. Cancelling tasks does not affect given states. A saver that is released still writes its
/// pending state when its time comes, but not when the process ends first: call `flush()` at the end of the app.
///
/// Other writers may write, too. The app's changes since the previous state are written field by field. So a play that a verb
/// recorded meanwhile stays, and so does a track or playlist that the app does not know. If both changed the same field, the
/// app's value counts; a playlist's entries are one field, and the order of all playlists is another. A track that the app
/// changed and another writer removed returns, also to its playlists. Use one saver for a library: two savers do not know each
/// other's states.
public final class LibrarySaver: @unchecked Sendable {
  private let library: MusicStore
  private let clock: SaverClock
  private let onError: @Sendable (StoreError) -> Void
  private let onMissing: @Sendable ([MissingEntry]) -> Void
  private let writing = DispatchQueue(label: "holdfast.saver", qos: .userInitiated)
  /// Separate from `writing`, so that a called closure may wait for a flush.
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
  ///   - loaded: the state that the app loaded and starts from. Nil: the first given state is compared with the stored
  ///     library, and tracks and playlists that it does not contain are removed.
  ///   - debounce: how long no further state may come before a write; default half a second. Zero: write at once.
  ///   - longestDelay: the longest time until a write, however many states come; default 5 seconds. After a failure that may
  ///     pass by itself (`.busy`, `.diskFull`, `.deviceLocked`, `.inputOutput`) the write is tried again after this time, at
  ///     least one second. After another failure it is tried with the next state or flush. No given state is lost.
  ///   - onMissing: called with entries that were left out because their track is not in the state or no longer in the
  ///     library. Called only when these entries are not the same as last time.
  ///   - onError: called for each write that failed. The file is then unchanged. Both closures are called one after the
  ///     other, on a thread of the saver.
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

  /// Replaces the state that is to be stored, and returns at once. May be called from any thread or task.
  ///
  /// Entries whose track is not in the state are left out. If a state cannot be stored, for example because two of its records have one id,
  /// `onError` and `flush()` get the error at each attempt, until a valid state is given.
  public func save(_ state: LibraryState) { handle(.given, giving: state) }

  /// Returns when the last given state is stored. Cancelling the task does not shorten the wait.
  ///
  /// - Throws: what `MusicStore.saveTracks` throws, `.busy`, `.diskFull`, `.readOnly`, `.closed`; the state then still waits to
  ///   be stored.
  public func flush() async throws {
    let failure = await withCheckedContinuation { continuation in flush { continuation.resume(returning: $0) } }
    if let failure { throw failure }
  }
  /// Returns when the last given state is stored; blocks the thread. For `applicationWillTerminate` and other places that cannot await.
  ///
  /// - Throws: `.misuse` inside a call on the library's store: the write would wait for the end of that call.
  public func flush() throws {
    guard lock.withLock({ plan.isPending }) else { return }
    // Throws inside a call on the store.
    try library.store.read(as: "LibrarySaver.flush()") { _ in }
    let done = DispatchSemaphore(value: 0)
    // Written before the semaphore is signalled, and read after.
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

  /// A pending action holds the saver, so it lives until everything is stored.
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
        missing += try library.store.write(as: "LibrarySaver.save(_:)") { tx in
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
  /// The time since any fixed moment.
  var now: @Sendable () -> Duration
  /// Runs the closure at this time or soon after.
  var wake: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

  static let continuous: SaverClock = {
    let start = ContinuousClock.now
    let now: @Sendable () -> Duration = { start.duration(to: .now) }
    return SaverClock(now: now) { time, body in
      let parts = (time - now()).components
      // A year counts as forever.
      let seconds = min(Double(parts.seconds) + Double(parts.attoseconds) / 1e18, 31_536_000)
      DispatchQueue.global(qos: .userInitiated).asyncAfter(deadline: .now() + max(0, seconds), execute: body)
    }
  }()
}
