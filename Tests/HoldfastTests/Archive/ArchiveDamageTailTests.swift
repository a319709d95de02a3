import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

/// A killed process leaves the end of the archive unfinished. Everything else that is not whole is damage, and is told.
@Suite("Damage in an archive, and its end")
struct ArchiveDamageTailTests {
  let notes: ArchivedNotes

  init() throws { notes = try ArchivedNotes() }

  @Test("the time line, a restore of the newest state, and verify all report damage in the middle of the last segment")
  func middle() throws {
    let commits = try notes.written(1...6)
    try damage(commits[2])
    let gaps = try notes.gaps()
    #expect(gaps.map(\.commit) == [commits[1]] && gaps.first?.text.contains("is damaged at byte") == true, "\(gaps)")
    #expect(failure { try notes.restored(.time(.distantFuture)) }?.code == .damaged)
    #expect(try notes.restored(.commit(commits[1])) == notes.texts(1...2))
    let findings = try notes.archive().verify().findings
    #expect(findings.count == 1 && findings.first?.message.contains("after commit \(commits[1])") == true, "\(findings)")
  }

  @Test(
    "a last record that is not whole is no damage: the state before it is the newest",
    arguments: ["a byte is missing", "nearly all is missing", "zero bytes", "another bit"])
  func tornTail(end: String) throws {
    let commits = try notes.written(1...6)
    let segment = try lastSegment(notes.url)
    let record = try place(of: commits[5], in: segment)
    var bytes = try Data(contentsOf: segment)
    #expect(bytes.count == record.upperBound)
    switch end {
    case "a byte is missing": bytes.removeLast()
    case "nearly all is missing": bytes.removeSubrange(record.lowerBound + 5..<record.upperBound)
    case "zero bytes": bytes.resetBytes(in: record)
    default: bytes[record.upperBound - 1] ^= 1
    }
    try bytes.write(to: segment)
    #expect(try notes.gaps() == [] && notes.archive().verify().findings == [])
    #expect(try notes.restored(.time(.distantFuture)) == notes.texts(1...5))
    // The next opening compares the archive with the store.
    try notes.written(7...7)
    #expect(try notes.gaps().count == 1)
    #expect(try notes.restored(.time(.distantFuture)) == notes.texts(1...7))
  }

  @Test("a long list of pages that is cut off is not taken for records")
  func pageList() throws {
    let changes = (256..<1_280 as Range<UInt32>).map { ArchiveRecord.Change(page: $0, isDifference: false) }
    let commit = ArchiveRecord.Commit(
      first: 1, number: 1, time: 1, wallTime: 1, pages: 2_000, state: 0, changes: changes, content: Data(count: 100))
    let whole = try ArchiveRecord.commit(commit).framed(ArchivedNotes.seal)
    #expect(ArchiveRecord.stands(in: whole) && !ArchiveRecord.stands(in: whole.dropLast()))
  }

  @Test("an earlier label is not given for one that damage may hide; by its number it can be had")
  func label() throws {
    let store = try notes.open()
    let commits = try notes.add(1...2, to: store)
    try store.label("here")
    for number in 3...6 { try notes.add(number, to: store) }
    try store.close()
    #expect(try notes.restored(.label("here")) == notes.texts(1...2))
    try damage(commits[1] + 2)
    let hidden = failure { try notes.restored(.label("here")) }
    #expect(hidden?.code == .damaged && hidden?.suggestion?.contains("commit \(commits[1]).") == true)
    #expect(failure { try notes.restored(.label("never")) }?.code == .damaged)
    #expect(try notes.restored(.commit(commits[1])) == notes.texts(1...2))
  }

  @Test("a label whose commit is missing is damage")
  func labelAlone() throws {
    let store = try notes.open()
    let commits = try notes.add(1...3, to: store)
    try store.label("here")
    try store.close()
    let segment = try lastSegment(notes.url)
    let record = try place(of: commits[2], in: segment)
    var bytes = try Data(contentsOf: segment)
    bytes.removeSubrange(record)
    try bytes.write(to: segment)
    #expect(failure { try notes.restored(.label("here")) }?.code == .damaged)
    #expect(try notes.gaps().map(\.commit) == [commits[1]])
    #expect(try !notes.archive().verify().isHealthy)
  }

  @Test("the time line tells damage that may hide what was asked for, and no other")
  func history() throws {
    let commits = try notes.written(1...6)
    let archive = try notes.archive()
    let times = try archive.history().filter { $0.kind == .commit }.map(\.time)
    try damage(commits[2])
    #expect(try archive.history(from: times[4]).map(\.kind) == [.gap])
    #expect(try archive.history(to: times[1]).map(\.kind) == [.base, .commit, .commit, .gap])
  }

