import Foundation
import Holdfast

/// One way back after a stranger was there, as a process of its own takes and judges it. Findings are lines of `kind`, a tab and the detail.
struct StrangersVerdict {
  private let act: Strangers.Act
  private let way: Strangers.Way
  private let seed: UInt64
  private let folder: URL
  private let acks: Acks
  private var url: URL { Workload.store(folder) }
  private var options: StoreOptions { Self.options(seed: seed) }

  /// A clock that goes on: the archive's times tell its states apart.
  static func options(seed: UInt64) -> StoreOptions {
    var options = Workload.options(.durable, seed: seed)
    options.now = { Date() }
    options.archives()
    return options
  }

  static func judge(_ arguments: [String]) throws {
    guard arguments.count == 5, let act = Strangers.Act(rawValue: arguments[0]), let way = Strangers.Way(rawValue: arguments[1]),
      let seed = UInt64(arguments[2])
    else { exit(64) }
    try StrangersVerdict(
      act: act, way: way, seed: seed, folder: URL(fileURLWithPath: arguments[3]), acks: Acks(arguments[4])
    ).judge()
  }

  private func find(_ kind: String, _ detail: String) { acks.tell("\(kind)\t\(detail.replacingOccurrences(of: "\n", with: " "))") }

  // MARK: The way

  private func judge() throws {
    let isAnothers = act.bringsArchive && way.goesByArchive || act.bringsSnapshots && way.goesBySnapshot
    do {
      let state = try take()
      if isAnothers { find("mixed", "a copy of another store was taken") }
      if let state { try judge(url, state) }
    } catch let error as StoreError {
      guard isAnothers else { return find("fails", Verdict.text(error)) }
      if ![.wrongKind, .notFound].contains(error.code) { find("wrong-code", Verdict.text(error)) }
      try judge(url, act.batches)
    }
    try judgeAfter()
  }

  /// Returns how many batches the store has then; nil: fewer may be there, and that was told.
  private func take() throws -> Int? {
    let (before, made) = (act.batches, WaysBack.made(folder))
    switch way {
    case .open: try Store.open(at: url, schemas: [Library.old], options: options).close()
    case .heal, .healDamage:
      let report = try Store.heal(at: url, schemas: [Library.old], options: options)
      guard report.mayBeLost.isEmpty, report.salvage == nil else {
        acks.tell("told what may be lost")
        // Pages of another program are in no archive.
        if way == .heal, act != .commit, act != .pages { find("says-lost", "a sound store: \(report.mayBeLost.joined(separator: "; "))") }
        return nil
      }
    case .rewind:
      let kept = try Store.rewind(at: url, to: .label(WaysBack.label), options: options).kept
      try judgeKept(kept, before)
      return Workload.inSnapshot
    case .rewindOpen:
      let store = try Store.open(at: url, schemas: [Library.old], options: options)
      defer { try? store.close() }
      _ = try store.archive()
      let undo = try store.rewind(to: .label(WaysBack.label)).undo
      try store.archive().restore(to: .label(undo), at: made)
      try judge(made, before)
      return Workload.inSnapshot
    case .restore:
      try judgeKept(try Store.restore(at: url, snapshot: earlier(), options: options), before)
      return Workload.inSnapshot
    case .restoreOpen:
      let store = try Store.open(at: url, schemas: [Library.old], options: options)
      defer { try? store.close() }
      let snapshot = try store.restore(snapshot: earlier())
      try judge(folder.appendingPathComponent("list.sqlite.holdfast/snapshots/\(snapshot.id).sqlite"), before)
      return Workload.inSnapshot
    case .restoreTo:
      try Archive(of: url, options: options).restore(to: .label(WaysBack.label), at: made)
      try judge(made, Workload.inSnapshot)
    case .salvage:
      _ = try Store.salvage(url, to: made, schemas: [Library.old], options: options)
      try judge(made, before)
    }
    return before
  }

  private func earlier() throws -> String {
    guard let snapshot = try Snapshot.all(of: url).first(where: { $0.label == "earlier" }) else {
      throw StoreError(.notFound, "there is no snapshot to restore")
    }
    return snapshot.id
  }

  private func judgeKept(_ kept: URL?, _ batches: Int) throws {
    guard let kept else { return find("lost", "nothing of what was replaced is kept") }
    try judge(kept.appendingPathComponent("list.sqlite"), batches)
  }

  // MARK: What is there

  /// Whether a file holds exactly the first batches of this store.
  private func judge(_ file: URL, _ batches: Int) throws {
    let copy = folder.appendingPathComponent("looked.sqlite")
    for suffix in ["", "-wal"] {
      try? FileManager.default.removeItem(atPath: copy.path + suffix)
      try? FileManager.default.copyItem(atPath: file.path + suffix, toPath: copy.path + suffix)
    }
    defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy.path + suffix) } }
    let raw = Oracle(copy.path, key: options.key)
    let lines = (1...batches).flatMap { Batch(number: $0, seed: seed).lines }
    for problem in raw.problems.prefix(2) { find("oracle", "\(file.lastPathComponent): \(problem)") }
    if raw.batches != batches {
      find(raw.batches < batches ? "lost" : "mixed", "\(file.lastPathComponent): \(raw.batches) batches of \(batches)")
    }
    if raw.batches == batches, raw.content != Batch.checksum(lines) {
      find("mixed", "\(file.lastPathComponent): other lines than were saved")
    }
  }

  /// The store goes on as before, its archive holds its last state, and each gap has a cause.
  private func judgeAfter() throws {
    do {
      let store = try Store.open(at: url, schemas: [Library.old], options: options)
      let count = try store.read { try $0.count("SELECT count(*) FROM batches") }
      try store.write { try Library.save(Batch(number: count + 1, seed: seed), in: $0) }
      // The added column is told, and stays.
      for finding in try store.integrityCheck().findings.prefix(2) where act != .schema || finding.part != .schema {
        find("unhealthy", "\(finding.part.rawValue): \(finding.message)")
      }
      let archive = try store.archive()
      for finding in try archive.verify().findings.prefix(2) { find("archive-wrong", finding.message) }
      for gap in try archive.history() where gap.kind == .gap {
        acks.tell("gaps")
        // A file that was replaced while the store was closed is the only cause that comes from here.
        let hasCause = act != .nothing || [.rewind, .restore, .healDamage].contains(way)
        if !hasCause { find("gap", "a gap without a cause: \(gap.text)") }
      }
      let newest = folder.appendingPathComponent("newest.sqlite")
      try archive.restore(to: .time(.distantFuture), at: newest)
      try store.close()
      let (one, two) = (Oracle(newest.path, isLine: false, key: options.key), Oracle(url.path, isLine: false, key: options.key))
      if one.content != two.content { find("archive-wrong", "its newest state is not the store's") }
    } catch {
      find("cannot-go-on", Verdict.text(error))
    }
  }
}
