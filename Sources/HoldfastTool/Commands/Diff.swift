import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

struct Diff: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Counts or lists the rows that were added, changed and removed between two moments.",
    discussion: """
      Both states are built from the archive and compared row by row. The store is only read. \(Moment.words)

      Example: \(Program.name) diff library.sqlite --from "commit 4" --to "commit 5"
      Example: \(Program.name) diff library.sqlite --from "10 minutes ago" --rows tracks
      """)

  @Argument(help: "The store.", completion: .file())
  var store: FilePath

  @Option(help: ArgumentHelp("The earlier moment.", valueName: "moment"))
  var from: String

  @Option(help: ArgumentHelp("The later moment.", valueName: "moment"))
  var to = "now"

  @Option(help: ArgumentHelp("List the rows of this table that differ, instead of counting.", valueName: "table"))
  var rows: String?

  @Option(help: ArgumentHelp("With --rows: at most this many rows.", valueName: "N"))
  var limit = 100

  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    switch try range() {
    case (.time(let from), .time(let to)) where from > to: throw ValidationError("--from is later than --to.")
    case (.commit(let from), .commit(let to)) where from > to: throw ValidationError("--from is later than --to.")
    default: break
    }
    guard (1...10_000).contains(limit) else { throw ValidationError("--limit is a number from 1 to 10000.") }
  }

  func perform(_ console: Console) throws -> Answer {
    let (from, to) = try range()
    let archive = try archive(of: store)
    var (notes, waitingCommits): ([String], JSONValue) = ([], .null)
    // A commit and a label are earlier than what is not archived yet.
    if case .time = to { (notes, waitingCommits) = archive.waitingForAnswer }
    let open = try openWhole(store, lock, reads: true)
    // The first error is the one that matters.
    defer { try? open.close() }
    var document: [String: JSONValue] = ["store": .string(store.path), "from": from.json, "to": to.json]
    document["waiting_commits"] = waitingCommits
    guard let rows else {
      let tables = try Activity.show("comparing", console) { try open.differences(from: from, to: to) }
      document["tables"] = tables.document
      return Answer(document: document, text: tables.text(width: console.outputWidth), notes: notes)
    }
    let description = try open.read { try $0.description() }
    if open.hides(rows, description) {
      throw Failure(code: "usage", "the rows of \(rows) are never shown", status: .usage)
    }
    // One more tells whether there are more.
    let found = try Activity.show("comparing", console) {
      try open.rowDifferences(of: rows, from: from, to: to, limit: limit + 1)
    }
    let shown = found.prefix(limit)
    document["table"] = .string(rows)
    document["rows"] = shown.map { $0.shown(rows, by: description, as: \.json) }.document
    document["complete"] = .bool(found.count <= limit)
    return Answer(
      document: document, text: shown.map { $0.shown(rows, by: description, as: \.told) }.text(width: console.outputWidth),
      notes: notes + (found.count > limit ? ["… and more: give a larger --limit."] : []))
  }

  private func range() throws -> (from: Moment, to: Moment) {
    (try Moment(typed: from, for: "--from", of: store), try Moment(typed: to, for: "--to", of: store))
  }
}
