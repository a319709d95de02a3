internal import ArgumentParser
internal import Foundation

/// `sync-bench pairs`: a few devices and a server in one process, as ratios within one run.
struct Pairs: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Measures a few devices with a server, over HTTP on this machine, and prints a table of what must be and what is.")

  @Option(help: "Timed rounds of what is compared.") var rounds = 5
  @Option(help: "Rows of the first pull.") var rows = 100_000
  @OptionGroup var verdict: Table.Verdict

  func validate() throws {
    guard rounds > 0, rows > 0 else { throw ValidationError("rounds and rows must be above zero") }
  }

  func run() async throws {
    let folder = try SyncBench.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let (rows, rounds) = (rows, rounds)
    let lines = try await BenchServer.run(in: folder) { server in
      // The live device first: the server's store is small then, as a person's is.
      let live = try await Live.run(server)
      let pull = try await FirstPull.run(server, rows: rows, rounds: rounds)
      return Self.lines(live, pull, try await Pushes.run(server, rounds: rounds))
    }
    print(([Table.head] + lines.map(\.text)).joined(separator: "\n"))
    try verdict.end(lines)
  }

  private static func lines(_ live: Live, _ pull: FirstPull, _ pushes: Pushes) -> [Table.Line] {
    let pulls = zip(pull.pulls, pull.inserts).map { $0 / $1 }.median
    let pushed = zip(pushes.pushed, pushes.upserted).map { $0 / $1 }.median
    let (p50, p99) = (live.milliseconds.median, live.milliseconds.quantile(0.99))
    return [
      Table.line(
        "first pull of \(pull.rows) rows", "<= 2.5 x the kit's own insert", pulls, pulls <= 2.5,
        "\(Table.number(pull.pulls.median)) s, insert \(Table.number(pull.inserts.median)) s"),
      Table.line(
        "register of a clean row", "<= 60 bytes", pull.registers.pages, pull.registers.pages <= 60,
        "with the key, \(Table.number(pull.registers.key)) bytes"),
      Table.line(
        "pushes of \(Pushes.rows) rows, \(Pushes.writers) devices", ">= 0.5 x upserts in process", pushed, pushed >= 0.5,
        "\(Int(pushes.pushed.median)) rows/s, upserts \(Int(pushes.upserted.median))"),
      Table.line("push to applied, p50", "<= 20 ms", p50, p50 <= 20, "\(live.milliseconds.count) pushes of one row"),
      Table.line("push to applied, p99", "<= 100 ms", p99, p99 <= 100, "most \(Table.number(live.milliseconds.max() ?? 0)) ms"),
      Table.line("a cycle with nothing to do", "1 request", Double(live.idleRequests), live.idleRequests == 1, ""),
    ]
  }
}
