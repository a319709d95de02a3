import ArgumentParser
import Holdfast
import HoldfastTransfer

struct Check: LibraryCommand {
  static let configuration = CommandConfiguration(
    abstract: "Checks a store: the file, its references, its search indexes, its rows, and the rules of its library.",
    discussion: """
      Changes nothing: a store that SQLite would have to recover first is recovered as a private copy, and the copy is checked. \
      The exit code is 2 when something was found. A file that is too damaged to be opened is an error \
      with the exit code 65.

      Example: \(Program.name) check library.sqlite --quick
      """)

  @Argument(help: "The store to check.", completion: .file())
  var store: FilePath

  @Flag(help: "Do not compare indexes with their tables, which takes most of the time.")
  var quick = false

  @OptionGroup var options: LibraryOptions

  func perform(_ console: Console) throws -> Answer {
    let library = try libraryToLook(store, library, lock)
    let report = try Activity.show("checking", console) {
      try Store.check(at: store.url, schemas: library.schemas, options: lock.storeOptions, quick: quick)
    }
    // A store with findings is not read any further.
    let quarantined = report.isHealthy ? try self.quarantined(library) : nil
    let isRead = report.checked.contains(.records) || !report.checked.contains(.file)
    var notes = report.unread.map { "The records of \($0) were not read: this program does not know that library." }
    if !isRead, notes.isEmpty { notes = ["Records were not read: this program does not know the library."] }
    if let quarantined, quarantined > 0 {
      let counted = ShownValue.counted(quarantined, "record or field", "records and fields")
      notes.append("In the quarantine: \(counted). \(Program.name) quarantine \(store.shellWord)")
    }
    let parts = report.checked.map(\.rawValue)
    return Answer(
      document: [
        "store": .string(store.path), "healthy": .bool(report.isHealthy), "quick": .bool(quick), "checked": .texts(parts),
        "findings": report.document, "quarantined": quarantined.map(JSONValue.number) ?? .null,
      ],
      text: report.isHealthy ? "healthy: \(parts.joined(separator: ", "))\n" : report.table(console), notes: notes,
      foundProblems: !report.isHealthy)
  }

  private func quarantined(_ library: LibraryDescription) throws -> Int {
    var options = lock.storeOptions
    (options.opensReadOnly, options.migrating, options.opensOneConnection) = (true, .never, true)
    let open = try Store.open(at: store.url, schemas: library.schemas, options: options)
    defer { try? open.close() }
    return try open.quarantine.count()
  }
}

extension [IntegrityReport.Finding] {
  var document: JSONValue { ShownProperties().list(of: self).json }
}

extension IntegrityReport {
  var document: JSONValue { findings.document }

  func table(_ console: Console) -> String {
    let rows = findings.map { [$0.part.rawValue, $0.table ?? "", $0.row ?? "", $0.message] }
    return TextTable([.text("PART"), .text("TABLE"), .text("ROW"), .flexible("FINDING")], rows, keys: "ROW", tellsProblems: true)
      .text(width: console.outputWidth)
  }
}
