import Foundation
import Holdfast
import HoldfastInference

/// Statistics as one would write them down without a database.
struct PlainGenerations {
  var generations: [Generation]

  func statistics(
    by grouping: GenerationStatistics.Grouping, during period: Range<Date>?, timeZone: TimeZone
  ) -> [GenerationStatistics] {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = timeZone
    formatter.dateFormat = "yyyy-MM-dd"
    let counted = generations.filter { $0.performance != nil && period?.contains($0.createdAt) != false }
    let groups = Dictionary(grouping: counted) { generation in
      [
        grouping.contains(.model) ? generation.performance?.modelID : nil,
        grouping.contains(.target) ? generation.performance?.executionTarget.rawValue : nil,
        grouping.contains(.day) ? formatter.string(from: generation.createdAt) : nil,
      ]
    }
    let keys = groups.keys.sorted { first, second in
      first.map { $0 ?? "" }.lexicographicallyPrecedes(second.map { $0 ?? "" })
    }
    return keys.map { key in Self.statistics(key, groups[key] ?? []) }
  }

  private static func statistics(_ key: [String?], _ generations: [Generation]) -> GenerationStatistics {
    var statistics = GenerationStatistics(modelID: key[0], target: key[1].map(ExecutionTarget.init(rawValue:)), day: key[2])
    let performances = generations.compactMap(\.performance)
    let latencies = performances.map(\.latencyMilliseconds).sorted()
    func mean(_ numbers: [Double]) -> Double? { numbers.isEmpty ? nil : numbers.reduce(0, +) / Double(numbers.count) }
    // The first that enough do not surpass.
    func percentile(_ percent: Int) -> Double {
      latencies.indices.first { ($0 + 1) * 100 >= percent * latencies.count }.map { latencies[$0] } ?? 0
    }
    statistics.generationCount = generations.count
    statistics.errorCount = generations.filter { $0.errorCode != nil }.count
    statistics.promptTokens = performances.reduce(0) { $0 + Int64($1.promptTokens) }
    statistics.completionTokens = performances.reduce(0) { $0 + Int64($1.completionTokens) }
    statistics.totalCost = generations.reduce(0) { $0 + $1.cost }
    statistics.meanLatencyMilliseconds = mean(latencies) ?? 0
    statistics.p50LatencyMilliseconds = percentile(50)
    statistics.p95LatencyMilliseconds = percentile(95)
    statistics.p99LatencyMilliseconds = percentile(99)
    statistics.meanTimeToFirstTokenMilliseconds = mean(performances.compactMap(\.timeToFirstTokenMilliseconds))
    statistics.meanTokensPerSecond = mean(performances.compactMap(\.tokensPerSecond))
    return statistics
  }
}

extension GenerationStatistics {
  /// Sums of the same numbers in another order differ in their last digits.
  var rough: GenerationStatistics {
    func rough(_ number: Double) -> Double { (number * 1e6).rounded() / 1e6 }
    var statistics = self
    statistics.totalCost = rough(totalCost)
    statistics.meanLatencyMilliseconds = rough(meanLatencyMilliseconds)
    statistics.meanTimeToFirstTokenMilliseconds = meanTimeToFirstTokenMilliseconds.map(rough)
    statistics.meanTokensPerSecond = meanTokensPerSecond.map(rough)
    return statistics
  }
}
