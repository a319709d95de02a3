import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

struct Query: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs one SQL statement that reads, and prints its rows.",
    discussion: """
      The store is opened read-only, and a statement that would write is refused. Works on a store of any library. A value that comes \
      unchanged from a column is shown as the file describes the column: a date as a date. Tables that are never exported cannot be read. \
      A table needs all rows in memory; --json, --jsonl, --csv and --tsv write row by row. Ctrl-C ends the statement.

      Example: \(Program.name) query library.sqlite "SELECT title, author FROM collections ORDER BY title" --csv
      """)

  @Argument(help: "The store.", completion: .file())
  var store: FilePath

  @Argument(help: "One SQL statement.")
  var sql: String

  @Flag(exclusivity: .exclusive)
  var format: RowFormat?

  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  func validate() throws { try output.check(format) }

  func perform(_ console: Console) throws -> Answer {
    let open = try openWhole(store, lock, reads: true)
    // The first error is the one that matters.
    defer { try? open.close() }
    let (sql, hidden, form) = (
      sql, open.hiddenTables, output.form(format, Document(ok: true, ["store": .string(store.path), "sql": .string(sql)]), "rows")
    )
    return try Waiting.reading(open) { reader in
      let list = try ListDescription.query(sql, hiding: hidden, in: reader)
      guard let form else {
        let (table, lines, _) = try Selection().table(of: list, in: reader)
        return Answer(document: [:], blocks: [table], notes: lines == 0 ? ["No rows."] : [])
      }
      return try console.rows(Selection(), of: list, as: form, in: reader)
    }
  }
}
