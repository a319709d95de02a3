import Foundation
import Holdfast
import HoldfastTransfer

extension ShownInference {
  static func info(_ reader: Reader) throws -> Shown { numbers.shown(try Numbers(reader)) }

  private struct Numbers {
    let models, downloadedModels, missingModels, configurations, sessions, generations, preferences, secrets: Int
    let consent: TelemetryConsent
    let events: TelemetryCounts

    init(_ reader: Reader) throws {
      func count(_ table: String, _ condition: String = "true") throws -> Int {
        try reader.count("SELECT count(*) FROM \(raw: table) WHERE \(raw: condition)")
      }
      events = try InferenceStore.telemetryCounts(in: reader)
      models = try count("model_metadata")
      downloadedModels = try count("model_metadata", "local_path IS NOT NULL AND missing_since IS NULL")
      missingModels = try count("model_metadata", "local_path IS NOT NULL AND missing_since IS NOT NULL")
      consent = try InferenceStore.consent(in: reader)
      (configurations, sessions) = (try count("configuration"), try count("generation_sessions"))
      (generations, preferences, secrets) = (try count("generations"), try count("user_preferences"), try count("secrets"))
    }
  }

  private static let numbers = ShownFields<Numbers>([
    "models": { .told(.count($0.models), "\($0.models), \($0.downloadedModels) with a file, \($0.missingModels) whose file is gone") },
    "events": {
      .told(
        .count($0.events.total),
        "\(ShownValue.counted($0.events.total, "event")), \($0.events.pending) to be sent, \($0.events.setAside) set aside")
    },
    "pending_events": { .count($0.events.pending) }, "set_aside_events": { .count($0.events.setAside) },
  ]).titled([
    "models": "models", "configurations": "configurations", "consent": "consent", "sessions": "sessions", "generations": "generations",
    "preferences": "preferences", "events": "telemetry", "secrets": "secrets", "downloaded_models": nil, "missing_models": nil,
    "pending_events": nil, "set_aside_events": nil,
  ])

  static func stats(_ reader: Reader) throws -> Shown {
    let all = try InferenceStore.statistics(by: [], in: reader).first
    let byModel = try InferenceStore.statistics(by: [.model, .target], in: reader)
    let byDay = try InferenceStore.statistics(by: .day, in: reader)
    let byModelAndDay = try InferenceStore.statistics(by: [.model, .day], in: reader)
    let sessions = try reader.count("SELECT count(*) FROM generation_sessions")
    let numbers = all ?? GenerationStatistics()
    let own = ShownFields<GenerationStatistics>([
      "sessions": { _ in .count(sessions) },
      "tokens": { _ in .text(all.map { "\($0.promptTokens) of prompts, \($0.completionTokens) of answers" }) },
      "latency": { _ in
        .text(
          all.map { numbers in
            [
              ("p50", numbers.p50LatencyMilliseconds), ("p95", numbers.p95LatencyMilliseconds), ("p99", numbers.p99LatencyMilliseconds),
            ].map { "\($0) \(milliseconds($1).words)" }.joined(separator: ", ")
          })
      },
    ])
    let fields =
      statistics.titled(["generations": "generations", "errors": "errors"])
      + own.titled(["sessions": "sessions", "tokens": .people("tokens")])
      + statistics.titled(["total_cost": "cost"]) + own.titled(["latency": .people("latency")])
    var shown = Shown((group + fields).members(of: numbers), [fields.facts(of: numbers), columns.table(of: byModel)])
    shown.members["models"] = .array(byModel.map((group + statistics.titled(["model_id": nil, "target": nil])).object))
    shown.members["days"] = .array(byDay.map((group + statistics.titled(["day": nil])).object))
    shown.members["models_by_day"] = .array(byModelAndDay.map((group + statistics.titled(["model_id": nil, "day": nil])).object))
    shown.blocks += charts(byDay, byModelAndDay)
    return shown
  }

  private static let statistics = ShownFields<GenerationStatistics>([
    "generations": { .count($0.generationCount) }, "errors": { .count($0.errorCount).unlessZero },
    "tokens": { .told(.number(nil), words($0.tokens)) }, "total_cost": { cost($0.totalCost) },
    "mean_latency_ms": { latency($0, $0.meanLatencyMilliseconds) }, "p50_latency_ms": { latency($0, $0.p50LatencyMilliseconds) },
    "p95_latency_ms": { latency($0, $0.p95LatencyMilliseconds) }, "p99_latency_ms": { latency($0, $0.p99LatencyMilliseconds) },
    "mean_time_to_first_token_ms": { milliseconds($0.meanTimeToFirstTokenMilliseconds) },
    "mean_tokens_per_second": { rate($0.meanTokensPerSecond) },
  ])

  private static let columns = statistics.titled([
    "model_id": .flexible("MODEL"), "target": "WHERE", "generations": "GENERATIONS", "errors": "ERRORS", "tokens": .people("TOKENS"),
    "total_cost": "COST", "p50_latency_ms": "P50", "p95_latency_ms": "P95", "p99_latency_ms": "P99",
    "mean_time_to_first_token_ms": "FIRST TOKEN", "mean_tokens_per_second": "TOKENS/S",
  ])

  private static let group = statistics.titled([
    "generations": nil, "errors": nil, "prompt_tokens": nil, "completion_tokens": nil, "total_cost": nil, "mean_latency_ms": nil,
    "p50_latency_ms": nil, "p95_latency_ms": nil, "p99_latency_ms": nil, "mean_time_to_first_token_ms": nil, "mean_tokens_per_second": nil,
  ])

  /// Without generations there is no latency; 0 would look like a measured one.
  private static func latency(_ numbers: GenerationStatistics, _ time: Double) -> ShownValue {
    milliseconds(numbers.generationCount > 0 ? time : nil)
  }

  /// Charts of the newest 14 days, for all and for the three models with the most tokens.
  private static func charts(_ byDay: [GenerationStatistics], _ byModelAndDay: [GenerationStatistics]) -> [ShownBlock] {
    func chart(
      _ title: String, _ days: some Sequence<GenerationStatistics>, _ number: (GenerationStatistics) -> Double, _ words: (Double) -> String
    ) -> ShownBlock {
      let lines = days.map { ($0.day ?? "", number($0), words(number($0))) }
      // A chart without any number above zero is left out.
      return .chart(title: title, lines.contains { $0.1 > 0 } ? lines : [])
    }
    let models = Dictionary(grouping: byModelAndDay) { $0.modelID ?? "" }
    let tokens = models.mapValues { days in days.reduce(0.0) { $0 + $1.tokens } }
    let most = tokens.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(3).map(\.key)
    let tenths = { (time: Double) in ShownValue.decimal(time, places: 1) }
    return [chart("p95 of latency by day, ms", byDay.suffix(14), { $0.p95LatencyMilliseconds }, tenths)]
      + most.flatMap { model in
        let days = (models[model] ?? []).suffix(14)
        return [
          chart("Tokens of \(model) by day", days, { $0.tokens }, words),
          chart("Cost of \(model) by day", days, { $0.totalCost }, { $0 == 0 ? "0" : cost($0).words }),
        ]
      }
  }

  /// A whole number without its decimal point.
  private static func words(_ number: Double) -> String { Int64(exactly: number).map(String.init) ?? number.description }
}

extension GenerationStatistics {
  /// The tokens of prompts and answers. A double, because the sum may exceed an Int64.
  fileprivate var tokens: Double { Double(promptTokens) + Double(completionTokens) }
}
