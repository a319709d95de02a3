import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

/// Merging, new bases and removal in the archive of a store of notes. The clock moves; the last segment is never touched.
struct ArchiveRetentionTests {
  private let world: RetentionWorld

  init() throws { world = try RetentionWorld() }

  @Test("old commits become one a minute, an hour, a day; labels and those that stay are as they were")
  func levels() throws {
    for session in 0..<3 {
      try world.session(24, label: session == 1 ? "middle" : nil)
      world.pass(hours: 1.5)
    }
    try world.session(1)
    for hours in [2.0, 48, 480] {
      world.pass(hours: hours)
      let expected = try world.expected()
      let report = try world.run()
      #expect(report.problems == [] && report.merged > 0)
      #expect(try world.commits().map(\.number) == expected)
      try world.checkAll()
    }
    let restored = world.folder.file("middle.sqlite")
    let commit = try world.reader.restore(to: .label("middle"), at: restored)
    #expect(try world.texts(of: restored) == world.state(at: commit.number))
    #expect(try world.run().merged == 0)
  }

  @Test(
    "a duration of zero or less keeps none for its rule, and one shorter than that of the rule before has no effect",
    arguments: [(0, 86_400, 60), (-5, 86_400, 60), (3_600, 0, 3_600), (3_600, -5, 3_600), (3_600, 1_800, 3_600), (0, 0, 3_600)])
  func durations(each: Int, onePerMinute: Int, seconds: Int) throws {
    world.keeps = { ($0.keepsEachCommit, $0.keepsOnePerMinute) = (.seconds(each), .seconds(onePerMinute)) }
    for _ in 0..<2 { try world.session(12) }
    // Longer than single commits are kept.
    if each > 0 { world.pass(hours: 1.5) }
    try world.session(1)
    if each > 0 { world.pass(hours: 1.5) }
    let expected = try world.expected(onePer: seconds)
    #expect(try world.run().merged > 0)
    #expect(try world.commits().map(\.number) == expected)
    try world.checkAll()
  }

  @Test("by default each commit stays for a day, one a minute for a week, one an hour for 30 days, one a day for a year")
  func defaults() {
    let (options, day) = (ArchiveOptions(), Duration.seconds(24 * 3_600))
    #expect(options.keepsEachCommit == day && options.keepsOnePerMinute == day * 7)
    #expect(options.keepsOnePerHour == day * 30 && options.keepsOnePerDay == day * 365)
  }

  @Test("the number of a commit that was merged leads to the last one before it that stayed")
  func mergedNumber() throws {
    for _ in 0..<3 { try world.session(12) }
    world.pass(hours: 2)
    try world.session(1)
    let before = try world.commits().map(\.number)
    #expect(try world.run().merged > 10)
    let kept = try world.commits().map(\.number)
    for number in Set(before).subtracting(kept).sorted() {
      guard let stayed = kept.last(where: { $0 < number }) else { continue }
      let file = world.folder.file("merged-\(number).sqlite")
      #expect(try world.reader.restore(to: .commit(number), at: file).number == stayed)
      #expect(try world.texts(of: file) == world.state(at: stayed))
    }
  }

  @Test(
    "merged commits that are not what the old ones were are not taken: the old ones stay to the byte",
    arguments: ["a commit is missing", "the end is missing", "another bit"])
  func mergeIsProven(damage: String) throws {
    for _ in 0..<3 { try world.session(12) }
    world.pass(hours: 2)
    try world.session(1)
    let before = try world.bytes()
    let report = try world.run(damaging: { merged in
      switch damage {
      case "a commit is missing": try world.dropLastCommit(of: merged)
      case "the end is missing": try Damage.truncate(merged, to: Int(DurableFile.size(merged.path)) - 1)
      default: try Damage.flip(merged)
      }
    })
    #expect(report.problems.count == 1 && report.merged == 0)
    #expect(try world.bytes() == before)
    try world.checkAll()
    #expect(try world.run().merged > 0)
    try world.checkAll()
  }

  @Test("a store that is made smaller and grows again is as it was at each commit that stays")
  func smallerAndLarger() throws {
    try world.session(6)
    try world.session(1) { store in
      try store.write { tx in try tx.execute("DELETE FROM notes") }
      try store.vacuum()
    }
    try world.session(12)
    world.pass(hours: 2)
    try world.session(1)
    #expect(try world.run().merged > 0)
    try world.checkAll()
  }

  @Test(
    "a merged commit has the same bytes, whichever pages come, go and come back",
    arguments: 0..<(ProofRun.isLong ? 200 : 6) as Range<UInt64>)
  func anyPages(seed: UInt64) throws {
    let world = try RetentionWorld(key: nil)
    let states = try world.handmade(seed)
    let report = try world.run(now: Date(timeIntervalSince1970: 10_000))
    #expect(report.problems == [] && report.merged > 20)
    let generation = try world.archive.generation(1)
    let kept = Set(try world.commits().map(\.number))
    for (commit, bytes) in states where kept.contains(commit) {
      let file = world.folder.file("bytes-\(commit)")
      _ = try generation.build(commit, at: file)
      #expect(try Data(contentsOf: file) == bytes, "commit \(commit)")
    }
  }

