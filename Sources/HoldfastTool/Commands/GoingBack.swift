import Foundation
import Holdfast
import HoldfastTransfer

/// Going back to a snapshot or a moment as `restore` and `rewind` do it: the plan, the question, the work.
struct GoingBack {
  let store: FilePath
  let state: PlannedWayBack.State
  let options: StoreOptions
  /// The folder of the snapshots, where it is not the usual one.
  var folder: URL?
  let isDry: Bool
  let yes: Bool

  func answer(_ console: Console) throws -> Answer {
    try finishInterrupted(store, options)
    let way = try Activity.show("verifying", console) {
      try PlannedWayBack(at: store.url, to: state, options: options, isDry: isDry, schemas: Libraries.schemas)
    }
    defer { way.close() }
    let text = plan(way, console)
    let notes = way.findings.map { "finding: \(DisplayText.printable($0))" } + (way.warning.map { ["warning: \($0)"] } ?? [])
    if isDry { return Answer(document: document(way, nil), text: text, notes: notes, foundProblems: !way.findings.isEmpty) }
    try Confirmation.ask(text + notes.map { $0 + "\n" }.joined() + kept(way), yes: yes, console)
    let undo = try Activity.show("going back", console) { try way.go() }
    return Answer(document: document(way, undo), text: facts(way, undo).text)
  }

  // MARK: The words

  private func plan(_ way: PlannedWayBack, _ console: Console) -> String {
    let state = way.snapshot.map { "\($0.words): \(Libraries.content(of: $0))" } ?? way.commit.map(\.words) ?? ""
    guard let tables = way.tables else {
      let source =
        way.snapshot == nil ? "\(says("builds")) \(state) from the archive, and \(isDry ? "put" : "puts") it" : "\(says("puts")) \(state),"
      return "\(store) cannot be opened for writing.\n\(source) in the file's place.\n"
    }
    let first =
      way.snapshot == nil
      ? "\(says("brings")) \(store) back to \(state):\n" : "\(says("replaces")) the content of \(store)\nwith \(state).\n"
    return first + tables.text(width: console.outputWidth)
  }

  /// `This brings`, and in a dry run `This would bring`.
  private func says(_ verb: String) -> String { isDry ? "This would \(verb.dropLast())" : "This \(verb)" }

  private func kept(_ way: PlannedWayBack) -> String {
    if way.tables == nil { return "The present file is kept." }
    return way.snapshot == nil
      ? "The present state stays in the archive, under a label." : "What is replaced is kept, as another snapshot."
  }

  private func facts(_ way: PlannedWayBack, _ undo: PlannedWayBack.Undo) -> FactList {
    var facts: FactList = [:]
    if let snapshot = way.snapshot { facts.add("restored", snapshot.id) }
    if let commit = way.commit { facts.add("rewound to", commit.words) }
    switch undo {
    // An equal copy is not kept twice, so there is nothing to undo.
    case .snapshot(let kept) where kept.id == way.snapshot?.id: facts.add("changed", "nothing: the store was as the snapshot")
    case .snapshot(let kept):
      facts.add("kept as", "snapshot \(kept.id)")
      let least = "at least until \(SnapshotPolicy().keepLast) newer ones are made"
      facts.add("stays", "as the app's rules for automatic snapshots say, by default \(least)")
    case .files(let folder?): facts.add("kept as", folder.path)
    case .files(nil): facts.add("replaced", "nothing: there was no file")
    case .label: break
    }
    facts.add("undo", command(undo, way))
    return facts
  }

  /// The command that undoes it, and asks first, whenever it is pasted; nil where there is none.
  private func command(_ undo: PlannedWayBack.Undo, _ way: PlannedWayBack) -> String? {
    switch undo {
    case .snapshot(let kept) where kept.id != way.snapshot?.id:
      "\(Program.name) restore \(store.shellWord)\(folder.map { " --folder \($0.path.shellWord)" } ?? "") --snapshot \(kept.id)"
    case .label(let label): "\(Program.name) rewind \(store.shellWord) --label \"\(label)\""
    default: nil
    }
  }

  // MARK: The document

  private func document(_ way: PlannedWayBack, _ undo: PlannedWayBack.Undo?) -> [String: JSONValue] {
    var folder: URL?
    if case .files(let kept)? = undo { folder = kept }
    let (tables, kept): (JSONValue, JSONValue) = (way.tables?.document ?? .null, .text(folder?.path))
    if let chosen = way.snapshot {
      var snapshot: String?
      if case .snapshot(let kept)? = undo { snapshot = kept.id }
      return [
        "store": .string(store.path), "restored": chosen.document, "dry_run": .bool(isDry), "tables": tables,
        "kept_snapshot": .text(snapshot), "kept_folder": kept, "undo": .text(undo.flatMap { command($0, way) }),
      ]
    }
    var label: String?
    if case .label(let text)? = undo { label = text }
    return [
      "store": .string(store.path), "commit": way.commit?.document ?? .null, "tables": tables, "findings": .texts(way.findings),
      "rewound": .bool(undo != nil), "undo": .text(label), "kept_folder": kept, "warning": .text(way.warning),
    ]
  }
}
