import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

struct Snapshots: CommandGroup {
  static let configuration = CommandConfiguration(
    commandName: "snapshot",
    abstract: "Makes, lists, verifies, drills and removes snapshots of a store.",
    discussion: """
      A snapshot is a copy of the store at one commit, checked and counted against it, also while an app uses the store. \
      `create` makes one, which stays until somebody removes it; `\(Program.name) restore` puts it back. `verify` reads snapshots again. \
      `drill` restores one to a scratch file and checks that whole. `prune` removes those that no --keep rule keeps, or those that \
      --snapshot names, but never the newest one without findings; it prints what it will remove, and asks on a terminal; \
      elsewhere it needs --yes.

      Example: \(Program.name) snapshot create library.sqlite --label "before the move"
      """)

  enum Action: String, ExpressibleByArgument, CaseIterable { case create, list, verify, prune, drill }

  @Argument(help: "create, list, verify, prune, or drill; before the store or behind it.")
  var action: Action

  @Argument(help: "The store.", completion: .file())
  var store: FilePath

  @Option(help: "What a new snapshot is called, for people.")
  var label = "by hand"

  @Option(help: "verify, prune, drill: the snapshot, by its id or the beginning of it; for the first two several times.")
  var snapshot: [String] = []

  @OptionGroup var rules: SnapshotRules

  @Flag(name: [.short, .long], help: "prune: go on without asking.")
  var yes = false

  @OptionGroup var place: SnapshotFolder
  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    if action == .drill, snapshot.count > 1 { throw ValidationError("A drill is of one snapshot.") }
    guard action == .prune else {
      if rules.dryRun { throw ValidationError("--dry-run is for prune only.") }
      return
    }
    guard (rules.policy == nil) != snapshot.isEmpty else {
      throw ValidationError("Say which snapshots stay, for example --keep-last 5, or name those to remove with --snapshot; not both.")
    }
  }

  func perform(_ console: Console) throws -> Answer {
    let list = SnapshotList(store: store, place: place, lock: lock)
    return switch action {
    case .create: try create(console)
    case .list: try list.answer(console)
    case .verify: try list.verify(snapshot, console)
    case .prune: try list.prune(snapshot, rules, yes: yes, console)
    case .drill: try list.drill(snapshot.first, console)
    }
  }

  private func create(_ console: Console) throws -> Answer {
    let open = try openWhole(store, lock, snapshots: place.folder?.url)
    // The first error is the one that matters.
    defer { try? open.close() }
    let made = try Activity.show("copying", console) { try open.snapshot(label: label) }
    let facts: FactList = [
      "snapshot": made.id, "holds": Libraries.content(of: made), "size": DisplayText.size(made.bytes),
      "findings": made.findings.first.map { "\(made.findings.count), the first: \($0)" },
    ]
    return Answer(
      document: ["store": .string(store.path), "created": made.document], text: facts.text,
      notes: made.findings.isEmpty
        ? [] : ["The snapshot is as the store, which has the same findings: \(Program.name) check \(store.shellWord)"],
      foundProblems: !made.findings.isEmpty)
  }
}

/// The snapshots of a store, newest first.
struct SnapshotList {
  let store: FilePath
  let place: SnapshotFolder
  let lock: LockOptions

  var folder: URL? { place.folder?.url }

  var options: StoreOptions {
    var options = lock.storeOptions
    options.snapshots.folder = folder
    return options
  }

  /// - Throws: `.notFound` without snapshots and store; the errors of a file that is no store.
  func existing() throws -> [Snapshot] {
    let snapshots = try Snapshot.all(of: store.url, in: folder)
    if snapshots.isEmpty, !FileManager.default.fileExists(atPath: store.path) {
      throw DurableFile.noFile(store.path)
    }
    // Throws for a file that is not a store; an empty list would hide that.
    if snapshots.isEmpty { _ = try Store.kinds(at: store.url, options: lock.storeOptions) }
    return snapshots
  }

  func notes(_ snapshots: [Snapshot], _ unreadable: [URL]) -> [String] {
    if snapshots.isEmpty, unreadable.isEmpty { return ["There are no snapshots."] }
    return unreadable.map { "The snapshot that \(DisplayText.printable($0.path)) describes is not listed: the description is damaged." }
  }

  func answer(_ console: Console) throws -> Answer {
    let snapshots = try existing()
    // The id is the time in UTC, so a column for UTC would leave no room for the others.
    let isUniversal = TimeWords.isUniversal(snapshots.map(\.createdAt))
    var table = TextTable([
      .text("SNAPSHOT"), .text(isUniversal ? "MADE" : "LOCAL TIME"), .number("SIZE"), .text("HOLDS"), .flexible("LABEL"),
    ])
    for snapshot in snapshots {
      table.add([
        snapshot.id, isUniversal ? DisplayText.time(snapshot.createdAt) : TimeWords.local(snapshot.createdAt),
        DisplayText.size(snapshot.bytes), Libraries.content(of: snapshot), snapshot.label,
      ])
    }
    let unreadable = Snapshot.unreadable(of: store.url, in: folder)
    let lastDrill = try Snapshot.lastDrill(of: store.url, in: folder)
    let drilled = lastDrill.map { ["The last drill passed at \(TimeWords.both($0))."] } ?? []
    return Answer(
      document: [
        "store": .string(store.path), "snapshots": .array(snapshots.map(\.document)),
        "unreadable": .texts(unreadable.map(\.path)), "last_drill": .time(lastDrill),
      ],
      text: snapshots.isEmpty ? "" : table.text(width: console.outputWidth),
      notes: notes(snapshots, unreadable) + drilled, foundProblems: !unreadable.isEmpty)
  }

  /// The snapshot with this id, or the only one whose id begins with it.
  func snapshot(_ id: String) throws -> Snapshot {
    let snapshots = try Snapshot.all(of: store.url, in: folder)
    let whole = try Lookup.whole(id, among: snapshots.map(\.id), of: "snapshots of \(store.path)")
    if let found = snapshots.first(where: { $0.id == whole }) { return found }
    throw StoreError(.notFound, "\(store.path) has no snapshot \(id)", suggestion: "\(Program.name) snapshot list \(store.shellWord)")
  }
}

extension Snapshot {
  var document: JSONValue { ShownProperties { _ in ["is_automatic": nil] }.object(of: self) }
}
