import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

struct AuditCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "audit",
    abstract: "Lists who changed which rows of a store, when, by which verb, and how; oldest first.",
    discussion: """
      Shows what the store's audit has recorded. Only tables for which the app declares an audit have one. Entries without a verb are \
      changes of another program. `\(Program.name) check` finds entries that were changed or removed. The store is only read.

      --head prints the number and the hash of the newest entry that has one. Keep it outside the store: --follows then shows whether the \
      audit was computed anew since. Both follow the whole chain; the exit code is 2 when something was found.

      Example: \(Program.name) audit library.sqlite --since "1 hour ago"
      """)

  @Argument(help: "The store.", completion: .file())
  var store: FilePath

  @Option(help: ArgumentHelp("Only the history of this row: its table, and its key or the beginning of it.", valueName: "kind:id"))
  var row: LostRow?

  @Option(help: ArgumentHelp("Leave out what is older.", valueName: "time"))
  var since: String?

  @Flag(help: "Print the newest entry that has a hash, as entry:hash, instead of the entries.")
  var head = false

  @Option(
    help: ArgumentHelp("The same, and check that the audit goes on from this head, which you kept.", valueName: "entry:hash"),
    transform: Self.head)
  var follows: AuditHead?

  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    _ = try beginning()
    guard !head && follows == nil || row == nil && since == nil else {
      throw ValidationError("--head and --follows concern the whole audit: use them without --row and --since.")
    }
  }

  func perform(_ console: Console) throws -> Answer {
    let since = try beginning()
    let open = try openWhole(store, lock, reads: true)
    // The first error is the one that matters.
    defer { try? open.close() }
    if head || follows != nil { return answer(try open.checkAudit(following: follows), console) }
    let (all, description, hasEntries) = try open.read { reader in
      (try entries(since, in: reader), try reader.description(), try !reader.auditEntries(after: .min, limit: 1).isEmpty)
    }
    let found = all.filter { !description.isNeverExported($0.table) }
    let rows = found.map { entry in
      [
        DisplayText.time(entry.time), entry.actor ?? "", entry.verb ?? "another program", entry.operation.rawValue,
        "\(entry.table):\(entry.row)", entry.words(description),
      ]
    }
    let columns: [ShownColumn] = [.text("TIME"), .text("ACTOR"), .text("VERB"), .text("CHANGE"), .text("ROW"), .flexible("VALUES")]
    let table = TextTable(columns, rows, keys: "ROW")
    return Answer(
      document: ["store": .string(store.path), "entries": .array(found.map { $0.shown(by: description) })],
      text: found.isEmpty ? "" : table.text(width: console.outputWidth),
      notes: found.isEmpty ? [hasEntries ? Self.noneFound : Self.noAudit] : [])
  }

  /// A declared audit begins with an entry for each table.
  private static let noAudit =
    "This store has no audit: its changes were not recorded. An audit begins when the app declares one for a table."
  private static let noneFound = "No recorded change fits --row and --since. Without them, the whole audit is listed."

  private static func head(_ text: String) throws -> AuditHead {
    guard let head = AuditHead(text) else { throw ValidationError("A head is the number of an entry, a colon, and 64 hexadecimal digits.") }
    return head
  }

  private func answer(_ check: AuditCheck, _ console: Console) -> Answer {
    let head = check.head.map { ShownProperties().object(of: $0) } ?? .null
    return Answer(
      document: ["store": .string(store.path), "head": head, "findings": check.findings.document],
      text: check.head.map { "\($0)\n" } ?? "",
      notes: (check.head == nil ? ["No entry of the audit has a hash."] : []) + check.findings.map(\.message),
      foundProblems: !check.findings.isEmpty)
  }

  private func beginning() throws -> Date? { try since.map { try TimeWords.times($0, for: "--since").lowerBound } }

  private func entries(_ since: Date?, in reader: Reader) throws -> [AuditEntry] {
    if let row {
      return try reader.history(of: row.kind, id: key(of: row, in: reader)).filter { entry in since.map { entry.time >= $0 } ?? true }
    }
    var entries: [AuditEntry] = []
    while case let part = try reader.auditEntries(since: since, after: entries.last?.id ?? .min), !part.isEmpty { entries += part }
    return entries
  }
}

extension AuditCommand {
  /// The whole key of a row that is given by its key, or by the beginning of it. A number must be whole: 70 does not begin with 7.
  private func key(of row: LostRow, in reader: Reader) throws -> String {
    let found = try reader.values(
      """
      SELECT DISTINCT row FROM holdfast_audit
      WHERE kind = \(row.kind) AND substr(row, 1, length(\(row.id))) IN (\(row.id), \(row.id.lowercased()))
        AND (row = \(row.id) OR row GLOB '*[^-0-9/]*')
      ORDER BY row LIMIT 6
      """
    ) { try $0.text() }
    let typed = found.contains { $0.hasPrefix(row.id) } ? row.id : row.id.lowercased()
    return try Lookup.whole(typed, among: found, of: "rows of \(row.kind)") ?? row.id
  }
}

extension AuditEntry {
  /// As `json`, with values as the file describes them.
  fileprivate func shown(by description: StoreDescription) -> JSONValue {
    guard case .object(var members) = json else { return json }
    for (name, stored) in [("before", before), ("after", after)] {
      guard case .object(var values)? = members[name] else { continue }
      for (column, value) in stored {
        switch description.kind(of: column, in: table) {
        case .date?, .flag?, .seconds?, .json?: values[column] = description.shown(value, in: table, column).json
        default: break
        }
      }
      members[name] = .object(values)
    }
    return .object(members)
  }

  /// The values of an entry; of an update those that changed, before and after; of a reading its reason.
  fileprivate func words(_ description: StoreDescription) -> String {
    guard operation != .read else { return reason ?? "" }
    func text(_ values: [String: SQLValue], _ name: String) -> String {
      let value = values[name] ?? .null
      if value == .null { return "null" }
      if case .text(let text) = value { return JSONValue.string(text).canonicalText() }
      return description.shown(value, in: table, name).words
    }
    guard operation == .update else {
      let values = operation == .delete ? before : after
      return values.keys.sorted().map { "\($0): \(text(values, $0))" }.joined(separator: ", ")
    }
    let changed = after.keys.sorted().filter { before[$0] != after[$0] }
    return changed.map { "\($0): \(text(before, $0)) -> \(text(after, $0))" }.joined(separator: ", ")
  }
}
