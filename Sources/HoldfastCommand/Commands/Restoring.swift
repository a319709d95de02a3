import Foundation
import Holdfast
import HoldfastTransfer

/// A restore of a snapshot: the plan, the question, the work.
struct Restoring {
  let list: SnapshotList
  let chosen: Snapshot
  let isDry: Bool
  let yes: Bool

  private var store: FilePath { list.store }

  /// Restores inside the open store if the store is sound: an app that uses the store sees the old state or the new. Replaces
  /// the file if the store is damaged.
  func answer(_ console: Console) throws -> Answer {
    try unlessDamaged(store, list.options) { try restore($0, console) } ?? replace(console)
  }

  private func restore(_ open: Store, _ console: Console) throws -> Answer {
    let tables = try Activity.show("comparing", console) { try open.restorePlan(snapshot: chosen.id) }
    let plan = """
      This replaces the content of \(store)
      with \(chosen.words): \(Libraries.content(of: chosen)).

      """
    let text = plan + tables.text(width: console.outputWidth)
    if isDry { return Answer(document: document(tables), text: text) }
    try Confirmation.ask(text + "What is replaced is kept, as another snapshot.", yes: yes, console)
    let kept = try Activity.show("restoring", console) { try open.restore(snapshot: chosen.id) }
    let folder = list.folder.map { " --folder \($0.path.shellWord)" } ?? ""
    let undo = "holdfast restore \(store.shellWord)\(folder) --snapshot \(kept.id) --yes"
    var facts = FactList()
    facts.add("restored", chosen.id)
    // An equal copy is not kept twice, so there is nothing to undo.
    if kept.id == chosen.id {
      facts.add("changed", "nothing: the store was as the snapshot")
      return Answer(document: document(tables, kept: kept), text: facts.text)
    }
    facts.add("kept as", "snapshot \(kept.id)")
    let least = "at least until \(SnapshotPolicy().keepLast) newer ones are made"
    facts.add("stays", "as the app's rules for automatic snapshots say, by default \(least)")
    facts.add("undo", undo)
    return Answer(document: document(tables, kept: kept, undo: undo), text: facts.text)
  }

  private func replace(_ console: Console) throws -> Answer {
    // Before the question: it must be sound.
    _ = try Activity.show("verifying", console) { try Snapshot.verify(chosen.id, of: store.url, options: list.options) }
    let plan = """
      \(store) cannot be opened for writing.
      This puts \(chosen.words), in the file's place: \(Libraries.content(of: chosen)). The present file is kept.
      """
    if isDry { return Answer(document: document(nil), text: plan + "\n") }
    try Confirmation.ask(plan, yes: yes, console)
    let folder = try Activity.show("restoring", console) {
      try Store.restore(at: store.url, snapshot: chosen.id, options: list.options)
    }
    var facts = FactList()
    facts.add("restored", chosen.id)
    facts.add("kept as", folder?.path ?? "nothing: there was no file")
    return Answer(document: document(nil, folder: folder), text: facts.text)
  }

  private func document(
    _ tables: [TableDifference]?, kept: Snapshot? = nil, undo: String? = nil, folder: URL? = nil
  ) -> [String: JSONValue] {
    [
      "store": .string(store.path), "restored": chosen.document, "dry_run": .bool(isDry), "tables": tables?.document ?? .null,
      "kept_snapshot": .text(kept?.id), "kept_folder": .text(folder?.path), "undo": .text(undo),
    ]
  }
}

extension Snapshot {
  /// `the snapshot 20261124T130233Z-1, made at 2026-11-24 14:02:33 (2026-11-24T13:02:33Z) (by hand)`
  var words: String { "the snapshot \(id), made at \(TimeWords.both(createdAt)) (\(DisplayText.printable(label)))" }
}
