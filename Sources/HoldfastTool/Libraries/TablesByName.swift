import Foundation
import Holdfast
import HoldfastTransfer

/// An import into a store whose library this program does not know: tables and columns of one name belong together.
struct TablesByName {
  private let source: ImportSource
  private let store: FilePath
  private let database: SQLiteSource
  private let named: NamedTables

  /// Compares the names. Writes nothing.
  ///
  /// - Throws: `.invalidSource` when no table of the source has a place; what reading the source and the store throws.
  init(from source: URL, into store: FilePath, _ choice: LibraryOption, _ lock: LockOptions) throws {
    let file = try ImportSource(source)
    let database = try SQLiteSource(file)
    named = try withLibrary(store, choice, lock) { _, open in try open.read { try NamedTables(database, in: $0) } }
    (self.source, self.store, self.database) = (file, store, database)
    guard named.tables.isEmpty else { return }
    throw StoreError(
      .invalidSource, "\(source.path) \(database.found); none of them has the name of a table in \(store.path)",
      suggestion: "\(Program.name) list \(store.shellWord), which shows the store's tables.")
  }

  /// Shows the plan, and asks, unless nothing will be kept.
  func confirm(dryRun: Bool, yes: Bool, _ console: Console) throws {
    do {
      _ = try NamedTablesImport(named, database)
    } catch {
      console.note(text, hasInk: true)
      throw error
    }
    if dryRun { console.note(text, hasInk: true) } else { try Confirmation.ask(text, yes: yes, console) }
  }

  /// - Parameter wanted: its options, and how the store is opened.
  func run(_ wanted: LibraryImport) throws -> ImportReport {
    try StrangersStore.fill(store, with: NamedTablesImport(named, database), from: source, wanted)
  }

  private var text: String {
    func list(_ words: String, _ names: [String]) -> [String] { names.isEmpty ? [] : ["  \(words): \(names.joined(separator: ", "))"] }
    var lines = ["This imports into \(store), by the names of tables and columns:"]
    for table in named.tables {
      let columns = table.columns.map { $0.source == $0.name ? $0.name : "\($0.source) -> \($0.name)" }
      lines.append("\(table.source) -> \(table.name): \(ShownValue.counted(table.rows, "row")), columns \(columns.joined(separator: ", "))")
      lines += list("no place for", table.unplaced)
      lines += list("not in the source, so a new row has the default or NULL", table.unfilled)
      lines += table.refusals.map { "  cannot be imported: \($0)" }
    }
    lines += named.unplaced.map { "no place for the table \($0.table): \(ShownValue.counted($0.rows, "row"))" }
    return lines.map { DisplayText.printable($0) }.joined(separator: "\n")
  }

  var document: JSONValue {
    .object([
      "tables": .array(
        named.tables.map { table in
          .object([
            "source": .string(table.source), "table": .string(table.name), "rows": .number(table.rows),
            "columns": .array(table.columns.map { .object(["source": .string($0.source), "column": .string($0.name)]) }),
            "unplaced": .texts(table.unplaced), "unfilled": .texts(table.unfilled),
          ])
        }),
      "unplaced": .array(named.unplaced.map { .object(["source": .string($0.table), "rows": .number($0.rows)]) }),
    ])
  }
}
