public import Foundation
internal import GRDB

/// What a store's archive is doing.
public struct ArchiveStatus: Sendable, Codable, Equatable {
  /// The first moment that can be restored; nil before the first base is finished.
  public var oldest: Date?
  /// The newest moment that can be restored; nil before the first base is finished, and while another process archives.
  public var newest: Date?
  /// Where commits may be missing, oldest first. Without damage: `Archive.history()` finds damaged records, `Archive.verify()` everything.
  public var gaps: [ArchiveEvent]
  /// The number of the last archived commit.
  public var newestCommit: Int64
  /// Commits of this store that are not archived yet, usually for some milliseconds. Counts at most about 10,000 while the archive fails.
  public var waitingCommits: Int
  /// Whether commits are being archived. False while the first base is copied, while another process archives, and after a failure.
  public var isWriting: Bool
  /// Why the archive cannot be written at the moment; nil when it can.
  public var problem: String?
  /// The size of the archive in bytes.
  public var bytes: Int64
  /// When `Store.drillArchive()` passed last, in any process; nil when it never did.
  public var lastDrill: Date?
}

extension Store {
  /// What the archive is doing; nil when this store is not archived.
  ///
  /// - Throws: `.closed`.
  public func archiveStatus() throws -> ArchiveStatus? {
    try connections.checkOpen(path)
    guard let archiver, let files else { return nil }
    let (told, folder) = (archiver.status, ArchiveFolder(files))
    return ArchiveStatus(
      oldest: told.oldest.map(ArchiveTime.date), newest: told.newest.map(ArchiveTime.date), gaps: told.gaps,
      newestCommit: told.commits, waitingCommits: archiver.lag, isWriting: told.isWriting, problem: told.problem, bytes: folder.bytes(),
      lastDrill: folder.lastDrill)
  }

  /// What the archive is doing, now and after each change, at most four times a second. Ends when the store is closed, or is not archived.
  public func archiveUpdates() -> AsyncStream<ArchiveStatus> {
    guard let archiver else { return AsyncStream { $0.finish() } }
    let changes = archiver.changes()
    return AsyncStream { [weak self] continuation in
      let task = Task {
        for await _ in changes {
          guard let status = try? self?.archiveStatus() else { break }
          continuation.yield(status)
          try? await Task.sleep(for: .milliseconds(250))
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// The archive of this store, with all commits that this store has made, if it writes the archive; see `archiveStatus()`.
  ///
  /// - Throws: `.notFound` when there is none; `.cannotCreate` when a file stands in its folder's place; `.misuse` in memory; `.closed`.
  public func archive() throws -> Archive {
    try connections.checkOpen(path)
    guard let files else { throw StoreError(.misuse, "a store in memory has no archive") }
    if let archiver { try settle(archiver) }
    return try Archive(files, options)
  }

  /// Waits until everything that was committed is archived. Not on the writer's queue: a copy of the whole store may be under way.
  private func settle(_ archiver: Archiver) throws {
    // A base waits for a checkpoint, and is then copied.
    for _ in 0..<3 {
      if archiver.settle() || access != .readWrite { return }
      try checkpoint()
    }
  }

  /// Gives the present state a name, by which it can be restored: `rewind(to: .label(text))`. The newest label with a text counts.
  ///
  /// Blocks the caller. Waits for the archive's first copy of the store, and for each copy that it makes after a gap. Where another process
  /// archives, that process writes the label, within two seconds, at a commit that has all commits of this store.
  /// - Throws: `.notFound` when the store is not archived; `.busy` when the archive cannot be written at the moment, which
  ///   `archiveStatus()` explains, and when the process that archives did not write the label within five seconds: the label then does not
  ///   exist, or in rare cases does; `.misuse` for a text that is empty or has more than 1,000 bytes, for a store in memory, and inside the
  ///   closure of another call on this store; `.readOnly`, `.closed`, `.diskFull`, `.inputOutput`.
  public func label(_ text: String) throws {
    let archiver = try archiverForWriting()
    if try telling({ try archiver.isElsewhere && archiver.request(text) }) { return }
    try atPresent { archiver in try archiver.label(text) }
  }

  /// The same without blocking the caller.
  public func label(_ text: String) async throws { try await offTask { _ in try self.label(text) } }

  /// The present state, as a `.commit` with the number of its last commit in the archive. For an undo: call it before a change, and give
  /// the result to `bringBack(_:id:from:)`, `rewind(to:)` or `differences(from:to:)` after the change.
  ///
  /// Counts every commit until now, of this store and of others: it first archives those that are not archived yet. Call it before the
  /// write, not in it: a write that has not ended has no number. A commit that another task makes between this call and the write counts as
  /// later than the moment. Once the archive has merged the commit, which `ArchiveOptions.keepsEachCommit` delays, the moment is the last
  /// commit before it that was kept.
  ///
  /// - Throws: as `label(_:)`: `.busy` when the archive is not written at the moment; `.misuse` inside a read or write of this store.
  public func moment() throws -> Moment { .commit(try atPresent { archiver in try archiver.presentCommit() }) }

  /// The same without blocking the caller.
  public func moment() async throws -> Moment { try await offTask { _ in try self.moment() } }

  /// Runs `body` on the writer's queue, where the store writes nothing meanwhile.
  private func atPresent<T>(_ body: (Archiver) throws -> T) throws -> T {
    let archiver = try writtenArchive()
    return try telling { try onWriter { _ in try body(archiver) } }
  }

  /// Called once, at opening.
  func beginArchiving() throws {
    guard let archiver else { return }
    try onWriter { db in try connections.connection(of: db).checkpoints.archiver = archiver }
    archiver.begin { [weak writer, weak connections, weak archiver] in
      guard let connections, let archiver else { return }
      writer?.runLater { db in
        // Fails only when the store is being closed.
        try? connections.connection(of: db).checkpoints.moveForArchive()
        archiver.writeRequested()
      }
    }
  }

  /// Waits for the archive as `label` does, and throws as that when it and `rewind(to:)` cannot work here. For asking a person only then.
  package func checkIsArchived() throws { _ = try writtenArchive() }

  private func archiverForWriting() throws -> Archiver {
    try OpenDoor.check(self)
    try checkWritable()
    guard files != nil else { throw StoreError(.misuse, "a store in memory has no archive") }
    guard let archiver else {
      throw StoreError(.notFound, "\(path) is not archived", suggestion: "Open it with `options.archive.mode = .begins`.")
    }
    return archiver
  }

  /// The archiver, when it has every commit until now and can write.
  func writtenArchive() throws -> Archiver {
    let archiver = try archiverForWriting()
    return try telling {
      try archiver.takeOver()
      try settle(archiver)
      try archiver.urgently { try archiver.checkIsWritten() }
      return archiver
    }
  }
}
