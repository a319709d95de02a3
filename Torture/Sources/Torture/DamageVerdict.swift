import CSteps
import Foundation
import Holdfast

/// A damaged folder, with what stood in it before.
struct DamageCase: Judged {
  var damage: Damage
  var folder: String
  var seed: UInt64
  /// Whether the store was left by a killed process, with its log.
  var isHalfClosed: Bool
  /// Batches that were in the store, and in the newest snapshot.
  var batches: Int
  var believesNoCheck = false
  /// The command line tool that is asked; nil: the library's verbs.
  var tool: String?

  func judge() -> [Finding] { tool.map { ToolVerdict(self, tool: $0).findings } ?? DamageVerdict(self).findings }
}

/// Whether a damage is harmless or told, whether anything was destroyed meanwhile, and whether a snapshot can still be put back.
struct DamageVerdict: Findings {
  var findings: [Finding] = []
  private let judged: DamageCase
  private let folder: URL
  private let endless = Endless()
  private var url: URL { Workload.store(folder) }

  /// A look may take so many steps of SQLite's machine. A healthy one of these stores takes less than a tenth of it.
  static let mostSteps = 10_000_000

  /// Codes that tell people that the file is not what it was.
  static let told: Set<StoreError.Code> = [
    .damaged, .notADatabase, .wrongKind, .newerSchema, .editedMigration, .migrationFailed, .decoding, .verificationFailed,
  ]

  init(_ judged: DamageCase) {
    self.judged = judged
    folder = URL(fileURLWithPath: judged.folder)
    steps_count(Self.mostSteps * 2)
    let before = FolderBytes(folder)
    heal(before)
    look()
    judgeUntouched(before, after: "looks", newOnes: true)
    open(before)
    restore()
    for what in endless.what { find("endless", "\(what) takes more than \(Self.mostSteps) steps") }
  }

  /// What took too many steps; written to while something else of the verdict is read.
  private final class Endless {
    private(set) var what: [String] = []
    func append(_ text: String) { what.append(text) }
  }

  private func counted<T>(_ what: String, _ body: () throws -> T) -> Result<T, any Error> {
    steps_reset()
    let result = Result { try body() }
    if steps_taken() > Self.mostSteps { endless.append(what) }
    return result
  }

  private var options: StoreOptions {
    var options = Workload.options(.durable, seed: judged.seed)
    options.createsIfMissing = false
    options.busyTimeout = .milliseconds(200)
    return options
  }

  private func isFine(_ error: any Error) -> Bool {
    guard let code = (error as? StoreError)?.code else { return false }
    return Self.told.contains(code) || (code == .notFound && judged.damage.what == "delete-file")
  }

  // MARK: Healing

  /// Of a copy. Where only bytes are gone, a healed store has no row that never was, and at least what a sound snapshot had.
  private mutating func heal(_ before: FolderBytes) {
    let copy = folder.deletingLastPathComponent().appendingPathComponent("healed")
    try? FileManager.default.removeItem(at: copy)
    guard (try? FileManager.default.copyItem(at: folder, to: copy)) != nil else { return find("no-copy", "the folder cannot be copied") }
    let url = Workload.store(copy)
    switch counted("healing", { try Store.heal(at: url, schemas: [Library.old], options: options) }) {
    case .failure(let error):
      if !isFine(error) { find("wrong-code", "healing: \(Verdict.text(error))") }
      for difference in FolderBytes(copy).differences(from: before, newOnes: false) {
        find("destroyed", "\(difference) after a failed healing")
      }
    case .success(let report):
      guard report.means != .none else {
        for difference in FolderBytes(copy).differences(from: before, newOnes: false) {
          find("destroyed", "\(difference) though not healed")
        }
        return
      }
      let raw = Oracle(url.path, isLine: false)
      if let first = raw.problems.first(where: { $0.hasPrefix("integrity_check") || $0.hasPrefix("foreign_key_check") }) {
        find("healed-unsound", first)
      }
      // A flipped bit or noise makes other rows, and the file of another store has other rows.
      guard ["zero-page", "zero-sectors", "cut", "empty", "header", "page-one", "delete-file"].contains(judged.damage.what) else { return }
      let wrong = raw.problems.filter { !$0.hasPrefix("integrity_check") && !$0.hasPrefix("foreign_key_check") }
      if raw.numbers.count < Workload.inSnapshot {
        find("healed-less", "\(raw.numbers.count) batches by \(report.means.rawValue); the snapshot has \(Workload.inSnapshot)")
      }
      if report.means == .copy, let first = wrong.first { find("healed-wrong", first) }
    }
  }

  // MARK: Looking

