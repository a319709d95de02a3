import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("A clock that is wrong", .timeLimit(.minutes(10)))
struct TrustedTimeTests {
  @Test(
    "a clock that jumps ahead by more than a day is trusted when it has gone on for three days",
    arguments: [
      // An hour ahead; a day later; back.
      ([0, 0.04], 0.04), ([0, 1], 1), ([0, -365], -365),
      // A year ahead for some hours, and then right; the same a second time; two years that differ.
      ([0, 365, 365.1, 365.2], 0), ([0, 365, 365.1, 0.5], 0.5), ([0, 365, 0.5, 366], 0.5), ([0, 365, 730], 0),
      // It stands still, or goes back and forth.
      ([0, 365, 365.5, 365, 365.5, 365, 365.5, 365, 365.5, 365, 365.5], 0), ([0, 365, 366, 367, 200, 201, 202], 0),
      // Not used for half a year; used once a week; set back by a year, and right again.
      ([0, 180, 181, 182], 0), ([0, 180, 181, 182, 183], 183), ([0, 7, 14, 21], 0), ([0, 7, 14, 21, 28], 28), ([0, -365, 0, 1, 2, 3], 3),
    ] as [([Double], Double)])
  func readings(days: [Double], trusted: Double) {
    func time(_ days: Double) -> Int64 { Int64(days * Double(TrustedTime.day)) }
    var clock = TrustedTime(time(0))
    for day in days { clock.read(time(day)) }
    #expect(clock.time == time(trusted))
  }

  @Test("a damaged file for the trusted time is none, and its numbers are not counted on", arguments: ["", "{}", "9223372036854775807"])
  func damaged(number: String) throws {
    let folder = try TemporaryFolder()
    let file = folder.file("clock")
    #expect(TrustedTime(file) == nil)
    let content = number.isEmpty ? "{" : #"{"passed":\#(number),"time":\#(number)}"#
    try Data(content.utf8).write(to: file)
    #expect(TrustedTime(file) == nil)
    var clock = TrustedTime(5)
    clock.read(5 + 2 * TrustedTime.day)
    try JSONEncoder().encode(clock).write(to: file)
    #expect(TrustedTime(file) == clock)
  }

  @Test("a year ahead for some hours removes and merges nothing, and set right again every commit is there")
  func yearAhead() throws {
    let world = try World()
    for _ in 0..<3 { try world.session(4) }
    world.pass(days: 400)
    for _ in 0..<3 {
      world.pass(days: 0.125)
      try world.session(1)
    }
    try world.checkAll()
    world.pass(days: -400)
    try world.session(1)
    try world.checkAll()
    // The clock is trusted, so retention goes on.
    for _ in 0..<3 {
      world.pass(days: 0.875)
      try world.session(1)
    }
    #expect(try world.commits().count < world.states.count)
  }

  @Test("a base that a gap makes while the clock is a year ahead does not make it trusted", arguments: [false, true])
  func gapMeanwhile(isDamaged: Bool) throws {
    let world = try World()
    for _ in 0..<3 { try world.session(4) }
    world.pass(days: 400)
    if isDamaged {
      let newest = try #require(ArchiveFolder(StoreFiles(world.notes.url), ArchivedNotes.key).generations().last)
      try Data("{".utf8).write(to: newest.description(try #require(newest.bases.last)))
    } else {
      try world.outsideArchive()
    }
    for _ in 0..<3 { try world.session(1) }
    #expect(try TrustedTime(ArchiveFolder(StoreFiles(world.notes.url), ArchivedNotes.key).clock)?.ahead != nil)
    if !isDamaged { try world.checkAll() }
  }

  @Test("after half a year without use nothing is merged for three days of use, and then retention goes on")
  func halfAYear() throws {
    let world = try World()
    for _ in 0..<3 { try world.session(4) }
    world.pass(days: 180)
    for _ in 0..<3 {
      try world.session(1)
      try world.checkAll()
      world.pass(days: 1)
    }
    try world.session(1)
    #expect(try world.commits().count < world.states.count)
  }

  @Test("commits with a time ahead of the clock show the clock's time, a note tells that it was set, and a rewind to a time warns")
  func times() throws {
    let world = try World()
    try world.session(1)
    world.pass(days: 365)
    try world.session(2)
    world.pass(days: -365)
    for _ in 0..<2 { try world.session(2) }
    let commits = try world.commits()
    #expect(commits.map { $0.clock == nil } == [true, true, true, false, false, false, false], "\(commits)")
    #expect(commits.last?.clock == world.clock.now)
    let notes = try world.notes.archive().history().filter { $0.kind == .note }.map(\.text)
    #expect(notes.count { $0.hasPrefix("the clock was set back by 3153") } == 1, "\(notes)")
    let store = try world.open()
    let warning = try #require(try store.rewindPlan(to: .time(world.clock.now)).warning)
    #expect(warning.contains("from commit \(commits[1].number) on"), "\(warning)")
    for moment in [Moment.commit(commits[0].number), .time(.distantFuture)] {
      #expect(try store.rewindPlan(to: moment).warning == nil)
    }
    try store.close()
  }
}

/// An archived store of notes with the default rules, a clock, and what the notes were after each commit.
private final class World {
  let notes: ArchivedNotes
  let clock = TestClock()
  private(set) var states: [Int64: [String]] = [:]
  private var number = 0

  init() throws { notes = try ArchivedNotes() }

  func pass(days: Double) { clock.advance(milliseconds: Int64(days * 86_400_000)) }

  func open() throws -> Store { try notes.open { [clock] options in options.now = { clock.now } } }

  /// Opens the store, waits for retention, commits notes, a second apart, and closes it.
  func session(_ count: Int) throws {
    let store = try open()
    try notes.settle(store)
    for _ in 0..<count {
      clock.advance()
      number += 1
      try notes.add(number, to: store)
      _ = try store.archive()
      let status = try #require(try store.archiveStatus())
      states[status.newestCommit] = try notes.texts(store)
    }
    try store.close()
  }

  /// A commit that the archive does not get: the next opening finds a gap.
  func outsideArchive() throws {
    number += 1
    try notes.addOutside(number) { [clock] options in options.now = { clock.now } }
  }

  func commits() throws -> [ArchivedCommit] { try notes.archive().history().compactMap(\.details) }

  /// Every commit can be restored as it was.
  func checkAll() throws {
    for (commit, texts) in states {
      let file = notes.folder.file("commit-\(commit)-\(UUID().uuidString).sqlite")
      #expect(try notes.archive().restore(to: .commit(commit), at: file).number == commit)
      #expect(try notes.texts(of: file) == texts)
    }
  }
}
