import ArgumentParser
import Foundation
import Holdfast

struct Restore: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Puts a snapshot or a moment of the archive back, or lists the snapshots.",
    discussion: """
      Without a moment the snapshots are listed, newest first. With --snapshot, the snapshot is verified, and its content \
      replaces the store's, also while an app uses the store. The replaced content is kept as another snapshot. Of a damaged store \
      the file and its log are kept in its quarantine folder, and the app must be closed before. \
      --at, --label and --commit name a moment of the archive: the store is rewound to it, as by `holdfast rewind`; with --to, it is \
      built as a file of its own, and the store stays as it is; with --only, one row comes back with the rows below it. \
      Prints what it will do where it replaces something, and asks on a terminal; elsewhere it needs --yes. \(Moment.words)

      Example: holdfast restore library.sqlite --snapshot 20261121T090512Z-1 --yes
      Example: holdfast restore library.sqlite --at "yesterday 14:02" --to yesterday.sqlite
      """)

  @Argument(help: "The store to restore.", completion: .file())
  var store: FilePath

  @Option(help: "The snapshot to put back, by its id or the beginning of it.")
  var snapshot: String?

  @Option(help: ArgumentHelp("A moment: the state after the last commit until then.", valueName: "moment"))
  var at: String?

  @OptionGroup var moment: MomentOptions

  @Option(help: ArgumentHelp("Build the moment as this new file, and leave the store as it is.", valueName: "file"), completion: .file())
  var to: FilePath?

  @Option(
    help: ArgumentHelp(
      "Bring back only this row and the rows below it, as they were; KIND is a table with a column id, or a word such as collection.",
      valueName: "kind:id"))
  var only: LostRow?

  @Flag(name: [.short, .long], help: "Go on without asking.")
  var yes = false

  @OptionGroup var place: SnapshotFolder
  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  private var list: SnapshotList { SnapshotList(store: store, place: place, lock: lock) }

  func validate() throws {
    let moment = try moment.moment(at, "--at")
    if moment != nil, snapshot != nil { throw ValidationError("--snapshot excludes --at, --label and --commit.") }
    if moment == nil, to != nil || only != nil { throw ValidationError("--to and --only need --at, --label or --commit.") }
    if to != nil, only != nil { throw ValidationError("--to and --only exclude each other.") }
    if to?.isStandard ?? false { throw ValidationError("--to is a file: a store cannot be built into standard output.") }
  }

  func perform(_ console: Console) throws -> Answer {
    if let moment = try moment.moment(at, "--at") {
      if let to { return try build(moment, to, console) }
      if let only { return try only.bringBack(from: moment, store, lock, console) }
      return try Rewinding(store: store, moment: moment, lock: lock, isDry: false, yes: yes).answer(console)
    }
    guard let snapshot else { return try list.answer(console) }
    return try restore(list.snapshot(snapshot), console)
  }

  private func build(_ moment: Moment, _ file: FilePath, _ console: Console) throws -> Answer {
    let archive = try archive(of: store)
    guard !FileManager.default.fileExists(atPath: file.path) else {
      throw StoreError(.cannotCreate, "\(file.path) is already there; it was left as it is", suggestion: "--to with another name")
    }
    let commit = try Activity.show("building", console) { try archive.restore(to: moment, at: file.url) }
    var facts = FactList()
    facts.add("built", file.path)
    facts.add("holds", commit.words)
    return Answer(document: ["store": .string(store.path), "file": .string(file.path), "commit": commit.document], text: facts.text)
  }

  private func restore(_ chosen: Snapshot, _ console: Console) throws -> Answer {
    let plan = """
      This replaces the content of \(store.path)
      with the snapshot \(chosen.id), made at \(TimeWords.both(chosen.createdAt)) (\(DisplayText.printable(chosen.label))): \
      \(Libraries.content(of: chosen)).
      What is replaced is kept.
      """
    try Confirmation.ask(plan, yes: yes, console)
    let kept = try Activity.show("restoring", console) { try putBack(chosen) }
    var facts = FactList()
    facts.add("restored", chosen.id)
    facts.add("kept as", kept.snapshot.map { "snapshot \($0)" } ?? kept.folder ?? "nothing: there was no file")
    return Answer(
      document: [
        "store": .string(store.path), "restored": chosen.document, "kept_snapshot": .text(kept.snapshot), "kept_folder": .text(kept.folder),
      ], text: facts.text)
  }

  /// Restores inside the open store if the store is sound: an app that uses the store sees the old state or the new. Replaces
  /// the file if the store is damaged.
  private func putBack(_ chosen: Snapshot) throws -> (snapshot: String?, folder: String?) {
    if let open = try openUnlessDamaged(store, list.options) {
      // The restore is done; an error of closing does not undo it.
      defer { try? open.close() }
      do {
        return (try open.restore(snapshot: chosen.id).id, nil)
      } catch let error as StoreError where error.asksForReplacement {
        // The damaged content cannot be copied as a snapshot: replace the file.
      }
    }
    return (nil, try Store.restore(at: store.url, snapshot: chosen.id, options: list.options)?.path)
  }
}
