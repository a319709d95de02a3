import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

struct Quarantined: CommandGroup, LibraryCommand {
  static let configuration = CommandConfiguration(
    commandName: "quarantine",
    abstract: "Lists, shows, retries or discards records that imports could not read.",
    discussion: """
      list: the records and fields, with the reason. show: one of them, by its number, with its original bytes. export: all of them, \
      with their bytes, one JSON object a line. retry: imports the source again, or with --from a repaired copy of it; records that come \
      in leave the quarantine. In a store of another program it takes what `\(Program.name) import` read; the rest retries that program \
      itself. discard: removes the records with these numbers, or all with --all, for good. discard, and an export over an existing \
      file, ask on a terminal; elsewhere they need --yes.

      Example: \(Program.name) quarantine library.sqlite
      Example: \(Program.name) quarantine library.sqlite show 3
      Example: \(Program.name) quarantine library.sqlite retry --from repaired.json
      """)

  enum Action: String, ExpressibleByArgument, CaseIterable { case list, show, export, retry, discard }

  // The action may be left out.
  static let takesStoreFirst = true

  @Argument(help: "The store.", completion: .file())
  var store: FilePath

  @Argument(help: "list, show, export, retry or discard; before the store or behind it.")
  var action: Action = .list

  @Argument(help: "The numbers of records, as list prints them.")
  var numbers: [Int64] = []

  @Option(name: .customLong("import"), help: "Only records of this import, given by its id or the beginning of it.")
  var importID: String?

  @Option(help: "Only this kind of record, as list prints it.")
  var kind: String?

  @Option(help: "List at most this many. Default: all.")
  var limit: Int?

  @Option(help: "The file to export to, or - for standard output.", completion: .file())
  var to: FilePath?

  @Option(help: "The source to import again. Default: its path at the import.", completion: .file())
  var from: FilePath?

  @Flag(help: "Discard everything that is listed.")
  var all = false

  @Flag(name: [.short, .long], help: "Go on without asking.")
  var yes = false

  @OptionGroup var known: FormatOptions<ReadableFormats>
  @OptionGroup var options: LibraryOptions

  func validate() throws {
    for (option, actions) in given where !actions.contains(action) {
      throw ValidationError("\(action.rawValue) has no use for \(option).")
    }
    if let limit, limit < 1 { throw ValidationError("--limit is a number from 1.") }
    switch action {
    case .show where numbers.count != 1: throw ValidationError("show needs the number of one record.")
    case .export where to == nil: throw ValidationError("export needs --to FILE.")
    case .discard where numbers.isEmpty != all: throw ValidationError("discard needs the numbers of records, or --all.")
    case .discard where !all && (importID != nil || kind != nil):
      throw ValidationError("discard takes --import and --kind only with --all.")
    case .list, .export, .retry:
      if !numbers.isEmpty { throw ValidationError("\(action.rawValue) takes no numbers.") }
    default: break
    }
    if to?.isStandard == true, output.json {
      throw ValidationError("--to - writes the records to standard output, where --json writes a document.")
    }
    if let to, store.isSame(as: to) { throw ValidationError("The store and the file to write are the same file.") }
  }

  /// The given options, each with the actions that use it. Without the options that every action takes.
  private var given: [(option: String, actions: [Action])] {
    let options: [(option: String, isGiven: Bool, actions: [Action])] = [
      ("--import", importID != nil, [.list, .export, .retry, .discard]), ("--kind", kind != nil, [.list, .export, .discard]),
      ("--limit", limit != nil, [.list]), ("--to", to != nil, [.export]), ("--from", from != nil, [.retry]), ("--all", all, [.discard]),
      ("--yes", yes, [.export, .discard]),
    ]
    return options.filter(\.isGiven).map { (option: $0.option, actions: $0.actions) }
      + known.typed.keys.sorted().map { (option: "--\($0)", actions: [Action.retry]) }
  }

  func perform(_ console: Console) throws -> Answer {
    switch action {
    case .list: try looking { try list($0, console) }
    case .show: try looking { try show($0) }
    case .export: try looking { try export($0, console) }
    case .discard: try withLibrary(store, library, lock, full: true) { _, open in try discard(open, console) }
    case .retry: try retry(console)
    }
  }

