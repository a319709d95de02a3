import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

/// A store of notes with an archive, and what its notes were after each commit.
final class RetentionWorld {
  struct Stopped: Error {}

  let folder: TemporaryFolder
  let url: URL
  let archive: ArchiveFolder
  private let clock = TestClock()
  private var states: [Int64: [String]] = [:]
  private var number = 0
  private var labelled: Set<Int64> = []
  /// For how long the runs keep what. Default: each commit for an hour, one a minute for a day, one an hour for ten days.
  var keeps: (inout ArchiveOptions) -> Void = { _ in }

  private let options: StoreOptions

  /// - Parameter key: of the store.
  init(key: StoreKey? = ArchivedNotes.key) throws {
    var options = StoreOptions.testing
    options.key = key
    self.options = options
    folder = try TemporaryFolder()
    url = folder.file("notes.sqlite")
    archive = ArchiveFolder(try StoreFiles(url), key)
  }

  /// Three sessions, and then a second base. Returns its commit.
  @discardableResult
  func makeTwoParts() throws -> Int64 {
    for _ in 0..<3 { try session(12) }
    return try makeSecondBase()
  }

  func makeSecondBase() throws -> Int64 {
    try run(leastBeforeBase: 0)
    let bases = try archive.generation(1).bases
    try #require(bases.count == 2)
    return bases[1]
  }

  func pass(hours: Double) { clock.advance(milliseconds: Int64(hours * 3_600_000)) }

  /// Opens the store, commits notes, ten seconds apart, and closes it.
  func session(
    _ count: Int, label: String? = nil, maximumBytes: Int64? = nil, mode: ArchiveOptions.Mode = .begins,
    _ more: (Store) throws -> Void = { _ in }
  ) throws {
    let store = try open { options in
      options.snapshots.maximumBytes = maximumBytes
      options.archive.mode = mode
    }
    try note(store)
    for index in 0..<count {
      clock.advance(milliseconds: 10_000)
      number += 1
      let text = (0..<100).map { _ in UUID().uuidString }.joined()
      try store.write { [number] tx in
        try tx.execute("INSERT INTO notes (id, text) VALUES (\(number), \(text))")
        try tx.execute("UPDATE notes SET text = substr(text, 2) WHERE id % 5 = \(number % 5)")
        if number % 7 == 0 { try tx.execute("DELETE FROM notes WHERE id < \(number - 5)") }
      }
      let commit = try note(store)
      if let label, index == count / 2 {
        try store.label(label)
        labelled.insert(commit)
      }
    }
    clock.advance(milliseconds: 10_000)
    try more(store)
    try note(store)
    try store.close()
  }

  /// Opens the store, waits for the archive's work after opening, and closes it.
  func open(maximumBytes: Int64) throws {
    let store = try open { $0.archive.maximumBytes = maximumBytes }
    // The work follows when the archive has been read.
    for _ in 0..<2 { store.archiver?.queue.sync {} }
    try store.close()
  }

  private func open(_ change: (inout StoreOptions) -> Void) throws -> Store {
    var options = self.options
    options.archive.mode = .begins
    // Time alone makes nothing smaller, only `run` does.
    (options.archive.keepsEachCommit, options.archive.keepsOnePerDay) = (.seconds(3_000_000_000), .seconds(3_000_000_000))
    options.now = { [clock] in clock.now }
    change(&options)
    return try Store.open(at: url, schemas: [ArchivedNotes.schema], options: options)
  }

  @discardableResult
  private func note(_ store: Store) throws -> Int64 {
    _ = try? store.archive()
    let commit = try store.archiveStatus()?.newestCommit ?? 0
    states[commit] = try store.read { reader in try reader.values("SELECT id || text FROM notes ORDER BY id") { row in try row.text() } }
    return commit
  }

  func state(at commit: Int64) -> [String]? { states.filter { $0.key <= commit }.max { $0.key < $1.key }?.value }

  private func options(maximumBytes: Int64?) -> ArchiveOptions {
    var options = ArchiveOptions()
    (options.keepsEachCommit, options.keepsOnePerMinute) = (.seconds(3_600), .seconds(24 * 3_600))
    options.keepsOnePerHour = .seconds(240 * 3_600)
    keeps(&options)
    options.maximumBytes = maximumBytes
    return options
  }

