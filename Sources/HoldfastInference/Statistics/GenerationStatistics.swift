public import Foundation
public import Holdfast

/// Statistics of generations: of all, or of one model, target or day.
///
/// Only generations with `performance` count.
public struct GenerationStatistics: Sendable, Hashable, Codable {
  /// How generations are grouped.
  public struct Grouping: OptionSet, Sendable, Hashable {
    /// As an option set.
    public let rawValue: Int

    /// As an option set.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// By the model that made them.
    public static let model = Grouping(rawValue: 1)
    /// By the target where they ran.
    public static let target = Grouping(rawValue: 2)
    /// By the day on which they began.
    public static let day = Grouping(rawValue: 4)
  }

  /// The model; nil when not grouped by model.
  public var modelID: String?
  /// The target; nil when not grouped by target.
  public var target: ExecutionTarget?
  /// The day as `2026-11-21`, in the requested time zone; nil when not grouped by day.
  public var day: String?
  /// How many generations; at least 1.
  public var generationCount = 0
  /// How many of them ended with an error.
  public var errorCount = 0
  /// Tokens of all prompts.
  public var promptTokens: Int64 = 0
  /// Tokens of all answers.
  public var completionTokens: Int64 = 0
  /// The cost of all, in the currency of the bill.
  public var totalCost = 0.0
  /// The mean latency.
  public var meanLatencyMilliseconds = 0.0
  /// The median by nearest rank: the smallest latency that at least half of the generations do not exceed.
  public var p50LatencyMilliseconds = 0.0
  /// The smallest latency that at least 95 of 100 do not exceed, by nearest rank.
  public var p95LatencyMilliseconds = 0.0
  /// The smallest latency that at least 99 of 100 do not exceed, by nearest rank.
  public var p99LatencyMilliseconds = 0.0
  /// The mean over generations with a value; nil without any.
  public var meanTimeToFirstTokenMilliseconds: Double?
  /// The mean over generations with a value; nil without any.
  public var meanTokensPerSecond: Double?

  /// Statistics with all numbers zero.
  public init(modelID: String? = nil, target: ExecutionTarget? = nil, day: String? = nil) {
    self.modelID = modelID
    self.target = target
    self.day = day
  }
}

extension InferenceStore {
  /// Statistics of generations, grouped by model, target and day as requested; ordered by model, then target, then day.
  ///
  /// Percentiles are by nearest rank: each is the latency of one generation, never a value between two. Groups without
  /// generations are left out; without any generation the result is empty.
  /// - Parameters:
  ///   - grouping: how to group; empty for one group of all.
  ///   - period: when the generations began, without its end; nil for all.
  ///   - timeZone: the time zone of the days. Default UTC.
  /// - Throws: `.decoding`.
  public func statistics(
    by grouping: GenerationStatistics.Grouping = .model, during period: Range<Date>? = nil, timeZone: TimeZone = .gmt
  ) async throws -> [GenerationStatistics] {
    try await store.read { try Self.statistics(by: grouping, during: period, timeZone: timeZone, in: $0) }
  }

  /// The statistics now, and after each change of a generation.
  public func statisticsUpdates(
    by grouping: GenerationStatistics.Grouping = .model, during period: Range<Date>? = nil, timeZone: TimeZone = .gmt
  ) -> Updates<[GenerationStatistics]> {
    store.updates { try Self.statistics(by: grouping, during: period, timeZone: timeZone, in: $0) }
  }

  /// Computes statistics of generations inside your transaction; as `statistics(by:during:timeZone:)`.
  public static func statistics(
    by grouping: GenerationStatistics.Grouping = .model, during period: Range<Date>? = nil, timeZone: TimeZone = .gmt, in reader: Reader
  ) throws -> [GenerationStatistics] {
    var groups = StatisticGroups(grouping, Days(timeZone))
    // In the covering index, the generations of a model and target stand together, in the order of time.
    func read(_ condition: BoundSQL) throws {
      let beginning: BoundSQL = grouping.contains(.day) ? "created_at, " : ""
      try reader.rows(
        """
        SELECT model_id, execution_target, \(sql: beginning)latency_ms, prompt_tokens, completion_tokens, time_to_first_token_ms,
          tokens_per_second, cost, error_code IS NOT NULL
        FROM generations WHERE \(sql: condition) ORDER BY model_id, execution_target, created_at
        """, of: Generation.table
      ) { try groups.read(&$0) }
    }
    guard let period else {
      try read("model_id IS NOT NULL")
      return groups.finished()
    }
    let begun = BoundSQL.time("created_at", in: period)
    var pair = try nextPair(after: nil, in: reader)
    while let (modelID, target) = pair {
      try read("model_id = \(modelID) AND execution_target = \(target) AND \(sql: begun)")
      pair = try nextPair(after: (modelID, target), in: reader)
    }
    return groups.finished()
  }

  /// The next model and target in the index. Does not read the generations between.
  private static func nextPair(after pair: (String, String)?, in reader: Reader) throws -> (String, String)? {
    let rest: BoundSQL = pair.map { "AND (model_id, execution_target) > (\($0.0), \($0.1))" } ?? ""
    return try reader.value(
      """
      SELECT model_id, execution_target FROM generations WHERE model_id IS NOT NULL \(sql: rest)
      ORDER BY model_id, execution_target LIMIT 1
      """
    ) { row in (try row.text(), try row.text()) }
  }
}
