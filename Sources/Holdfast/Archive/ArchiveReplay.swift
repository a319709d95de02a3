import Foundation

/// A database file to which an archive's records are applied, one after another. Each state is proven by its checksum.
final class ArchiveReplay {
  let file: PageFile
  /// The hashes of every content that the records gave a page.
  private(set) var met: Set<UInt64> = []
  /// The last commit that was applied, or the base's; proven.
  private(set) var commit: ArchivedCommit
  /// Its time, exactly, and where it ends in SQLite's log.
  private(set) var time: Int64
  private(set) var place: LogPlace

  var hashes: PageHashes { file.hashes }

  /// Copies the base of `walk` to `url`, which must not exist. When it throws, no file is left.
  init(_ walk: ArchiveWalk, at url: URL) throws {
    let (base, source) = (walk.base, walk.generation.base(walk.base.commit))
    try DurableFile.copy(source, to: url)
    do {
      try Encryption.Found(url).check(walk.generation.key, source.path)
      let hashes = try PageHashes.of(url, pageBytes: base.pageBytes, walk.generation.key, walk.isUnreadable)
      guard hashes.state == base.stateNumber, hashes.pages == base.pages else {
        throw StoreError(.damaged, "the base \(source.path) is damaged", suggestion: ArchiveWalk.suggestionWithoutBase)
      }
      file = try PageFile(url, hashes, walk.generation.key)
    } catch {
      _ = try? DurableFile.remove(url)
      throw DurableFile.failure(error, url)
    }
    (commit, time, place) = (ArchivedCommit(base), base.timeMicroseconds, base.place)
  }

  /// Applies the records up to `last`, or to the one before it where commits were merged. Throws `.notFound` when they end before.
  func advance(_ walk: ArchiveWalk, to last: Int64, check: () throws -> Void = {}) throws {
    // What follows need not be sound.
    guard commit.number != last else { return }
    var isBehind = false
    try walk.records { record in
      try check()
      guard case .commit(let part) = record else { return true }
      guard part.number <= last else {
        isBehind = true
        return false
      }
      try apply(part)
      return part.goesOn || part.number < last
    }
    guard isBehind || commit.number == last else {
      throw StoreError(.notFound, "there is no commit \(last): its part of the archive ends with commit \(commit.number)")
    }
  }

  /// Applies a record, which must be the next one. Throws `.damaged` when the state after a commit's last record is not what it must be.
  func apply(_ part: ArchiveRecord.Commit) throws {
    try file.resize(to: part.pages, changes: part.changes.count, "commit \(part.number) of the archive")
    try part.forEachPage(hashes.pageBytes) { change, content in
      var page = content
      if change.isDifference { page.combine(try file.read(change.page)) }
      met.insert(try page.withUnsafeMutableBytes { try file.write(change.page, $0) })
    }
    guard !part.goesOn else { return }
    guard hashes.state == part.state, hashes.pages == part.pages else {
      throw StoreError(
        .damaged, "commit \(part.number) of the archive is damaged",
        suggestion: "Restore commit \(commit.number), which is proven, or a moment after the next base.")
    }
    (commit, time, place) = (ArchivedCommit(part, after: commit.time), part.time, part.place)
  }
}
