import ArgumentParser
import Holdfast
import HoldfastTransfer

struct List: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists what a library holds.",
    discussion: """
      \(Libraries.help { $0.lists.map { "\($0.name), \($0.order)" }.joined(separator: "; ") }) Of a store of another program's library the tables.

      Example: holdfast list library.sqlite --limit 20
      Example: holdfast list music.sqlite tracks --where artist=bowie
      """)

  @Argument(help: "The store to list.", completion: .file())
  var store: FilePath

  @Argument(
    help: "What to list. Default: the first of what the library has.", completion: .list(Libraries.all.flatMap { $0.lists.map(\.name) }))
  var what: String?

  @Option(help: "List at most so many. Default: all.")
  var limit: Int?

  @Option(help: "Pass over so many first.")
  var offset = 0

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "List only lines in whose field this text is, or that have this number; repeat it for more fields.", valueName: "field=text"))
  var conditions: [Condition] = []

  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  /// What the lines have to be like, by the name of a member of their documents.
  struct Condition: ExpressibleByArgument {
    let field: String
    let text: String

    init?(argument: String) {
      guard let sign = argument.firstIndex(of: "="), sign > argument.startIndex else { return nil }
      field = String(argument[..<sign])
      text = String(argument[argument.index(after: sign)...])
    }

    /// Texts contain it, whatever the case and accents; all else is it.
    func holds(for value: JSONValue?) -> Bool {
      switch value {
      case .string(let found)?: SortText.folded(found).contains(SortText.folded(text)) || text.isEmpty
      case .array(let values)?: values.contains { holds(for: $0) }
      case .null?, nil: text.isEmpty
      case let value?: value.canonicalText() == text
      }
    }
  }

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit is a number from 1.") }
    if offset < 0 { throw ValidationError("--offset is a number from 0.") }
  }

  func perform(_ console: Console) throws -> Answer {
    try withLibrary(store, library, lock) { library, open in
      let list = try list(of: library)
      if let unknown = conditions.first(where: { !list.members.contains($0.field) }) {
        throw Failure(
          code: "usage", "\(list.name) have no field \(unknown.field)",
          suggestion: "--where with one of \(list.members.sorted().joined(separator: ", "))", status: .usage)
      }
      let isWanted: (([String: JSONValue]) -> Bool)? =
        conditions.isEmpty ? nil : { members in conditions.allSatisfy { $0.holds(for: members[$0.field]) } }
      let lines = try open.read { try list.lines(limit: limit, offset: offset, where: isWanted, in: $0) }
      let rest = lines.total - offset - lines.objects.count
      let none = conditions.isEmpty ? "There are no \(list.name)." : "No \(list.name) are so."
      return Answer(
        document: ["total": ShownValue.count(lines.total).json, list.name: .array(lines.objects)], blocks: [lines.table],
        notes: lines.total == 0 ? [none] : rest > 0 ? ["… and \(rest) more."] : []
      ).about(store)
    }
  }

  private func list(of library: LibraryDescription) throws -> ListDescription {
    if let list = library.lists.first(where: { what == nil || $0.name == what }) { return list }
    let names = library.lists.map(\.name).joined(separator: ", ")
    guard let what else { throw StoreError(.notFound, "\(store.path) has no tables") }
    guard Libraries.all.contains(where: { $0.lists.contains { $0.name == what } }) else {
      throw Failure(code: "usage", "'\(what)' cannot be listed", suggestion: "one of \(names)", status: .usage)
    }
    throw StoreError(.wrongKind, "a library of \(library.name) has no \(what)", suggestion: "one of \(names)")
  }
}
