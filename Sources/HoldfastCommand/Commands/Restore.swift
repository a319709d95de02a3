import ArgumentParser
import Foundation
import Holdfast

struct Restore: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Puts a snapshot back, or lists the snapshots.",
    discussion: """
      Without --snapshot the snapshots are listed, newest first. With it, the snapshot is verified, and its content \
      replaces the store's, also while an app uses the store. The replaced content is kept as another snapshot. Of a damaged store \
      the file and its log are kept in its quarantine folder, and the app must be closed before. \
      Prints what it will do, and asks on a terminal; elsewhere it needs --yes.

      Example: holdfast restore library.sqlite --snapshot 20261121T090512Z-1 --yes
      """)

  @Argument(help: "The store to restore.", completion: .file())
  var store: FilePath

  @Option(help: "The snapshot to put back, by its id or the beginning of it.")
  var snapshot: String?

  @Flag(name: [.short, .long], help: "Go on without asking.")
  var yes = false

  @OptionGroup var place: SnapshotFolder
  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  private var list: SnapshotList { SnapshotList(store: store, place: place, lock: lock) }

  func perform(_ console: Console) throws -> Answer {
    guard let snapshot else { return try list.answer(console) }
    return try restore(list.snapshot(snapshot), console)
  }

  private func restore(_ chosen: Snapshot, _ console: Console) throws -> Answer {
    let plan = """
      This replaces the content of \(store.path)
      with the snapshot \(chosen.id), made at \(DisplayText.time(chosen.createdAt)) (\(DisplayText.printable(chosen.label))): \
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
    if let open = try openStore() {
      // The restore is done; an error of closing does not undo it.
      defer { try? open.close() }
      do {
        return (try open.restore(snapshot: chosen.id).id, nil)
      } catch let error as StoreError where [.damaged, .verificationFailed, .notADatabase, .decoding].contains(error.code) {
        // The damaged content cannot be copied as a snapshot: replace the file.
      }
    }
    return (nil, try Store.restore(at: store.url, snapshot: chosen.id, options: list.options)?.path)
  }

  private func openStore() throws -> Store? {
    var options = list.options
    options.createsIfMissing = false
    options.migrating = .never
    do {
      // Opening would create tables in an empty file.
      let kinds = try Store.kinds(at: store.url, busyTimeout: options.busyTimeout)
      if kinds.isEmpty { return nil }
      let schemas = Libraries.schemas(kinds)
      // Opening would move a leftover log into the damaged file, but the replaced file must be kept unchanged.
      let findings = try Store.check(at: store.url, schemas: schemas, options: options, quick: true).findings
      guard findings.allSatisfy({ ![.files, .file].contains($0.part) }) else { return nil }
      let open = try Store.open(at: store.url, schemas: schemas, options: options)
      if open.access == .readWrite { return open }
      try open.close()
      return nil
    } catch let error as StoreError {
      switch error.code {
      // The store is in use, or the system refused it: replacing the file would fail too.
      case .busy, .permissionDenied, .deviceLocked, .cancelled, .diskFull, .outOfMemory, .inputOutput: throw error
      // Any other file may be replaced: the snapshot is verified, and the replaced file is kept.
      default: return nil
      }
    }
  }
}
