import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Histogram")
struct HistogramTests {
  private static func with(_ times: [UInt64]) -> Histogram { times.reduce(into: Histogram()) { $0.add($1) } }
  private static func figures(_ times: [UInt64]) -> [UInt64] {
    let histogram = Self.with(times)
    return [histogram.percentile(50), histogram.percentile(95), histogram.percentile(99), histogram.longest, histogram.total]
  }

  @Test("percentiles of known times are the ends of their buckets, and never longer than the longest time")
  func table() {
    #expect(Self.figures([]) == [0, 0, 0, 0, 0])
    #expect(Self.figures([0]) == [0, 0, 0, 0, 0])
    #expect(Self.figures([1, 100, 120]) == [120, 120, 120, 120, 221])
    // 128 to 143 is one bucket, 144 to 159 the next.
    #expect(Self.figures([128, 143, 144, 200]) == [143, 200, 200, 200, 615])
    // 98 of 100 are in the bucket from 960 to 1,023.
    #expect(Self.figures(Array(repeating: 1_000, count: 98) + [5_000, 9_000]) == [1_023, 1_023, 5_119, 9_000, 112_000])
    #expect(Self.with([1, 100, 120]).count == 3)
  }

  @Test("a percentile is at most an eighth longer than the exact one, and never shorter")
  func exactness() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      // From a nanosecond to an hour, every size as often.
      let times = (0..<Int.random(in: 1...300, using: &random)).map { _ -> UInt64 in
        let longest = (1 as UInt64) << UInt64.random(in: 1...41, using: &random)
        return UInt64.random(in: 1...longest, using: &random)
      }
      let (histogram, sorted) = (Self.with(times), times.sorted())
      for percent in [50, 95, 99] as [UInt64] {
        let exact = sorted[(sorted.count * Int(percent) + 99) / 100 - 1]
        let told = histogram.percentile(percent)
        #expect(told >= exact && told <= max(127, exact + exact / 8), "seed \(seed)")
      }
    }
  }

  @Test("no time and no number of times makes it trap", arguments: [1 << 41, 1 << 42, 1 << 63, UInt64.max - 1, .max] as [UInt64])
  func extremes(_ time: UInt64) {
    let histogram = Self.with([time, time, 0])
    #expect(histogram.percentile(0) <= 127)
    #expect(histogram.percentile(50) == time && histogram.percentile(.max) == time && histogram.longest == time)
    let (sum, isTooLarge) = time.addingReportingOverflow(time)
    #expect(histogram.total == (isTooLarge ? .max : sum))
    for power in 0..<64 as Range<UInt64> {
      for near in [(1 << power) - 1, 1 << power, (1 << power) + 1] as [UInt64] { #expect(Self.with([near]).percentile(99) == near) }
    }
  }

  @Test("histograms add up to the one of all times, encoded or not, and one tells what was added since an earlier value")
  func sums() throws {
    let (one, other) = (Self.with([100, 200, 5_000]), Self.with([0, 200, 1 << 50]))
    var sum = try JSONDecoder().decode(Histogram.self, from: JSONEncoder().encode(one))
    #expect(sum == one && one.since(Histogram()) == one && one.since(one).count == 0)
    sum.add(other)
    let all = Self.with([100, 200, 5_000, 0, 200, 1 << 50])
    #expect(sum == all && Histogram().since(Histogram()) == Histogram())
    let new = all.since(one)
    #expect([new.percentile(50), new.longest, new.total] == [207, 1 << 50, 200 + (1 << 50)] && new.count == 3)
    #expect(Self.with([5_000, 100]).since(Self.with([5_000])).longest == 127, "not the longest one of before")
  }

  @Test("stored counts that no histogram has are left out, and none makes it trap")
  func damaged() throws {
    let text = #"{"buckets":{"-1":5,"3":4294967295,"281":1,"9999":1},"longest":18446744073709551615,"total":18446744073709551615}"#
    var histogram = try JSONDecoder().decode(Histogram.self, from: Data(text.utf8))
    #expect(histogram.count == 4_294_967_295)
    histogram.add(histogram)
    #expect(histogram.total == .max && histogram.percentile(99) > 128)
  }
}
