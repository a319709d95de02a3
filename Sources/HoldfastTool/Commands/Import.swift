import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

struct Import: LibraryCommand {
  static let configuration = CommandConfiguration(
    abstract: "Brings a legacy library into a store, and verifies that all of it is in.",
    discussion: """
      Makes the store if there is none, but not beside the archive or the snapshots of a lost one. Everything is written, read back \
      and compared with the source in one transaction: either all of it is in, or the store is as before. The source is never \
      modified and is kept as SOURCE.backup. \
      Records that cannot be imported are quarantined with the reason, and the exit code is 2. \
      Importing the same source again changes nothing. A snapshot is made before a store with content changes.

      Into the store of another program, an export that `\(Program.name) export` wrote from a store of the same library is imported \
      like any other; the store must be there, made by its app. Of a SQLite database, the tables and columns are imported where \
      their names match, without case and underscores. No code of that program runs: columns that it computes itself, such as texts \
      for its search, get their default or NULL. Prints what has a place and what has none, and asks on a terminal; elsewhere it \
      needs --yes. A table with a column that needs a value and gets none, without a key, or with numbers for dates or for UUIDs is \
      refused before anything is written.

      \(Libraries.all.map(\.aboutImports).filter { !$0.isEmpty }.joined(separator: " "))

      Example: \(Program.name) import library.json --into library.sqlite
      """)

  @Argument(help: "The file to import, or - for standard input. Its format is recognised by its content.", completion: .file())
  var source: FilePath

  @Option(help: "The store to import into.", completion: .file())
  var into: FilePath

  @Flag(help: "Import and verify, then roll back: nothing is written.")
  var dryRun = false

  @Flag(name: [.short, .long], help: "Of a database, into the store of another program: go on without asking.")
  var yes = false

  @Flag(help: "Keep no copy of the source.")
  var noBackup = false

  @Option(
    help: "The format of the source, instead of recognising it by its content. See `\(Program.name) formats`.",
    completion: .list(Libraries.names(Libraries.readable)))
  var format: String?

  @OptionGroup var known: FormatOptions<ReadableFormats>

  @Option(help: "How progress is shown: auto, bar, lines (every event) or none.")
  var progress: ProgressMode = .auto

  @OptionGroup var options: LibraryOptions

  func validate() throws {
    let known = Libraries.names(Libraries.readable)
    if let format, !known.contains(format) {
      throw ValidationError("'\(format)' is not a format that can be read: choose one of \(known.joined(separator: ", ")).")
    }
    if source.isSame(as: into) { throw ValidationError("The source and the store are the same file.") }
    if ImportSource.couldCopy(source.path, to: into.path) {
      throw ValidationError("The store must have another name: this is the name of the source's copy.")
    }
  }

  func perform(_ console: Console) throws -> Answer {
    source.isStandard
      ? try SourceFile.standardInput { try perform($0, console) } : try perform(SourceFile.file(of: source, format: format), console)
  }

  private func perform(_ source: FilePath, _ console: Console) throws -> Answer {
    try finishInterrupted(into, lock.storeOptions)
    let kinds = try Store.kinds(at: into.url, options: lock.storeOptions)
    let (choice, name) = (library, library.library)
    guard let way = try name == nil ? StrangersStore.way(of: source, into: kinds, format: format) : nil else {
      let library = try ImportChoice(source: source, store: into, kinds: kinds, name: name, format: format).library()
      try refuseNewer(into, kinds, library.schema)
      if kinds.isEmpty { try refuseBesideCopies(into, "nothing was imported") }
      return try run(source, console) { try known.importing($0, library) }
    }
    _ = try known.values(among: [], of: way.words)
    guard way == .byNames else { return try run(source, console) { try StrangersStore.importing($0, way, into: into, choice, lock) } }
    let tables = try TablesByName(from: source.url, into: into, choice, lock)
    try tables.confirm(dryRun: dryRun, yes: yes, console)
    var answer = try run(source, console, tables.run)
    answer.document["plan"] = tables.document
    return answer
  }

  private func run(_ source: FilePath, _ console: Console, _ body: (LibraryImport) throws -> ImportReport) throws -> Answer {
    let interruption = Interruption()
    let display = ProgressDisplay(progress, console)
    var wanted = LibraryImport(from: source.url, into: into.url)
    (wanted.format, wanted.storeOptions) = (format, lock.storeOptions)
    wanted.options.dryRun = dryRun
    wanted.options.keepsCopy = !noBackup && !self.source.isStandard
    wanted.options.sourceName = self.source.isStandard ? SourceFile.standardInputName : nil
    wanted.options.onProgress = { display.show($0) }
    wanted.options.isCancelled = { interruption.isRequested }
    wanted.storeOptions.onArchiveProblem = { [tell = lock.storeOptions.onArchiveProblem] store, problem in
      display.end()
      tell(store, problem)
    }
    defer { display.end() }
    let report = try body(wanted)
    return Answer(document: document(report), text: report.text, foundProblems: !report.isClean)
  }

  private func document(_ report: ImportReport) -> [String: JSONValue] {
    var document = ShownProperties().object(of: report).members
    for name in ["kinds", "time_zone", "released"] { document[name] = nil }
    // These are there only where they say something.
    for name in ["first_newer", "notes"] where document[name] == JSONValue.null { document[name] = nil }
    document["store"] = .string(into.path)
    return document
  }
}