  private func looking(_ body: (Store) throws -> Answer) throws -> Answer {
    try withLibrary(store, library, lock) { _, open in try body(open) }
  }

  private func records(_ open: Store, limit: Int? = nil) throws -> [QuarantinedRecord] {
    let importID = try importID.map { try whole($0, open) }
    return try open.quarantine.records(from: importID, kind: kind, limit: limit ?? .max).items
  }

  /// The full id of the import whose id begins with `beginning`.
  private func whole(_ beginning: String, _ open: Store) throws -> String {
    let found = try open.read { reader in
      try reader.values("SELECT DISTINCT import_id FROM holdfast_quarantine ORDER BY import_id") { row in try row.text() }
    }
    if let whole = try Lookup.whole(beginning.lowercased(), among: found, of: "ids of imports") { return whole }
    throw StoreError(.notFound, "the quarantine of \(store.path) has no record of an import whose id begins with \(beginning)")
  }

  private func missing(_ number: Int64) -> StoreError {
    StoreError(.notFound, "the quarantine of \(store.path) has no number \(number)")
  }

  private func list(_ open: Store, _ console: Console) throws -> Answer {
    let records = try records(open, limit: limit)
    let rows = records.map { [String($0.id), $0.kind, $0.path + ($0.field.map { ".\($0)" } ?? ""), $0.reason] }
    let table = TextTable([.number("NUMBER"), .text("KIND"), .text("PLACE"), .flexible("REASON")], rows)
    return Answer(
      document: [
        "store": .string(store.path), "count": .number(try open.quarantine.count()), "records": .array(records.map { $0.document() }),
      ],
      text: records.isEmpty ? "" : table.text(width: console.outputWidth),
      notes: records.isEmpty ? ["Nothing is in the quarantine."] : [])
  }

  private func show(_ open: Store) throws -> Answer {
    guard let number = numbers.first, let (record, original) = try open.quarantine.record(number) else {
      throw missing(numbers.first ?? 0)
    }
    var facts: FactList = [
      "kind": record.kind, "place": record.path, "field": record.field, "reason": record.reason, "source": record.source,
      "import": record.importID, "since": DisplayText.time(record.quarantinedAt),
    ]
    let text = String(validUTF8: original)
    let size = DisplayText.size(Int64(original.count))
    facts.add("original", text == nil ? "\(size), not text: \(Program.name) quarantine \(store.shellWord) export --to FILE" : size)
    return Answer(
      document: ["store": .string(store.path), "record": record.document(original)], text: facts.text + (text.map(Self.block) ?? ""))
  }

  /// An empty line, and the lines of the text as they stand in the source. A tab becomes two spaces, because it may not reach a terminal.
  private static func block(_ text: String) -> String {
    let lines = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n").replacing("\t", with: "  ")
    return text.isEmpty ? "" : "\n" + DisplayText.printableLines(lines, hasInk: false) + "\n"
  }

  private func export(_ open: Store, _ console: Console) throws -> Answer {
    guard let to else { throw ValidationError("export needs --to FILE.") }
    let importID = try importID.map { try whole($0, open) }
    let count = try to.written(with: "records from the quarantine of \(store)", yes: yes, console) { file in
      try open.quarantine.export(to: file.url, from: importID, kind: kind)
    }
    let counted = ShownValue.counted(count, "record")
    return Answer(
      document: ["store": .string(store.path), "file": .string(to.path), "count": .number(count)],
      text: to.isStandard ? "" : "\(counted) in \(to)\n", notes: to.isStandard ? ["\(counted) in standard output"] : [])
  }

  private func discard(_ open: Store, _ console: Console) throws -> Answer {
    let listed = try records(open).map(\.id)
    let chosen = all ? listed : Set(numbers).sorted()
    if let unknown = Set(chosen).subtracting(listed).min() { throw missing(unknown) }
    guard !chosen.isEmpty else {
      return Answer(
        document: ["store": .string(store.path), "discarded": .number(0)], text: "", notes: ["The quarantine has no record to discard."])
    }
    try Confirmation.ask(
      "This removes \(ShownValue.counted(chosen.count, "record")) of \(store) from the quarantine, with the original bytes, for good.",
      yes: yes, console)
    let count = try open.quarantine.discard(chosen)
    return Answer(
      document: ["store": .string(store.path), "discarded": .number(count)],
      text: "\(ShownValue.counted(count, "record")) discarded\n")
  }

