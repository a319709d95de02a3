import Foundation
import Holdfast
import HoldfastTransfer

extension ShownInference {
  static func info(_ reader: Reader) throws -> Shown {
    let events = try InferenceStore.telemetryCounts(in: reader)
    func count(_ table: String, _ condition: String = "true") throws -> Int {
      try reader.count("SELECT count(*) FROM \(raw: table) WHERE \(raw: condition)")
    }
    let models = try count("model_metadata")
    let downloaded = try count("model_metadata", "local_path IS NOT NULL AND missing_since IS NULL")
    let missing = try count("model_metadata", "local_path IS NOT NULL AND missing_since IS NOT NULL")
    let consent = try InferenceStore.consent(in: reader)
    let counts = try ["configuration", "generation_sessions", "generations", "user_preferences", "secrets"].map { try count($0) }
    let fields: [ShownField<TelemetryCounts>] = [
      .init("models", "models") { _ in
        .told(.count(models), "\(models), \(downloaded) with a file, \(missing) whose file is gone")
      },
      .init("configurations", "configurations") { _ in .count(counts[0]) }, .init("consent", "consent") { _ in .text(consent.rawValue) },
      .init("sessions", "sessions") { _ in .count(counts[1]) }, .init("generations", "generations") { _ in .count(counts[2]) },
      .init("preferences", "preferences") { _ in .count(counts[3]) },
      .init("events", "telemetry") { _ in
        .told(
          .count(events.total),
          "\(ShownValue.counted(events.total, "event")), \(events.pending) to be sent, \(events.setAside) set aside")
      },
      .init("secrets", "secrets") { _ in .count(counts[4]) }, .init("downloaded_models") { _ in .count(downloaded) },
      .init("missing_models") { _ in .count(missing) }, .init("pending_events") { _ in .count(events.pending) },
      .init("set_aside_events") { _ in .count(events.setAside) },
    ]
    return Shown(fields.members(of: events), [fields.facts(of: events)])
  }

  static func stats(_ reader: Reader) throws -> Shown {
    let all = try InferenceStore.statistics(by: [], in: reader).first
    let byModel = try InferenceStore.statistics(by: [.model, .target], in: reader)
    let byDay = try InferenceStore.statistics(by: .day, in: reader)
    let byModelAndDay = try InferenceStore.statistics(by: [.model, .day], in: reader)
    let sessions = try reader.count("SELECT count(*) FROM generation_sessions")
    let fields: [ShownField<GenerationStatistics?>] = [
      .init(nil, "generations") { .count($0?.generationCount ?? 0) },
      .init(nil, "errors") { .count($0?.errorCount).unlessZero }, .init("sessions", "sessions") { _ in .count(sessions) },
      .init(nil, "tokens") { .text($0.map { "\($0.promptTokens) of prompts, \($0.completionTokens) of answers" }) },
      .init(nil, "cost") { cost($0?.totalCost ?? 0) },
      .init(nil, "latency") { numbers in
        .text(
          numbers.map { numbers in
            [
              ("p50", numbers.p50LatencyMilliseconds), ("p95", numbers.p95LatencyMilliseconds), ("p99", numbers.p99LatencyMilliseconds),
            ].map { "\($0) \(milliseconds($1).words)" }.joined(separator: ", ")
          })
      },
      .init("models") { _ in .json(.array(byModel.map((group + [modelID, target]).object))) },
      .init("days") { _ in .json(.array(byDay.map((group + [day]).object))) },
      .init("models_by_day") { _ in .json(.array(byModelAndDay.map((group + [modelID, day]).object))) },
    ]
    let members = group.members(of: all ?? GenerationStatistics()).merging(fields.members(of: all)) { own, _ in own }
    return Shown(members, [fields.facts(of: all), columns.table(of: byModel)] + charts(byDay, byModelAndDay))
  }

  private static let modelID = ShownField<GenerationStatistics>("model_id", "MODEL", shrinks: true) { .text($0.modelID) }
  private static let target = ShownField<GenerationStatistics>("target", "WHERE") { .text($0.target?.rawValue) }
  private static let day = ShownField<GenerationStatistics>("day") { .text($0.day) }

  private static let columns: [ShownField<GenerationStatistics>] = [
    modelID, target, .init(nil, "GENERATIONS") { .count($0.generationCount) }, .init(nil, "ERRORS") { .count($0.errorCount).unlessZero },
    .init(nil, "TOKENS") { .told(.number(nil), words($0.tokens)) }, .init(nil, "COST") { cost($0.totalCost) },
    .init(nil, "P50") { milliseconds($0.p50LatencyMilliseconds) }, .init(nil, "P95") { milliseconds($0.p95LatencyMilliseconds) },
    .init(nil, "P99") { milliseconds($0.p99LatencyMilliseconds) },
    .init(nil, "FIRST TOKEN") { milliseconds($0.meanTimeToFirstTokenMilliseconds) },
    .init(nil, "TOKENS/S") { rate($0.meanTokensPerSecond) },
  ]

  /// Without generations there is no latency; 0 would look like a measured one.
  private static func latency(_ numbers: GenerationStatistics, _ time: Double) -> ShownValue {
    .number(numbers.generationCount > 0 ? time : nil)
  }

  private static let group: [ShownField<GenerationStatistics>] = [
    .init("generations") { .count($0.generationCount) }, .init("errors") { .count($0.errorCount) },
    .init("prompt_tokens") { .count(Int($0.promptTokens)) }, .init("completion_tokens") { .count(Int($0.completionTokens)) },
    .init("total_cost") { .number($0.totalCost) }, .init("mean_latency_ms") { latency($0, $0.meanLatencyMilliseconds) },
    .init("p50_latency_ms") { latency($0, $0.p50LatencyMilliseconds) }, .init("p95_latency_ms") { latency($0, $0.p95LatencyMilliseconds) },
    .init("p99_latency_ms") { latency($0, $0.p99LatencyMilliseconds) },
    .init("mean_time_to_first_token_ms") { .number($0.meanTimeToFirstTokenMilliseconds) },
    .init("mean_tokens_per_second") { .number($0.meanTokensPerSecond) },
  ]

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
