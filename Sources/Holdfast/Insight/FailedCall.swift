public import Foundation

/// A call of `read` or `write` that threw an error; see `StoreMetrics.lastErrors` and
/// `KeptMetrics.lastErrors`. Has no message, because a message may have values.
public struct FailedCall: Sendable, Equatable, Codable {
  /// When it threw, by the store's clock, to the millisecond.
  public var time: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
  /// The name of the call, as in `StoreMetrics.verbs`, also where that counts it as `other`.
  public var verb: String
  /// The raw value of the error's code; `app` for an error that is no `StoreError`.
  public var code: String

  /// Since 1970.
  fileprivate var milliseconds: Int64

  init(time: Date, verb: String, code: String) {
    milliseconds = DateCodec.milliseconds(time) ?? 0
    self.verb = verb
    self.code = code
  }
}

extension [FailedCall] {
  /// The last `most` of these and `others`, by their times, the newest last.
  func merged(with others: [FailedCall], most: Int) -> [FailedCall] {
    [FailedCall]((self + others).sorted { $0.milliseconds < $1.milliseconds }.suffix(most))
  }
}
