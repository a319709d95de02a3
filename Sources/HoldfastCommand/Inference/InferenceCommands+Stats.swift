import Foundation
import Holdfast
import HoldfastInference

extension InferenceCommands {
  /// What `stats` shows, all of one moment.
  private struct Numbers {
    static let days = 14
    static let models = 3

    /// Of all generations; nil when none was measured.
    let all: GenerationStatistics?
    let byModel: [GenerationStatistics]
    let byDay: [GenerationStatistics]
    /// Days without a generation are left out.
    let byModelAndDay: [GenerationStatistics]
    let sessions: Int

    init(_ reader: Reader) throws {
      all = try InferenceStore.statistics(by: [], in: reader).first
      byModel = try InferenceStore.statistics(by: [.model, .target], in: reader)
      byDay = try InferenceStore.statistics(by: .day, in: reader)
      byModelAndDay = try InferenceStore.statistics(by: [.model, .day], in: reader)
      sessions = try reader.count("SELECT count(*) FROM generation_sessions")
    }

    /// The newest days of the models that had most tokens.
    var charted: [(model: String, days: [GenerationStatistics])] {
      let models = Dictionary(grouping: byModelAndDay) { $0.modelID ?? "" }
      let tokens = models.mapValues { days in days.reduce(0.0) { $0 + $1.tokens } }
      let most = tokens.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.models)
      return most.map { (model: $0.key, days: Array((models[$0.key] ?? []).suffix(Self.days))) }
    }
  }

  func stats(_ console: Console) throws -> Answer {
    let numbers = try inference.store.read(Numbers.init)
    var facts = FactList()
    facts.add("generations", String(numbers.all?.generationCount ?? 0))
    facts.add("errors", numbers.all.flatMap { $0.errorCount > 0 ? String($0.errorCount) : nil })
    facts.add("sessions", String(numbers.sessions))
    facts.add("tokens", numbers.all.map { "\($0.promptTokens) of prompts, \($0.completionTokens) of answers" })
    facts.add("cost", numbers.all.map { InferenceWords.cost($0.totalCost) })
    facts.add("latency", numbers.all.map(Self.latency))
    var text = facts.text
    if !numbers.byModel.isEmpty { text += "\n" + Self.table(numbers.byModel, console) }
    for chart in Self.charts(numbers) { text += chart.text(console.chartStyle) }
    return Answer(document: Self.document(numbers), text: text)
  }

  private static func latency(_ numbers: GenerationStatistics) -> String {
    let percentiles = [
      ("p50", numbers.p50LatencyMilliseconds), ("p95", numbers.p95LatencyMilliseconds), ("p99", numbers.p99LatencyMilliseconds),
    ]
    return percentiles.map { "\($0.0) \(InferenceWords.milliseconds($0.1))" }.joined(separator: ", ")
  }

  private static func table(_ statistics: [GenerationStatistics], _ console: Console) -> String {
    var table = TextTable([
      .flexible("MODEL"), .text("WHERE"), .number("GENERATIONS"), .number("ERRORS"), .number("TOKENS"), .number("COST"), .number("P50"),
      .number("P95"), .number("P99"), .number("FIRST TOKEN"), .number("TOKENS/S"),
    ])
    for numbers in statistics {
      table.add([
        numbers.modelID ?? "", numbers.target?.rawValue ?? "", String(numbers.generationCount),
        numbers.errorCount > 0 ? String(numbers.errorCount) : "", words(numbers.tokens), InferenceWords.cost(numbers.totalCost),
        InferenceWords.milliseconds(numbers.p50LatencyMilliseconds), InferenceWords.milliseconds(numbers.p95LatencyMilliseconds),
        InferenceWords.milliseconds(numbers.p99LatencyMilliseconds),
        InferenceWords.milliseconds(numbers.meanTimeToFirstTokenMilliseconds), InferenceWords.rate(numbers.meanTokensPerSecond),
      ])
    }
    return table.text(width: console.outputWidth)
  }

  private static func charts(_ numbers: Numbers) -> [BarChart] {
    var charts: [BarChart] = []
    func add(_ title: String, _ days: [GenerationStatistics], _ number: (GenerationStatistics) -> Double, _ words: (Double) -> String) {
      // What costs nothing on any day needs no picture.
      guard days.contains(where: { number($0) > 0 }) else { return }
      var chart = BarChart(title)
      for day in days { chart.add(day.day ?? "", number(day), words(number(day))) }
      charts.append(chart)
    }
    add("p95 of latency by day, ms", Array(numbers.byDay.suffix(Numbers.days)), { $0.p95LatencyMilliseconds.roundedToTenths }, words)
    for (model, days) in numbers.charted {
      let name = DisplayText.printable(model)
      add("Tokens of \(name) by day", days, { $0.tokens }, words)
      add("Cost of \(name) by day", days, { $0.totalCost }, { $0 == 0 ? "0" : InferenceWords.cost($0) })
    }
    return charts
  }

  /// A number without a point that says nothing.
  private static func words(_ number: Double) -> String { Int64(exactly: number).map(String.init) ?? number.description }

  // MARK: For programs

  private static func document(_ numbers: Numbers) -> [String: JSONValue] {
    var document = members(numbers.all ?? GenerationStatistics())
    document["sessions"] = .number(numbers.sessions)
    document["models"] = .array(
      numbers.byModel.map { group in
        .object(members(group).merging(["model_id": .text(group.modelID), "target": .text(group.target?.rawValue)]) { own, _ in own })
      })
    document["days"] = .array(numbers.byDay.map { day in .object(members(day).merging(["day": .text(day.day)]) { own, _ in own }) })
    document["models_by_day"] = .array(
      numbers.byModelAndDay.map { group in
        .object(members(group).merging(["model_id": .text(group.modelID), "day": .text(group.day)]) { own, _ in own })
      })
    return document
  }

  private static func members(_ numbers: GenerationStatistics) -> [String: JSONValue] {
    // Of no generation there is no latency; 0 would say that there was one.
    func time(_ milliseconds: Double) -> JSONValue { numbers.generationCount > 0 ? .double(milliseconds) : .null }
    return [
      "generations": .number(numbers.generationCount), "errors": .number(numbers.errorCount),
      "prompt_tokens": .integer(numbers.promptTokens), "completion_tokens": .integer(numbers.completionTokens),
      "total_cost": .double(numbers.totalCost), "mean_latency_ms": time(numbers.meanLatencyMilliseconds),
      "p50_latency_ms": time(numbers.p50LatencyMilliseconds), "p95_latency_ms": time(numbers.p95LatencyMilliseconds),
      "p99_latency_ms": time(numbers.p99LatencyMilliseconds),
      "mean_time_to_first_token_ms": .number(numbers.meanTimeToFirstTokenMilliseconds),
      "mean_tokens_per_second": .number(numbers.meanTokensPerSecond),
    ]
  }
}

extension GenerationStatistics {
  /// Of prompts and answers; as a number with a point, because two sums may be more than a whole number holds.
  fileprivate var tokens: Double { Double(promptTokens) + Double(completionTokens) }
}
