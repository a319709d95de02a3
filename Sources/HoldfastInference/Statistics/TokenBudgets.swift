public import Foundation
public import Holdfast

extension InferenceStore {
  /// How many tokens the next request may use by the token budget of a configuration: the least of its limits for a request, for this day
  /// and for this month, without the tokens of prompts and answers that were recorded. Never below 0. Nil without a budget or limits.
  ///
  /// Days and months are UTC, as in `usage(of:after:limit:)`. Generations of all models and sessions count, also deleted ones, if they
  /// have a `performance`. The store only counts: with `isEnforcedStrictly` the app refuses a request that needs more.
  /// - Parameter configurationID: the configuration with the budget.
  /// - Throws: `.decoding` for a configuration that cannot be read.
  public func tokensLeft(by configurationID: String = InferenceConfiguration.defaultID) async throws -> Int? {
    try await store.read { try Self.tokensLeft(by: configurationID, at: store.options.now(), in: $0) }
  }

  /// Computes the tokens that are left inside your transaction; as `tokensLeft(by:)`.
  ///
  /// - Parameter date: the present time.
  public static func tokensLeft(
    by configurationID: String = InferenceConfiguration.defaultID, at date: Date, in reader: Reader
  ) throws -> Int? {
    let row = try reader.first(ConfigurationRow.self, "WHERE id = \(configurationID)")
    guard let budget = row?.configuration.generation.tokenBudget else { return nil }
    let today = UTCDay.name(of: date)
    func left(of limit: Int?, since first: String) throws -> Int? {
      guard let limit else { return nil }
      let used = try reader.values("SELECT total_tokens FROM model_usage_stats WHERE day >= \(first) AND day <= \(today)") {
        try $0.int64()
      }
      return Int(clamping: Int64(limit).adding(-max(0, used.reduce(0) { $0.adding($1) })))
    }
    let limits = try [
      budget.maxTokensPerRequest, left(of: budget.maxTokensPerDay, since: today),
      left(of: budget.maxTokensPerMonth, since: "\(today.prefix(8))01"),
    ]
    return limits.compactMap(\.self).min().map { max(0, $0) }
  }
}
