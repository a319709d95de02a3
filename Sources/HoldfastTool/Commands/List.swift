import ArgumentParser
import Holdfast
import HoldfastTransfer

struct List: LibraryCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists what a library holds.",
    discussion: """
      \(Libraries.help { $0.lists.map { "\($0.name), \($0.order)" }.joined(separator: "; ") }) A store of another program: its tables.

      Example: \(Program.name) list library.sqlite --limit 20
      Example: \(Program.name) list music.sqlite tracks --where artist~bowie --where "year>=1980" --sort year:desc
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
      "List only lines whose field is so; the signs are \(Condition.signs) (contains). Repeat the option for more conditions.",
      valueName: "field=text"), transform: Condition.init(typed:))
  var conditions: [Condition] = []

  @Option(help: ArgumentHelp("Order the lines by this field, downwards with :desc.", valueName: "field[:desc]"))
  var sort: SortOrder?

  @Flag(exclusivity: .exclusive)
  var format: RowFormat?

  @OptionGroup var options: LibraryOptions

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit is a number from 1.") }
    if offset < 0 { throw ValidationError("--offset is a number from 0.") }
    try output.check(format)
  }

  func perform(_ console: Console) throws -> Answer {
    let selection = Selection(conditions: conditions, order: sort, offset: offset, limit: limit)
    return try withLibrary(store, library, lock) { library, open in
      let list = try library.list(what, of: store)
      try selection.check(list)
      return try open.read { reader in
        // A table of an unknown library may have the name of another member.
        let member = ["ok", "schema", "store", "total"].contains(list.name) ? "rows" : list.name
        let form = try output.form(
          format, Document(ok: true, ["store": .string(store.path), "total": .number(try selection.total(of: list, in: reader))]), member)
        if let form { return try console.rows(selection, of: list, as: form, in: reader) }
        let (table, lines, total) = try selection.table(of: list, in: reader)
        let rest = total - offset - lines
        let none = conditions.isEmpty ? "No \(list.name)." : "No matching \(list.name)."
        return Answer(document: [:], blocks: [table], notes: total == 0 ? [none] : rest > 0 ? ["… and \(rest) more."] : [])
      }
    }
  }
}

extension LibraryDescription {
  func list(_ name: String?, of store: FilePath) throws -> ListDescription {
    if let list = lists.first(where: { name == nil || $0.name == name }) { return list }
    let names = lists.map(\.name).joined(separator: ", ")
    guard let name else { throw StoreError(.notFound, "\(store.path) has no tables") }
    guard Libraries.all.contains(where: { $0.lists.contains { $0.name == name } }) else {
      throw Failure(code: "usage", "'\(name)' cannot be listed", suggestion: "one of \(names)", status: .usage)
    }
    throw StoreError(.wrongKind, "a library of \(self.name) has no \(name)", suggestion: "one of \(names)")
  }
}