  private mutating func look() {
    switch counted("kinds", { try Store.kinds(at: url) }) {
    case .success(let kinds):
      if kinds.isEmpty, judged.damage.what != "delete-file" { find("taken-for-nothing", "kinds finds nothing where a store was") }
    case .failure(let error):
      if !isFine(error) { find("wrong-code", "kinds: \(Verdict.text(error))") }
    }
    _ = counted("the list of snapshots") { try Snapshot.all(of: url) }
    _ = counted("a check without opening") { try Store.check(at: url, schemas: [Library.old], options: options) }
    var looking = options
    looking.opensReadOnly = true
    switch counted("opening read-only", { try Store.open(at: url, schemas: [Library.old], options: looking) }) {
    case .success(let store):
      let result = counted("reading") { try store.read { try Self.content($0) } }
      if case .failure(let error) = result, !isFine(error) { find("wrong-code", "reading read-only: \(Verdict.text(error))") }
      _ = counted("info, reading only") { try store.statistics() }
      try? store.close()
    case .failure(let error):
      if !isFine(error) { find("wrong-code", "opening read-only: \(Verdict.text(error))") }
    }
  }

  private mutating func open(_ before: FolderBytes) {
    switch counted("opening", { try Store.open(at: url, schemas: [Library.old], options: options) }) {
    case .failure(let error):
      if !isFine(error) { find("wrong-code", "opening: \(Verdict.text(error))") }
      judgeUntouched(before, after: "an opening that failed")
    case .success(let store):
      let report = counted("the check") { try store.integrityCheck() }
      let content = counted("reading") { try store.read { try Self.content($0) } }
      _ = counted("info") { try store.statistics() }
      var isTold = !store.notices.isEmpty
      switch report {
      case .success(let report): isTold = isTold || !report.isHealthy
      case .failure(let error):
        isTold = true
        if !isFine(error) { find("wrong-code", "the check: \(Verdict.text(error))") }
      }
      if case .failure(let error) = content, !isFine(error) { find("wrong-code", "reading: \(Verdict.text(error))") }
      if judged.believesNoCheck { isTold = false }
      if !isTold { judgeContent(content) }
      do { try store.close() } catch { if !isFine(error) { find("wrong-code", "closing: \(Verdict.text(error))") } }
      // A foreign log that was told as damage must not have been moved into the file.
      if isTold, judged.damage.what == "log-foreign" || judged.damage.what == "log-stale" {
        if FolderBytes(folder).files["list.sqlite"] != before.files["list.sqlite"] {
          find("destroyed", "a wrong log was moved into the file, though told")
        }
      }
    }
  }

  /// Nobody told of any damage: then everything must be as it was.
  private mutating func judgeContent(_ content: Result<[Batch], any Error>) {
    guard case .success(let content) = content else { return find("untold", "the check is silent, and the rows cannot be read") }
    let expected = (1...judged.batches).map { Batch(number: $0, seed: judged.seed) }
    let same = content.count == expected.count && zip(content, expected).allSatisfy { $0.number == $1.number && $0.lines == $1.lines }
    if same { return }
    let isPrefix = content.count < expected.count && zip(content, expected).allSatisfy { $0.number == $1.number && $0.lines == $1.lines }
    find(isPrefix ? "untold-rollback" : "untold", "the check is silent about \(content.count) of \(expected.count) batches")
  }

  private static func content(_ reader: Reader) throws -> [Batch] {
    try reader.values("SELECT number FROM batches ORDER BY number") { row in try row.int() }.compactMap { number in
      try Library.batch(number, in: reader)
    }
  }

  /// Looks make no file either. An opening or a restore that failed may keep copies.
  private mutating func judgeUntouched(_ before: FolderBytes, after what: String, newOnes: Bool = false) {
    for difference in FolderBytes(folder).differences(from: before, newOnes: newOnes) { find("destroyed", "\(difference) after \(what)") }
  }

  // MARK: Putting a snapshot back

  private mutating func restore() {
    let isSnapshotDamaged = judged.damage.what.hasPrefix("snapshot-")
    let before = FolderBytes(folder)
    // A snapshot that the kit made of the damaged store says what it found: nobody would put that back.
    guard let newest = (try? Snapshot.all(of: url))?.first(where: { $0.findings.isEmpty }) else {
      if !isSnapshotDamaged { find("no-snapshot", "the snapshots are not listed") }
      return
    }
    let options = options
    if judged.damage.what == "file-of-another", (try? Store.kinds(at: url, options: options)) != nil {
      // A copy of one store takes no other store's place: the person first moves the file away.
      switch counted("restoring", { try Store.restore(at: url, snapshot: newest.id, options: options) }) {
      case .failure(let error as StoreError) where error.code == .wrongKind:
        judgeUntouched(before, after: "a restore that was refused")
        for suffix in ["", "-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
      default: find("no-refusal", "another store's file was replaced")
      }
    }
    switch counted("restoring", { try Store.restore(at: url, snapshot: newest.id, options: options) }) {
    case .failure(let error):
      if !isSnapshotDamaged { find("no-restore", Verdict.text(error)) } else if !isFine(error) { find("wrong-code", Verdict.text(error)) }
      judgeUntouched(before, after: "a restore that failed")
    case .success:
      let raw = Oracle(url.path)
      if raw.batches != newest.rows["batches"] || !raw.problems.isEmpty {
        find("bad-restore", "\(raw.batches) batches of \(newest.rows["batches"] ?? -1): \(raw.problems.joined(separator: "; "))")
      }
    }
  }
}
