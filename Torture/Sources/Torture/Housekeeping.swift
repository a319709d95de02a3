import Foundation
import Holdfast

/// The workload `housekeeping`: what an archived store does with its copies beside commits. Retention merges commits, makes bases and removes
/// the oldest part of the archive; snapshots are rotated; a snapshot is drilled.
///
/// The prepared archive has two generations, twenty and five days old. Each session opens the store two hours later than the one before, and
/// retention runs once in it:
/// 1. removes the older generation, and merges the commits of the other one;
/// 2. merges again, and makes a base;
/// 3. makes another base, and removes what is before it, because the cap is one byte.
struct Housekeeping {
  var url: URL
  var options: StoreOptions
  var seed: UInt64
  var acks: Acks

  private static let day: Int64 = 86_400

  /// What was told while the store was prepared: its moments, and the gap between its generations.
  static func told(_ folder: URL) -> [String] {
    ((try? String(contentsOf: file(folder), encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
  }

  static func file(_ folder: URL) -> URL { folder.appendingPathComponent("told") }

  static func prepare(_ folder: URL, _ options: StoreOptions, seed: UInt64) throws {
    let clock = SetClock()
    let url = Workload.store(folder)
    var options = options
    options.archives()
    options.now = { clock.now }
    var lines: [String] = []
    func session(_ numbers: ClosedRange<Int>) throws {
      let store = try Store.open(at: url, schemas: [Library.old], options: options)
      // Waits for the base.
      if options.archive.mode == .begins { _ = try store.archive() }
      for number in numbers {
        try store.write { try Library.save(Batch(number: number, seed: seed), in: $0) }
        if let moment = try ToldMoment.newest(of: store, clock, labels: number.isMultiple(of: 4)) { lines.append(moment.line) }
      }
      if numbers.upperBound == Workload.prepared { try churn(store) }
      try store.close()
    }
    try session(1...4)
    _ = clock.set(by: 15 * day)
    options.archive.mode = .off
    try session(5...5)
    options.archive.mode = .begins
    for numbers in [6...7, 8...9, 10...Workload.prepared] { try session(numbers) }
    lines += try Archive(of: url, options: Keys.options).history().filter { $0.kind == .gap }.map { "gap \($0.commit)" }
    try trust(1_800_000_000 + 20 * day + 7_200, url)
    // It only takes room.
    try? FileManager.default.removeItem(at: archive(url).appendingPathComponent("ballast"))
    try Data(lines.joined(separator: "\n").utf8).write(to: file(folder))
  }

  func run() throws {
    let clock = SetClock()
    acks.tell("clock begins")
    acks.tell(clock.set(by: 20 * Self.day))
    for maximumBytes in [nil, 2 << 20, 1] as [Int64?] {
      acks.tell(clock.set(by: 7_200))
      // Every moment before this line may be merged or removed.
      acks.tell("retains")
      var options = options
      options.retains(maximumBytes)
      options.now = { clock.now }
      try session(options, clock)
    }
  }

  private func session(_ options: StoreOptions, _ clock: SetClock) throws {
    let store = try Store.open(at: url, schemas: [Library.old], options: options)
    acks.tell("opened")
    acks.tell("commit \(try Self.commit(store, seed: seed))")
    Self.waitForRetention(url, milliseconds: 400)
    acks.tell("retained")
    try Self.churn(store)
    // The next base is made at the last commit, and a label there goes with the part before the base.
    for labels in [true, false] {
      acks.tell("commit \(try Self.commit(store, seed: seed))")
      // Says nothing while the archive cannot be written.
      if let moment = try ToldMoment.newest(of: store, clock, labels: labels) { acks.tell(moment.line) }
    }
    let made = try store.snapshot(label: "housekeeping")
    if made.findings.isEmpty { acks.tell("kept \(made.id) \(made.rows["batches"] ?? -1)") }
    let surplus = try Snapshot.surplus(of: url, keeping: SnapshotPolicy(keepLast: 2), includesByHand: true)
    try Snapshot.remove(surplus, of: url)
    acks.tell("rotated")
    let drill = try store.drill(snapshot: made.id)
    if let finding = drill.report.findings.first {
      throw StoreError(.verificationFailed, "the drill of \(made.id) found: \(finding.message)")
    }
    acks.tell("drilled \(made.id)")
    try store.close()
    acks.tell("closed")
  }

  /// The next opening of the app, later than everything: one commit, and retention.
  static func again(_ url: URL, _ options: StoreOptions, seed: UInt64) throws {
    var options = options
    options.retains(nil)
    options.now = { Date(timeIntervalSince1970: 2_100_000_100) }
    // Fails where there is no archive.
    try? trust(2_100_000_100, url)
    let store = try Store.open(at: url, schemas: [Library.old], options: options)
    _ = try commit(store, seed: seed)
    waitForRetention(url, milliseconds: 3_000)
    try store.close()
  }

  /// Returns the number of the batch.
  private static func commit(_ store: Store, seed: UInt64) throws -> Int {
    let number = try store.read { try $0.count("SELECT count(*) FROM batches") } + 1
    try store.write { try Library.save(Batch(number: number, seed: seed), in: $0) }
    return number
  }

  /// Makes the archive long and leaves the store as it was: a base follows no fewer bytes of segments than half of the base before it.
  private static func churn(_ store: Store) throws {
    let number = try store.read { try $0.count("SELECT count(*) FROM batches") } + 1
    var random = Chance(UInt64(number) &+ 17)
    let lines = (0..<400).map { _ in random.words(14) }
    for _ in 0..<2 {
      try store.write { try Library.save(Batch(number: number, lines: lines), in: $0) }
      try store.write { _ = try $0.execute("DELETE FROM batches WHERE number = \(number)") }
    }
  }

  /// As after some days of use: else retention trusts no clock that has jumped by more than a day.
  private static func trust(_ seconds: Int64, _ url: URL) throws {
    try Data(#"{"passed":0,"time":\#(seconds)000000}"#.utf8).write(to: archive(url).appendingPathComponent("clock"))
  }

  private static func archive(_ url: URL) -> URL { URL(fileURLWithPath: url.path + ".holdfast/archive") }

  /// Waits until the archive's files have changed and come to rest. Retention runs soon after opening, once in each, and ends at once
  /// when the store waits for its archive: so no call may do that meanwhile. Where nothing changes, it has nothing to do, or fails.
  private static func waitForRetention(_ url: URL, milliseconds: Int) {
    func names() -> [String] { ((try? FileManager.default.subpathsOfDirectory(atPath: archive(url).path)) ?? []).sorted() }
    let first = names()
    var (last, rests) = (first, 0)
    for _ in 0..<milliseconds / 5 where rests < 6 {
      usleep(5_000)
      let now = names()
      rests = now == last && now != first && !now.contains { $0.contains(".holdfast-") } ? rests + 1 : 0
      last = now
    }
  }
}

extension StoreOptions {
  /// Retention has much to do; each opening takes a snapshot, and the one before it goes.
  fileprivate mutating func retains(_ maximumBytes: Int64?) {
    archive.mode = .begins
    (archive.keepsEachCommit, archive.keepsOnePerMinute) = (.seconds(3_600), .seconds(86_400))
    (archive.keepsOnePerHour, archive.keepsOnePerDay) = (.seconds(8 * 86_400), .seconds(10 * 86_400))
    archive.maximumBytes = maximumBytes
    snapshots.onOpen = .zero
    snapshots.policy = SnapshotPolicy(keepLast: 1)
  }
}

/// What was under way in a folder when its process or its power ended.
enum Interrupted {
  /// The words in the names of unfinished folders, such as `merging` and `drilling`; `removing` where retention gave up a base.
  static func works(_ paths: some Sequence<String>) -> Set<String> {
    var works: Set<String> = []
    var givesUp = false
    for path in paths {
      for name in path.split(separator: "/") where name.hasPrefix(".holdfast-") {
        works.insert(String(name.dropFirst(10).prefix { $0 != "-" }))
      }
      givesUp = givesUp || path.hasSuffix(".removed")
    }
    // The base that is being made has such a mark, too.
    if givesUp, !works.contains("building") { works.insert("removing") }
    return works
  }
}
