import Dispatch
import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("A gap in an archive", .timeLimit(.minutes(10)))
struct ArchiveGapTests {
  let notes: ArchivedNotes

  init() throws { notes = try ArchivedNotes() }

  @Test(
    "the state before the first commit after a gap can be restored, and that commit waits for no copy", arguments: [10, 6_000_000])
  func firstCommit(length: Int) throws {
    let before = try notes.open()
    try notes.add(1, to: before)
    try before.close()
    try notes.addOutside(2)
    // The archive has found the gap, and goes on when the first commit has returned. The long one would move the log.
    let isCommitted = DispatchSemaphore(value: 0)
    let lines = LogLines { line in
      if line.hasPrefix("warning archive begins a new generation") { _ = isCommitted.wait(timeout: .now() + 20) }
    }
    let store = try notes.open { $0.logger = lines.logger }
    let text = String(repeating: "x", count: length)
    try store.write { tx in _ = try tx.execute("INSERT INTO notes (id, text) VALUES (3, \(text))") }
    isCommitted.signal()
    let history = try store.archive().history()
    #expect(history.suffix(2).map(\.kind) == [.gap, .commit], "\(history)")
    let commit = try #require(history.last?.details)
    #expect(commit.earliest == nil && commit.tables == ["notes"])
    let gap = try #require(history.last { $0.kind == .gap })
    #expect(gap.time < commit.time)
    for moment in [Moment.commit(gap.commit), .time(gap.time)] { #expect(try notes.restored(moment) == ["1note 1", "2note 2"]) }
    #expect(try notes.restored(.commit(commit.number)) == ["1note 1", "2note 2", "3" + text])
    try store.close()
    #expect(try notes.archive().verify().findings == [])
    #expect(try notes.archive().waiting() == .commits(0))
  }

  @Test(
    "after a rewind or a restore of a closed store, the status and the gap name it, and no later gap does",
    arguments: ["rewind", "restore"], ["damaged", "gone"])
  func replaced(by verb: String, because damage: String) throws {
    let clock = TestClock()
    var options = ArchivedNotes.options
    options.now = { clock.now }
    let store = try notes.open { $0.now = { clock.now } }
    try notes.add(1, to: store)
    let snapshot = try store.snapshot()
    try notes.add(2, to: store)
    _ = try store.archive()
    try store.close()
    if damage == "gone" {
      try FileManager.default.removeItem(at: notes.url)
    } else {
      try Data(repeating: 7, count: 100_000).write(to: notes.url)
    }
    let what: String
    if verb == "rewind" {
      let report = try Store.rewind(at: notes.url, to: .time(.distantFuture), options: options)
      #expect(report.kept != nil || damage == "gone")
      what = "rewound to commit \(report.commit.number)"
    } else {
      try Store.restore(at: notes.url, snapshot: snapshot.id, options: options)
      what = "replaced by the snapshot \(snapshot.id)"
    }
    let time = DateCodec.iso8601(DateCodec.milliseconds(clock.now) ?? 0, fraction: true)
    let text = "\(what) at \(time), while the store was closed"
    #expect(try notes.archive().waiting() == .gap(text))
    var gaps = [text]
    for number in 3...4 {
      let next = try notes.open()
      if number == 3 { #expect(try notes.texts(next) == notes.texts(verb == "rewind" ? 1...2 : 1...1)) }
      #expect(try next.archive().history().filter { $0.kind == .gap }.map(\.text) == gaps)
      try next.close()
      #expect(try notes.archive().waiting() == .commits(0))
      try notes.addOutside(number)
      gaps.append("the file differs from what was archived")
    }
  }
}
