import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

struct Export: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes the library to a file of a documented format.",
    discussion: """
      The format holdfast holds everything except secrets, has a checksum, and can be imported again. The other formats belong to other \
      programs: an export leaves out what such a program cannot hold, lists it, and ends with the exit code 2. \
      An existing file is replaced only after a question, or with --yes.

      Example: holdfast export library.sqlite --to library-export.json
      """)

  @Argument(help: "The store to export.", completion: .file())
  var store: FilePath

  @Option(help: "The file to write, or - for standard output.", completion: .file())
  var to: FilePath

  @Option(help: "See `holdfast formats`.", completion: .list(Libraries.names(Libraries.writable)))
  var format = "holdfast"

  @OptionGroup var known: FormatOptions<WritableFormats>

  @Flag(name: [.short, .long], help: "Replace an existing file without asking.")
  var yes = false

  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    let known = Libraries.names(Libraries.writable)
    guard known.contains(format) else {
      throw ValidationError("'\(format)' is not a format that can be written: choose one of \(known.joined(separator: ", ")).")
    }
    if to.isStandard, output.json { throw ValidationError("--to - writes the file to standard output, where --json writes a document.") }
    if to.isFolder {
      throw ValidationError("\(to.path) is a folder, and an export is one file: name a file in it, as --to \(to.path)/\(exampleName).")
    }
    if store.isSame(as: to) { throw ValidationError("The store and the file to write are the same file.") }
  }

  /// The usual name of a file in this format.
  private var exampleName: String { "export.\(Libraries.writable.first { $0.name == format }?.ending ?? "json")" }

  func perform(_ console: Console) throws -> Answer {
    try withLibrary(store, library, lock) { library, open in
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
      if to.isStandard { return try SourceFile.temporary("export") { try write(library, open, to: $0, values, console) } }
      if FileManager.default.fileExists(atPath: to.path) {
        try Confirmation.ask("This replaces \(to) with the library in \(store).", yes: yes, console)
      }
      return try write(library, open, to: to, values, console)
    }
  }

  private func write(
    _ library: LibraryDescription, _ open: Store, to file: FilePath, _ values: [String: String], _ console: Console
  ) throws -> Answer {
    var report = try Activity.show("exporting", console) {
      try library.isKnown ? library.exporting(open, file.url, format, values) : open.exportTables(to: file.url)
    }
    if library.isKnown { report.leftOut += try strangers(in: open) }
    guard to.isStandard else { return Answer(document: document(report), text: text(report), foundProblems: !report.leftOut.isEmpty) }
    try console.write(contentsOf: file)
    return Answer(document: [:], notes: [text(report)], foundProblems: !report.leftOut.isEmpty)
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
    var facts = FactList()
    facts.add("written", to.isStandard ? "standard output" : report.path)
    facts.add("format", report.format)
    facts.add("size", DisplayText.size(report.bytes))
    facts.add("SHA-256", report.sha256)
    for (kind, count) in report.counts.sorted(by: { $0.key < $1.key }) { facts.add(kind, String(count)) }
    for item in report.leftOut {
      facts.add("left out", "\(item.kind) \(item.id)\(item.field.map { " \($0)" } ?? ""): \(item.reason)")
    }
    return facts.text
  }

  private func document(_ report: ExportReport) -> [String: JSONValue] {
    [
      "store": .string(store.path), "format": .string(report.format), "path": .string(report.path), "bytes": .integer(report.bytes),
      "sha256": .string(report.sha256), "counts": .numbers(report.counts),
      "left_out": .array(
        report.leftOut.map { item in
          .object(["kind": .string(item.kind), "id": .string(item.id), "field": .text(item.field), "reason": .string(item.reason)])
        }),
    ]
  }
}
