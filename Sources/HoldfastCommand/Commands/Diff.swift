import ArgumentParser
import Foundation
import Holdfast

struct Diff: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Counts the rows that were added, changed and removed between two times, by table.",
    discussion: """
      Both states are built from the archive and compared row by row. The store is only read.

      Example: holdfast diff library.sqlite --from "yesterday 14:02"
      """)

  @Argument(help: "The store.", completion: .file())
  var store: FilePath

  @Option(help: ArgumentHelp("The earlier time.", valueName: "time"))
  var from: String

  @Option(help: ArgumentHelp("The later time.", valueName: "time"))
  var to = "now"

  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    let (from, to) = try range()
    guard from <= to else { throw ValidationError("--from is later than --to.") }
  }

  func perform(_ console: Console) throws -> Answer {
    let (from, to) = try range()
    _ = try archive(of: store)
    let open = try openWhole(store, lock, reads: true)
    // The first error is the one that matters.
    defer { try? open.close() }
    let tables = try Activity.show("comparing", console) { try open.differences(from: .time(from), to: .time(to)) }
    return Answer(
      document: ["store": .string(store.path), "from": .time(from), "to": .time(to), "tables": tables.document],
      text: tables.text(width: console.outputWidth))
  }

  private func range() throws -> (from: Date, to: Date) { (try TimeWords.date(from, for: "--from"), try TimeWords.date(to, for: "--to")) }
}
