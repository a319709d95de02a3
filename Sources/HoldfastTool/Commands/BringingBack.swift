import Foundation
import Holdfast
import HoldfastTransfer

/// The return of one row as `restore --only` does it: the plan, the question, the work.
struct BringingBack {
  let row: LostRow
  let store: FilePath
  let lock: LockOptions
  let isDry: Bool
  let yes: Bool

  /// Inserts the row and the rows below it, as they were. What the store has now stays.
  ///
  /// - Parameter build: makes a new file with the older state, and returns the words for that state.
  func answer(_ console: Console, build: (Store, URL) throws -> String) throws -> Answer {
    let open = try openWhole(store, lock)
    // The first error is the one that matters.
    defer { try? open.close() }
    let table = try row.table(of: open, Store.kinds(at: store.url, options: lock.storeOptions))
    let folder = try WorkingFolder(beside: store.url, "comparing")
    let file = folder.file("then.sqlite")
    let words = try Activity.show("building", console) {
      do { return try build(open, file) } catch let error as StoreError { throw error.naming(store.url) }
    }
    let id = IDCodec.parse(row.id).map(IDCodec.lowercase) ?? row.id
    func run(isDry: Bool) throws -> BringBackReport { try open.bringBack(table, where: ["id": .text(id)], from: file, isDry: isDry) }
    let plan = try Activity.show("comparing", console) { try run(isDry: true) }
    if isDry || plan.inserted.isEmpty { return answer(plan) }
    let remarks = plan.notes + ["Nothing else changes."]
    try Confirmation.ask(
      "This brings back into \(store), from \(words):\n\(plan.text)\(remarks.joined(separator: "\n"))", yes: yes, console)
    return answer(try Activity.show("bringing back", console) { try run(isDry: false) })
  }

  private func answer(_ rows: BringBackReport) -> Answer {
    Answer(
      document: [
        "store": .string(store.path), "dry_run": .bool(isDry), "brought_back": .numbers(rows.inserted), "kept": .numbers(rows.kept),
        "left_out": .numbers(rows.leftOut),
      ], text: rows.text, notes: (rows.inserted.isEmpty ? ["Nothing was missing."] : []) + rows.notes, foundProblems: !rows.leftOut.isEmpty)
  }
}

extension BringBackReport {
  /// A line for each table with rows that come.
  fileprivate var text: String {
    var facts = FactList()
    for (table, count) in inserted.sorted(by: { $0.key < $1.key }) { facts.add(table, ShownValue.counted(count, "row")) }
    return facts.text
  }

  /// What does not come, and why.
  fileprivate var notes: [String] {
    var notes: [String] = []
    if !kept.isEmpty { notes.append("\(ShownValue.counted(kept.values.reduce(0, +), "row")) changed since, and stay as they are now.") }
    if !leftOut.isEmpty {
      let count = ShownValue.counted(leftOut.values.reduce(0, +), "row")
      notes.append("\(count) cannot come: a unique value is taken, or a row that they point at is missing.")
    }
    return notes
  }
}
