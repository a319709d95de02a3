import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

struct Metrics: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows how a store has grown, and its verbs' calls, times and errors.",
    discussion: """
      Shows what the store's programs have kept in it: its size at the first commit of each day, and the calls of its verbs, a minute after \
      opening and then every ten minutes, with the next commit. Only reads. `holdfast info` shows what takes the room now.

      Example: holdfast metrics library.sqlite
      """)

  @Argument(help: "The store to look at.", completion: .file())
  var store: FilePath

  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  /// With more days, the chart has a line for each week.
  private static let mostDays = 31
  private static let mostLines = 20

  func perform(_ console: Console) throws -> Answer {
    let open = try openWhole(store, lock, reads: true)
    // The first error is the one that matters.
    defer { try? open.close() }
    let kept = try open.keptMetrics()
    let note = "Nothing was kept yet: a store keeps its size with the first commit of a later day, and calls after a minute."
    return Answer(
      document: ["days": .array(kept.days.map { Self.document($0) }), "verbs": Self.document(kept.verbs)],
      blocks: [Self.growth(kept.days), Self.verbs(kept.verbs), Self.errors(kept.days)], notes: kept.days.isEmpty ? [note] : []
    ).about(store)
  }

  // MARK: For people

  private static func growth(_ days: [KeptMetrics.Day]) -> ShownBlock {
    let sizes = days.compactMap { day in day.bytes["database"].map { (day: day.day, bytes: $0) } }
    var lines: [(label: String, number: Double, words: String)] = []
    var lastWeek: Int64?
    for (day, bytes) in sizes {
      let week = week(of: day)
      // Of a week the last day stays.
      if sizes.count > mostDays, week == lastWeek, !lines.isEmpty { lines.removeLast() }
      lastWeek = week
      lines.append((day, Double(bytes), DisplayText.size(bytes)))
    }
    return .chart(title: sizes.count > mostDays ? "Size by week" : "Size by day", lines)
  }

  /// Weeks since 1970; they begin on Monday.
  private static func week(of day: String) -> Int64 {
    // 1970 began on a Thursday.
    let days = (DateCodec.parseISO8601("\(day)T00:00:00Z") ?? 0) / 86_400_000 + 3
    return days / 7 - (days % 7 < 0 ? 1 : 0)
  }

  private static func verbs(_ verbs: [String: StoreMetrics.Verb]) -> ShownBlock {
    let rows = sorted(verbs).prefix(mostLines).map { name, verb in
      [
        name, String(verb.reads &+ verb.writes), String(verb.errors.values.reduce(0, &+)), milliseconds(verb.latency.p95),
        milliseconds(verb.latency.max),
      ]
    }
    return .table(
      title: "Verbs", [.flexible("VERB"), .number("CALLS"), .number("ERRORS"), .number("95 % WITHIN"), .number("LONGEST")], Array(rows))
  }

  /// The newest first.
  private static func errors(_ days: [KeptMetrics.Day]) -> ShownBlock {
    var rows: [[String]] = []
    for day in days.reversed() {
      for (name, verb) in sorted(day.verbs) {
        for (code, count) in verb.errors.sorted(by: { $0.key < $1.key }) { rows.append([day.day, code, String(count), name]) }
      }
    }
    return .table(
      title: "Errors", [.text("DAY"), .text("ERROR"), .number("TIMES"), .flexible("VERB")], Array(rows.prefix(mostLines)))
  }

  /// The most called first.
  private static func sorted(_ verbs: [String: StoreMetrics.Verb]) -> [(key: String, value: StoreMetrics.Verb)] {
    verbs.sorted { ($1.value.reads &+ $1.value.writes, $0.key) < ($0.value.reads &+ $0.value.writes, $1.key) }
  }

  private static func milliseconds(_ time: Duration) -> String {
    "\(ShownValue.decimal(time.inSeconds * 1_000, places: 3)) ms"
  }

  // MARK: For programs

  private static func document(_ day: KeptMetrics.Day) -> JSONValue {
    .object(["day": .string(day.day), "sizes": .object(day.bytes.mapValues(JSONValue.integer)), "verbs": document(day.verbs)])
  }

  private static func document(_ verbs: [String: StoreMetrics.Verb]) -> JSONValue {
    .array(
      sorted(verbs).map { name, verb in
        .object([
          "name": .string(name), "reads": .number(verb.reads), "writes": .number(verb.writes), "rows_written": .number(verb.rowsWritten),
          "errors": .numbers(verb.errors), "p50_seconds": seconds(verb.latency.p50), "p95_seconds": seconds(verb.latency.p95),
          "p99_seconds": seconds(verb.latency.p99), "longest_seconds": seconds(verb.latency.max),
          "total_seconds": seconds(verb.latency.total),
        ])
      })
  }

  private static func seconds(_ time: Duration) -> JSONValue { ShownValue.number(time.inSeconds).json }
}
