import ArgumentParser
import Foundation
import Holdfast

struct Explain: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Tells how SQLite would run a statement, and which index would help.",
    discussion: """
      Prints SQLite's query plan, the tables that it reads row by row, and the index that would serve, where that can be proven. \
      The statement may be of any kind, with ? for its values: it does not run. With --run a SELECT runs and its rows are counted. \
      The store may be of any library.

      Example: \(Program.name) explain library.sqlite "SELECT id FROM tracks WHERE filename = ?"
      """)

  @Argument(help: "The store.", completion: .file())
  var store: FilePath

  @Argument(help: "One SQL statement.")
  var sql: String

  @Flag(help: "Also run the SELECT, which needs no values then; tell its time and number of rows.")
  var run = false

  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  func perform(_ console: Console) throws -> Answer {
    let open = try openWhole(store, lock, reads: true)
    // The first error is the one that matters.
    defer { try? open.close() }
    let (plan, counted): (StatementPlan, (rows: Int, seconds: Double)?) = try open.read { reader in
      try blaming { (try reader.statementPlan(sql), run ? try count(reader) : nil) }
    }
    var facts: FactList = [:]
    facts.add("row by row", plan.scanned.joined(separator: ", "))
    for index in plan.indexes { facts.add("index", index) }
    var document: [String: JSONValue] = [
      "sql": .string(sql), "plan": .texts(plan.lines), "scanned": .texts(plan.scanned), "indexes": .texts(plan.indexes),
    ]
    if let counted {
      facts.add("rows", String(counted.rows))
      facts.add("seconds", String(format: "%.3f", counted.seconds))
      document["rows"] = .number(counted.rows)
      document["seconds"] = .double(counted.seconds)
    }
    let lines = plan.lines.map { DisplayText.printable($0) + "\n" }.joined()
    return Answer(
      document: document, text: lines + facts.text, notes: plan.lines.isEmpty ? ["SQLite has no plan for this: it looks for no rows."] : []
    ).about(store)
  }

  private func count(_ reader: Reader) throws -> (rows: Int, seconds: Double) {
    let began = ContinuousClock.now
    var rows = 0
    try reader.rows(BoundSQL(raw: sql)) { _ in rows += 1 }
    return (rows, (ContinuousClock.now - began).inSeconds)
  }
}
