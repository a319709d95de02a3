import ArgumentParser
import Foundation
import Holdfast

struct ArchiveCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "archive",
    abstract: "Begins to keep every commit of a store, says how far back its archive reaches, or drills it.",
    discussion: """
      `begin` copies the store once, beside it; from then on every program that opens the store with Holdfast keeps its commits there. \
      `holdfast history` lists them, and `holdfast rewind` goes back to one. `drill` restores the newest state from the archive to a scratch \
      file and checks that whole.

      Example: holdfast archive begin library.sqlite
      """)

  enum Action: String, ExpressibleByArgument, CaseIterable { case begin, status, drill }

  @Argument(help: "begin, status, or drill.")
  var action: Action

  @Argument(help: "The store.", completion: .file())
  var store: FilePath

  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  func perform(_ console: Console) throws -> Answer {
    switch action {
    case .begin:
      try begin(console)
      return try status()
    case .status: return try status()
    case .drill: return try drill(console)
    }
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
      suggestion: "holdfast archive status \(store.path)")
  }

  private func status() throws -> Answer {
    let archive = try archive(of: store)
    let events = try archive.history()
    func count(_ kind: ArchiveEvent.Kind) -> Int { events.count { $0.kind == kind } }
    var facts = FactList()
    facts.add("from", events.first.map { TimeWords.both($0.time) })
    facts.add("until", events.last.map { TimeWords.both($0.time) })
    facts.add("commits", String(count(.commit)))
    facts.add("labels", String(count(.label)))
    facts.add("gaps", String(count(.gap)))
    facts.add("size", DisplayText.size(archive.bytes))
    facts.add("last drill", archive.lastDrill.map { TimeWords.both($0) })
    return Answer(
      document: [
        "store": .string(store.path), "oldest": .time(events.first?.time), "newest": .time(events.last?.time),
        "commits": .number(count(.commit)),
        "labels": .number(count(.label)), "gaps": .number(count(.gap)), "bytes": .integer(archive.bytes),
        "last_drill": .time(archive.lastDrill),
      ], text: facts.text)
  }

  private func drill(_ console: Console) throws -> Answer {
    _ = try archive(of: store)
    let open = try openWhole(store, lock)
    // The first error is the one that matters.
    defer { try? open.close() }
    let drill = try Activity.show("drilling", console) { try open.drillArchive() }
    var facts = FactList()
    facts.add("drilled", drill.commit.words)
    facts.add("passed", drill.hasPassed ? "yes" : "no")
    return Answer(
      document: [
        "store": .string(store.path), "commit": drill.commit.document, "passed": .bool(drill.hasPassed), "findings": drill.report.document,
      ], text: facts.text + (drill.hasPassed ? "" : drill.report.table(console)), foundProblems: !drill.hasPassed)
  }
}
