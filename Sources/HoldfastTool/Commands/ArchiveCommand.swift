import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

struct ArchiveCommand: CommandGroup {
  static let configuration = CommandConfiguration(
    commandName: "archive",
    abstract: "Begins to keep every commit of a store, says how far back its archive reaches, verifies or drills it.",
    discussion: """
      `begin` copies the store once, beside it; from then on every program that opens the store with Holdfast keeps its commits there. \
      `\(Program.name) history` lists them, and `\(Program.name) rewind` goes back to one. `verify` reads the whole archive and proves every commit; the \
      store may be damaged or gone. `drill` restores the newest state from the archive to a scratch file and checks that whole.

      Example: \(Program.name) archive begin library.sqlite
      """)

  enum Action: String, ExpressibleByArgument, CaseIterable { case begin, status, verify, drill }

  @Argument(help: "begin, status, verify, or drill; before the store or behind it.")
  var action: Action

  @Argument(help: "The store.", completion: .file())
  var store: FilePath

  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  func perform(_ console: Console) throws -> Answer {
    switch action {
    case .begin:
      try begin(console)
      return try status(console)
    case .status: return try status(console)
    case .verify: return try verify(console)
    case .drill: return try drill(console)
    }
  }

  /// What a person must know after a command that could not write the archive.
  static func warning(_ store: String, _ problem: StoreError) -> String {
    "warning: \(problem.message). The store has every commit; the archive may lack the newest. Remove the cause; "
      + "then `\(Program.name) archive begin \(store.shellWord)` archives what is missing."
  }

  private func begin(_ console: Console) throws {
    let open = try openWhole(store, lock, archiving: .begins)
    // The first error is the one that matters.
    defer { try? open.close() }
    // Returns when the first copy is there.
    _ = try Activity.show("copying", console) { try open.archive() }
    guard let status = try open.archiveStatus(), !status.isWriting else { return }
    throw StoreError(
      .busy, "the archive of \(store.path) is not being written: \(status.problem ?? "another program that has the store open writes it")",
      suggestion: "\(Program.name) archive status \(store.shellWord)")
  }

  private func status(_ console: Console) throws -> Answer {
    let archive = try archive(of: store)
    let reach = try archive.reach()
    let waiting = Activity.show("comparing", console) { archive.waiting() }
    let facts: FactList = [
      "from": reach.oldest.map { TimeWords.both($0) }, "until": reach.newest.map { TimeWords.both($0) },
      "newest commit": reach.commit.map(String.init), "waiting": waiting.words, "gaps": String(reach.gaps),
      "size": DisplayText.size(archive.bytes), "last drill": archive.lastDrill.map { TimeWords.both($0) },
    ]
    return Answer(
      document: [
        "store": .string(store.path), "oldest": .time(reach.oldest), "newest": .time(reach.newest),
        "newest_commit": reach.commit.map(JSONValue.integer) ?? .null, "gaps": .number(reach.gaps), "bytes": .integer(archive.bytes),
        "last_drill": .time(archive.lastDrill), "waiting_commits": waiting.count.map(JSONValue.number) ?? .null,
        "problem": .text(waiting.problem),
      ], text: facts.text, notes: waiting.notes)
  }

  private func verify(_ console: Console) throws -> Answer {
    let archive = try archive(of: store)
    let report = try Activity.show("verifying", console) { try archive.verify() }
    return Answer(
      document: ["store": .string(store.path), "healthy": .bool(report.isHealthy), "findings": report.document],
      text: report.isHealthy ? "healthy: every base and every commit\n" : report.table(console),
      notes: report.isHealthy ? [] : [archive.remedy], foundProblems: !report.isHealthy)
  }

  private func drill(_ console: Console) throws -> Answer {
    _ = try archive(of: store)
    let open = try openWhole(store, lock)
    // The first error is the one that matters.
    defer { try? open.close() }
    let drill = try Activity.show("drilling", console) { try open.drillArchive() }
    let facts: FactList = ["drilled": drill.commit.words, "passed": drill.hasPassed ? "yes" : "no"]
    return Answer(
      document: [
        "store": .string(store.path), "commit": drill.commit.document, "passed": .bool(drill.hasPassed), "findings": drill.report.document,
      ], text: facts.text + (drill.hasPassed ? "" : drill.report.table(console)), foundProblems: !drill.hasPassed)
  }
}

extension Archive.Waiting {
  /// In bytes. A larger store is read whole only by `archive status`; it would take longer than a history.
  static let readInPassing: Int64 = 256 << 20

  var count: Int? {
    if case .commits(let count) = self { count } else { nil }
  }

  fileprivate var problem: String? {
    switch self {
    case .gap(let reason), .unknown(let reason): reason
    case .commits, .notRead: nil
    }
  }

  fileprivate var words: String {
    guard let count else { return "unknown" }
    return count == 0 ? "none" : ShownValue.counted(count, "commit")
  }

  /// What a person should know; empty when the archive has every commit.
  var notes: [String] {
    if let problem {
      let unknown = "Whether the archive has every commit of the store is not known: \(DisplayText.printable(problem))."
      guard case .gap = self else { return [unknown] }
      return [unknown + " The next opening for writing notes this as a gap, and the archive goes on behind it. What it has stays."]
    }
    guard let count, count > 0 else { return [] }
    let (are, they) = count == 1 ? ("is", "it is") : ("are", "they are")
    return [
      "\(ShownValue.counted(count, "commit")) \(are) not archived yet: \(they) archived at the next opening for writing, or by the app "
        + "that has the store open."
    ]
  }
}

extension Archive {
  /// The remarks about commits that are not archived yet, and their number for a JSON document.
  ///
  /// Reading a large store would take longer than its history, so the number may be unknown.
  var waitingForAnswer: (notes: [String], commits: JSONValue) {
    let waiting = waiting(readingAtMost: Waiting.readInPassing)
    return (waiting.notes, waiting.count.map(JSONValue.number) ?? .null)
  }
}
