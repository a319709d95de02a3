import Foundation

/// The time by which retention measures ages: a clock that is wrong for some hours removes nothing.
///
/// A clock that is at most a day after the last trusted time is trusted, and so is one that was set back: by it nothing is older. A clock that is
/// further ahead is wrong, or the store was not used for longer. It is trusted when it has gone on for three days. A step from one reading to
/// the next counts at most one day of these, so one more wrong reading is not enough.
struct TrustedTime: Codable, Equatable {
  static let day: Int64 = 86_400_000_000

  /// In microseconds.
  private(set) var time: Int64
  /// The latest reading of a clock that is not trusted yet.
  private(set) var ahead: Int64?
  /// For how many microseconds that clock has gone on.
  private var passed: Int64 = 0

  init(_ time: Int64) { self.time = time }

  /// Nil where there is no such file, or it is damaged.
  init?(_ file: URL) {
    // Read without SQLite: the JSON of an archive's clock.
    guard let content = try? DurableFile.content(of: file) else { return nil }
    self.init(content)
  }

  init?(_ content: Data) {
    guard let read = try? JSONDecoder().decode(Self.self, from: content),
      [read.time, read.ahead ?? 0, read.passed].allSatisfy({ $0.magnitude < 1 << 60 }), read.passed >= 0
    else { return nil }
    self = read
  }

  mutating func read(_ clock: Int64) {
    if clock <= time + Self.day {
      self = TrustedTime(clock)
    } else if let ahead, clock > ahead - Self.day {
      (passed, self.ahead) = (passed + min(max(clock - ahead, 0), Self.day), max(ahead, clock))
      if passed >= 3 * Self.day { self = TrustedTime(clock) }
    } else {
      (ahead, passed) = (clock, 0)
    }
  }

  /// Whether the last reading was within `time` of `other`'s, and was trusted as that was.
  func isLike(_ other: TrustedTime, within time: Int64 = day / 24) -> Bool {
    (ahead == nil) == (other.ahead == nil) && ((ahead ?? self.time) - (other.ahead ?? other.time)).magnitude < time.magnitude
  }
}
