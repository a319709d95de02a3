import Foundation
import Holdfast
import Synchronization

/// One damaged store, and what came of it.
struct SalvageCase: Judged {
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
    /// Right rows that were set aside with all their values.
    var rightAside = 0
    /// The rows of which no page was damaged, and those of them that are neither there nor set aside with their values.
    var (intact, intactLost) = (0, 0)
    /// Of `.recover`: the rows in tables, and those of them whose parents, and theirs, are there and right.
    var (recovered, recoveredWrong, sound, lostAndFound) = (0, 0, 0, 0)
    /// The cases of which it gave no table at all.
    var unrecovered = 0

    var isBehind: Bool { right < sound || wrong > recoveredWrong || right + rightAside < recovered }
    /// How many rows it is behind.
    var behind: Int { max(sound - right, wrong - recoveredWrong, recovered - right - rightAside) }

    mutating func add(_ other: Counts) {
      cases += other.cases
      rows += other.rows
      (right, wrong, setAside, refused) = (
        right + other.right, wrong + other.wrong, setAside + other.setAside, refused + other.refused
      )
      (recovered, recoveredWrong) = (recovered + other.recovered, recoveredWrong + other.recoveredWrong)
      (sound, lostAndFound) = (sound + other.sound, lostAndFound + other.lostAndFound)
      (rightAside, unrecovered) = (rightAside + other.rightAside, unrecovered + other.unrecovered)
      (intact, intactLost) = (intact + other.intact, intactLost + other.intactLost)
    }
  }

  var counts: URL { URL(fileURLWithPath: folder + "/counts.json") }

  /// The rows of the sound states, which many cases share.
  private static let sound = Mutex<[String: (rows: SalvageRows, places: SalvagePlaces)]>([:])

  private var storeSeed: UInt64 { store.seed(of: seed) }

  private func sound(_ state: SalvageStores.State) throws -> (rows: SalvageRows, places: SalvagePlaces) {
    let base = store.folder(scale, state, seed: storeSeed, in: prepared).path
    if let known = Self.sound.withLock({ $0[base] }) { return known }
    let copy = URL(fileURLWithPath: folder + "/sound-" + state.rawValue)
    try FileManager.default.copyItem(atPath: base, toPath: copy.path)
    // A log that is not the store's own is part of the damage.
    if state != .half { unlink(copy.path + "/store.sqlite-wal") }
    // Closing moves the log into the file.
    let rows = try SalvageRows(copy.path + "/store.sqlite")
    let sound = (rows, try SalvagePlaces(copy.path + "/store.sqlite", tables: rows.tables.keys))
    Self.sound.withLock { $0[base] = sound }
    return sound
  }

  /// The bytes that are left: of a store with a log those that SQLite makes of both.
  private func bytesLeft(_ damaged: String) throws -> [UInt8] {
    guard damage.state == .half else { return [UInt8](try Data(contentsOf: URL(fileURLWithPath: damaged + "/store.sqlite"))) }
    let copy = folder + "/replayed"
    try FileManager.default.copyItem(atPath: damaged, toPath: copy)
    _ = try SalvageRows(copy + "/store.sqlite", tables: [])
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: copy + "/store.sqlite")))
  }

  /// Salvages in both ways, in the worker's process. Writes the counts.
  func judge() throws -> [Finding] {
    let (truth, places) = try sound(damage.state)
    // A row of an earlier moment is no false one.
    let earlier = damage.state == .closed ? [] : try [sound(.closed).rows, sound(.half).rows]
    let (damaged, other) = (folder + "/damaged", folder + "/other")
    try FileManager.default.copyItem(
      at: store.folder(scale, damage.state, seed: storeSeed, in: prepared), to: URL(fileURLWithPath: damaged))
    let file = URL(fileURLWithPath: damaged + "/store.sqlite")
    try damage.apply(to: file, roots: truth.roots, seed: seed)
    try FileManager.default.copyItem(atPath: damaged, toPath: other)
    var (counts, findings): (Counts, [Finding]) = (Counts(), [])
    counts.rows = truth.count
    let intact = SalvageRows(try places.intact(in: bytesLeft(damaged)))
    (counts.intact, counts.intactLost) = (intact.count, intact.count)
    let before = FolderBytes(URL(fileURLWithPath: damaged))
    let new = URL(fileURLWithPath: folder + "/new.sqlite")
    do {
      let report = try Store.salvage(file, to: new, schemas: [store.schema(storeSeed)], options: Workload.options(.fast, seed: seed))
      let rows = try SalvageRows(new.path, tables: Set(truth.tables.keys), checks: true)
      (counts.right, counts.wrong) = truth.compare(rows, earlier: earlier)
      counts.setAside = report.tables.reduce(0) { $0 + $1.setAside }
      let all = rows.adding(try SalvageSetAside(beside: new.path, truth: truth).tables)
      counts.rightAside = truth.compare(all, earlier: []).right - counts.right
      counts.intactLost = intact.count - intact.compare(all, earlier: []).right
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
    guard FileManager.default.fileExists(atPath: new), let rows = try? SalvageRows(new, tables: Set(truth.tables.keys)),
      !rows.tables.isEmpty || rows.lostAndFound > 0
    else {
      counts.unrecovered = 1
      return
    }
    (counts.recovered, counts.recoveredWrong) = truth.compare(rows, earlier: earlier)
    counts.lostAndFound = rows.lostAndFound
    counts.sound = try truth.compare(SalvageRows(new, tables: Set(truth.tables.keys), only: truth), earlier: earlier).right
  }
}
