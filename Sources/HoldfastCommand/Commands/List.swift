import ArgumentParser
import Holdfast
import HoldfastTransfer

struct List: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists what a library holds.",
    discussion: """
      \(Libraries.help { $0.lists.map { "\($0.name), \($0.order)" }.joined(separator: "; ") }) A store of another program: its tables.

      Example: holdfast list library.sqlite --limit 20
      Example: holdfast list music.sqlite tracks --where artist=bowie
      """)

  @Argument(help: "The store to list.", completion: .file())
  var store: FilePath

  @Argument(
    help: "What to list. Default: the library's first list.", completion: .list(Libraries.all.flatMap { $0.lists.map(\.name) }))
  var what: String?

  @Option(help: "List at most this many. Default: all.")
  var limit: Int?

  @Option(help: "Skip this many first.")
  var offset = 0

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "List only lines whose field contains this text or equals this number; repeat the option for more fields.", valueName: "field=text"))
  var conditions: [Condition] = []

  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  /// A condition on one field, named as in the JSON document of a line.
  struct Condition: ExpressibleByArgument {
    let field: String
    let text: String

    init?(argument: String) {
      guard let sign = argument.firstIndex(of: "="), sign > argument.startIndex else { return nil }
      field = String(argument[..<sign])
      text = String(argument[argument.index(after: sign)...])
    }

    /// Whether a field matches. A text must contain the wanted text, ignoring case and accents; any other value must equal it.
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
          code: "usage", "the list \(list.name) has no field \(unknown.field)",
          suggestion: "--where with one of \(list.members.sorted().joined(separator: ", "))", status: .usage)
      }
      let isWanted: (([String: JSONValue]) -> Bool)? =
        conditions.isEmpty ? nil : { members in conditions.allSatisfy { $0.holds(for: members[$0.field]) } }
      let lines = try open.read { try list.lines(limit: limit, offset: offset, where: isWanted, in: $0) }
      let rest = lines.total - offset - lines.objects.count
      let none = conditions.isEmpty ? "No \(list.name)." : "No matching \(list.name)."
      // A table of an unknown library may have the name of another member.
      let member = ["ok", "schema", "store", "total"].contains(list.name) ? "rows" : list.name
      return Answer(
        document: ["total": ShownValue.count(lines.total).json, member: .array(lines.objects)], blocks: [lines.table],
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
