import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

struct Salvage: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Builds a new store of every row that can be read in a damaged file.",
    discussion: """
      For a damaged file without archive and snapshots; first try `holdfast heal FILE`. \
      Close the app before. The damaged file stays as it is; its header and its schema may be destroyed, and SQLite may refuse it. \
      Rows that break a rule of their table, point at a row that is gone, or may be of several tables are written to \
      NEW.set-aside.jsonl, one JSON object a line; those of an encrypted file to the encrypted database NEW.set-aside.sqlite. The exit code is 2 when the new store lacks something that was seen. \
      --json prints the whole report.

      Example: holdfast salvage library.sqlite --to rescued.sqlite
      """)

  @Argument(help: "The damaged file.", completion: .file())
  var file: FilePath

  @Option(help: ArgumentHelp("The new store, which must not exist.", valueName: "new"), completion: .file())
  var to: FilePath

  @OptionGroup var library: LibraryOption
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if to.isStandard { throw ValidationError("--to is a file: a store cannot be built into standard output.") }
  }

  func perform(_ console: Console) throws -> Answer {
    let schemas = try schemasOfDamaged(file, beside: to, library)
    let report = try Activity.show("salvaging", console) {
      try Store.salvage(file.url, to: to.url, schemas: schemas, options: LockOptions.defaults)
    }
    var facts = FactList()
    facts.add("built", to.path)
    facts.add("rows", "\(report.rows)")
    if let setAside = report.setAside { facts.add("set aside", setAside.path) }
    if report.unreadableRows > 0 { facts.add("unreadable", ShownValue.counted(report.unreadableRows, "row", "rows")) }
    if report.unknownPages > 0 { facts.add("unknown", ShownValue.counted(report.unknownPages, "page", "pages")) }
    for finding in report.findings { facts.add("found", finding) }
    let isWhole = report.setAside == nil && report.unreadableRows == 0 && report.findings.isEmpty
    return Answer(
      document: document(report), text: report.tables.text(width: console.outputWidth) + facts.text,
      notes: ["The damaged file is as it was. Rows that stood on lost pages are in no count: compare with what you know."],
      foundProblems: !isWhole)
  }

  private func document(_ report: SalvageReport) -> [String: JSONValue] {
    [
      "file": .string(file.path), "built": .string(to.path), "origin": .string(report.origin.rawValue),
      "tables": report.tables.document,
      "pages": .number(report.pages), "pages_of_log": .number(report.pagesOfLog), "unreadable_rows": .number(report.unreadableRows),
      "unknown_pages": .number(report.unknownPages), "set_aside": .text(report.setAside?.path), "findings": .texts(report.findings),
    ]
  }
}

/// The schemas of a damaged file: of the library that was named, else of those that the file names, else of the one that has most of its tables.
///
/// - Parameter target: a copy is read beside it.
func schemasOfDamaged(_ file: FilePath, beside target: FilePath, _ library: LibraryOption) throws -> [StoreSchema] {
  let all = Libraries.all.map(\.schema)
  if let name = library.library { return all.filter { $0.name == name } }
  let names = try Store.salvagedNames(file.url, beside: target.url, LockOptions.defaults.key)
  let named = all.filter { names.schemas.contains($0.name) }
  guard named.isEmpty else { return named }
  let counts = all.map { schema in schema.records.count { names.tables.contains($0.table) } }
  let most = counts.max() ?? 0
  return most > 0 && counts.count { $0 == most } == 1 ? zip(all, counts).filter { $1 == most }.map(\.0) : []
}

extension [SalvageReport.Table] {
  func text(width: Int?) -> String {
    let fills = contains { $0.filled > 0 }
    var table = TextTable(
      [.text("TABLE"), .number("ROWS"), .number("FOUND")] + (fills ? [.number("FILLED")] : []) + [.number("SET ASIDE")])
    for counts in self where counts.rows + counts.setAside > 0 {
      table.add([counts.table, "\(counts.rows)", "\(counts.found)"] + (fills ? ["\(counts.filled)"] : []) + ["\(counts.setAside)"])
    }
    return table.text(width: width)
  }

  var document: JSONValue {
    .array(
      map { table in
        .object([
          "table": .string(table.table), "rows": .number(table.rows), "found": .number(table.found), "filled": .number(table.filled),
          "set_aside": .number(table.setAside),
        ])
      })
  }
}
