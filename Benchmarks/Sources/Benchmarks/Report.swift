import Foundation

/// Everything a run found, as Markdown.
struct Report {
  var machine = Machine.lines
  var plans: [Plans.Comparison] = []
  var outcomes: [Outcome] = []
  var imports: [ImportOutcome] = []
  var musicImports: [MusicImport] = []
  var memory: [PeakMemory] = []
  var archive: [ArchiveCost] = []
  var seconds = 0.0

  var text: String {
    var parts = ["# Benchmark results", machine.map { "- \($0)" }.joined(separator: "\n") + closing]
    if !plans.isEmpty { parts.append(planLines) }
    if !outcomes.isEmpty { parts += ["## Workloads", Self.legend, "\(workloads)"] }
    if !imports.isEmpty { parts += ["## Import of a version 3 library.json", "\(importTable)"] }
    if !musicImports.isEmpty { parts += ["## Import of an iTunes library", "\(musicImportTable)"] }
    if !archive.isEmpty { parts += ["## The cost of the archive", ArchiveCost.legend, "\(ArchiveCost.table(archive))"] }
    if !memory.isEmpty { parts += ["## Peak memory", "\(memoryTable)"] }
    if !imports.isEmpty || !musicImports.isEmpty { parts += ["## Goals of the import", "\(importGoals)"] }
    if !outcomes.isEmpty { parts += ["## Gates", "\(gates)", "## The app plan's targets", "\(targets)"] }
    return parts.joined(separator: "\n\n") + "\n"
  }

  private static let legend = """
    Times of one operation. Median: the median of the rounds' medians; min, max and p99: of all operations. x C: ratio of the medians, to
    the first contestant where C does not take part; paired: median of the ratios round by round; CPU: ratio of processor time (wall time
    includes waiting for the disk).
    """

  private var closing: String { "\n- Run time: \(String(format: "%.0f", seconds)) s; load average at the end \(Machine.loadAverage)" }

  private var planLines: String {
    plans.map { plan in
      if plan.queries == 0 { return "- Plans of \(plan.contestant): not shown" }
      if plan.different.isEmpty { return "- Plans of \(plan.contestant): \(plan.queries) queries, same as the first contestant's" }
      return "- Plans of \(plan.contestant): DIFFERENT: \(plan.different.joined(separator: " / "))"
    }.joined(separator: "\n")
  }

  private var workloads: Table {
    var table = Table(header: ["workload", "contestant", "n", "median", "min", "max", "p99", "x C", "paired", "CPU"])
    var previous = ""
    for outcome in outcomes {
      let runs = outcomes.filter { $0.workload == outcome.workload }
      let first = runs.first { $0.contestant == roster.first?.name } ?? runs.first ?? outcome
      let isLong = outcome.operations.count >= 200
      table.rows.append([
        outcome.workload == previous ? "" : outcome.workload, outcome.contestant, "\(outcome.operations.count)",
        time(outcome.rounds.median), time(outcome.operations.min() ?? 0), time(outcome.operations.max() ?? 0),
        isLong ? time(outcome.operations.quantile(0.99)) : "-", ratio(outcome.ratio(to: first)), ratio(outcome.pairedRatio(to: first)),
        ratio(outcome.processorRatio(to: first)),
      ])
      previous = outcome.workload
    }
    return table
  }

  private var importTable: Table {
    var table = Table(header: ["collections x 1,000", "contestant", "n", "MB", "median", "MB/s", "a track", "x JSON"])
    for outcome in imports {
      let own = outcome.milliseconds.median
      let decoder = imports.first { $0.collections == outcome.collections && $0.contestant == JSONContestant.name } ?? outcome
      table.rows.append([
        "\(outcome.collections)", outcome.contestant, "\(outcome.milliseconds.count)", String(format: "%.1f", outcome.megabytes),
        time(own), String(format: "%.0f", outcome.megabytes / own * 1000), time(outcome.millisecondsPerTrack),
        ratio(own / decoder.milliseconds.median),
      ])
    }
    return table
  }

