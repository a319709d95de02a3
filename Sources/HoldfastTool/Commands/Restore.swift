import ArgumentParser
import Foundation
import Holdfast

struct Restore: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Puts a snapshot or a moment of the archive back, or lists the snapshots.",
    discussion: """
      Without a moment the snapshots are listed, newest first. With --snapshot, the snapshot is verified, and its content \
      replaces the store's, also while an app uses the store. The replaced content is kept as another snapshot, and the command that \
      undoes the restore is printed. Of a damaged store the file and its log are kept in its quarantine folder, and the app must be \
      closed before. --at, --label and --commit name a moment of the archive: the store is rewound to it, as by `\(Program.name) rewind`. \
      Prints what it will do to the store, and asks on a terminal; elsewhere it needs --yes. \(Moment.words)

      Example: \(Program.name) restore library.sqlite --snapshot 20251105T114122Z-1 --yes
      Example: \(Program.name) restore library.sqlite --at "yesterday 14:02" --to yesterday.sqlite
      """)

  @Argument(help: "The store to restore.", completion: .file())
  var store: FilePath

  @Option(help: "The snapshot to put back, by its id or the beginning of it.")
  var snapshot: String?

  @Option(help: ArgumentHelp("A moment: the state after the last commit until then.", valueName: "moment"))
  var at: String?

  @OptionGroup var moment: MomentOptions

  @Option(
    help: ArgumentHelp("Make this new file of the snapshot or the moment, and leave the store as it is.", valueName: "file"),
    completion: .file())
  var to: FilePath?

  @Option(
    help: ArgumentHelp(
      "Bring back only this row and the rows below it, as they were; KIND is a table with a column id, or a word such as collection; ID may be the beginning of an id.",
      valueName: "kind:id"))
  var only: LostRow?

  @Flag(help: "With --only: the row itself also comes back where it has changed since. Prints both, and marks the present state before.")
  var changed = false

  @Flag(help: "Say what would come back, be changed and be removed; change no row. Commits that are not archived yet are archived.")
  var dryRun = false

  @Flag(name: [.short, .long], help: "Go on without asking.")
  var yes = false

  @OptionGroup var place: SnapshotFolder
  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  private var list: SnapshotList { SnapshotList(store: store, place: place, lock: lock) }

  func validate() throws {
    let moment = try moment.moment(at, "--at", of: store)
    if moment != nil, snapshot != nil { throw ValidationError("--snapshot excludes --at, --label and --commit.") }
    if moment == nil, snapshot == nil, to != nil || only != nil || dryRun {
      throw ValidationError("--to, --only and --dry-run need --snapshot, --at, --label or --commit.")
    }
    if to != nil, only != nil || dryRun { throw ValidationError("--to excludes --only and --dry-run.") }
    if changed, only == nil { throw ValidationError("--changed is for --only.") }
    if to?.isStandard ?? false { throw ValidationError("--to is a file: a store cannot be built into standard output.") }
  }

  func perform(_ console: Console) throws -> Answer {
    if let moment = try moment.moment(at, "--at", of: store) { return try restore(moment, console) }
    guard let snapshot else { return try list.answer(console) }
    return try restore(list.snapshot(snapshot), console)
  }

  private func restore(_ moment: Moment, _ console: Console) throws -> Answer {
    let archive = try archive(of: store)
    // Opening the store may make its archive smaller.
    let pin = archive.pin()
    defer { withExtendedLifetime(pin) {} }
    if let only {
      return try back(only).answer(console) { open, file in try open.archive().restore(to: moment, at: file).words }
    }
    guard let to else { return try back(.moment(moment), lock.storeOptions).answer(console) }
    let commit = try Activity.show("building", console) { try archive.restore(to: moment, at: to.url) }
    return built(to, commit.words, ["commit": commit.document])
  }

  private func restore(_ chosen: Snapshot, _ console: Console) throws -> Answer {
    func copy(to file: URL) throws { try Snapshot.restore(chosen.id, of: store.url, at: file, options: list.options) }
    if let only {
      return try back(only).answer(console) { _, file in
        try copy(to: file)
        return chosen.words
      }
    }
    guard let to else { return try back(.snapshot(chosen.id), list.options).answer(console) }
    try Activity.show("copying", console) { try copy(to: to.url) }
    return built(to, chosen.words, ["copied": chosen.document])
  }

  private func built(_ file: FilePath, _ words: String, _ document: [String: JSONValue]) -> Answer {
    let facts: FactList = ["built": file.path, "holds": words]
    return Answer(document: document.merging(["file": .string(file.path)]) { $1 }, text: facts.text).about(store)
  }

  private func back(_ only: LostRow) -> BringingBack {
    BringingBack(row: only, list: list, takesChanged: changed, isDry: dryRun, yes: yes)
  }

  private func back(_ state: PlannedWayBack.State, _ options: StoreOptions) -> GoingBack {
    GoingBack(store: store, state: state, options: options, folder: list.folder, isDry: dryRun, yes: yes)
  }
}

extension Snapshot {
  /// `the snapshot 20261124T130233Z-1, made at 2026-11-24 14:02:33 (2026-11-24T13:02:33Z) (by hand)`
  var words: String { "the snapshot \(id), made at \(TimeWords.both(createdAt)) (\(DisplayText.printable(label)))" }
}
