import Foundation
public import Holdfast

/// The usage of one model on one day.
public struct ModelUsage: StoredRecord, Codable, Hashable {
  /// The table of these rows.
  public static let table = "model_usage_stats"
  /// The columns that identify a row.
  public static let key = ["model_id", "day"]

  /// The model's id; it need not be registered.
  public var modelID: String
  /// The day in UTC, as `2026-11-21`.
  public var day: String
  /// How many generations were measured.
  public var generationCount: Int
  /// Tokens of prompts and answers.
  public var totalTokens: Int64
  /// The cost of all, in the currency of the bill.
  public var totalCost: Double
  /// The sum of all latencies.
  public var totalLatencyMilliseconds: Double
  /// How many ended with an error.
  public var errorCount: Int

  /// The mean latency; nil when there was no generation.
  public var averageLatencyMilliseconds: Double? { generationCount > 0 ? totalLatencyMilliseconds / Double(generationCount) : nil }

  /// The usage of a day; by default without generations.
  public init(
    modelID: String, day: String, generationCount: Int = 0, totalTokens: Int64 = 0, totalCost: Double = 0,
    totalLatencyMilliseconds: Double = 0, errorCount: Int = 0
  ) {
    self.modelID = modelID
    self.day = day
    self.generationCount = generationCount
    self.totalTokens = totalTokens
    self.totalCost = totalCost
    self.totalLatencyMilliseconds = totalLatencyMilliseconds
    self.errorCount = errorCount
  }

  private enum CodingKeys: String, CodingKey {
    case modelID, day, generationCount, totalTokens, totalCost
    case totalLatencyMilliseconds = "total_latency_ms"
    case errorCount
  }
}
