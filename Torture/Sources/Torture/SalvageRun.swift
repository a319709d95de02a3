import Foundation
import Holdfast
import Synchronization

/// Damages stores in each way, salvages them, and does the same with SQLite's `.recover`.
///
/// Fails where that brings back more rows or makes fewer false ones. A row of `.recover` whose parent is gone or false does not count: the
/// salvage sets it aside, because a store with it would break its own rules. But no row that `.recover` has may be neither there nor set aside.
struct SalvageRun {
  var seed: UInt64
  /// Seeds for each class of damage and each schema.
  var wanted: Int
  var deadline: Date
  /// Only this class, and this schema.
  var onlyDamage: SalvageDamage?
  var onlyStore: SalvageStores?

  typealias Counts = SalvageCase.Counts

  private struct Key: Hashable {
    var damage: SalvageDamage
    var store: SalvageStores
  }

  /// Of twenty seeds one makes a store of 5 MB, and four make one of 1.2 MB.
  private static func scale(_ seed: UInt64) -> Int {
    SalvageStores.scales[seed % 20 == 0 ? 2 : seed % 5 == 1 ? 1 : 0]
  }

  func run() throws -> Bool {
    let tally = Tally("salvages")
    if SalvageCase.program == nil { print("without the comparison: .ci/recovering-sqlite .build/recovering builds what it needs") }
    let stores = SalvageStores.allCases.filter { onlyStore == nil || $0 == onlyStore }
    let damages = SalvageDamage.allCases.filter { onlyDamage == nil || $0 == onlyDamage }
    var jobs: [SalvageCase] = []
    for number in 0..<UInt64(wanted) {
      let scale = Self.scale(seed &+ number)
      for store in stores {
        try store.prepare(scale, seed: 1)
        for damage in damages {
          jobs.append(
            SalvageCase(store: store, scale: scale, damage: damage, seed: seed &+ number, prepared: SalvageStores.prepared, folder: ""))
        }
      }
    }
    let sums = Mutex<[Key: Counts]>([:])
    let worst = Mutex<[SalvageDamage: (behind: Int, command: String)]>([:])
    inLanes(jobs, until: deadline) { job, worker, lane in
      var job = job
      job.folder = try Paths.fresh("salvage-\(lane)").path
      let command = "torture salvage --what \(job.damage.rawValue) --schema \(job.store.rawValue) --seed \(job.seed) --number 1"
      for finding in try worker.ask(JSONEncoder().encode(job), "salvage") {
        tally.find(finding, "\(job.damage.rawValue) \(job.store.rawValue)", repeatBy: command)
      }
      tally.count()
      guard let data = try? Data(contentsOf: job.counts) else { return }
      let counts = try JSONDecoder().decode(Counts.self, from: data)
      sums.withLock { sums in
        let key = Key(damage: job.damage, store: job.store)
        if sums[key]?.add(counts) == nil { sums[key] = counts }
      }
      let behind = max(counts.sound - counts.right, counts.wrong - counts.recoveredWrong, counts.recovered - counts.right - counts.setAside)
      worst.withLock { if behind > $0[job.damage]?.behind ?? 0 { $0[job.damage] = (behind, command) } }
    }
    if jobs.count == 1 {
      // A single case is for a closer look.
      let kept = URL(fileURLWithPath: "\(Failures.folder)/salvage-\(jobs[0].damage.rawValue)-\(jobs[0].store.rawValue)-\(seed)")
      try? FileManager.default.removeItem(at: kept)
      try FileManager.default.createDirectory(atPath: Failures.folder, withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: URL(fileURLWithPath: Paths.scratch + "/salvage-0"), to: kept)
      print("its files are in \(kept.relativePath)")
    }
    let isWhole = tally.done == jobs.count
    if !isWhole { print("only \(tally.done) of \(jobs.count) cases in this time") }
    print(Self.line("class", ["cases", "rows", "ok %", "false", "set aside", "refused", ".recover %", "false", "sound %", "lost+found"]))
    let all = sums.withLock { $0 }
    var isFine = isWhole
    for damage in damages {
      let parts = stores.compactMap { store in all[Key(damage: damage, store: store)].map { (store, $0) } }
      guard let sum = Self.sum(parts.map(\.1)) else { continue }
      let isBehind = SalvageCase.program != nil && sum.isBehind
      print(Self.line(damage.rawValue, sum) + (isBehind ? "  BEHIND .recover" : ""))
      guard isBehind else { continue }
      isFine = false
      for (store, counts) in parts { print(Self.line("  " + store.rawValue, counts)) }
      if let worst = worst.withLock({ $0[damage] }) { print("  most in one case: \(worst.behind), \(worst.command)") }
    }
    for store in stores {
      if let sum = Self.sum(damages.compactMap { all[Key(damage: $0, store: store)] }) { print(Self.line("all, " + store.rawValue, sum)) }
    }
    tally.report()
    return isFine && tally.total == 0
  }

  private static func sum(_ counts: [Counts]) -> Counts? {
    guard var sum = counts.first else { return nil }
    for other in counts.dropFirst() { sum.add(other) }
    return sum
  }

  private static func line(_ name: String, _ counts: Counts) -> String {
    func part(_ count: Int) -> String { String(format: "%.3f", 100 * Double(count) / Double(max(1, counts.rows))) }
    return line(
      name,
      [
        "\(counts.cases)", "\(counts.rows)", part(counts.right), "\(counts.wrong)", "\(counts.setAside)", "\(counts.refused)",
        part(counts.recovered), "\(counts.recoveredWrong)", part(counts.sound), "\(counts.lostAndFound)",
      ])
  }

  private static func line(_ name: String, _ cells: [String]) -> String {
    name.padding(toLength: 18, withPad: " ", startingAt: 0)
      + cells.map { String(repeating: " ", count: max(1, 11 - $0.count)) + $0 }.joined()
  }
}