  private func retention(_ maximumBytes: Int64?, leastBeforeBase: Int64?, now: Date? = nil, freeBytes: Int64? = nil) -> ArchiveRetention {
    var retention = ArchiveRetention(
      archive, options(maximumBytes: maximumBytes), now: now ?? clock.now, storeBytes: DurableFile.size(url.path), freeBytes: freeBytes)
    if let leastBeforeBase { retention.leastBeforeBase = leastBeforeBase }
    return retention
  }

  /// - Parameter leastBeforeBase: nil: retention's own.
  @discardableResult
  func run(
    maximumBytes: Int64? = nil, leastBeforeBase: Int64? = .max, now: Date? = nil, freeBytes: Int64? = nil, isCancelled: Bool = false
  ) throws -> ArchiveRetention.Report {
    try retention(maximumBytes, leastBeforeBase: leastBeforeBase, now: now, freeBytes: freeBytes)
      .run(isCancelled: { isCancelled }, keepingOpen: nil)
  }

  /// Runs, and changes the first merged segment with `damage` after it was written and before it is proven.
  func run(damaging damage: (URL) throws -> Void) throws -> ArchiveRetention.Report {
    var (isDamaged, failure): (Bool, (any Error)?) = (false, nil)
    let report = try retention(nil, leastBeforeBase: .max).run(
      isCancelled: {
        guard !isDamaged, let merged = mergedSegment() else { return false }
        isDamaged = true
        do { try damage(merged) } catch { failure = error }
        return false
      }, keepingOpen: nil)
    if let failure { throw failure }
    #expect(isDamaged)
    return report
  }

