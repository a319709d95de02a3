import Foundation
import GRDBSQLite
import Holdfast

/// The ways back that mend a damaged store or make a file beside it. Before each, one page of the lines is noise; only an archive or a snapshot
/// has what stood in it.
enum WaysBack {
  /// The batches that a file beside the store holds.
  static let label = "six"

  static func made(_ folder: URL) -> URL { folder.appendingPathComponent("made.sqlite") }
  /// The damaged file as it was before the attack.
  static func damaged(_ folder: URL) -> URL { folder.appendingPathComponent("damaged.copy") }

  // MARK: Before the attack

  static func prepare(_ workload: Workload, _ folder: URL, _ options: StoreOptions, seed: UInt64) throws {
    let url = Workload.store(folder)
    var options = options
    if workload.goesByArchive { options.archives() }
    let store = try Store.open(at: url, schemas: [Library.old], options: options)
    for number in 1...Workload.prepared {
      try store.write { try Library.save(Batch(number: number, seed: seed), in: $0) }
      if workload.goesByArchive, number == Workload.inSnapshot {
        _ = try store.archive()
        try store.label(label)
      }
    }
    if !workload.goesByArchive { try store.snapshot(label: "earlier") }
    try store.close()
    guard workload != .restoreTo else { return }
    try damage(url, options.key, seed)
    try FileManager.default.copyItem(at: url, to: damaged(folder))
  }

  /// One leaf of the table of lines becomes noise.
  static func damage(_ url: URL, _ key: StoreKey?, _ seed: UInt64) throws {
    let handle = try Oracle.open(url.path)
    if let key, !Keys.give(key, to: handle) { throw POSIXError(.EIO) }
    let leaves = try Oracle.texts(handle, "SELECT pageno FROM dbstat WHERE name = 'lines' AND pagetype = 'leaf' ORDER BY pageno")
    let bytes = try Oracle.texts(handle, "PRAGMA page_size").first?.first.flatMap { Int($0) } ?? 4_096
    sqlite3_close(handle)
    var random = Chance(seed &+ 3)
    guard !leaves.isEmpty, let page = UInt64(leaves[random.below(leaves.count)][0]) else { throw POSIXError(.EIO) }
    let file = try FileHandle(forUpdating: url)
    try file.seek(toOffset: (page - 1) * UInt64(bytes))
    try file.write(contentsOf: Data(random.bytes(bytes)))
    try file.close()
  }

  // MARK: Under attack

  static func run(_ workload: Workload, _ folder: URL, _ options: StoreOptions, _ acks: Acks) throws {
    let url = Workload.store(folder)
    switch workload {
    case .healOpen:
      let store = try Store.open(at: url, schemas: [Library.old], options: options)
      tell(try store.heal(), acks)
      try store.close()
    case .restoreTo:
      try Archive(of: url, options: options).restore(to: .label(label), at: made(folder))
      acks.tell("made")
    case .salvage:
      _ = try Store.salvage(url, to: made(folder), schemas: [Library.old], options: options)
      acks.tell("made")
    default:
      tell(try Store.heal(at: url, schemas: [Library.old], options: options), acks)
    }
  }

  /// SQLite takes a page that cannot be read for damage, where the disk gives it at the second time neither.
  private static func tell(_ report: HealReport, _ acks: Acks) {
    acks.tell(report.notes.contains { $0.contains("is damaged, too") || $0.contains("could not help") } ? toldLess : "healed")
  }

  /// The healing said that it had no sound source.
  static let toldLess = "healed, without the snapshot"
}

extension Workload {
  /// The damage of the store is mended where it stands.
  var heals: Bool { [.healClosed, .healOpen, .healRows].contains(self) }
  /// A file is made beside the store, and the store stays as it is.
  var makesFile: Bool { self == .restoreTo || self == .salvage }
  var goesByArchive: Bool { [.healClosed, .healOpen, .restoreTo].contains(self) }
}

extension Verdict {
  /// Healing that was told is whole; one that was interrupted goes on, loses nothing, and says so.
  mutating func judgeHealing() {
    do {
      if judged.isPromised, acked("healed") != nil {
        for finding in try Store.check(at: store, schemas: [Library.old], options: options).findings.prefix(3) {
          find("not-healed", "\(finding.part.rawValue): \(finding.message)")
        }
      }
      let report = try Store.heal(at: store, schemas: [Library.old], options: options)
      // Of rows, and of an archive that has followed the damaged store, nothing can be proven.
      if judged.workload == .healClosed, !report.mayBeLost.isEmpty { find("says-lost", report.mayBeLost.joined(separator: "; ")) }
    } catch {
      find("cannot-heal", Self.text(error))
    }
  }

  /// A file under its final name is complete, and the store beside it is as it was.
  mutating func judgeMade() {
    let made = WaysBack.made(folder)
    let isThere = FileManager.default.fileExists(atPath: made.path)
    if !isThere, judged.isPromised, acked("made") != nil { find("lost", "the reported file is gone") }
    if isThere { judgeMade(made) }
    if judged.workload == .salvage, (try? Data(contentsOf: store)) != (try? Data(contentsOf: WaysBack.damaged(folder))) {
      find("store-changed", "the salvage has changed the damaged file")
    }
    guard judged.runsAgain else { return }
    do {
      if isThere { try FileManager.default.removeItem(at: made) }
      try WaysBack.run(judged.workload, folder, options, Acks("/dev/null"))
      judgeMade(made)
    } catch {
      find("next-run", Self.text(error))
    }
    judgeLeftovers()
  }

  private mutating func judgeMade(_ made: URL) {
    let raw = Oracle(made.path, isLine: judged.workload == .restoreTo, key: options.key)
    let isWhole = judged.workload == .restoreTo
    for problem in raw.problems where isWhole || problem.hasPrefix("integrity_check") { find("not-whole", problem) }
    let wanted = isWhole ? Workload.inSnapshot : Workload.prepared
    if raw.numbers.count != wanted { find("not-whole", "\(raw.numbers.count) batches of \(wanted)") }
  }
}
