import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

struct Export: LibraryCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes the library to a file of a documented format, or one table as CSV.",
    discussion: """
      The format holdfast holds everything except secrets, has a checksum, and can be imported again: that of another program's store \
      into a store that its app has made. The other formats belong to other \
      programs: an export leaves out what such a program cannot hold, lists it, and ends with the exit code 2. \
      An existing file is replaced only after a question, or with --yes.

      The formats csv, tsv and jsonl write the rows of one list of the library, one table of the store, or one SQL statement that reads. \
      In CSV (RFC 4180) bytes are Base64, an unknown value is empty, and an empty text is two quotes. They cannot be imported again.

      Example: \(Program.name) export library.sqlite --to library-export.json
      Example: \(Program.name) export library.sqlite --to collections.csv --format csv --list collections
      """)

  @Argument(help: "The store to export.", completion: .file())
  var store: FilePath

  @Option(help: "The file to write, or - for standard output.", completion: .file())
  var to: FilePath

  @Option(help: "See `\(Program.name) formats`.", completion: .list(formatNames))
  var format = "holdfast"

  @Option(
    help: ArgumentHelp("With --format csv, tsv or jsonl: this list of the library, as `\(Program.name) list` names it.", valueName: "name"))
  var list: String?

  @Option(help: ArgumentHelp("With --format csv, tsv or jsonl: this table of the store.", valueName: "name"))
  var table: String?

  @Option(
    help: ArgumentHelp("With --format csv, tsv or jsonl: the rows of this statement, as in `\(Program.name) query`.", valueName: "sql"))
  var query: String?

  @OptionGroup var known: FormatOptions<WritableFormats>

  @Flag(name: [.short, .long], help: "Replace an existing file without asking.")
  var yes = false

  @OptionGroup var options: LibraryOptions

  func validate() throws {
    guard Self.formatNames.contains(format) else {
      throw ValidationError(
        "'\(format)' is not a format that can be written: choose one of \(Self.formatNames.joined(separator: ", ")).")
    }
    let rows = [list, table, query].compactMap(\.self).count
    if RowFormat(rawValue: format) == nil {
      if rows > 0 { throw ValidationError("--list, --table and --query need --format csv, tsv or jsonl.") }
    } else if rows != 1 {
      throw ValidationError("--format \(format) writes the rows of one thing: give one of --list NAME, --table NAME and --query SQL.")
    }
    if to.isStandard, output.json { throw ValidationError("--to - writes the file to standard output, where --json writes a document.") }
    if to.isFolder {
      throw ValidationError("\(to.path) is a folder, and an export is one file: name a file in it, as --to \(to.path)/\(exampleName).")
    }
    if store.isSame(as: to) { throw ValidationError("The store and the file to write are the same file.") }
  }

  private static let formatNames = Libraries.names(Libraries.writable) + RowFormat.allCases.map(\.rawValue)

  /// The usual name of a file in this format.
  private var exampleName: String {
    "export.\(RowFormat(rawValue: format)?.rawValue ?? Libraries.writable.first { $0.name == format }?.ending ?? "json")"
  }

  func perform(_ console: Console) throws -> Answer {
    if let format = RowFormat(rawValue: format) { return try rows(format, console) }
    return try withLibrary(store, library, lock) { library, open in
      let formats = library.isKnown ? library.writable : [FormatDescription("holdfast", "")]
      guard let chosen = formats.first(where: { $0.name == format }) else {
        throw StoreError(
          .wrongKind, "a library of \(library.name) cannot be written as \(format)",
          suggestion: "--format with one of \(formats.map(\.name).joined(separator: ", "))")
      }
      var values = try known.values(among: chosen.options, of: "the format \(format)")
      for option in chosen.options {
        guard case .thing(let kind) = option.values, let text = values[option.name] else { continue }
        values[option.name] = try open.read { try Lookup.one(text, of: library.kinds.filter { $0.name == kind }, in: $0).found.id }
      }
      return try deliver("the library in \(store)", console) { file in
        var report = try library.isKnown ? library.exporting(open, file.url, format, values) : open.exportTables(to: file.url)
        if library.isKnown { report.leftOut += try strangers(in: open) }
        return report
      }
    }
  }

  private func rows(_ format: RowFormat, _ console: Console) throws -> Answer {
    _ = try known.values(among: [], of: "the format \(format.rawValue)")
    if let list {
      return try withLibrary(store, library, lock) { library, open in
        let chosen = try library.list(list, of: store)
        return try rows(format, of: open, console) { _ in chosen }
      }
    }
    let open = try openWhole(store, lock, reads: true)
    // The first error is the one that matters.
    defer { try? open.close() }
    let (table, query, path, hidden) = (table ?? "", query, store.path, open.hiddenTables)
    return try rows(format, of: open, console) { reader in
      if let query { return try .query(query, hiding: hidden, in: reader) }
      let tables = try PlainTables.tables(in: reader).map(\.list).filter { !hidden.contains($0.name.lowercased()) }
      if let found = tables.first(where: { $0.name == table }) { return found }
      throw StoreError(
        .notFound, "\(path) has no table \(table) that can be shown", suggestion: "one of \(tables.map(\.name).joined(separator: ", "))")
    }
  }

  private func rows(
    _ format: RowFormat, of open: Store, _ console: Console, _ list: @escaping @Sendable (Reader) throws -> ListDescription
  ) throws -> Answer {
    try deliver("rows of \(store)", console) { file in
      let url = file.url
      return try Waiting.reading(open) { reader in
        let list = try list(reader)
        return try open.exportRows(of: list.name, to: url, format: format.rawValue) { write in
          try RowWriter.write(Selection(), of: list, as: .rows(format), in: reader, to: write)
        }
      }
    }
  }

  private func deliver(_ what: String, _ console: Console, _ body: (FilePath) throws -> ExportReport) throws -> Answer {
    let report = try to.written(with: what, yes: yes, console) { file in try Activity.show("exporting", console) { try body(file) } }
    let words = text(report)
    return Answer(
      document: ShownProperties().object(of: report).members, text: to.isStandard ? "" : words, notes: to.isStandard ? [words] : [],
      foundProblems: !report.leftOut.isEmpty
    ).about(store)
  }

  /// Libraries in the same file that nobody can export with this program.
  private func strangers(in open: Store) throws -> [ExportReport.LeftOut] {
    let known = Set(Libraries.all.map(\.schema.name) + ["holdfast"])
    let names = try open.read { try $0.values("SELECT name FROM holdfast_schemas ORDER BY name") { try $0.text() } }
    return names.filter { !known.contains($0) }.map {
      .init(kind: $0, id: "all tables", reason: "this program does not know the library, and another one is in the same file")
    }
  }

  private func text(_ report: ExportReport) -> String {
    var facts: FactList = [
      "written": to.isStandard ? "standard output" : report.path, "format": report.format, "size": DisplayText.size(report.bytes),
      "SHA-256": report.sha256,
    ]
    for (kind, count) in report.counts.sorted(by: { $0.key < $1.key }) { facts.add(kind, String(count)) }
    for item in report.leftOut {
      facts.add("left out", "\(item.kind) \(item.id)\(item.field.map { " \($0)" } ?? ""): \(item.reason)")
    }
    return facts.text
  }
}