  /// An import with quarantined records, and the place of its source.
  private struct Left {
    var importID: String
    var source: String
    var sha256: String
    var format: String
  }

  private func retry(_ console: Console) throws -> Answer {
    var held: LibraryDescription?
    let left = try withLibrary(store, library, lock) { library, open in
      held = library
      let chosen = try importID.map { try whole($0, open) }
      return try open.read { reader in
        try reader.values(
          """
          SELECT id, source_path, source_sha256, format FROM holdfast_imports
          WHERE id IN (SELECT import_id FROM holdfast_quarantine) AND (id = \(chosen) OR \(chosen) IS NULL) ORDER BY imported_at, id
          """
        ) { row in Left(importID: try row.text(), source: try row.text(), sha256: try row.text(), format: try row.text()) }
      }
    }
    guard let held, !left.isEmpty else {
      return Answer(
        document: ["store": .string(store.path), "released": .number(0), "problem_count": .number(0)], text: "",
        notes: ["The quarantine has no record to import again."])
    }
    guard from == nil || left.count == 1 else {
      throw Failure(
        code: "ambiguous", "the quarantine has records of several imports: \(left.prefix(5).map(\.importID).joined(separator: ", "))",
        suggestion: "--import ID, with the import that read this source.", status: .usage)
    }
    var (released, problems, text) = (0, 0, "")
    for one in left {
      _ = try way(one, held)
      try checkSource(one)
    }
    for one in left {
      let report = try retry(one, held)
      released += report.released ?? 0
      problems += report.problemCount
      text += report.text + "\n"
    }
    return Answer(
      document: ["store": .string(store.path), "released": .number(released), "problem_count": .number(problems)], text: text,
      foundProblems: problems > 0)
  }

  /// How records come in that an importer of this program did not read. Nil: an importer of this program did.
  private func way(_ left: Left, _ held: LibraryDescription) throws -> StrangersStore.Way? {
    let way = StrangersStore.Way(rawValue: left.format)
    if held.isKnown { return way == .byNames ? way : nil }
    guard let way else {
      throw StoreError(
        .wrongKind, "the import \(left.importID) was of the format \(left.format), which only the program of \(held.name) reads",
        suggestion: "this command of that program; or --import ID, with another import.")
    }
    return way
  }

  /// Quarantined records are found by their place in the source. Another file of the same name may hold other records there.
  private func checkSource(_ left: Left) throws {
    guard from == nil else { return }
    let wasStandardInput = left.source == SourceFile.standardInputName
    guard !wasStandardInput, FileManager.default.fileExists(atPath: left.source) else {
      throw StoreError(
        .notFound,
        wasStandardInput
          ? "the source of the import came from standard input, and no file of it was kept"
          : "there is no file at \(left.source), the source of the import",
        suggestion: "--from FILE, with a copy of the source, as it was or repaired.")
    }
    guard try ImportSource(URL(fileURLWithPath: left.source)).sha256 == left.sha256 else {
      throw StoreError(
        .invalidSource, "\(left.source) has changed since it was imported",
        suggestion: "--from FILE, if it is the same source with its records in the same places.")
    }
  }

  private func retry(_ left: Left, _ held: LibraryDescription) throws -> ImportReport {
    var wanted = LibraryImport(from: from?.url ?? URL(fileURLWithPath: left.source), into: store.url)
    (wanted.format, wanted.storeOptions) = (left.format, lock.storeOptions)
    wanted.options.retries = left.importID
    let interruption = Interruption()
    wanted.options.isCancelled = { interruption.isRequested }
    guard let way = try way(left, held) else { return try known.importing(wanted, held) }
    _ = try known.values(among: [], of: way.words)
    return try StrangersStore.importing(wanted, way, into: store, library, lock)
  }
}
