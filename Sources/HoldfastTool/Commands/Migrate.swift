import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

struct Migrate: LibraryCommand {
  static let configuration = CommandConfiguration(
    abstract: "Says what a migration would do to a store, or runs it.",
    discussion: """
      With --plan, which is the default, the migrations run on a temporary, checked copy, and the rows of every table are counted \
      before and after; the store is only read. With --run the store is migrated, as the app would do at its next start: a snapshot is \
      taken before, and a migration that would lose rows changes nothing.

      Example: \(Program.name) migrate library.sqlite --plan
      """)

  @Argument(help: "The store.", completion: .file())
  var store: FilePath

  @Flag(help: "Say what would happen.")
  var plan = false

  @Flag(help: "Migrate the store.")
  var run = false

  @OptionGroup var options: LibraryOptions

  func validate() throws {
    if plan, run { throw ValidationError("--plan and --run exclude each other.") }
  }

  func perform(_ console: Console) throws -> Answer {
    let library = try libraryToLook(store, library, lock)
    try library.checkKnown(store)
    let schema = library.schema
    let plan = try Activity.show("migrating a copy", console) {
      try Store.plan(at: store.url, schemas: [schema], options: lock.storeOptions)
    }
    let migrates = run && !(plan.pending + plan.notAsDeclared).isEmpty
    if migrates {
      try Activity.show("migrating", console) { try Store.open(at: store.url, schemas: [schema], options: lock.storeOptions).close() }
    }
    return Answer(
      document: [
        "store": .string(store.path), "migrated": .bool(migrates), "pending": .texts(plan.pending),
        "not_as_declared": .texts(plan.notAsDeclared), "declared_no_longer": .texts(plan.declaredNoLonger),
        "tables": ShownProperties().list(of: plan.tables).json,
      ],
      text: changes(plan, console)
        + (plan.declaredNoLonger.isEmpty
          ? "" : "declared no longer, and removed by a migration: \(plan.declaredNoLonger.joined(separator: ", "))\n"))
  }

  private func changes(_ plan: MigrationPlan, _ console: Console) -> String {
    guard plan.notAsDeclared.isEmpty else {
      return "\(run ? "made again" : "to be made again"): \(plan.notAsDeclared.joined(separator: ", "))\n"
    }
    guard !plan.pending.isEmpty else { return "nothing to migrate\n" }
    func cell(_ rows: Int?) -> String { rows.map(String.init) ?? "" }
    let rows = plan.tables.filter { $0.before != $0.after }.map { [$0.name, cell($0.before), cell($0.after)] }
    let table = TextTable([.text("TABLE"), .number("ROWS NOW"), .number("ROWS THEN")], rows)
    return "\(run ? "migrated" : "pending"): \(plan.pending.joined(separator: ", "))\n"
      + (rows.isEmpty ? "no table gains or loses rows\n" : table.text(width: console.outputWidth))
  }
}
