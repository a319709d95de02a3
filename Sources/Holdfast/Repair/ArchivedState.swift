import Foundation

/// The newest state that an archive proves, with the commits of the log behind it, as a file of its own.
struct ArchivedState {
  private var pages: PageFile
  let key: StoreKey?
  /// The last commit of the archive in it.
  let commit: ArchivedCommit
  /// Where that commit ends in the log.
  let place: LogPlace
  /// How many commits of the log follow it.
  private(set) var commitsOfLog = 0
  /// Whether the archive is sound to its end.
  let isWhole: Bool
  /// Whether that is so, and the log goes on from there. Else the store may have had commits that are not in `file`.
  private(set) var isCurrent: Bool
  /// The pages of the base from which this was built, and the hashes of all contents that pages got since.
  private let older: PageHashes
  private let met: Set<UInt64>

  var file: URL { pages.url }
  var hashes: PageHashes { pages.hashes }

  /// Nil where there is no archive with a base.
  ///
  /// - Parameter copy: the store's files as they are now.
  /// - Throws: `.damaged` when the archive cannot be followed to its end.
  init?(of files: StoreFiles, copy: StoreFiles, at file: URL, _ key: StoreKey?) throws {
    self.key = key
    guard let newest = try ArchiveFolder(files, key).generations().last(where: { !$0.bases.isEmpty }) else { return nil }
    do {
      let end = try ArchiveEnd(newest)
      let (replay, base) = try newest.build(end.commit, at: file)
      (pages, commit, place, met) = (replay.file, replay.commit, end.place, replay.met)
      older = try PageHashes.of(newest.base(base.commit), pageBytes: base.pageBytes, key)
      isWhole = end.damaged == nil
      isCurrent = isWhole
      let follower = LogFollower(copy, pageBytes: end.pageBytes, key)
      guard let waiting = try waiting(follower, end.place) else {
        isCurrent = false
        return
      }
      let before = line
      for transaction in waiting.transactions { try apply(transaction, of: follower) }
      // A log that goes on from another state than the archive's last one.
      guard waiting.goesOn || waiting.transactions.isEmpty || follows(before) else {
        _ = try DurableFile.remove(file)
        pages = try newest.build(end.commit, at: file).replay.file
        isCurrent = false
        return
      }
      commitsOfLog = waiting.transactions.count
    } catch let gap as ArchiveGap {
      throw StoreError(.damaged, "the archive of \(files.path) cannot be followed: \(gap.rawValue)")
    }
  }

  /// The transactions of the log that the archive does not have; nil when the log is not as it was archived.
  private func waiting(_ follower: LogFollower, _ end: LogPlace) throws -> (transactions: [LogTransaction], goesOn: Bool)? {
    var transactions: [LogTransaction] = []
    do {
      let goesOn = try follower.begin(at: end)
      guard let header = try follower.presentHeader(), header.pageBytes == hashes.pageBytes else { return ([], goesOn) }
      try follower.transactions(upTo: follower.place.frames, andOnTo: .max) { transactions.append($0) }
      return (transactions, goesOn)
    } catch ArchiveGap.frameDamaged {
      // No program reads the log beyond that.
      return ([], true)
    } catch is ArchiveGap {
      return nil
    }
  }

  private func apply(_ transaction: LogTransaction, of follower: LogFollower) throws {
    try pages.resize(to: transaction.pages, changes: transaction.frames.count, "the log")
    var page = [UInt8](repeating: 0, count: hashes.pageBytes)
    for (number, frame) in transaction.frames where number <= transaction.pages {
      try page.withUnsafeMutableBytes { page in
        try follower.page(number, inFrame: frame, into: page)
        try pages.write(number, page)
      }
    }
  }

  private var line: LogLine? { try? LogLine.stored(ConnectionFactory(file.path, .production(key)).still()) }

  private func follows(_ before: LogLine?) -> Bool {
    guard let before, let line else { return false }
    return line.follows(before)
  }

  /// A copy of this state with pages from before the archive's last gap. An app may have opened a damaged store, and the archive then went
  /// on with the damage. So each page that had other content before the gap, and that nobody has written since, is taken from there.
  /// `words` names the state before the gap. Nil where there is no such gap.
  func beforeGap(of files: StoreFiles, in folder: WorkingFolder) throws -> (file: URL, pages: Int, words: String)? {
    let generations = try ArchiveFolder(files, key).generations().filter { !$0.bases.isEmpty }
    guard let newest = generations.last, let first = newest.bases.first, let before = generations.dropLast().last else { return nil }
    let (earlier, mended) = (folder.file("earlier.sqlite"), folder.file("mended.sqlite"))
    let end: ArchiveEnd
    do { end = try ArchiveEnd(before) } catch is ArchiveGap { return nil }
    let replay = try before.build(end.commit, at: earlier).replay
    guard replay.hashes.pageBytes == hashes.pageBytes else { return nil }
    // Another store's file may have taken this one's place for a while.
    guard StoreFiles.id(in: earlier, key) == StoreFiles.id(in: file, key) else { return nil }
    let base = try PageHashes.of(newest.base(first), pageBytes: hashes.pageBytes, key)
    try DurableFile.copy(file, to: mended)
    // As they stand in the files.
    let (source, target) = (try PageFile(earlier, PageHashes(pageBytes: base.pageBytes), nil), try PageFile(mended, base, nil))
    var pages = 0
    for number in 1...max(1, min(hashes.pages, base.pages, replay.hashes.pages)) {
      guard hashes[number] == base[number], base[number] != replay.hashes[number] else { continue }
      var page = try source.read(number)
      try page.withUnsafeMutableBytes { _ = try target.write(number, $0) }
      pages += 1
    }
    return pages == 0 ? nil : (mended, pages, "commit \(replay.commit.number) of the archive, before the gap")
  }

  /// The decrypted content of pages.
  func content(of numbers: [Int]) throws -> [Int: [UInt8]] {
    let known = numbers.map { UInt32(clamping: $0) }.filter { $0 <= hashes.pages }
    return Dictionary(uniqueKeysWithValues: try known.map { (Int($0), Array(try pages.read($0))) })
  }

  /// A page of this state, decrypted.
  func page(_ number: UInt32) throws -> Data { try pages.read(number) }

  /// Whether a page had content with this hash at an earlier time.
  func wasMet(_ number: UInt32, _ hash: UInt64) -> Bool { met.contains(hash) || older[number] == hash }

  /// Whether a store has a mark that this state does not know: a store that was open wrote it later, and did not archive.
  func isBehind(_ line: LogLine?) -> Bool {
    guard let line, let own = self.line else { return false }
    return line.store != own.store || line.mark != own.mark && line.mark != own.previous
  }
}
