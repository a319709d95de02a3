import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

struct Heal: LibraryCommand {
  static let configuration = CommandConfiguration(
    abstract: "Finds what is damaged in a store, and brings it back.",
    discussion: """
      Takes the first way that ends in a sound store: damaged pages from the archive, so that nothing is lost; indexes made again; \
      every row that can be read, with the rows of lost pages from the archive or the newest snapshot; else such a state itself. \
      Close the app before. Works on copies, verifies the result, and only then replaces the file; the damaged files are kept in the \
      folder that is printed. Prints what it will do, and asks on a terminal; elsewhere it needs --yes. A sound store stays as it is. \
      The exit code is 2 when rows may be lost, or the store is as it was and may be damaged.

      Example: \(Program.name) heal library.sqlite --dry-run
      """)

  @Argument(help: "The store.", completion: .file())
  var store: FilePath

  @Flag(help: "Say what is damaged and what would be done; change nothing.")
  var dryRun = false

  @Flag(help: "No other program writes to the store: every difference from its archive is damage.")
  var trustArchive = false

  @Flag(name: [.short, .long], help: "Go on without asking.")
  var yes = false

  @OptionGroup var options: LibraryOptions

  func perform(_ console: Console) throws -> Answer {
    try finishInterrupted(store, lock.storeOptions)
    let isThere = FileManager.default.fileExists(atPath: store.path)
    let schemas = isThere ? try schemasOfDamaged(store, beside: store, library) : []
    let plan = try Activity.show("looking for damage", console) {
      try Store.healPlan(at: store.url, schemas: schemas, options: lock.storeOptions, trustsArchive: trustArchive)
    }
    let isKnown = !isThere || !schemas.isEmpty
    guard plan.means != .none, !dryRun else { return answer(plan, isDone: false, isKnown, console) }
    try StoreFiles(store.url).checkMayReplace()
    let text = "\(plan.words)\nThis replaces \(store). The damaged files are kept."
    try Confirmation.ask(plan.found + text, yes: yes, console)
    let report = try Activity.show("healing", console) {
      try Store.heal(at: store.url, schemas: schemas, options: lock.storeOptions, trustsArchive: trustArchive)
    }
    return answer(report, isDone: true, isKnown, console)
  }

  private static let sound = "the store is sound"
  private static let soundPages = "its pages and search indexes are sound; which other objects it should have, only its app knows"

  /// - Parameter isKnown: whether the schema of the store is known, so that missing objects were looked for.
  private func answer(_ report: HealReport, isDone: Bool, _ isKnown: Bool, _ console: Console) -> Answer {
    let salvage = report.salvage ?? SalvageReport()
    var facts: FactList = [:]
    facts.add("store", store.path)
    if report.means == .none {
      facts.add(
        "healed",
        report.isHealed && (report.notes + report.mayBeLost).isEmpty ? "nothing: \(isKnown ? Self.sound : Self.soundPages)" : "nothing")
    } else {
      facts.add(isDone ? "healed" : "would do", report.words)
    }
    facts.add("set aside", report.salvage?.setAside?.path)
    facts.add("kept as", report.kept?.path)
    let isWhole = report.mayBeLost.isEmpty && (report.means != .none || report.notes.isEmpty)
    return Answer(
      document: [
        "store": .string(store.path), "healed": .bool(isDone), "means": .string(report.means.rawValue), "damage": .texts(report.damage),
        "pages": report.pages.map { .number($0) } ?? .null, "source": .text(report.source), "tables": salvage.document,
        "set_aside": .text(report.salvage?.setAside?.path), "kept_folder": .text(report.kept?.path), "notes": .texts(report.notes),
        "may_be_lost": .texts(report.mayBeLost),
      ],
      text: report.found + (salvage.tables.isEmpty ? "" : salvage.text(width: console.outputWidth)) + facts.text,
      notes: report.mayBeLost.map { "may be lost: \($0)" } + report.notes + salvage.lostNotes,
      foundProblems: !isWhole)
  }
}

extension HealReport {
  /// What is damaged, for people; at most five lines.
  fileprivate var found: String {
    let rest = damage.count > 5 ? ["and \(damage.count - 5) more"] : []
    return (damage.prefix(5) + rest).map { "damaged: \(DisplayText.printable($0))\n" }.joined()
  }

  fileprivate var words: String {
    switch means {
    case .none: "nothing"
    case .pages: pagesWords
    case .indexes: "indexes made again: no row is lost"
    case .rows: "\(salvage?.rows ?? 0) rows in a new store" + (source.map { ", those of lost pages from \($0)" } ?? "")
    case .copy: "no row can be read: \(source ?? "a copy") takes the file's place"
    }
  }

  private var pagesWords: String {
    let end = pages ?? 1 == 1 ? "s" : ""
    return "\(pages.map { ShownValue.counted($0, "page", "pages") } ?? "the whole file") differ\(end) from \(source ?? "the archive")"
      + (mayBeLost.isEmpty ? ", and come\(end) from there: nothing is lost" : "; what is damaged comes from there")
  }
}
