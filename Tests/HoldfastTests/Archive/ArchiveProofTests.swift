import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

/// What an archive compares before it gives a state back, and before it goes on.
struct ArchiveProofTests {
  let notes: ArchivedNotes
  let clock = TestClock()

  init() throws { notes = try ArchivedNotes() }

  @Test("a commit whose state is another is damaged; the one before it is restored")
  func state() throws {
    let commits = try notes.written(1...6)
    let segment = try newestSegment()
    try change(segment) { commit in if commit.number == commits[3] { commit.state ^= 1 } }
    let error = failure { try notes.restored(.commit(commits[3])) }
    #expect(error?.code == .damaged)
    #expect(error?.suggestion?.contains("\(commits[2])") == true)
    #expect(try notes.restored(.commit(commits[2])) == notes.texts(1...3))
  }

  @Test("a base that is not what it was is damaged")
  func base() throws {
    try notes.written(1...3)
    let generation = try newest()
    let base = generation.base(try #require(generation.bases.first))
    try Damage.overwrite(base, at: Int(DurableFile.size(base.path)) - 2_048, count: 1)
    #expect(failure { try notes.restored(.commit(generation.bases[0])) }?.code == .damaged)
  }

  @Test("an archive that has lost everything is not sound")
  func nothing() throws {
    try notes.written(1...3)
    try FileManager.default.removeItem(at: newest().url)
    #expect(
      try notes.archive().verify().findings.map(\.message) == ["the archive has no whole base"])
  }

  @Test("a segment that follows another state is a gap, and never silent")
  func chain() throws {
    try notes.written(1...3)
    try notes.written(4...6)
    #expect(try notes.gaps().count == 0)
    let segment = try newestSegment()
    let reader = try SegmentReader(segment, ArchivedNotes.seal)
    while try reader.next() != nil {}
    var header = reader.header
    header.stateBefore ^= 1
    try (header.encoded + reader.read()).write(to: segment)
    #expect(try notes.gaps().count == 1)
  }

  @Test("a record with any wrong byte does not count")
  func record() throws {
    try notes.written(1...2)
    let segment = try newestSegment()
    let whole = try Data(contentsOf: segment)
    let reader = try SegmentReader(segment, ArchivedNotes.seal)
    #expect(try reader.next() != nil)
    for place in stride(from: SegmentHeader.bytes, to: reader.wholeBytes, by: 3) {
      var bytes = whole
      bytes[place] ^= 0x10
      try bytes.write(to: segment)
      #expect(try SegmentReader(segment, ArchivedNotes.seal).nextBeforeDamage() == nil, "byte \(place)")
    }
  }

  @Test("a record of a later version and files with other names are passed over")
  func unknown() throws {
    let commits = try notes.written(1...3)
    let segment = try newestSegment()
    let reader = try SegmentReader(segment, ArchivedNotes.seal)
    var bytes = reader.header.encoded
    while let record = try reader.next() {
      bytes += try record.framed(ArchivedNotes.seal) + ArchiveRecord.unknown.framed(ArchivedNotes.seal)
    }
    try bytes.write(to: segment)
    let folder = segment.deletingLastPathComponent()
    for name in ["notes.txt", "1.segment", "000000000000000x.sqlite", "../notes.txt", "../0000001x"] {
      try Data("another program's".utf8).write(to: folder.appendingPathComponent(name))
    }
    #expect(try notes.restored(.commit(commits[1])) == notes.texts(1...2))
    #expect(try notes.archive().verify().findings == [])
    try notes.written(4...4)
    #expect(try notes.gaps().count == 0)
    #expect(try notes.restored(.time(.distantFuture)) == notes.texts(1...4))
  }

