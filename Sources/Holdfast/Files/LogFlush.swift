import Foundation

/// Flushes the log of a durable store. Writers that wait at the same time share one flush.
///
/// A writer commits without a flush, leaves the writer's queue, and waits here. The first one that waits flushes, for every commit that was
/// finished when its flush began. Of the writers whose commits came later, one flushes next. Before a flush begins, it waits at most a
/// millisecond for writers that are in the queue, so that they share it. A writer that is alone waits for nobody.
///
/// This relies on:
/// - In WAL mode a commit is written to -wal only. A flush of -wal therefore keeps every commit that is in it.
/// - With `synchronous=NORMAL` SQLite flushes -wal before a checkpoint moves pages into the file, the file before -wal begins again or is
///   deleted, and the header of a -wal that begins again. So a commit that is in -wal no more is on the disk.
///   https://sqlite.org/pragma.html#pragma_synchronous
/// - SQLite deletes -wal only with the file's exclusive lock. The writer's connection holds a shared lock while it is open, so one descriptor
///   serves all its commits. SQLite locks the file and -shm, not -wal: closing this descriptor drops no lock.
/// - Power loss while a frame is written does not damage the flushed frame before it (`SQLITE_POWERSAFE_OVERWRITE`, SQLite's default).
///
/// After a failed flush the system may report later flushes as done although pages are lost. So a failure is final: the store writes no
/// more until it is closed and opened again.
final class LogFlush: @unchecked Sendable {
  private let log: URL
  private let flushContent: @Sendable (Int32) -> Int32
  /// Waits for async writers.
  private let queue = DispatchQueue(label: "holdfast.flush")
  private let lock = NSLock()
  // Guarded by `lock`.
  private var descriptor: Int32 = -1
  private var commits = 0
  private var flushed = 0
  private var isFlushing = false
  /// The writers that are in the queue or in a transaction.
  private var coming = 0
  /// Signalled when the writers that a flush waits for have come. Each wait has its own: a late signal must not end the next wait.
  private var gathered: DispatchSemaphore?
  private var waiting: [(commit: Int, turn: DispatchSemaphore)] = []
  private var failure: StoreError?
  /// Used only by the writer that flushes. SQLite also flushes the folder of a new -wal, but ignores when that fails.
  private var hasFlushedFolder = false

  /// How long a flush waits for writers that are in the queue.
  private let patience: DispatchTimeInterval
  /// For tests: called when such a wait has ended, with whether all these writers have come.
  var didWait: @Sendable (Bool) -> Void = { _ in }

  init(_ log: URL, patience: DispatchTimeInterval = .milliseconds(1), _ flushContent: @escaping @Sendable (Int32) -> Int32) {
    self.log = log
    self.patience = patience
    self.flushContent = flushContent
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Call before a transaction enters the writer's queue.
  func expect() { lock.withLock { coming += 1 } }

  /// Call when the transaction has ended, after `countCommit`.
  func arrive() {
    lock.withLock {
      coming -= 1
      guard coming == 0 else { return }
      gathered?.signal()
      gathered = nil
    }
  }

  /// Call on the writer's queue before each transaction. Opens the log before the first commit: a descriptor that is opened later would not
  /// report that the system failed to write a page of that commit.
  ///
  /// - Throws: `.inputOutput` after a failed flush; the errors of opening a file.
  func prepare() throws {
    try lock.withLock {
      try checkWhileLocked()
      if descriptor < 0 { descriptor = try DurableFile.openToFlush(log) }
    }
  }

  /// - Throws: `.inputOutput` after a failed flush.
  func check() throws { try lock.withLock { try checkWhileLocked() } }

  private func checkWhileLocked() throws {
    guard let failure else { return }
    throw StoreError(
      .inputOutput, "nothing was written, because an earlier commit could not be flushed to the disk", suggestion: Self.suggestion,
      cause: failure)
  }

  private static let suggestion = "Close the store, and open it again."

  /// Counts a finished commit, and returns its number. Call on the writer's queue after the commit.
  func countCommit() -> Int {
    lock.withLock {
      commits += 1
      return commits
    }
  }

  /// Blocks until the commit with this number is on the disk. Throws `.inputOutput` when the flush failed.
  func wait(for commit: Int) throws {
    while let turn = try turn(for: commit) {
      switch turn {
      case .waits(let turn): turn.wait()
      case .flushes: flush()
      }
    }
  }

  /// The same without blocking. Calls `answer` on another thread.
  func whenFlushed(_ commit: Int, _ answer: @escaping @Sendable (Result<Void, any Error>) -> Void) {
    queue.async { [self] in answer(Result { try wait(for: commit) }) }
  }

  /// Flushes the commits that still wait, and closes the log. Call on the writer's queue, when no transaction can follow.
  func end() {
    // The writers that wait get the error.
    try? wait(for: lock.withLock { commits })
    lock.withLock {
      if descriptor >= 0 { close(descriptor) }
      descriptor = -1
    }
  }

  private enum Turn {
    case waits(DispatchSemaphore)
    case flushes
  }

  /// Nil when the commit is on the disk.
  private func turn(for commit: Int) throws -> Turn? {
    try lock.withLock {
      if flushed >= commit { return nil }
      if let failure { throw failure }
      guard isFlushing else {
        isFlushing = true
        return .flushes
      }
      let turn = DispatchSemaphore(value: 0)
      waiting.append((commit, turn))
      return .waits(turn)
    }
  }

  private func flush() {
    if let gathered = lock.withLock({ gather() }) { didWait(gathered.wait(timeout: .now() + patience) == .success) }
    let last = lock.withLock {
      gathered = nil
      return commits
    }
    let failure = flushLog()
    var woken: [DispatchSemaphore] = []
    lock.withLock {
      isFlushing = false
      if let failure { self.failure = failure } else { flushed = last }
      var hasNext = false
      waiting.removeAll { waiter in
        let isDone = failure != nil || waiter.commit <= last
        // Of the others only one is woken, to flush next.
        guard isDone || !hasNext else { return false }
        if !isDone { hasNext = true }
        woken.append(waiter.turn)
        return true
      }
    }
    for turn in woken { turn.signal() }
  }

  private func gather() -> DispatchSemaphore? {
    gathered = coming > 0 ? DispatchSemaphore(value: 0) : nil
    return gathered
  }

  private func flushLog() -> StoreError? {
    let number = flushContent(descriptor)
    do {
      guard number == 0 else { throw DurableFile.posix(log.path, .inputOutput, number) }
      if !hasFlushedFolder { try DurableFile.flushFolder(of: log) }
      hasFlushedFolder = true
      return nil
    } catch {
      return StoreError(
        .inputOutput, "the change is stored, but it could not be flushed to the disk, and power loss may undo it",
        suggestion: Self.suggestion, cause: error)
    }
  }
}