  @Test("stopped before any change of a file, the archive can be read, and the next run ends the work", arguments: [nil, 1] as [Int64?])
  func stoppedAnywhere(maximumBytes: Int64?) throws {
    for _ in 0..<4 { try world.session(12) }
    world.pass(hours: 2)
    try world.session(1)
    let kept = try world.keepArchive()
    var steps = 0
    while true {
      let isStopped = try world.isStopped(maximumBytes, after: steps, from: kept)
      // Each stop is checked at other commits.
      try world.checkAll(oneIn: isStopped && !ProofRun.isLong ? 4 : 1, from: steps)
      guard isStopped else { break }
      try world.run(maximumBytes: maximumBytes, leastBeforeBase: 0)
      try world.checkAll(oneIn: ProofRun.isLong ? 1 : 4, from: steps)
      let names = try world.folder.contents().filter { $0.contains("/archive/") }
      #expect(names.filter { $0.contains(".holdfast-") || $0.hasSuffix(".removed") } == [])
      #expect(names.filter { $0.hasSuffix(".sqlite") && !names.contains(String($0.dropLast(6)) + "json") } == [])
      steps += 1
    }
    #expect(steps >= 5)
  }

  @Test("stopped while it removes a whole generation, the next run ends that")
  func stoppedInGeneration() throws {
    try world.session(3)
    try world.session(1, mode: .off)
    world.pass(hours: 400 * 24)
    try world.session(3)
    let kept = try world.keepArchive()
    var (steps, isStopped) = (0, true)
    while isStopped {
      isStopped = try world.isStopped(nil, after: steps, from: kept)
      try world.run()
      #expect(try world.archive.generations().map(\.number) == [2])
      steps += 1
    }
    #expect(steps >= 4)
  }

  @Test("a new base keeps the way to every commit; the cap then removes what is before the newest base, but not the newest label")
  func cap() throws {
    try world.session(12, label: "early")
    for _ in 0..<2 { try world.session(12) }
    let before = try world.commits()
    let base = try world.makeSecondBase()
    #expect(try world.commits() == before)
    try world.checkAll()
    #expect(try world.run(maximumBytes: 1).notes == [])
    #expect(try world.commits() == before)
    try world.session(1, label: "late")
    let all = try world.commits()
    let report = try world.run(maximumBytes: 1)
    #expect(report.notes.count == 1)
    #expect(try world.commits() == all.filter { $0.number > base })
    #expect(failure { try world.reader.restore(to: .label("early"), at: world.folder.file("early")) }?.code == .notFound)
    try world.checkAll()
  }

  @Test("under the cap for all copies, automatic snapshots give way first, then the archive's oldest part; the rest stays")
  func commonCap() throws {
    try world.makeTwoParts()
    for label in ["mine", "first", "second", "third"] {
      try world.session(1) { store in _ = try store.snapshot(label: label, isAutomatic: label != "mine") }
    }
    let half = try #require(try Snapshot.all(of: world.url).last).bytes / 2
    var left: [String] = []
    // Each time, the copies are larger than the cap by half a snapshot.
    for _ in 0..<4 {
      let cap = try CopyBytes(StoreFiles(world.url), { _ in [] }).total - half
      try world.session(0, maximumBytes: cap) { store in
        let archiver = try #require(store.archiver)
        archiver.queue.sync {
          archiver.retainsAt = .now
          archiver.retain()
        }
      }
      let labels = try Snapshot.all(of: world.url).map(\.label)
      let bases = try world.archive.generation(1).bases
      left.append("snapshots \(labels.joined(separator: ", ")); bases: \(bases.count)")
    }
    // When the archive makes a new base, which takes the room of a snapshot, depends on the version of SQLite.
    #expect(left.allSatisfy { $0.hasPrefix("snapshots third, mine; ") || $0.hasPrefix("snapshots third, second, mine; ") })
    #expect(left.suffix(2) == ["snapshots third, mine; bases: 1", "snapshots third, mine; bases: 1"])
    try world.checkAll()
  }

  @Test("under a small cap a base is due earlier, so that the cap can remove what is before it")
  func smallCap() throws {
    for _ in 0..<3 { try world.session(12) }
    let report = try world.run(maximumBytes: 1, leastBeforeBase: nil)
    #expect(report.notes.count == 1)
    try world.checkAll()
  }

  @Test(
    "only the newest base and what follows stay when all is too old, when days are kept for no time, and on a short disk",
    arguments: ["400 days later", "no days are kept", "a short disk"])
  func newestPart(why: String) throws {
    let base = try world.makeTwoParts()
    if why == "400 days later" { world.pass(hours: 400 * 24) }
    if why == "no days are kept" { world.keeps = { $0.keepsOnePerDay = .zero } }
    #expect(try world.run(freeBytes: why == "a short disk" ? 0 : nil).notes.count == 1)
    #expect(try world.archive.generations().map(\.bases) == [[base]])
    try world.checkAll()
  }

  @Test("a base before a damaged one stays")
  func damagedBase() throws {
    let base = try world.makeTwoParts()
    try Damage.flip(world.archive.generation(1).base(base))
    let report = try world.run(maximumBytes: 1, leastBeforeBase: .max)
    #expect(report.notes == [] && report.problems.count == 1)
    #expect(try world.archive.generation(1).bases.count == 2)
  }

  @Test("damaged segments are not merged, and a cancelled run changes nothing")
  func nothing() throws {
    for _ in 0..<3 { try world.session(12) }
    world.pass(hours: 2)
    try world.session(1)
    var before = try world.bytes()
    #expect(try !world.run(isCancelled: true).isComplete)
    #expect(try world.bytes() == before)
    let generation = try world.archive.generation(1)
    try Damage.flip(generation.segment(generation.segments[1]))
    before = try world.bytes()
    let report = try world.run()
    #expect(report.problems.count == 1 && report.merged == 0)
    #expect(try world.bytes() == before)
  }
}
