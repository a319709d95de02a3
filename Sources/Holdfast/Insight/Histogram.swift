/// Counts times in buckets, so that percentiles need a fixed amount of memory: about 1 KB after the first time, nothing before.
///
/// Each power of two from 128 ns to 2^42 ns (73 minutes) has 8 buckets, so a bucket is at most an eighth wider than its smallest time. One
/// bucket holds all shorter times; the last one holds all longer times, too. Counts and sums end at their types' largest values.
struct Histogram: Sendable, Equatable {
  /// 2^7 = 128.
  private static let firstPower = 7
  private static let endPower = 42
  private static let bucketCount = 1 + (endPower - firstPower) * 8

  private var counts: [UInt32] = []
  private(set) var total: UInt64 = 0
  private(set) var longest: UInt64 = 0

  /// How many times were added.
  var count: Int { counts.reduce(0) { $0 + Int($1) } }

  mutating func add(_ nanoseconds: UInt64) {
    if counts.isEmpty { counts = Array(repeating: 0, count: Self.bucketCount) }
    let bucket = Self.bucket(of: nanoseconds)
    counts[bucket] = counts[bucket].addingClamped(1)
    total = total.addingClamped(nanoseconds)
    longest = max(longest, nanoseconds)
  }

  /// The time that `percent` of all times do not exceed: the longest time of its bucket, at most an eighth too long, and never longer than
  /// the longest time that was added. 0 without times.
  func percentile(_ percent: UInt64) -> UInt64 {
    let all = UInt64(count)
    // Rounded up: half of three times are two.
    let rank = (all * min(percent, 100) + 99) / 100
    var seen: UInt64 = 0
    for (bucket, count) in counts.enumerated() {
      seen += UInt64(count)
      if seen >= rank, count > 0 { return min(Self.longest(in: bucket), longest) }
    }
    return longest
  }

  /// The buckets that have times, the shortest first.
  var filledBuckets: [(longest: UInt64, count: UInt32)] {
    counts.enumerated().filter { $0.element > 0 }.map { (Self.longest(in: $0.offset), $0.element) }
  }

  private static func bucket(of nanoseconds: UInt64) -> Int {
    let power = 63 - nanoseconds.leadingZeroBitCount
    guard power >= firstPower else { return 0 }
    guard power < endPower else { return bucketCount - 1 }
    // The three bits behind the first one.
    let eighth = Int(truncatingIfNeeded: nanoseconds >> UInt64(power - 3)) & 7
    return 1 + (power - firstPower) * 8 + eighth
  }

  private static func longest(in bucket: Int) -> UInt64 {
    guard bucket > 0 else { return (1 << UInt64(firstPower)) - 1 }
    guard bucket < bucketCount - 1 else { return .max }
    let power = firstPower + (bucket - 1) / 8
    let eighth = (bucket - 1) % 8
    return (UInt64(9 + eighth) << UInt64(power - 3)) - 1
  }
}

// Encoded, a histogram is short: a bucket without a time is left out.
extension Histogram: Codable {
  private enum CodingKeys: String, CodingKey { case buckets, total, longest }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    total = try members.decode(UInt64.self, forKey: .total)
    longest = try members.decode(UInt64.self, forKey: .longest)
    for (bucket, times) in try members.decode([Int: UInt32].self, forKey: .buckets) where 0..<Self.bucketCount ~= bucket && times > 0 {
      if counts.isEmpty { counts = Array(repeating: 0, count: Self.bucketCount) }
      counts[bucket] = times
    }
  }

  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    let filled = counts.enumerated().filter { $0.element > 0 }.map { ($0.offset, $0.element) }
    try members.encode(Dictionary(uniqueKeysWithValues: filled), forKey: .buckets)
    try members.encode(total, forKey: .total)
    try members.encode(longest, forKey: .longest)
  }

  /// Adds the times of `other`.
  mutating func add(_ other: Histogram) {
    if counts.isEmpty { counts = Array(repeating: 0, count: Self.bucketCount) }
    for (bucket, times) in other.counts.enumerated() { counts[bucket] = counts[bucket].addingClamped(times) }
    total = total.addingClamped(other.total)
    longest = max(longest, other.longest)
  }

  /// The times that were added after `earlier`, an earlier value of this histogram. The longest one is exact, or the end of its bucket.
  func since(_ earlier: Histogram) -> Histogram {
    guard !earlier.counts.isEmpty else { return self }
    var new = self
    for (bucket, times) in earlier.counts.enumerated() where bucket < counts.count {
      new.counts[bucket] = counts[bucket] - min(counts[bucket], times)
    }
    new.total = total - min(total, earlier.total)
    new.longest = min(longest, new.counts.lastIndex { $0 > 0 }.map { Self.longest(in: $0) } ?? 0)
    return new
  }
}

extension FixedWidthInteger {
  /// The sum with a number that is not negative, at most the type's largest value.
  @inline(__always)
  func addingClamped(_ other: Self) -> Self {
    let (sum, isTooLarge) = addingReportingOverflow(other)
    return isTooLarge ? .max : sum
  }
}
