import ArgumentParser
import Foundation
import Holdfast

struct Rewind: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Brings the whole store back to a moment of its archive.",
    discussion: """
      The state of that moment is built beside the store and verified, and then replaces the store's content in one transaction: \
      programs that read the store see the old state or the new one. While an app has the store open and archives it, the exit code \
      is 75: close the app, or let it rewind itself. The replaced state stays in the archive under a label, which is printed: rewinding \
      to that label undoes this. Of a damaged store the file is replaced, and kept in its quarantine folder. Prints what it will do, \
      and asks on a terminal; elsewhere it needs --yes. \(Moment.words)

      Example: holdfast rewind library.sqlite --to "10 minutes ago" --dry-run
      """)

  @Argument(help: "The store to rewind.", completion: .file())
  var store: FilePath

  @Option(help: ArgumentHelp("A moment: the state after the last commit until then.", valueName: "moment"))
  var to: String?

  @OptionGroup var moment: MomentOptions

  @Flag(help: "Say what would come back, be changed and be removed; change no row. Commits that are not archived yet are archived.")
  var dryRun = false

  @Flag(name: [.short, .long], help: "Go on without asking.")
  var yes = false

  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  func validate() throws { _ = try wanted() }

  func perform(_ console: Console) throws -> Answer {
    try Rewinding(store: store, moment: wanted(), lock: lock, isDry: dryRun, yes: yes).answer(console)
  }

  private func wanted() throws -> Moment {
    guard let wanted = try moment.moment(to, "--to", of: store) else {
      throw ValidationError("Give --to MOMENT, --label TEXT or --commit NUMBER.")
    }
    return wanted
  }
}

/// A rewind as `rewind` and `restore` do it: the plan, the question, the work.
struct Rewinding {
  let store: FilePath
  let moment: Moment
  let lock: LockOptions
  let isDry: Bool
  let yes: Bool

  func answer(_ console: Console) throws -> Answer {
    let archive = try archive(of: store)
    return try unlessDamaged(store, lock.storeOptions) { try rewind($0, console) } ?? replace(archive, console)
  }

  private func rewind(_ open: Store, _ console: Console) throws -> Answer {
    // Another program may write the archive: that is told before anybody waits or is asked.
    if !isDry { try open.checkIsArchived() }
    let plan = try Activity.show("building", console) { try open.rewindPlan(to: moment) }
    let text = "\(store), brought back to \(plan.commit.words):\n" + plan.tables.text(width: console.outputWidth)
    var document: [String: JSONValue] = [
      "store": .string(store.path), "commit": plan.commit.document, "tables": plan.tables.document, "findings": .texts(plan.findings),
      "rewound": .bool(false), "undo": .null, "kept_folder": .null, "warning": .text(plan.warning),
    ]
    let notes = plan.findings.map { "finding: \(DisplayText.printable($0))" } + Self.notes(plan.warning)
    if isDry { return Answer(document: document, text: text, notes: notes, foundProblems: !plan.findings.isEmpty) }
    let found = notes.map { $0 + "\n" }.joined()
    try Confirmation.ask(text + found + "The present state stays in the archive, under a label.", yes: yes, console)
    // The commit that was shown, also when the moment means another one by now.
    let report = try Activity.show("rewinding", console) { try open.rewind(to: .commit(plan.commit.number)) }
    document["rewound"] = .bool(true)
    document["undo"] = .string(report.undo)
    var facts = FactList()
    facts.add("rewound to", report.commit.words)
    facts.add("undo", "holdfast rewind \(store.shellWord) --label \"\(report.undo)\"")
    return Answer(document: document, text: facts.text)
  }

  /// Of a store that cannot be opened, the commit is built once before the question: it must exist, and be sound.
  private func replace(_ archive: Archive, _ console: Console) throws -> Answer {
    let commit = try Activity.show("building", console) { try built(archive) }
    let warning = try archive.warning(of: moment, leadingTo: commit)
    var document: [String: JSONValue] = [
      "store": .string(store.path), "commit": commit.document, "tables": .null, "findings": .texts([]), "rewound": .bool(false),
      "undo": .null, "kept_folder": .null, "warning": .text(warning),
    ]
    let plan = """
      \(store) cannot be opened for writing.
      This builds \(commit.words) from the archive, and puts it in the file's place. The present file is kept.
      """
    if isDry { return Answer(document: document, text: plan, notes: Self.notes(warning)) }
    try Confirmation.ask(([plan] + Self.notes(warning)).joined(separator: "\n"), yes: yes, console)
    let done = try Activity.show("rewinding", console) {
      try Store.rewind(at: store.url, to: .commit(commit.number), options: lock.storeOptions)
    }
    document["rewound"] = .bool(true)
    document["kept_folder"] = .text(done.kept?.path)
    var facts = FactList()
    facts.add("rewound to", done.commit.words)
    facts.add("kept as", done.kept?.path ?? "nothing: there was no file")
    return Answer(document: document, text: facts.text)
  }

  private static func notes(_ warning: String?) -> [String] { warning.map { ["warning: \($0)"] } ?? [] }

  private func built(_ archive: Archive) throws -> ArchivedCommit {
    let folder = try WorkingFolder(in: FileManager.default.temporaryDirectory, "rewinding")
    do { return try archive.restore(to: moment, at: folder.file("built.sqlite")) } catch { throw DurableFile.failure(error, store.url) }
  }
}