  @Test("the exact time of the last commit before damage leads to it; a later time is refused, and names it")
  func lastTime() throws {
    let commits = try notes.written(1...6)
    let times = try notes.archive().history().filter { $0.kind == .commit }.map(\.time)
    try damage(commits[2])
    #expect(try notes.restored(.time(times[1])) == notes.texts(1...2))
    let hidden = failure { try notes.restored(.time(times[2])) }
    #expect(hidden?.code == .damaged && hidden?.suggestion?.contains("Restore commit \(commits[1]) ") == true)
  }

  @Test(
    "where the first base has lost its file or its description, nothing is removed, and all comes back with it",
    arguments: ["sqlite", "json"])
  func firstBase(kind: String) throws {
    let world = try RetentionWorld()
    try world.makeTwoParts()
    let generation = try world.archive.generation(1)
    let base = try #require(generation.bases.first)
    let file = kind == "sqlite" ? generation.base(base) : generation.description(base)
    try FileManager.default.moveItem(at: file, to: world.folder.file("away"))
    try world.session(1)
    #expect(try !world.reader.verify().isHealthy)
    try FileManager.default.moveItem(at: world.folder.file("away"), to: file)
    try world.checkAll()
    #expect(try world.reader.verify().isHealthy)
  }

  @Test("under the cap a lost base goes with what is around it, and its segments go, too", arguments: ["sqlite", "json"])
  func lostBaseGoes(kind: String) throws {
    let world = try RetentionWorld()
    for _ in 0..<3 {
      try world.session(12)
      try world.run(leastBeforeBase: 0)
    }
    let generation = try world.archive.generation(1)
    #expect(generation.bases.count >= 3)
    let lost = generation.bases[1]
    try FileManager.default.removeItem(at: kind == "sqlite" ? generation.base(lost) : generation.description(lost))
    try world.run(maximumBytes: 1, leastBeforeBase: .max)
    let left = try world.archive.generation(1)
    #expect(left.bases.count == 1 && left.missing == [] && left.undescribed == [])
    #expect(left.segments.dropFirst().allSatisfy { $0 > left.bases.first ?? .max })
    #expect(try world.reader.verify().isHealthy)
  }

  @Test("a store whose archive is damaged in the middle goes on with a gap that says so; no number is given twice")
  func reopened() throws {
    let commits = try notes.written(1...6)
    try damage(commits[2])
    let later = try notes.written(7...7)
    let gaps = try notes.gaps()
    #expect(gaps.count == 2 && gaps.last?.text == ArchiveGap.archiveDamaged.rawValue, "\(gaps)")
    #expect(later[0] > commits[5])
    #expect(try notes.restored(.commit(commits[1])) == notes.texts(1...2))
    #expect(try notes.restored(.time(.distantFuture)) == notes.texts(1...7))
    #expect(try notes.archive().verify().findings.count == 1)
  }

  @Test("the commits that SQLite's log still has are archived again where the archive is damaged", arguments: [0, 2])
  func archivedAgain(damaged: Int) throws {
    let folder = try TemporaryFolder()
    let left = folder.file("notes.sqlite")
    let killed = try notes.open()
    let commits = try notes.add(1...6, to: killed)
    // On the archive's queue, so that it changes no file meanwhile.
    try #require(killed.archiver).queue.sync { try notes.url.copyStore(to: left, with: ["", "-wal", ".holdfast"]) }
    try killed.close()
    try damage(commits[damaged], of: left)
    let store = try notes.open(left)
    try store.checkpoint()
    let history = try store.archive().history()
    #expect(history.filter { $0.kind == .gap } == [])
    #expect(history.filter { $0.kind == .note }.map(\.text).filter { $0.contains("were archived again from the log") }.count == 1)
    for (index, commit) in commits.enumerated() {
      #expect(try notes.restored(.commit(commit), by: store.archive()) == notes.texts(1...index + 1))
    }
    #expect(try store.archive().verify().findings == [])
    try store.close()
  }

  @Test("commits that the store lost, and its archive has, stay in the archive, and the time line has a gap")
  func lostByStore() throws {
    let (store, early) = (try notes.open(), notes.folder.file("early"))
    _ = try notes.add(1...3, to: store)
    try #require(store.archiver).queue.sync { try notes.url.copyStore(to: early) }
    let commits = try notes.add(4...6, to: store)
    try store.close()
    // As power loss leaves a store that does not wait for the disk.
    for suffix in ["", "-wal"] {
      try Data(contentsOf: URL(fileURLWithPath: early.path + suffix)).write(to: URL(fileURLWithPath: notes.url.path + suffix))
    }
    let again = try notes.open()
    #expect(try again.archive().history().filter { $0.kind == .gap }.count == 1)
    #expect(try notes.texts(again) == notes.texts(1...3))
    try again.close()
    #expect(try notes.restored(.commit(commits[2])) == notes.texts(1...6))
    #expect(try notes.restored(.time(.distantFuture)) == notes.texts(1...3))
  }

