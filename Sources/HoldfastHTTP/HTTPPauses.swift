import Foundation

/// How long to wait before a request is tried again: each failure in a row doubles the pause, up to the longest one.
public struct HTTPPauses: Sendable {
  /// One day: the longest pause, whatever a server asks for.
  public static let greatestSeconds = 86_400.0

  /// Seconds until the second attempt. 0 and less: none. Default 5, also for NaN.
  public var firstSeconds: Double
  /// The longest pause that this device chooses, in seconds; a server may ask for a longer one. 0 and less: no pause. Default one hour,
  /// also for NaN.
  public var longestSeconds: Double
  /// A factor for each pause, so that devices do not return at the same time; default a random number from 0.5 to 1. Less than 0 counts as
  /// 0; NaN and infinity count as 1.
  public var jitter: @Sendable () -> Double

  /// Pauses of these lengths.
  public init(
    firstSeconds: Double = 5, longestSeconds: Double = 3_600, jitter: @escaping @Sendable () -> Double = { Double.random(in: 0.5...1) }
  ) {
    (self.firstSeconds, self.longestSeconds, self.jitter) = (firstSeconds, longestSeconds, jitter)
  }

  /// The seconds of the pause after this many failures in a row, from 1.
  ///
  /// - Parameters:
  ///   - least: a shorter pause is made this long.
  ///   - retryAfterSeconds: what the server asked for. It replaces the usual pause, except where it is nil, 0 or in the past.
  public func seconds(afterFailures failures: Int, least: Double = 0, retryAfterSeconds: Double? = nil) -> Double {
    if let asked = retryAfterSeconds, asked > 0 { return min(asked, Self.greatestSeconds) }
    let first = firstSeconds.isNaN ? 5 : max(0, firstSeconds)
    let longest = longestSeconds.isNaN ? 3_600 : max(0, longestSeconds)
    let jitter = jitter()
    let pause = min(longest, first * pow(2, Double(min(failures, 30) - 1))) * (jitter.isFinite ? max(0, jitter) : 1)
    return min(max(pause, least), Self.greatestSeconds)
  }
}
