import Foundation

extension Archive {
  /// What the archive lacks of its store.
  package enum Waiting: Sendable, Equatable {
    /// This many commits. The next opening for writing archives them, or the program that archives the store now.
    case commits(Int)
    /// Not known: the file or the log does not follow the end of the archive. The text of the gap that the next opening for writing makes.
    case gap(String)
    /// Not known, and why.
    case unknown(String)
    /// The whole file would have to be read, and is larger than the caller wants to read.
    case notRead
  }

  /// How many commits of the store the archive does not have yet. Reads no file of more than `bytes`: then `.notRead`.
  ///
  /// Reads the end of the archive and the log. Where the log does not go on from the archive's end, for example because there is none, also
  /// reads the whole file, with eight bytes of memory for each page, and compares it with the last checksum. The store may be open.
  package func waiting(readingAtMost bytes: Int64 = .max) -> Waiting {
    let state = StoreFiles.State(files)
    do {
      return try steadily { try commitsWaiting(bytes).map { .commits($0) } ?? .notRead }
    } catch {
      // While another program writes, a file and a log that follow each other may seem not to.
      guard StoreFiles.State(files) == state else { return .unknown("\(files.path) was changed by another program while it was read") }
      return (error as? ArchiveGap).map { Waiting.gap(folder.text(of: $0)) } ?? .unknown(StoreError(error).message)
    }
  }

  /// - Throws: `ArchiveGap` when the store does not follow the end of the archive; the errors of reading.
  private func commitsWaiting(_ most: Int64) throws -> Int? {
    guard DurableFile.stands(files.path) else { throw DurableFile.noFile(files.path) }
    guard let newest = try folder.generations().last(where: { !$0.bases.isEmpty }) else { throw ArchiveGap.baseMissing }
    let end = try ArchiveEnd(newest)
    let log = try WriteAheadLog(files.log)
    // SQLite drops the commits behind it.
    guard log.lostCommits == 0 else { throw ArchiveGap.frameDamaged }
    guard log.committedFrames == 0 || log.pageSize == end.pageBytes else { throw ArchiveGap.pageSizeChanged }
    let follower = LogFollower(files, pageBytes: end.pageBytes, folder.key)
    if try !follower.begin(at: end.place) {
      guard DurableFile.size(files.path) <= most else { return nil }
      try end.check(PageHashes.of(files.url, pageBytes: end.pageBytes, folder.key))
    }
    return try follower.commitsBehind()
  }
}