  @Test("a store is read and written whatever stands in its archive's place", arguments: ["rubbish in each file", "a file", "nothing"])
  func anything(what: String) throws {
    try notes.written(1...3)
    let archive = try StoreFiles(notes.url).archive
    if what == "rubbish in each file" {
      for name in try FileManager.default.subpathsOfDirectory(atPath: archive.path) where name.contains(".") {
        try Data("rubbish".utf8).write(to: archive.appendingPathComponent(name))
      }
    } else {
      try FileManager.default.removeItem(at: archive)
      if what == "a file" { try Data("rubbish".utf8).write(to: archive) }
    }
    let store = try notes.open()
    try notes.add(4, to: store)
    #expect(try notes.texts(store) == notes.texts(1...4))
    try store.close()
    let again = try notes.open { $0.archive.mode = .off }
    #expect(try notes.texts(again) == notes.texts(1...4))
    try again.close()
  }

  @Test("verify tells that commits before a gap are lost")
  func beforeGap() throws {
    let commits = try notes.written(1...3)
    try foreign()
    try notes.written(4...5)
    #expect(try notes.archive().verify().findings == [])
    let segment = try lastSegment(notes.url, generation: 1)
    try Damage.truncate(segment, to: place(of: commits[2], in: segment).lowerBound)
    #expect(try notes.archive().verify().findings.map(\.message) == ["the archive lacks commits after commit \(commits[1])"])
  }

  @Test("where the newest generation has lost its base, no older state is given for the newest")
  func withoutBase() throws {
    let commits = try notes.written(1...3)
    try foreign()
    try notes.written(4...5)
    let generation = try ArchiveFolder(StoreFiles(notes.url), ArchivedNotes.key).generation(2)
    try FileManager.default.removeItem(at: generation.base(#require(generation.bases.first)))
    #expect(failure { try notes.restored(.time(.distantFuture)) }?.code == .damaged)
    #expect(try notes.restored(.commit(commits[2])) == notes.texts(1...3))
    #expect(try !notes.archive().verify().isHealthy)
  }

  @Test(
    "where the newest base is damaged or gone, the commits after it are restored from the base before it, and verify names it",
    arguments: ["damaged", "gone", "its description is damaged"])
  func newestBase(what: String) throws {
    let world = try RetentionWorld()
    let base = try world.makeTwoParts()
    let generation = try world.archive.generation(1)
    let file = what == "damaged" || what == "gone" ? generation.base(base) : generation.description(base)
    if what == "gone" { try FileManager.default.removeItem(at: file) } else { try Damage.flip(file) }
    let commits = try world.commits().map(\.number).filter { $0 >= base }
    #expect(commits.count > 10)
    for commit in commits {
      #expect(try world.restored(commit) == world.state(at: commit), "commit \(commit)")
    }
    let findings = try world.reader.verify().findings
    #expect(findings.count == 1 && findings.first?.message.contains(file.lastPathComponent) == true, "\(findings)")
  }

  @Test("verify finds nothing in a sound archive with several bases and a gap; cancelled, it throws")
  func sound() async throws {
    let world = try RetentionWorld()
    try world.makeTwoParts()
    try world.session(1, mode: .off)
    try world.session(3)
    #expect(try world.archive.generations().map(\.bases.count) == [2, 1])
    let archive = try world.reader
    let report = try await archive.verify()
    #expect(report == IntegrityReport(findings: [], checked: [.files]))
    #expect(failure { try archive.verify(isCancelled: { true }) }?.code == .cancelled)
  }

  // MARK: A store of notes

  /// A commit of another program, which the archive lacks.
  private func foreign() throws {
    try ArchivedNotes.raw(notes.url) { try $0.execute("INSERT INTO notes (id, text) VALUES (99, 'by another program')") }
  }

  /// - Parameter generation: nil: the newest.
  private func lastSegment(_ url: URL, generation number: Int? = nil) throws -> URL {
    let generations = try ArchiveFolder(StoreFiles(url), ArchivedNotes.key).generations()
    let generation = try #require(generations.last { number == nil || $0.number == number })
    return generation.segment(try #require(generation.segments.last))
  }

  /// The bytes of a commit's record.
  private func place(of commit: Int64, in segment: URL) throws -> Range<Int> {
    let reader = try SegmentReader(segment, ArchivedNotes.seal)
    var start = reader.wholeBytes
    while let record = try reader.next() {
      if case .commit(let found) = record, found.number == commit { return start..<reader.wholeBytes }
      start = reader.wholeBytes
    }
    throw StoreError(.notFound, "\(segment.path) has no commit \(commit)")
  }

  /// Changes a bit in the record of a commit in the last segment.
  private func damage(_ commit: Int64, of url: URL? = nil) throws {
    let segment = try lastSegment(url ?? notes.url)
    let record = try place(of: commit, in: segment)
    try Damage.flip(segment, at: record.lowerBound + record.count / 2)
  }
}
