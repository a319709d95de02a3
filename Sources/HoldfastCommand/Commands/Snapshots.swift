import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

struct Snapshots: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshot",
    abstract: "Makes a snapshot of a store, or lists the snapshots.",
    discussion: """
      A snapshot is a copy of the store at one commit, checked and counted against it, also while an app uses the store. It is kept \
      beside the store until somebody removes it; `holdfast restore` puts it back.

      Example: holdfast snapshot create library.sqlite --label "before the move"
      """)

  enum Action: String, ExpressibleByArgument, CaseIterable { case create, list }

  @Argument(help: "create, or list.")
  var action: Action

  @Argument(help: "The store.", completion: .file())
  var store: FilePath

  @Option(help: "What a new snapshot is called, for people.")
  var label = "by hand"

  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  func perform(_ console: Console) throws -> Answer {
    switch action {
    case .create: try create(console)
    case .list: try SnapshotList(store: store, lock: lock).answer(console)
    }
  }

  private func create(_ console: Console) throws -> Answer {
    let kinds = try Store.kinds(at: store.url, busyTimeout: lock.storeOptions.busyTimeout)
    guard !kinds.isEmpty else { throw StoreError(.notFound, "\(store.path) holds no library yet") }
    var options = lock.storeOptions
    options.createsIfMissing = false
    options.migrating = .never
    let open = try Store.open(at: store.url, schemas: Libraries.schemas(kinds), options: options)
    // The first error is the one that matters.
    defer { try? open.close() }
    let made = try Activity.show("copying", console) { try open.snapshot(label: label) }
    var facts = FactList()
    facts.add("snapshot", made.id)
    facts.add("holds", Libraries.content(of: made))
    facts.add("size", DisplayText.size(made.bytes))
    if !made.findings.isEmpty { facts.add("findings", "\(made.findings.count), as in the store: holdfast check \(store.path)") }
    return Answer(
      document: ["store": .string(store.path), "created": made.document], text: facts.text, foundProblems: !made.findings.isEmpty)
  }
}

/// The snapshots of a store, newest first.
struct SnapshotList {
  let store: FilePath
  let lock: LockOptions

  func answer(_ console: Console) throws -> Answer {
    let snapshots = try Snapshot.all(of: store.url)
    if snapshots.isEmpty, !FileManager.default.fileExists(atPath: store.path) {
      throw StoreError(.notFound, "there is no file at \(store.path)")
    }
    // Throws for a file that is not a store; an empty list would hide that.
    if snapshots.isEmpty { _ = try Store.kinds(at: store.url, busyTimeout: lock.storeOptions.busyTimeout) }
    var table = TextTable([
      .text("SNAPSHOT"), .text("MADE"), .number("SIZE"), .text("HOLDS"), .flexible("LABEL"),
    ])
    for snapshot in snapshots {
      table.add([
        snapshot.id, DisplayText.time(snapshot.createdAt), DisplayText.size(snapshot.bytes), Libraries.content(of: snapshot),
        snapshot.label,
      ])
    }
    let unreadable = Snapshot.unreadable(of: store.url)
    let told = unreadable.map { "The snapshot that \(DisplayText.printable($0.path)) describes is not listed: the description is damaged." }
    return Answer(
      document: [
        "store": .string(store.path), "snapshots": .array(snapshots.map(\.document)),
        "unreadable": .array(unreadable.map { .string($0.path) }),
      ],
      text: snapshots.isEmpty ? "" : table.text(width: console.outputWidth),
      notes: snapshots.isEmpty && unreadable.isEmpty ? ["There are no snapshots."] : told, foundProblems: !unreadable.isEmpty)
  }

  /// The snapshot with this id, or the only one whose id begins with it.
  ///
  /// - Throws: `.notFound`; `ambiguous` with the ids when several begin so.
  func snapshot(_ id: String) throws -> Snapshot {
    let snapshots = try Snapshot.all(of: store.url)
    if let exact = snapshots.first(where: { $0.id == id }) { return exact }
    let found = id.isEmpty ? [] : snapshots.filter { $0.id.hasPrefix(id) }
    guard let first = found.first else {
      throw StoreError(
        .notFound, "\(store.path) has no snapshot \(id)", suggestion: "holdfast snapshot list \(store.path)")
    }
    guard found.count == 1 else {
      throw Failure(
        code: "ambiguous", "several snapshots of \(store.path) begin with \(id): \(found.prefix(5).map(\.id).joined(separator: ", "))",
        suggestion: "Write more of the id.", status: .usage)
    }
    return first
  }
}

extension Snapshot {
  var document: JSONValue {
    .object([
      "id": .string(id), "created_at": .time(createdAt), "label": .string(label), "schemas": .numbers(schemas), "rows": .numbers(rows),
      "bytes": .integer(bytes), "sha256": .string(sha256),
    ])
  }
}
