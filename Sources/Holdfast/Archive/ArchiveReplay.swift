import Foundation

/// A database file to which an archive's records are applied, one after another. Each state is proven by its checksum.
final class ArchiveReplay {
  let url: URL
  private let file: FileHandle
  private let cipher: PageCipher?
  private(set) var hashes: PageHashes
  /// The hashes of every content that the records gave a page.
  private(set) var met: Set<UInt64> = []
  /// The last commit that was applied, or the base's; proven.
  private(set) var commit: ArchivedCommit
  /// Its time, exactly, and where it ends in SQLite's log.
  private(set) var time: Int64
  private(set) var place: ArchiveRecord.LogPlace

  /// Copies the base of `walk` to `url`, which must not exist. When it throws, no file is left.
  init(_ walk: ArchiveWalk, at url: URL) throws {
    let (base, source) = (walk.base, walk.generation.base(walk.base.commit))
    try DurableFile.copy(source, to: url)
    do {
      try Encryption.Found(FileBytes(url).read(24)).check(walk.generation.key, source.path)
      cipher = try walk.generation.key.map { try PageCipher($0, pageBytes: base.pageBytes) }
      hashes = try PageHashes.of(url, pageBytes: base.pageBytes, walk.generation.key, walk.isUnreadable)
      guard hashes.state == base.stateNumber, hashes.pages == base.pages else {
        throw StoreError(.damaged, "the base \(source.path) is damaged", suggestion: ArchiveWalk.suggestionWithoutBase)
      }
      file = try FileHandle(forUpdating: url)
    } catch {
      _ = try? DurableFile.remove(url)
      throw DurableFile.failure(error, url)
    }
    (self.url, commit, time, place) = (url, ArchivedCommit(base), base.timeMicroseconds, base.place)
  }

  /// Applies the records up to `last`, or up to the one before it where commits were merged. `check` throws to stop. Throws `.notFound` when
  /// the generation ends before `last`.
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
    do { try write(part) } catch { throw DurableFile.failure(error, url) }
    guard !part.goesOn else { return }
    guard hashes.state == part.state, hashes.pages == part.pages else {
      throw StoreError(
        .damaged, "commit \(part.number) of the archive is damaged",
        suggestion: "Restore commit \(commit.number), which is proven, or a moment after the next base.")
    }
    (commit, time, place) = (ArchivedCommit(part, after: commit.time), part.time, part.place)
  }

  func flush() throws { do { try file.synchronize() } catch { throw DurableFile.failure(error, url) } }

  private func write(_ part: ArchiveRecord.Commit) throws {
    let bytes = hashes.pageBytes
    // New pages that no record holds are free ones: never many more than those that it holds.
    guard Int64(part.pages) <= Int64(hashes.pages) + Int64(part.changes.count) + 1_000_000 else {
      throw StoreError(.damaged, "commit \(part.number) of the archive has \(part.pages) pages, which is impossible")
    }
    if hashes.pages != part.pages {
      let more = (Int64(part.pages) - Int64(hashes.pages)) * Int64(bytes)
      if more > 0 { try DurableFile.checkFreeSpace(more, in: url.deletingLastPathComponent(), for: "commit \(part.number)") }
      try file.truncate(atOffset: UInt64(part.pages) * UInt64(bytes))
      hashes.resize(to: part.pages)
    }
    try part.forEachPage(bytes) { change, content in
      var page = content
      let place = UInt64(change.page - 1) * UInt64(bytes)
      if change.isDifference {
        try file.seek(toOffset: place)
        var earlier = try file.read(upToCount: bytes) ?? Data()
        _ = try earlier.withUnsafeMutableBytes { try cipher?.open(change.page, $0) }
        page.combine(earlier)
      }
      hashes.set(change.page, met.insert(page.withUnsafeBytes { hashes.hash(change.page, $0) }).memberAfterInsert)
      try page.withUnsafeMutableBytes { try cipher?.seal(change.page, $0) }
      try file.seek(toOffset: place)
      try file.write(contentsOf: page)
    }
  }
}
