import Foundation
import Holdfast
import Synchronization

/// One damaged store, and what came of it.
struct SalvageCase: Codable, Sendable {
  var store: SalvageStores
  var scale: Int
  var damage: SalvageDamage
  var seed: UInt64
  /// The folder of the sound states.
  var prepared: String
  /// Where the case is made, damaged and salvaged.
  var folder: String

  struct Counts: Codable, Sendable {
    var cases = 1
    var rows = 0
    var (right, wrong, setAside, refused) = (0, 0, 0, 0)
    /// Of `.recover`: the rows in tables, and those of them whose parents, and theirs, are there and right.
    var (recovered, recoveredWrong, sound, lostAndFound) = (0, 0, 0, 0)

    var isBehind: Bool { right < sound || wrong > recoveredWrong || right + setAside < recovered }

    mutating func add(_ other: Counts) {
      cases += other.cases
      rows += other.rows
      (right, wrong, setAside, refused) = (
        right + other.right, wrong + other.wrong, setAside + other.setAside, refused + other.refused
      )
      (recovered, recoveredWrong) = (recovered + other.recovered, recoveredWrong + other.recoveredWrong)
      (sound, lostAndFound) = (sound + other.sound, lostAndFound + other.lostAndFound)
    }
  }

  var counts: URL { URL(fileURLWithPath: folder + "/counts.json") }

  /// The rows of the sound states, which many cases share.
  private static let sound = Mutex<[SalvageStores.State: [String: SalvageRows]]>([:])

  private func rows(of state: SalvageStores.State) throws -> SalvageRows {
    let base = SalvageStores.folder(store, scale, state, in: prepared).path
    if let known = Self.sound.withLock({ $0[state]?[base] }) { return known }
    let copy = URL(fileURLWithPath: folder + "/sound-" + state.rawValue)
    try FileManager.default.copyItem(atPath: base, toPath: copy.path)
    // A log that is not the store's own is part of the damage.
    if state != .half { unlink(copy.path + "/store.sqlite-wal") }
    let rows = try SalvageRows(copy.path + "/store.sqlite")
    Self.sound.withLock { $0[state, default: [:]][base] = rows }
    return rows
  }

  /// Salvages in both ways, in the worker's process. Writes the counts.
  func judge() throws -> [Finding] {
    let truth = try rows(of: damage.state)
    // A row of an earlier moment is no false one.
    let earlier = damage.state == .closed ? [] : try [rows(of: .closed), rows(of: .half)]
    let (damaged, other) = (folder + "/damaged", folder + "/other")
    try FileManager.default.copyItem(at: SalvageStores.folder(store, scale, damage.state, in: prepared), to: URL(fileURLWithPath: damaged))
    let file = URL(fileURLWithPath: damaged + "/store.sqlite")
    try damage.apply(to: file, roots: truth.roots, seed: seed)
    try FileManager.default.copyItem(atPath: damaged, toPath: other)
    var (counts, findings): (Counts, [Finding]) = (Counts(), [])
    counts.rows = truth.count
    let before = FolderBytes(URL(fileURLWithPath: damaged))
    let new = URL(fileURLWithPath: folder + "/new.sqlite")
    do {
      let report = try Store.salvage(file, to: new, schemas: [store.schema], options: Workload.options(.fast, seed: seed))
      let rows = try SalvageRows(new.path, tables: Set(truth.tables.keys), checks: true)
      (counts.right, counts.wrong) = truth.compare(rows, earlier: earlier)
      counts.setAside = report.tables.reduce(0) { $0 + $1.setAside }
      findings += rows.problems.prefix(1).map { Finding(kind: "unsound", detail: $0) }
    } catch let error as StoreError where error.code == .notADatabase {
      counts.refused = 1
    } catch {
      findings.append(Finding(kind: error is StoreError ? "wrong-code" : "wrong-error", detail: "\(error)"))
    }
    for difference in FolderBytes(URL(fileURLWithPath: damaged)).differences(from: before, newOnes: true) {
      findings.append(Finding(kind: "destroyed", detail: difference))
    }
    if damage.losesNothing, counts.right < counts.rows {
      findings.append(Finding(kind: "lost", detail: "\(counts.right) of \(counts.rows) rows came back"))
    }
    try recover(other + "/store.sqlite", truth, earlier, &counts)
    try JSONEncoder().encode(counts).write(to: self.counts)
    return findings
  }

  /// SQLite's program with its `.recover`; nil where it was not built.
  static let program: String? = {
    let path = URL(fileURLWithPath: Paths.program).deletingLastPathComponent().resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("recovering/sqlite3").path
    return [path, ".build/recovering/sqlite3"].first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  private func recover(_ damaged: String, _ truth: SalvageRows, _ earlier: [SalvageRows], _ counts: inout Counts) throws {
    guard let program = Self.program else { return }
    let new = folder + "/recovered.sqlite"
    let command = "'\(program)' '\(damaged)' .recover 2>/dev/null | '\(program)' '\(new)' >/dev/null 2>&1"
    _ = try Subprocess(["-c", command], program: "/bin/sh").wait()
    guard FileManager.default.fileExists(atPath: new), let rows = try? SalvageRows(new, tables: Set(truth.tables.keys)) else { return }
    (counts.recovered, counts.recoveredWrong) = truth.compare(rows, earlier: earlier)
    counts.lostAndFound = rows.lostAndFound
    counts.sound = try truth.compare(SalvageRows(new, tables: Set(truth.tables.keys), only: truth), earlier: earlier).right
  }
}
