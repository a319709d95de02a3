public import Foundation
public import Holdfast

/// What generations took, in numbers: of all, or of those of one model, target or day.
///
/// Only generations with `performance` count.
public struct GenerationStatistics: Sendable, Hashable, Codable {
  /// What generations are told apart by.
  public struct Grouping: OptionSet, Sendable, Hashable {
    /// As an option set.
    public let rawValue: Int

    /// As an option set.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// What made them.
    public static let model = Grouping(rawValue: 1)
    /// Where they ran.
    public static let target = Grouping(rawValue: 2)
    /// When they began.
    public static let day = Grouping(rawValue: 4)
  }

  /// Nil when they are not told apart by model.
  public var modelID: String?
  /// Nil when they are not told apart by target.
  public var target: ExecutionTarget?
  /// As `2026-11-21`, in the time zone that was asked for; nil when they are not told apart by day.
  public var day: String?
  /// At least 1.
  public var generationCount = 0
  /// How many of them ended with an error.
  public var errorCount = 0
  /// Of all prompts.
  public var promptTokens: Int64 = 0
  /// Of all answers.
  public var completionTokens: Int64 = 0
  /// In the currency of the bill.
  public var totalCost = 0.0
  /// The mean.
  public var meanLatencyMilliseconds = 0.0
  /// The median by nearest rank: the smallest latency that half of them do not surpass.
  public var p50LatencyMilliseconds = 0.0
  /// What 95 of 100 do not surpass, by nearest rank.
  public var p95LatencyMilliseconds = 0.0
  /// What 99 of 100 do not surpass, by nearest rank.
  public var p99LatencyMilliseconds = 0.0
  /// Of those that have one; nil when none has.
  public var meanTimeToFirstTokenMilliseconds: Double?
  /// Of those that have one; nil when none has.
  public var meanTokensPerSecond: Double?

  /// Zeros.
  public init(modelID: String? = nil, target: ExecutionTarget? = nil, day: String? = nil) {
    self.modelID = modelID
    self.target = target
    self.day = day
  }
}

extension InferenceStore {
  /// What generations took, by model, target and day as you like; by model, then target, then day in order.
  ///
  /// Percentiles are by nearest rank: each is the latency of a generation, and none is between two of them. Groups without
  /// generations are left out; without any generation there is none.
  /// - Parameters:
  ///   - grouping: what to tell apart; nothing makes one group of all.
  ///   - period: of their beginnings, its end not included; nil is all.
  ///   - timeZone: whose days count. Default UTC.
  /// - Throws: `.decoding`.
  public func statistics(
    by grouping: GenerationStatistics.Grouping = .model, during period: Range<Date>? = nil, timeZone: TimeZone = .gmt
  ) throws -> [GenerationStatistics] {
    try store.read { try Self.statistics(by: grouping, during: period, timeZone: timeZone, in: $0) }
  }
  public func statistics(
    by grouping: GenerationStatistics.Grouping = .model, during period: Range<Date>? = nil, timeZone: TimeZone = .gmt
  ) async throws -> [GenerationStatistics] {
    try await store.read { try Self.statistics(by: grouping, during: period, timeZone: timeZone, in: $0) }
  }

  /// What generations took, now and after each change of one.
  public func statisticsUpdates(
    by grouping: GenerationStatistics.Grouping = .model, during period: Range<Date>? = nil, timeZone: TimeZone = .gmt
  ) -> Updates<[GenerationStatistics]> {
    store.updates(of: [Generation.table]) { try Self.statistics(by: grouping, during: period, timeZone: timeZone, in: $0) }
  }

  public static func statistics(
    by grouping: GenerationStatistics.Grouping = .model, during period: Range<Date>? = nil, timeZone: TimeZone = .gmt, in reader: Reader
  ) throws -> [GenerationStatistics] {
    var groups = StatisticGroups(grouping, Days(timeZone))
    // The covering index has a model's and target's generations together, in the order of time.
    func read(_ condition: BoundSQL) throws {
      let beginning: BoundSQL = grouping.contains(.day) ? "created_at, " : ""
      try reader.rows(
        """
        SELECT model_id, execution_target, \(sql: beginning)latency_ms, prompt_tokens, completion_tokens, time_to_first_token_ms,
          tokens_per_second, cost, error_code
        FROM generations WHERE \(sql: condition) ORDER BY model_id, execution_target, created_at
        """, of: Generation.table
      ) { try groups.read(&$0) }
    }
    guard let period else {
      try read("model_id IS NOT NULL")
      return groups.finished()
    }
    let begun = begun(during: period)
    var pair = try nextPair(after: nil, in: reader)
    while let (modelID, target) = pair {
      try read("model_id = \(modelID) AND execution_target = \(target) AND \(sql: begun)")
      pair = try nextPair(after: (modelID, target), in: reader)
    }
    return groups.finished()
  }

  /// The next model and target in the index, without a look at the generations between.
  private static func nextPair(after pair: (String, String)?, in reader: Reader) throws -> (String, String)? {
    let rest: BoundSQL = pair.map { "AND (model_id, execution_target) > (\($0.0), \($0.1))" } ?? ""
    return try reader.value(
      """
      SELECT model_id, execution_target FROM generations WHERE model_id IS NOT NULL \(sql: rest)
      ORDER BY model_id, execution_target LIMIT 1
      """
    ) { row in (try row.text(), try row.text()) }
  }

  /// The bounds may lie outside what can be stored.
  private static func begun(during period: Range<Date>) -> BoundSQL {
    func milliseconds(_ date: Date) -> Int64 {
      DateCodec.milliseconds(date) ?? (date.timeIntervalSince1970 < 0 ? DateCodec.range.lowerBound : DateCodec.range.upperBound + 1)
    }
    return "created_at >= \(milliseconds(period.lowerBound)) AND created_at < \(milliseconds(period.upperBound))"
  }
}
