import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

struct Salvage: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Builds a new store of every row that can be read in a damaged file.",
    discussion: """
      For a damaged file without archive and snapshots; first try `\(Program.name) heal FILE`. \
      Close the app before. The damaged file stays as it is; its header and its schema may be destroyed, and SQLite may refuse it. \
      Rows that break a rule of their table, point at a row that is gone, or may be of several tables are written to \
      NEW.set-aside.jsonl, one JSON object a line; those of an encrypted file to the encrypted database NEW.set-aside.sqlite. The exit \
      code is 2 when the new store lacks something that was there. --report FILE keeps the whole report, which --json prints.

      Example: \(Program.name) salvage library.sqlite --to rescued.sqlite
      """)

  @Argument(help: "The damaged file.", completion: .file())
  var file: FilePath

  @Option(help: ArgumentHelp("The new store, which must not exist.", valueName: "new"), completion: .file())
  var to: FilePath

  @Option(help: "A new file for the whole report, as JSON.", completion: .file())
  var report: FilePath?

  @OptionGroup var library: LibraryOption
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if let report, report.isStandard { throw ValidationError("--report is a file; --json prints the report.") }
    let names = [to, file].flatMap { store in ([""] + StoreFiles.sidecars).map { store.path + $0 } }
    if let report, names.contains(report.path) { throw ValidationError("--report has the name of a file of the store.") }
    if to.isStandard { throw ValidationError("--to is a file: a store cannot be built into standard output.") }
  }

  func perform(_ console: Console) throws -> Answer {
    if let report { try Self.reserve(report) }
    do {
      return try salvage(console)
    } catch {
      if let report { _ = try? DurableFile.remove(report.url) }
      throw error
    }
  }

  /// Takes the name before the work begins, so that nothing else gets it meanwhile.
  private static func reserve(_ report: FilePath) throws {
    guard try !DurableFile.create(report.path) else { return }
    throw StoreError(.cannotCreate, "\(report.path) is already there; it was left as it is", suggestion: "Choose another name.")
  }

  private func salvage(_ console: Console) throws -> Answer {
    let schemas = try schemasOfDamaged(file, beside: to, library)
    let salvaged = try Activity.show("salvaging", console) {
      try Store.salvage(file.url, to: to.url, schemas: schemas, options: LockOptions.defaults)
    }
    if let report { try DurableFile.replace(report.url, with: Data(Document(ok: true, document(salvaged)).text.utf8)) }
    var facts: FactList = ["built": to.path, "rows": "\(salvaged.rows)", "set aside": salvaged.setAside?.path]
    if salvaged.unreadableRows > 0 { facts.add("unreadable", ShownValue.counted(salvaged.unreadableRows, "row", "rows")) }
    if salvaged.unknownPages > 0 { facts.add("unknown", ShownValue.counted(salvaged.unknownPages, "page", "pages")) }
    for finding in salvaged.findings { facts.add("found", finding) }
    let isWhole =
      salvaged.setAside == nil && salvaged.unreadableRows == 0 && salvaged.findings.isEmpty && !salvaged.isLosing
    return Answer(
      document: document(salvaged), text: salvaged.text(width: console.outputWidth) + facts.text,
      notes: ["The damaged file is as it was."] + salvaged.lostNotes,
      foundProblems: !isWhole)
  }

  private func document(_ report: SalvageReport) -> [String: JSONValue] {
    [
      "file": .string(file.path), "built": .string(to.path), "origin": .string(report.origin.rawValue),
      "tables": report.document, "unplaced": .texts(report.unplaced),
      "pages": .number(report.pages), "pages_of_log": .number(report.pagesOfLog), "unreadable_rows": .number(report.unreadableRows),
      "unknown_pages": .number(report.unknownPages), "set_aside": .text(report.setAside?.path), "findings": .texts(report.findings),
    ]
  }
}

/// The schemas of a damaged file: of the library that was named, else of those that the file names, else of the one that has most of its tables.
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

extension SalvageReport {
  func text(width: Int?) -> String {
    let fills = tables.contains { $0.filled > 0 }
    var table = TextTable(
      [.text("TABLE"), .number("ROWS"), .number("FOUND")] + (fills ? [.number("FILLED")] : []) + [.number("SET ASIDE"), .number("LOST")])
    for counts in tables where counts.rows + counts.setAside > 0 || isLosing(counts) {
      let filled = fills ? ["\(counts.filled)"] : []
      table.add([counts.table, "\(counts.rows)", "\(counts.found)"] + filled + ["\(counts.setAside)", counts.lost.map { "\($0)" } ?? "?"])
    }
    return table.text(width: width)
  }

  /// What is not known of lost rows.
  var lostNotes: [String] {
    let isUnknown = tables.contains { isLosing($0) && $0.lost == nil }
    return
      (isUnknown ? ["LOST is ? where pages of a table are gone, and no index counts its rows any more: compare with what you know."] : [])
      + (unplaced.isEmpty ? [] : ["No page was found of \(unplaced.joined(separator: ", ")): empty, or lost."])
  }

  /// Whether rows are gone, or pages that may have had some.
  var isLosing: Bool { tables.contains(where: isLosing) }

  private func isLosing(_ table: Table) -> Bool { table.lost != 0 && !unplaced.contains(table.table) }

  var document: JSONValue { ShownProperties { _ in ["audited": nil] }.list(of: tables).json }
}