  @Test("a file with the name of a generation is none, nor is an empty folder, a link to nowhere, or a name that is only read as a number")
  func generations() throws {
    let store = try notes.open()
    try notes.add(1, to: store)
    try store.label("here")
    try store.close()
    let folder = ArchiveFolder(try StoreFiles(notes.url), ArchivedNotes.key)
    for name in ["99999999", "00000002", "+0000003"] { try Data("mine".utf8).write(to: folder.url.appendingPathComponent(name)) }
    for name in ["99999998", "00000007", "+0000001"] {
      try FileManager.default.createDirectory(at: folder.url.appendingPathComponent(name), withIntermediateDirectories: false)
    }
    let link = folder.url.appendingPathComponent("00000005").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "nowhere")
    let archive = try notes.archive()
    #expect(try archive.history().map(\.kind) == [.base, .commit, .label])
    #expect(try archive.verify().isHealthy)
    #expect(archive.waiting() == .commits(0))
    let again = try notes.open()
    try notes.add(2, to: again)
    _ = try again.rewind(to: .label("here"))
    // The next generation takes a free number.
    try #require(again.archiver).beginAnew(because: "the test asks")
    #expect(try again.archive().history().filter { $0.kind == .gap }.map(\.text) == ["the test asks"])
    #expect(try again.drillArchive().hasPassed)
    try again.close()
    #expect(try Data(contentsOf: folder.folder(2)) == Data("mine".utf8))
    #expect(try archive.verify().isHealthy)
  }

  @Test("numbers and times grow, however the clock is set", arguments: [3_600, 31_536_000] as [Int64])
  func clockJumps(seconds: Int64) throws {
    let store = try open()
    var texts: [[String]] = []
    for (number, step) in [0, seconds, -2 * seconds, 1, seconds, 0].enumerated() {
      clock.advance(milliseconds: step * 1000)
      try notes.add(number, to: store)
      texts.append(try notes.texts(store))
    }
    let commits = try store.archive().history().filter { $0.kind == .commit }.suffix(texts.count)
    try store.close()
    for (earlier, later) in zip(commits, commits.dropFirst()) {
      #expect(earlier.commit < later.commit && earlier.time < later.time)
    }
    for (commit, texts) in zip(commits, texts) { #expect(try notes.restored(.time(commit.time)) == texts) }
  }

  @Test(
    "the time line has a note when the clock was set by more than two seconds",
    arguments: [(3_600_000, "forward by 3"), (-3_600_000, "back by 3"), (1_000, nil)] as [(Int64, String?)])
  func clockNote(milliseconds: Int64, words: String?) throws {
    let store = try open()
    try notes.add(1, to: store)
    _ = try store.archive()
    clock.advance(milliseconds: milliseconds)
    try notes.add(2, to: store)
    let texts = try store.archive().history().filter { $0.kind == .note }.map(\.text)
    try store.close()
    #expect(texts.count == (words == nil ? 0 : 1), "\(texts)")
    // Between the two commits real time passes, too.
    if let words { #expect(texts.first?.hasPrefix("the clock was set \(words)") == true, "\(texts)") }
  }

  @Test("another program can write, and cannot cut the log before its commits are archived")
  func foreign() throws {
    let store = try open()
    try notes.add(1, to: store)
    _ = try store.archive()
    try ArchivedNotes.raw(notes.url) { raw in
      try raw.execute("INSERT INTO notes (text) VALUES ('by another program')")
      _ = try? raw.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    try notes.add(3, to: store)
    _ = try store.archive()
    let texts = try notes.texts(store)
    try store.close()
    #expect(try notes.gaps().count == 0)
    #expect(try notes.restored(.time(.distantFuture)) == texts)
  }

  @Test("a page is a difference only from the page that the archive knows")
  func difference() throws {
    let hashes = PageHashes(pageBytes: 512)
    let known = [UInt8](repeating: 1, count: 512).withUnsafeBytes { hashes.hash(1, $0) }
    func fill(_ page: UnsafeMutableRawBufferPointer, _ byte: UInt8) { for index in page.indices { page[index] = byte } }
    var delta = PageDelta(pageBytes: 512)
    _ = try delta.add(
      1, known: known, hashes, read: { fill($0, 3) },
      earlier: {
        fill($0, 2)
        return false
      })
    #expect(delta.changes == [.init(page: 1, isDifference: false)])
    #expect(delta.content == Data(repeating: 3, count: 512))
  }

  @Test("a damaged frame of the log is a gap")
  func frame() throws {
    let store = try open()
    try notes.add(1, to: store)
    let copy = try StoreFiles(notes.folder.file("copy.sqlite"))
    try FileManager.default.copyItem(at: StoreFiles(notes.url).log, to: copy.log)
    try store.close()
    let follower = LogFollower(copy, pageBytes: 4_096, ArchivedNotes.key)
    follower.begin(try #require(try follower.presentHeader()))
    try Damage.overwrite(copy.log, at: LogHeader.bytes + LogFrame.headerBytes + 2_048, count: 1)
    #expect(throws: ArchiveGap.self) { try follower.transactions(upTo: 1) { _ in } }
  }

  private func open() throws -> Store { try notes.open { [clock] options in options.now = { clock.now } } }

  private func newest() throws -> ArchiveFolder.Generation {
    try #require(try ArchiveFolder(StoreFiles(notes.url), ArchivedNotes.key).generations().last)
  }

  private func newestSegment() throws -> URL {
    let generation = try newest()
    return generation.segment(try #require(generation.segments.last))
  }

  /// Writes a segment again with other commits, and right checksums.
  private func change(_ segment: URL, _ body: (inout ArchiveRecord.Commit) -> Void) throws {
    let reader = try SegmentReader(segment, ArchivedNotes.seal)
    var bytes = reader.header.encoded
    while let record = try reader.next() {
      guard case .commit(var commit) = record else {
        bytes += try record.framed(ArchivedNotes.seal)
        continue
      }
      body(&commit)
      bytes += try ArchiveRecord.commit(commit).framed(ArchivedNotes.seal)
    }
    try bytes.write(to: segment)
  }
}
