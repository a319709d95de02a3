import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

/// One row that is brought back from the past: `collection:7c9e6679-7425-40de-944b-e07fc1f90ae7`.
struct LostRow: ExpressibleByArgument {
  let kind: String
  let id: String

  init?(argument: String) {
    guard let colon = argument.firstIndex(of: ":") else { return nil }
    (kind, id) = (String(argument[..<colon]), String(argument[argument.index(after: colon)...]))
    if kind.isEmpty || id.isEmpty { return nil }
  }

  /// Inserts the row and the rows below it, as they were. What the store has now stays.
  func bringBack(from moment: Moment, _ store: FilePath, _ lock: LockOptions, _ console: Console) throws -> Answer {
    _ = try archive(of: store)
    let open = try openWhole(store, lock)
    // The first error is the one that matters.
    defer { try? open.close() }
    let table = try table(of: open, Store.kinds(at: store.url, busyTimeout: lock.storeOptions.busyTimeout))
    let rows = try Activity.show("bringing back", console) {
      try open.bringBack(table, where: ["id": .text(IDCodec.parse(id).map(IDCodec.lowercase) ?? id)], from: moment)
    }
    var facts = FactList()
    for (table, count) in rows.inserted.sorted(by: { $0.key < $1.key }) { facts.add(table, ShownValue.counted(count, "row")) }
    var notes = rows.inserted.isEmpty ? ["Nothing was missing."] : []
    if !rows.kept.isEmpty {
      notes.append("\(ShownValue.counted(rows.kept.values.reduce(0, +), "row")) changed since, and stay as they are now.")
    }
    if !rows.leftOut.isEmpty {
      let count = ShownValue.counted(rows.leftOut.values.reduce(0, +), "row")
      notes.append("\(count) could not come: a unique value is taken, or a row that they point at is missing.")
    }
    return Answer(
      document: [
        "store": .string(store.path), "brought_back": .numbers(rows.inserted), "kept": .numbers(rows.kept),
        "left_out": .numbers(rows.leftOut),
      ], text: facts.text, notes: notes, foundProblems: !rows.leftOut.isEmpty)
  }

  /// The table with a column `id` that `kind` names, by its name or by the library's word for one of its rows.
  private func table(of open: Store, _ kinds: [String: Int]) throws -> String {
    let tables = try open.read { reader in
      try reader.values(
        """
        SELECT t.name FROM sqlite_schema AS t CROSS JOIN pragma_table_info(t.name) AS c WHERE t.type = 'table' \
        AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND t.name NOT LIKE 'holdfast\\_%' ESCAPE '\\' \
        AND c.name = 'id' COLLATE NOCASE ORDER BY t.name
        """
      ) { row in try row.text() }
    }
    let counted = Libraries.all.filter { kinds[$0.name] != nil }.flatMap(\.counted).filter { tables.contains($0.table) }
    if tables.contains(kind) { return kind }
    if let known = counted.first(where: { $0.one == kind }) { return known.table }
    if tables.contains(kind + "s") { return kind + "s" }
    throw Failure(
      code: "usage", "\(kind) names no table with a column id",
      suggestion: "--only with one of \((counted.map(\.one) + tables).joined(separator: ", "))", status: .usage)
  }
}