  /// The finished segment in the working folder of a merge.
  private func mergedSegment() -> URL? {
    let folder = archive.folder(1)
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasPrefix(".holdfast-merging-") && $0.hasSuffix(".segment") }
      .map { folder.appendingPathComponent($0) }.first { SegmentReader.lastCommit($0, ArchivedNotes.seal) != nil }
  }

  /// Writes a segment again without its last commit, and with right checksums.
  func dropLastCommit(of segment: URL) throws {
    let reader = try SegmentReader(segment, ArchivedNotes.seal)
    var records: [ArchiveRecord] = []
    while let record = try reader.next() { records.append(record) }
    let last = records.lastIndex { record in
      if case .commit = record { return true }
      return false
    }
    records.remove(at: try #require(last))
    try records.reduce(reader.header.encoded) { try $0 + $1.framed(ArchivedNotes.seal) }.write(to: segment)
  }

  /// A copy of the archive as it is.
  func keepArchive() throws -> URL {
    let kept = folder.file("kept")
    try FileManager.default.copyItem(at: archive.url, to: kept)
    return kept
  }

  /// Puts the kept archive back, and runs for so many changes. False where there are no more.
  func isStopped(_ maximumBytes: Int64?, after steps: Int, from kept: URL) throws -> Bool {
    try FileManager.default.removeItem(at: archive.url)
    try FileManager.default.copyItem(at: kept, to: archive.url)
    var left = steps
    var retention = retention(maximumBytes, leastBeforeBase: 0)
    retention.willChange = { _ in
      left -= 1
      if left < 0 { throw Stopped() }
    }
    do {
      _ = try retention.run(isCancelled: { false }, keepingOpen: nil)
      return false
    } catch is Stopped {
      return true
    }
  }

  var reader: Archive { get throws { try Archive(of: url, options: options) } }

  func commits() throws -> [ArchivedCommit] { try reader.history().compactMap(\.details) }

  /// The commits that must stay.
  ///
  /// - Parameter seconds: one commit stays of each period of this length. Nil: as by default.
  func expected(onePer seconds: Int? = nil) throws -> [Int64] {
    let commits = try commits()
    let last = try #require(try archive.generation(1).segments.last)
    func period(_ commit: ArchivedCommit) -> [Int] {
      let time = commit.time.timeIntervalSince1970
      let age = clock.now.timeIntervalSince1970 - time
      let unit = seconds ?? (age <= 24 * 3_600 ? 60 : age <= 240 * 3_600 ? 3_600 : 86_400)
      return [unit, Int(time) / unit]
    }
    return zip(commits, commits.dropFirst() + [commits[commits.count - 1]]).filter { commit, next in
      next.number >= last || labelled.contains(commit.number) || period(commit) != period(next)
    }.map(\.0.number)
  }

  /// Restores every commit of the time line, or one in `step` of them, from the `first` on, and the newest.
  func checkAll(oneIn step: Int = 1, from first: Int = 0) throws {
    let history = try reader.history()
    #expect(history.filter { $0.kind == .gap } == [])
    let commits = history.compactMap(\.details?.number).filter { state(at: $0) != nil }
    for (index, commit) in commits.enumerated() where index % step == first % step || commit == commits.last {
      #expect(try restored(commit) == state(at: commit), "commit \(commit)")
    }
  }

  /// The notes of a commit.
  func restored(_ commit: Int64) throws -> [String] {
    let file = folder.file("restored.sqlite")
    defer { try? FileManager.default.removeItem(at: file) }
    try reader.restore(to: .commit(commit), at: file)
    return try texts(of: file)
  }

  func texts(of file: URL) throws -> [String] {
    try ConnectionFactory(file.path, options).still().texts("SELECT id || text FROM notes ORDER BY id").compactMap { $0[0] }
  }

  func bytes() throws -> [String: Data] {
    let url = archive.folder(1)
    return try FileManager.default.contentsOfDirectory(atPath: url.path).reduce(into: [:]) { files, name in
      files[name] = try Data(contentsOf: url.appendingPathComponent(name))
    }
  }

  /// An archive of 60 commits by hand, ten seconds apart, whose database is cut and lengthened at random. Returns the bytes after each.
  func handmade(_ seed: UInt64) throws -> [Int64: Data] {
    var random = SeededGenerator(seed: seed)
    let size = 512
    func page(_ random: inout SeededGenerator) -> Data { Data((0..<size).map { _ in UInt8.random(in: 0...3, using: &random) }) }
    func hashes(_ pages: [Data]) -> PageHashes {
      var hashes = PageHashes(pageBytes: size)
      for (index, page) in pages.enumerated() {
        hashes.append(page.withUnsafeBytes { hashes.hash(UInt32(index + 1), $0) })
      }
      return hashes
    }
    var pages = (0..<6).map { _ in page(&random) }
    let generation = ArchiveFolder.Generation(number: 1, url: archive.folder(1), key: archive.key, bases: [0], segments: [])
    try DurableFile.makeFolder(generation.url)
    try Data(pages.joined()).write(to: generation.base(0))
    let base = ArchiveBase(
      commit: 0, timeMicroseconds: 1, pageBytes: size, pages: 6, state: ArchiveBase.digits(hashes(pages).state), reason: ArchiveBase.first)
    try base.encoded().write(to: generation.description(0))
    var states: [Int64: Data] = [:]
    for first in stride(from: Int64(1), through: 60, by: 10) {
      let header = SegmentHeader(pageBytes: size, first: first, stateBefore: hashes(pages).state, generation: 1)
      let writer = try SegmentWriter(generation.segment(first), header, nil)
      for number in first..<first + 10 {
        if Bool.random(using: &random) {
          let count = Int.random(in: 1...10, using: &random)
          pages = Array((pages + Array(repeating: Data(count: size), count: 10)).prefix(count))
        }
        var changes: [ArchiveRecord.Change] = []
        var content = Data()
        for index in pages.indices where Int.random(in: 0..<4, using: &random) == 0 {
          let old = pages[index]
          pages[index] = Int.random(in: 0..<5, using: &random) == 0 ? Data(count: size) : page(&random)
          let isDifference = Bool.random(using: &random)
          var bytes = pages[index]
          if isDifference { bytes.combine(old) }
          changes.append(.init(page: UInt32(index + 1), isDifference: isDifference))
          content.append(bytes)
        }
        let time = number * 10_000_000
        let commit = ArchiveRecord.Commit(
          first: number, number: number, time: time, wallTime: time, pages: UInt32(pages.count), state: hashes(pages).state,
          changes: changes, isCompressed: false, content: content)
        try writer.append(.commit(commit))
        states[number] = Data(pages.joined())
      }
      try writer.finish(at: first + 9)
    }
    return states
  }
}
