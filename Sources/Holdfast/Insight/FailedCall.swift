public import Foundation

/// A call of `read` or `write` that threw an error; see `StoreMetrics.lastErrors`. Has no message, because a message may have values.
public struct FailedCall: Sendable, Equatable, Codable {
  /// When it threw, by the store's clock, to the millisecond.
  public var time: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
  /// The name of the call, as in `StoreMetrics.verbs`, also where that counts it as `other`.
  public var verb: String
  /// The raw value of the error's code; `app` for an error that is no `StoreError`.
  public var code: String

  /// Since 1970.
  private var milliseconds: Int64

  init(time: Date, verb: String, code: String) {
    milliseconds = DateCodec.milliseconds(time) ?? 0
    self.verb = verb
    self.code = code
  }
}
