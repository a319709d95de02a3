import Foundation
import Holdfast
import HoldfastTransfer

/// The return of one row as `restore --only` does it: the plan, the question, the work.
struct BringingBack {
  let row: LostRow
  /// How the store is opened; with the folder of its snapshots.
  let list: SnapshotList
  /// Whether the row gets its older values, too, where it has changed since.
  let takesChanged: Bool
  let isDry: Bool
  let yes: Bool

  /// Inserts the row and the rows below it, as they were. What the store has now stays, except the row itself with `takesChanged`.
  ///
  /// - Parameter build: makes a new file with the older state, and returns the words for that state.
  func answer(_ console: Console, build: (Store, URL) throws -> String) throws -> Answer {
    let (store, lock) = (list.store, list.lock)
    let open = try openWhole(store, lock, snapshots: list.folder)
    // The first error is the one that matters.
    defer { try? open.close() }
    let table = try row.table(of: open, Store.kinds(at: store.url, options: lock.storeOptions))
    let folder = try WorkingFolder(beside: store.url, "comparing")
    let file = folder.file("then.sqlite")
    let words = try Activity.show("building", console) {
      do { return try build(open, file) } catch let error as StoreError { throw error.naming(store.url) }
    }
    let description = try open.read { try $0.description() }
    // The row may come back, but neither its values nor the ids of other rows are told.
    let isHidden = open.hides(table, description)
    let ids = try open.bringable(table, "id", beginningWith: row.id, from: file)
    let id = try row.wholeID(among: isHidden ? ids.filter { $0 == row.id || $0 == row.id.lowercased() } : ids)
    let name = "\(table):\(id)"
    func run(as plan: BringBackReport?, mark: () throws -> Void = {}) throws -> BringBackReport {
      try open.bringBack(
        table, where: ["id": .text(id)], from: file, takesChanged: takesChanged, isDry: plan == nil, as: plan, mark: mark)
    }
    func told(_ report: BringBackReport) -> Answer {
      self.answer(report, name, isHidden ? [] : report.changes.map { $0.shown(table, by: description, as: \.json) })
    }
    let plan = try Activity.show("comparing", console) { try run(as: nil) }
    let changes = isHidden ? [] : plan.changes.map { $0.shown(table, by: description, as: \.told) }
    // Now on the left, then on the right.
    let differing = changes.isEmpty ? "" : changes.text(width: console.outputWidth)
    var answer = told(plan)
    if isDry || plan.inserted.isEmpty && plan.takenBack.isEmpty {
      answer.text += differing
      return answer
    }
    let remarks = plan.notes(takesChanged) + ["Nothing else changes."]
    try Confirmation.ask(
      "This brings back \(DisplayText.printable(name)) into \(store), from \(words):\n\(plan.text)\(differing)\(remarks.joined(separator: "\n"))",
      yes: yes, console)
    let time = DateCodec.milliseconds(Date()).map { DateCodec.iso8601($0, fraction: true) } ?? ""
    let label = "before taking back \(table) \(id) at \(time)"
    var undo = try plan.takenBack.isEmpty ? nil : mark(open, label)
    let done = try Activity.show("bringing back", console) {
      try run(as: plan) {
        if undo == nil { undo = try open.snapshotLastCommit(label: label, isAutomatic: false).map(command) }
      }
    }
    answer = told(done)
    answer.document["undo"] = .text(undo)
    answer.text += (["undo": undo] as FactList).text
    return answer
  }

  /// Marks the present state with a label in the archive. Returns the command that goes back to it, or nil without an archive: then a snapshot
  /// is made in the transaction. The command has no `--yes`: it takes back the whole store, with what is written until then.
  private func mark(_ open: Store, _ label: String) throws -> String? {
    guard (try? Archive(of: list.store.url, options: list.lock.storeOptions)) != nil else { return nil }
    // Archives what other programs have committed.
    _ = try open.archive()
    try open.label(label)
    return "\(Program.name) rewind \(list.store.shellWord) --label \(label.shellWord)"
  }

  private func command(_ made: Snapshot) -> String {
    let folder = list.folder.map { " --folder \($0.path.shellWord)" } ?? ""
    return "\(Program.name) restore \(list.store.shellWord)\(folder) --snapshot \(made.id)"
  }

  private func answer(_ rows: BringBackReport, _ name: String, _ changes: [RowDifference]) -> Answer {
    let isMissing = !rows.inserted.isEmpty || !rows.takenBack.isEmpty
    return Answer(
      document: [
        "store": .string(list.store.path), "row": .string(name), "dry_run": .bool(isDry), "brought_back": .numbers(rows.inserted),
        "taken_back": .numbers(rows.takenBack), "kept": .numbers(rows.kept), "left_out": .numbers(rows.leftOut),
        "changes": changes.document, "undo": .null,
      ], text: rows.text, notes: (isMissing ? [] : ["Nothing was missing."]) + rows.notes(takesChanged),
      foundProblems: !rows.leftOut.isEmpty)
  }
}

extension BringBackReport {
  fileprivate var text: String {
    var facts: FactList = [:]
    for (table, count) in inserted.sorted(by: { $0.key < $1.key }) { facts.add(table, ShownValue.counted(count, "row")) }
    for (table, count) in takenBack.sorted(by: { $0.key < $1.key }) { facts.add(table, ShownValue.counted(count, "changed row")) }
    return facts.text
  }

  fileprivate func notes(_ takesChanged: Bool) -> [String] {
    var notes: [String] = []
    if !kept.isEmpty { notes.append("\(ShownValue.counted(kept.values.reduce(0, +), "row")) changed since, and stay as they are now.") }
    if !takesChanged, !changes.isEmpty { notes.append("The row itself is among them: with --changed it comes back as it was.") }
    if !leftOut.isEmpty {
      let count = ShownValue.counted(leftOut.values.reduce(0, +), "row")
      notes.append("\(count) cannot come: a unique value is taken, or a row that they point at is missing.")
    }
    return notes
  }
}
