internal import Synchronization

/// How many requests a token may send: a bucket with `burst` requests for each token, which fills by `perSecond`.
package final class RateLimit: Sendable {
  private struct Bucket {
    var left: Double
    var filledAt: ContinuousClock.Instant
  }

  private let perSecond: Double
  private let burst: Double
  private let buckets = Mutex<[String: Bucket]>([:])

  package init(perSecond: Double, burst: Double) { (self.perSecond, self.burst) = (perSecond, burst) }

  /// Takes one request out of the token's bucket; false when it is empty.
  package func allows(_ token: String, at now: ContinuousClock.Instant) -> Bool {
    buckets.withLock { buckets in
      // A full bucket is like none. Tokens that nobody has made must not fill the memory.
      if buckets.count >= 10_000 { buckets = buckets.filter { filled($0.value, now) < burst } }
      let left = buckets[token].map { filled($0, now) } ?? burst
      guard left >= 1 else { return false }
      buckets[token] = Bucket(left: left - 1, filledAt: now)
      return true
    }
  }

  private func filled(_ bucket: Bucket, _ now: ContinuousClock.Instant) -> Double {
    min(burst, bucket.left + (now - bucket.filledAt) / .seconds(1) * perSecond)
  }
}