  private var musicImportTable: Table {
    var table = Table(header: ["contestant", "n", "MB", "tracks", "median", "tracks/s", "x plistlib"])
    for outcome in musicImports {
      let own = outcome.milliseconds.median
      let reader = musicImports.first { $0.contestant == MusicImport.python } ?? outcome
      table.rows.append([
        outcome.contestant, "\(outcome.milliseconds.count)", String(format: "%.1f", outcome.megabytes), "\(outcome.tracks)", time(own),
        String(format: "%.0f", Double(outcome.tracks) / own * 1000), ratio(own / reader.milliseconds.median),
      ])
    }
    return table
  }

  private var memoryTable: Table {
    var table = Table(header: ["operation", "contestant", "MiB"])
    table.rows = memory.map { [$0.operation, $0.contestant, String(format: "%.0f", $0.mebibytes)] }
    return table
  }

  private var importGoals: Table {
    var table = Table(header: ["goal", "\(Gate.contestant) should be", "is", "verdict"])
    func run(_ collections: Int, _ contestant: String) -> ImportOutcome? {
      imports.first { $0.collections == collections && $0.contestant == contestant }
    }
    func add(_ goal: String, _ demand: String, _ figure: Double?, atMost limit: Double) {
      table.rows.append([goal, demand, figure.map(ratio) ?? "-", Self.word(figure.map { $0 <= limit })])
    }
    let (small, large) = (run(100, Gate.contestant), run(500, Gate.contestant))
    let decoder = run(100, JSONContestant.name)
    let peak = memory.first { $0.operation == "import" && $0.contestant == Gate.contestant }
    add(
      "import 100 x 1,000: time", "<= 1.6 x Foundation's decoding",
      small.flatMap { own in decoder.map { own.milliseconds.median / $0.milliseconds.median } }, atMost: 1.6)
    add(
      "import 100 x 1,000: peak memory", "<= 3 x the file", small.flatMap { own in peak.map { $0.mebibytes * 1.048576 / own.megabytes } },
      atMost: 3)
    add(
      "import 500 x 1,000: a track", "<= 1.25 x a track of 100 x 1,000: linear",
      large.flatMap { large in small.map { large.millisecondsPerTrack / $0.millisecondsPerTrack } }, atMost: 1.25)
    func music(_ contestant: String) -> Double? { musicImports.first { $0.contestant == contestant }?.milliseconds.median }
    add(
      "import an iTunes library: time", "<= 2.6 x a bare pass of the parser",
      music(Gate.contestant).flatMap { own in music(MusicImport.parser).map { own / $0 } }, atMost: 2.6)
    return table
  }

  private var gates: Table {
    var table = Table(header: ["gate", "\(Gate.contestant) must be", "is", "verdict", "C itself"])
    for gate in Gate.all {
      let verdict = gate.verdict(for: gate.contestant, outcomes)
      table.rows.append([
        gate.workload + (gate.contestant == Gate.contestant ? "" : ", \(gate.contestant)"), gate.demand,
        verdict.map { ratio($0.figure) } ?? "-", Self.word(verdict?.met), gate.cost(outcomes).map(time) ?? "-",
      ])
    }
    for gate in ArchiveCost.gates(archive) {
      table.rows.append([gate.name, gate.demand, ratio(gate.figure), Self.word(gate.isMet), "-"])
    }
    return table
  }

  private var targets: Table {
    let names = roster.map { $0.name }
    var table = Table(header: ["target", "must be"] + names)
    for (name, target) in Gate.targets {
      let cells = names.map { contestant in
        target.verdict(for: contestant, outcomes).map { "\(Self.word($0.met)), \(time($0.figure))" } ?? "not run"
      }
      table.rows.append([name, target.demand] + cells)
    }
    return table
  }

  private static func word(_ met: Bool?) -> String {
    switch met {
    case .some(true): "met"
    case .some(false): "MISSED"
    case nil: "not run"
    }
  }

  private func ratio(_ value: Double) -> String { String(format: value < 100 ? "%.2f" : "%.0f", value) }

  private func time(_ milliseconds: Double) -> String {
    switch milliseconds {
    case ..<1: String(format: "%.1f µs", milliseconds * 1000)
    case ..<1000: String(format: "%.2f ms", milliseconds)
    default: String(format: "%.2f s", milliseconds / 1000)
    }
  }
}
