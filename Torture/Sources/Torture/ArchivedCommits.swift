import Foundation
import Holdfast
import Synchronization

/// The workload `archive`: commits of an archived store, with what lies between them. Now and then it tells a moment: the number of the last
/// commit, its time, and what the store holds.
struct ArchivedCommits {
  var url: URL
  var options: StoreOptions
  var seed: UInt64
  var acks: Acks

  func run() throws {
    var random = Chance(seed &+ 5)
    let clock = SetClock()
    var options = options
    options.now = { clock.now }
    // Earlier runs in this folder went on with a clock of their own.
    acks.tell("clock begins")
    var store = try Store.open(at: url, schemas: [Library.old], options: options)
    acks.tell("opened")
    var told: [(commit: Int64, batches: Int)] = []
    for _ in 1...Workload.committed {
      // A run that was killed left some.
      let number = try store.read { try $0.count("SELECT count(*) FROM batches") } + 1
      try store.write { try Library.save(Batch(number: number, seed: seed), in: $0) }
      acks.tell("commit \(number)")
      if random.percent(35), let moment = try tellMoment(store, clock, labels: random.percent(30)) { told.append((moment.commit, number)) }
      switch random.below(16) {
      // Busy while the archive cannot be written.
      case 0: _ = try? store.checkpoint(.passive)
      case 1: _ = try? store.checkpoint(.restart)
      case 2: _ = try? store.checkpoint(.truncate)
      case 3, 4:
        try store.close()
        acks.tell("closed")
        store = try Store.open(at: url, schemas: [Library.old], options: options)
        acks.tell("opened")
      case 5: acks.tell(clock.set(by: [3_600, -3_600, 31_536_000, -31_536_000][random.below(4)]))
      case 6:
        guard let earlier = told.randomElement(using: &random) else { break }
        acks.tell("rewinding \(earlier.batches)")
        // Fails while the archive cannot be written.
        if (try? store.rewind(to: .commit(earlier.commit))) != nil { acks.tell("rewound \(earlier.batches)") }
      default: break
      }
    }
    try store.close()
    acks.tell("closed")
  }

  /// Says nothing while the archive is not written.
  @discardableResult
  func tellMoment(_ store: Store, _ clock: SetClock, labels: Bool) throws -> ToldMoment? {
    guard let moment = try ToldMoment.newest(of: store, clock, labels: labels) else { return nil }
    acks.tell(moment.line)
    return moment
  }
}

/// What a store held when its last commit had a number.
struct ToldMoment: Codable, Sendable {
  var commit: Int64
  /// The checksum of all lines.
  var content: Int64
  /// The time that the archive gives to the commit.
  var time: Double
  /// A time by the clock after the commit and before the next; nil while the clock stands before an earlier time.
  var wall: Double?
  var label: String?
  /// Whether retention may have merged or removed the commit since it was told.
  var mayGo = false

  private static let word = "moment "

  /// Nil while the archive is not written.
  static func newest(of store: Store, _ clock: SetClock, labels: Bool) throws -> ToldMoment? {
    guard (try? store.archive()) != nil, let status = try store.archiveStatus(), status.isWriting, status.problem == nil,
      status.waitingCommits == 0,
      let newest = status.newest
    else { return nil }
    var moment = ToldMoment(
      commit: status.newestCommit, content: try store.read { try Library.content(in: $0) }, time: newest.timeIntervalSinceReferenceDate)
    if labels, (try? store.label("at \(moment.commit)")) != nil { moment.label = "at \(moment.commit)" }
    let now = clock.now
    if now > newest { moment.wall = now.timeIntervalSinceReferenceDate }
    if Sabotage.current == .misremembers { moment.commit -= 1 }
    return moment
  }

  var line: String { Self.word + (((try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) }) ?? "") }

  /// The moments among the lines of a run. When the clock was set back later, a time by the clock means nothing any more.
  static func all(in lines: [String]) -> [ToldMoment] {
    var moments: [ToldMoment] = []
    for line in lines {
      if line == "clock begins" || line == "clock back" { for index in moments.indices { moments[index].wall = nil } }
      if line == "retains" { for index in moments.indices { moments[index].mayGo = true } }
      guard line.hasPrefix(word) else { continue }
      if let moment = try? JSONDecoder().decode(ToldMoment.self, from: Data(line.dropFirst(word.count).utf8)) { moments.append(moment) }
    }
    return moments
  }
}

/// A clock that goes on by a millisecond at each look, and can be set.
final class SetClock: Sendable {
  private let milliseconds = Mutex<Int64>(1_800_000_000_000)

  var now: Date {
    let now = milliseconds.withLock { now -> Int64 in
      now += 1
      return now
    }
    return Date(timeIntervalSince1970: Double(now) / 1000)
  }

  /// Returns the line that tells it.
  func set(by seconds: Int64) -> String {
    milliseconds.withLock { $0 += seconds * 1000 }
    return seconds < 0 ? "clock back" : "clock forward"
  }
}

extension StoreOptions {
  /// The store keeps an archive, and the archive keeps everything however far the clock is set.
  mutating func archives() {
    archive.mode = .begins
    let century = Duration.seconds(3_200_000_000)
    (archive.keepsEachCommit, archive.keepsOnePerMinute) = (century, century)
    (archive.keepsOnePerHour, archive.keepsOnePerDay) = (century, century)
  }
}
