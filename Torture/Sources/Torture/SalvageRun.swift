import Foundation
import Holdfast
import Synchronization

/// Damages stores in each way, salvages them, and does the same with SQLite's `.recover`.
///
/// Fails where that brings back more rows or makes fewer false ones, and where a row is lost of which no page was damaged. A row of `.recover`
/// whose parent is gone or false does not count: the salvage sets it aside, because a store with it would break its own rules. But the right
/// rows that are there or set aside with all their values must be as many as those of `.recover`.
struct SalvageRun {
  var seed: UInt64
  /// Seeds for each class of damage and each schema.
  var wanted: Int
  /// Only this class, and this schema.
  var onlyDamage: SalvageDamage?
  var onlyStore: SalvageStores?

  typealias Counts = SalvageCase.Counts

  private struct Key: Hashable {
    var damage: SalvageDamage
    var store: SalvageStores
  }

  /// So many random schemas are on the disk.
  private static let seedsAtOnce = 20

  /// Of twenty seeds one makes a store of 5 MB, and four make one of 1.2 MB.
  private static func scale(_ seed: UInt64) -> Int {
    SalvageStores.scales[seed % 20 == 0 ? 2 : seed % 5 == 1 ? 1 : 0]
  }

  func run() throws -> Bool {
    let tally = Tally("salvages")
    let stores = SalvageStores.allCases.filter { onlyStore == nil || $0 == onlyStore }
    let damages = SalvageDamage.allCases.filter { onlyDamage == nil || $0 == onlyDamage }
    let sums = Mutex<[Key: Counts]>([:])
    let worst = Mutex<[SalvageDamage: (behind: Int, command: String)]>([:])
    let end = seed &+ UInt64(wanted)
    for first in stride(from: seed, to: end, by: Self.seedsAtOnce) {
      let seeds = first..<min(first &+ UInt64(Self.seedsAtOnce), end)
      var jobs: [SalvageCase] = []
      for (seed, store) in seeds.flatMap({ seed in stores.map { (seed, $0) } }) {
        try store.prepare(Self.scale(seed), seed: store.seed(of: seed))
        jobs += damages.map {
          SalvageCase(store: store, scale: Self.scale(seed), damage: $0, seed: seed, prepared: SalvageStores.prepared, folder: "")
        }
      }
      inLanes(jobs, until: .distantFuture) { job, worker, lane in
        var job = job
        job.folder = try Paths.fresh("salvage-\(lane)").path
        let command = "torture salvage --what \(job.damage.rawValue) --schema \(job.store.rawValue) --seed \(job.seed) --number 1"
        for finding in try worker.ask(job) {
          tally.find(finding, "\(job.damage.rawValue) \(job.store.rawValue)", repeatBy: command)
        }
        tally.count()
        if wanted * stores.count * damages.count == 1 { try Self.keep(job) }
        guard let data = try? Data(contentsOf: job.counts) else { return }
        let counts = try JSONDecoder().decode(Counts.self, from: data)
        sums.withLock { sums in
          let key = Key(damage: job.damage, store: job.store)
          if sums[key]?.add(counts) == nil { sums[key] = counts }
        }
        let behind = max(counts.intactLost, SalvageCase.program == nil ? 0 : counts.behind)
        worst.withLock { if behind > $0[job.damage]?.behind ?? 0 { $0[job.damage] = (behind, command) } }
      }
      if stores.contains(.random) { for seed in seeds { try SalvageStores.random.remove(Self.scale(seed), seed: seed) } }
    }
    let all = sums.withLock { $0 }
    print(
      Self.line(
        "class",
        [
          "cases", "rows", "ok %", "false", "aside", "aside ok", "intact", "lost", "refused", ".recover %", "false", "sound %",
          "lost+found",
        ]))
    var isFine = true
    for damage in damages {
      let parts = stores.compactMap { store in all[Key(damage: damage, store: store)].map { (store, $0) } }
      guard let sum = Self.sum(parts.map(\.1)) else { continue }
      let faults = Self.faults(damage, sum)
      print(Self.line(damage.rawValue, sum) + faults.map { "  " + $0 }.joined())
      guard !faults.isEmpty else { continue }
      isFine = false
      for (store, counts) in parts { print(Self.line("  " + store.rawValue, counts)) }
      if let worst = worst.withLock({ $0[damage] }) { print("  most in one case: \(worst.behind), \(worst.command)") }
    }
    for store in stores {
      if let sum = Self.sum(damages.compactMap { all[Key(damage: $0, store: store)] }) { print(Self.line("all, " + store.rawValue, sum)) }
    }
    tally.report()
    if SalvageCase.program == nil {
      print("NOT COMPARED WITH .recover: its program is not there; .ci/recovering-sqlite .build/recovering builds it")
    }
    return isFine && tally.total == 0
  }

  /// What the sum of a class must not show.
  private static func faults(_ damage: SalvageDamage, _ sum: Counts) -> [String] {
    // A log of another store that has no mark is trusted, as SQLite trusts it.
    var faults = sum.intactLost > 0 && damage != .logForeign ? ["ROWS OF WHOLE PAGES LOST"] : []
    guard SalvageCase.program != nil else { return faults }
    if sum.unrecovered == sum.cases, !damage.stopsRecover { faults.append(".recover FAILS") }
    if sum.isBehind { faults.append("BEHIND .recover") }
    return faults
  }

  /// A single case is for a closer look.
  private static func keep(_ job: SalvageCase) throws {
    let kept = URL(fileURLWithPath: "\(Failures.folder)/salvage-\(job.damage.rawValue)-\(job.store.rawValue)-\(job.seed)")
    try? FileManager.default.removeItem(at: kept)
    try FileManager.default.createDirectory(atPath: Failures.folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: URL(fileURLWithPath: job.folder), to: kept)
    print("its files are in \(kept.relativePath)")
  }

  private static func sum(_ counts: [Counts]) -> Counts? {
    guard var sum = counts.first else { return nil }
    for other in counts.dropFirst() { sum.add(other) }
    return sum
  }

  private static func line(_ name: String, _ counts: Counts) -> String {
    func part(_ count: Int) -> String { String(format: "%.3f", 100 * Double(count) / Double(max(1, counts.rows))) }
    let own = [
      "\(counts.cases)", "\(counts.rows)", part(counts.right), "\(counts.wrong)", "\(counts.setAside)", "\(counts.rightAside)",
      "\(counts.intact)", "\(counts.intactLost)", "\(counts.refused)",
    ]
    let other =
      SalvageCase.program == nil || counts.unrecovered == counts.cases
      ? ["-", "-", "-", "-"]
      : [part(counts.recovered), "\(counts.recoveredWrong)", part(counts.sound), "\(counts.lostAndFound)"]
    return line(name, own + other)
  }

  private static func line(_ name: String, _ cells: [String]) -> String {
    name.padding(toLength: 18, withPad: " ", startingAt: 0)
      + cells.map { String(repeating: " ", count: max(1, 11 - $0.count)) + $0 }.joined()
  }
}
