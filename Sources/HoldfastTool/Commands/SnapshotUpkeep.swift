import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

struct SnapshotFolder: ParsableArguments {
  @Option(help: "The folder for snapshots that the app has chosen. Default: beside the store.", completion: .directory)
  var folder: FilePath?
}

struct SnapshotRules: ParsableArguments {
  @Option(help: ArgumentHelp("prune: keep the newest N automatic snapshots.", valueName: "N"))
  var keepLast: Int?

  @Option(help: ArgumentHelp("prune: keep the newest of each of the last N hours that have one.", valueName: "N"))
  var keepHourly: Int?

  @Option(help: ArgumentHelp("prune: the same for days.", valueName: "N"))
  var keepDaily: Int?

  @Option(help: ArgumentHelp("prune: the same for weeks.", valueName: "N"))
  var keepWeekly: Int?

  @Option(help: ArgumentHelp("prune: the same for months.", valueName: "N"))
  var keepMonthly: Int?

  @Flag(help: "prune: the rules count and remove snapshots made by hand, too.")
  var byHand = false

  @Flag(help: "prune: say what would be removed; remove nothing.")
  var dryRun = false

  var policy: SnapshotPolicy? {
    guard numbers.contains(where: { $0 != nil }) else { return nil }
    return SnapshotPolicy(
      keepLast: keepLast ?? 0, keepHourly: keepHourly ?? 0, keepDaily: keepDaily ?? 0, keepWeekly: keepWeekly ?? 0,
      keepMonthly: keepMonthly ?? 0)
  }

  private var numbers: [Int?] { [keepLast, keepHourly, keepDaily, keepWeekly, keepMonthly] }

  func validate() throws {
    guard numbers.allSatisfy({ $0 ?? 0 >= 0 }) else { throw ValidationError("The numbers of --keep-last and the others are 0 or more.") }
  }
}

extension SnapshotList {
  /// Verifies the named snapshots, or all.
  func verify(_ ids: [String], _ console: Console) throws -> Answer {
    let all = try existing()
    let unreadable = Snapshot.unreadable(of: store.url, in: folder)
    var (verified, failed, text): ([String], [JSONValue], String) = ([], [], "")
    for snapshot in try ids.isEmpty ? all : ids.map(self.snapshot) {
      do {
        _ = try Activity.show("verifying \(snapshot.id)", console) {
          try Snapshot.verify(snapshot.id, of: store.url, options: options)
        }
        verified.append(snapshot.id)
        let findings = snapshot.findings.isEmpty ? "" : ", with the store's \(ShownValue.counted(snapshot.findings.count, "finding"))"
        text += "\(snapshot.id)  as it was made\(findings)\n"
      } catch let error as StoreError {
        failed.append(.object(["id": .string(snapshot.id), "code": .string(error.code.rawValue), "error": .string(error.message)]))
        text += "\(snapshot.id)  \(DisplayText.printable(error.message))\n"
      }
    }
    return Answer(
      document: [
        "store": .string(store.path), "verified": .texts(verified), "failed": .array(failed),
        "unreadable": .texts(unreadable.map(\.path)),
      ], text: text, notes: notes(all, unreadable), foundProblems: !failed.isEmpty || !unreadable.isEmpty)
  }

  /// Removes the named snapshots, or those that no rule keeps.
  func prune(_ ids: [String], _ rules: SnapshotRules, yes: Bool, _ console: Console) throws -> Answer {
    _ = try existing()
    func surplus(byHand: Bool) throws -> [Snapshot]? {
      try rules.policy.map { try Snapshot.surplus(of: store.url, keeping: $0, includesByHand: byHand, in: folder) }
    }
    let chosen = try surplus(byHand: rules.byHand) ?? ids.map(snapshot)
    let spared = rules.byHand ? 0 : try surplus(byHand: true)?.count { !$0.isAutomatic } ?? 0
    let stays = spared == 1 ? "stays" : "stay"
    let hint = spared == 0 ? [] : ["\(ShownValue.counted(spared, "snapshot")) made by hand \(stays): see --by-hand."]
    let document: [String: JSONValue] = [
      "store": .string(store.path), "removed": .array(chosen.map(\.document)), "dry_run": .bool(rules.dryRun),
    ]
    guard !chosen.isEmpty else { return Answer(document: document, notes: ["There is nothing to remove."] + hint) }
    let plan = chosen.map { "\($0.id)  \(DisplayText.size($0.bytes))  \(DisplayText.printable($0.label))" }.joined(separator: "\n")
    let what = "\(ShownValue.counted(chosen.count, "snapshot")) of \(store) for good:\n\(plan)"
    if rules.dryRun { return Answer(document: document, text: "This would remove \(what)\n", notes: hint) }
    try Confirmation.ask((["This removes \(what)"] + hint).joined(separator: "\n"), yes: yes, console)
    try Snapshot.remove(chosen, of: store.url, in: folder)
    let facts: FactList = [
      "removed": ShownValue.counted(chosen.count, "snapshot"), "size": DisplayText.size(chosen.reduce(0) { $0 + $1.bytes }),
    ]
    return Answer(document: document, text: facts.text)
  }

  /// Restores a snapshot to a scratch file and checks that.
  func drill(_ id: String?, _ console: Console) throws -> Answer {
    let all = try existing()
    guard let chosen = try id.map(snapshot) ?? Snapshot.toRestore(all) else {
      throw StoreError(.notFound, "\(store.path) has no snapshot", suggestion: "\(Program.name) snapshot create \(store.shellWord)")
    }
    let drill = try Activity.show("drilling", console) {
      try Store.drill(at: store.url, schemas: Libraries.schemas(chosen.schemas), snapshot: chosen.id, options: options)
    }
    let facts: FactList = [
      "drilled": chosen.id, "holds": Libraries.content(of: chosen), "passed": drill.hasPassed ? "yes" : "no",
    ]
    return Answer(
      document: [
        "store": .string(store.path), "drilled": chosen.document, "passed": .bool(drill.hasPassed), "findings": drill.report.document,
      ], text: facts.text + (drill.hasPassed ? "" : drill.report.table(console)), foundProblems: !drill.hasPassed)
  }
}
