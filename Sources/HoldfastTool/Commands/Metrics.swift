import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

struct Metrics: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows how a store has grown, its verbs' calls, slow statements and last errors.",
    discussion: """
      Shows what the store's programs have kept in it: its size at the first commit of each day; and the calls of its verbs, the slowest \
      statements and the last errors, a minute after opening and then every ten minutes, with the next commit. Only reads. `\(Program.name) info` \
      shows what takes the room now. The store may be of any library.

      Example: \(Program.name) metrics library.sqlite
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
    let note =
      "There are no metrics yet. The app collects them while it writes to the store: the size once a day, the calls once it has had the "
      + "store open for a minute."
    return Answer(
      document: [
        "days": .array(kept.days.map { Self.document($0) }), "verbs": Self.document(kept.verbs),
        "slowest": Self.document(kept.slowest), "last_errors": Self.document(kept.lastErrors),
      ],
      blocks: [
        Self.growth(kept.days), Self.verbs(kept.verbs), Self.slowest(kept.slowest), Self.advice(kept.slowest), Self.errors(kept.days),
        Self.lastErrors(kept.lastErrors), Self.removed(kept.days),
      ], notes: kept.days.isEmpty ? [note] : []
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

  private static func slowest(_ statements: [SlowStatement]) -> ShownBlock {
    let rows = statements.map { slow in
      let line = slow.sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      return [milliseconds(slow.longest), milliseconds(slow.total), String(slow.count), String(slow.rowsStepped), line]
    }
    return .table(
      title: "Slow statements", [.number("LONGEST"), .number("TOGETHER"), .number("RUNS"), .number("ROWS"), .flexible("STATEMENT")], rows)
  }

  /// Statements may share one.
  private static func advice(_ statements: [SlowStatement]) -> ShownBlock {
    .table(title: nil, [.flexible("ADVICE")], Set(statements.compactMap(\.advice)).sorted().map { [$0] })
  }

  /// The newest first.
  private static func lastErrors(_ errors: [FailedCall]) -> ShownBlock {
    let rows = errors.reversed().map { [DisplayText.time($0.time), $0.code, $0.verb] }
    return .table(title: "Last errors", [.text("TIME"), .text("ERROR"), .flexible("VERB")], rows)
  }

  /// The newest first.
  private static func removed(_ days: [KeptMetrics.Day]) -> ShownBlock {
    let rows = days.reversed().flatMap { day in
      day.removed.sorted { $0.key < $1.key }.map { [day.day, String($0.value), $0.key] }
    }
    return .table(
      title: "Removed by retention", [.text("DAY"), .number("ROWS"), .flexible("TABLE")], Array(rows.prefix(mostLines)))
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
    .object([
      "day": .string(day.day), "sizes": .object(day.bytes.mapValues(JSONValue.integer)), "verbs": document(day.verbs),
      "slowest": document(day.slowest), "last_errors": document(day.lastErrors), "removed": .numbers(day.removed),
    ])
  }

  private static func document(_ statements: [SlowStatement]) -> JSONValue {
    .array(
      statements.map { slow in
        .object([
          "sql": .string(slow.sql), "runs": .number(slow.count), "rows_stepped": .number(slow.rowsStepped),
          "longest_seconds": seconds(slow.longest), "total_seconds": seconds(slow.total), "plan": .texts(slow.plan),
          "advice": .text(slow.advice),
        ])
      })
  }

  private static func document(_ errors: [FailedCall]) -> JSONValue {
    .array(errors.map { .object(["time": .time($0.time), "verb": .string($0.verb), "code": .string($0.code)]) })
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
