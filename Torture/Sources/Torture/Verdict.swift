import Foundation
import Holdfast
import HoldfastTransfer

/// A folder after an attack, with what was acknowledged before: everything that a judge needs.
struct Case: Judged {
  var workload: Workload
  /// The promise that it is held to: `durable` or `fast`.
  var promise: String
  /// False where only the process ended: the system still has everything that it was given.
  var losesPower: Bool
  var seed: UInt64
  var acks: [String]
  var folder: String
  /// Whether the store keeps an archive.
  var isArchived = false
  /// Whether only a kill can have come between: then the archive is one row without a gap.
  var isOnlyKilled = false
  /// Whether SQLite alone looks at a copy first, to see that the product loses nothing that SQLite would still find. It always does where notes
  /// are judged.
  var looksFirst = false
  /// Whether the same is done again afterwards.
  var runsAgain = true

  var isPromised: Bool { !losesPower || promise == StoreOptions.Durability.durable.rawValue }

  func judge() -> [Finding] { Verdict(self).findings }
}

/// Something that must not be.
struct Finding: Codable, Sendable, Hashable {
  /// Its class, by which findings are counted.
  var kind: String
  var detail: String
}

/// A verdict under way.
protocol Findings {
  var findings: [Finding] { get set }
}

extension Findings {
  mutating func find(_ kind: String, _ detail: String) { findings.append(Finding(kind: kind, detail: detail)) }
}

/// Judges a case: by the product itself, then by SQLite alone. Goes on with the folder afterwards, as the next run of the app would.
struct Verdict: Findings {
  var findings: [Finding] = []
  /// Whether an interrupted change of the key was repeated.
  var isRepeated = false
  let judged: Case
  let folder: URL
  var store: URL { Workload.store(folder) }

  init(_ judged: Case) {
    self.judged = judged
    folder = URL(fileURLWithPath: judged.folder)
    judge()
  }

  func acked(_ word: String) -> String? {
    judged.acks.last { $0 == word || $0.hasPrefix(word + " ") }.map { String($0.dropFirst(word.count + 1)) }
  }

  // MARK: What may be

  /// How many batches may be there, and whether there may be no store.
  private var allowed: (batches: Set<Int>, absent: Bool) {
    let (prepared, snapshot) = (Workload.prepared, Workload.inSnapshot)
    switch judged.workload {
    case .commits:
      let last = acked("commit").flatMap { Int($0) } ?? 0
      return (Set((judged.isPromised ? last : 0)...(last + 1)), !(judged.isPromised && acked("opened") != nil))
    case .synced:
      let last = acked("commit").flatMap { Int($0) } ?? prepared
      return (Set((judged.isPromised ? last : prepared)...(last + 1)), false)
    case .writers:
      // They are told in any order.
      let last = judged.acks.compactMap { $0.hasPrefix("commit ") ? Int($0.dropFirst(7)) : nil }.max() ?? 0
      return (Set((judged.isPromised ? last : 0)...(last + Workload.writerCount)), !(judged.isPromised && acked("opened") != nil))
    case .archive, .housekeeping: return allowedOfArchive
    case .largeCommit:
      return (judged.isPromised && acked("commit") != nil ? [prepared + 1] : [prepared, prepared + 1], false)
    case .importNew: return ([Workload.imported], acked("imported") == nil)
    case .importInto, .importOpen:
      let all = prepared + Workload.imported
      return (acked("imported") == nil ? [prepared, all] : [all], false)
    case .restoreInPlace: return (acked("restored") == nil ? [prepared, snapshot] : [snapshot], false)
    case .restoreReplacing: return (acked("replaced") == nil ? [prepared, snapshot] : [snapshot], false)
    case .retention:
      return (judged.isPromised && acked("commit") != nil ? [prepared + 1] : [prepared, prepared + 1], false)
    default: return ([prepared], false)
    }
  }

  /// A rewind takes batches away again.
  private var allowedOfArchive: (batches: Set<Int>, absent: Bool) {
    let first = judged.workload.isPrepared ? Workload.prepared : 0
    var (last, rewinding, most): (Int, Int?, Int) = (first, nil, first)
    // Each run that was killed may have made one batch that it did not tell.
    var untold = 1
    for (index, ack) in judged.acks.enumerated() {
      if index > 0, ack == "clock begins" { untold += 1 }
      let words = ack.split(separator: " ")
      guard words.count == 2, let number = Int(words[1]) else { continue }
      switch words[0] {
      case "commit", "rewound": (last, rewinding, untold) = (number, nil, 1)
      case "rewinding": rewinding = number
      default: break
      }
      most = max(most, number)
    }
    guard judged.isPromised else { return (Set(first...(most + untold)), first == 0) }
    let rewound = rewinding.map { Array($0...$0 + untold) } ?? []
    return (Set(Array(last...last + untold) + rewound), first == 0 && acked("opened") == nil)
  }

  // MARK: What is

  private mutating func judge() {
    let allowed = allowed
    let before = judged.looksFirst || judged.workload == .synced ? rawLook() : nil
    if judged.workload == .synced { judgeNotes(before) }
    var archive = judged.isArchived && !judged.workload.changesKey ? ArchiveVerdict(judged, Keys.key) : nil
    judgeFiles()
    // An interrupted replacement is finished by whoever opens the store next; SQLite alone would see a moment in between.
    let isInterrupted = FileManager.default.fileExists(atPath: home.appendingPathComponent("replacement/intent.json").path)
    if isInterrupted {
      do {
        try Store.open(at: store, schemas: [Library.schema(1)], options: options).close()
      } catch let error as StoreError
        where [.wrongKey, .keyNeeded, .notEncrypted].contains(error.code) && judged.workload.changesKey
      {
        // The opening has finished the replacement, and the store has the other key now, or none.
      } catch {
        find("cannot-open", Self.text(error))
      }
    }
    guard FileManager.default.fileExists(atPath: store.path) else {
      if !allowed.absent { find("absent", "there is no store; acknowledged: \(judged.acks.suffix(3).joined(separator: ", "))") }
      return runAgain()
    }
    if judged.workload.makesFile { return judgeMade() }
    if judged.acks.contains(WaysBack.toldLess) { return }
    if judged.workload.heals { judgeHealing() }
    judgeKeys()
    let former = judgeFormerArchives()
    if former?.isStopped == false { archive = ArchiveVerdict(judged, options.key) }
    let version = try? Store.kinds(at: store, options: options)["torture"]
    if judged.workload == .migrate {
      if judged.isPromised, acked("migrated") != nil, version != 2 { find("lost", "the reported migration is gone") }
      if version == 2, !snapshots().contains(where: { $0.label == "before migration" }) {
        find("no-snapshot", "migrated, and the snapshot from before is gone")
      }
    }
    var options = options
    options.createsIfMissing = allowed.absent
    if judged.isArchived { ArchiveVerdict.archive(&options) }
    do {
      let open = try Store.open(at: store, schemas: judged.workload.schemas, options: options)
      guard open.access == .readWrite else { return find("read-only", "opens as \(open.access)") }
      let count = try open.read { try $0.count("SELECT count(*) FROM batches") }
      if !allowed.batches.contains(count), !(allowed.absent && count == 0) {
        let text = "\(count) batches; may be \(Self.text(allowed.batches)); acknowledged: \(judged.acks.suffix(3).joined(separator: ", "))"
        find(count < (allowed.batches.min() ?? 0) ? "lost" : "mixed", text)
      }
      if let before, !isInterrupted, before.problems.isEmpty, count < before.batches {
        find("loses-more-than-sqlite", "\(count) of \(before.batches)")
      }
      let report = try open.integrityCheck()
      for finding in report.findings.prefix(3) { find("unhealthy", "\(finding.part.rawValue): \(finding.message)") }
      if judged.workload == .retention {
        let isEnded = judged.isPromised && acked("retained") != nil
        for problem in try Retaining.problems(open, isEnded: isEnded) { find("retention", problem) }
      }
      if judged.workload == .synced { try Synced.connect(open) }
      try open.write { try Library.save(Batch(number: count + 1, seed: judged.seed), in: $0) }
      try judgeAudit(open)
      try archive?.settle(open)
      if former?.isStopped == true { try judgeStopped(open) }
      try open.close()
      let raw = Oracle(store.path, key: options.key)
      archive?.judge(live: raw)
      findings += archive?.findings ?? []
      for problem in raw.problems { find("oracle", problem) }
      if judged.workload == .synced { judgeNotes(raw) }
      if raw.batches != count + 1 { find("oracle", "\(raw.batches) batches by SQLite alone, \(count + 1) by the product") }
    } catch {
      find("cannot-open", Self.text(error))
    }
    runAgain()
  }

  private mutating func judgeNotes(_ raw: Oracle?) {
    guard let unnoted = raw?.unnoted else { return find("not-noted", "no notes can be read: \(raw?.problems.first ?? "")") }
    if !unnoted.isEmpty { find("not-noted", "\(unnoted.count) rows are not noted, or noted and not there: \(unnoted.prefix(5))") }
  }

  /// The entries of the audit, one after the other, give exactly the batches that are there.
  private mutating func judgeAudit(_ open: Store) throws {
    let check = try open.checkAudit()
    for finding in check.findings.prefix(3) { find("audit-broken", finding.message) }
    // Retention removes entries.
    if judged.workload == .retention { return }
    var numbers: Set<String> = []
    for entry in try open.auditEntries(limit: 1_000_000) {
      switch entry.operation {
      case .insert: numbers.insert(entry.row)
      case .delete: numbers.remove(entry.row)
      case .base, .update, .read, .purged: break
      }
    }
    let there = try open.read { try $0.values("SELECT number FROM batches") { "\(try $0.int64())" } }
    if numbers != Set(there) { find("audit-wrong", "the audit leads to \(numbers.count) batches, and \(there.count) are there") }
  }

  private static func text(_ numbers: Set<Int>) -> String {
    guard let first = numbers.min(), let last = numbers.max(), numbers.count > 2 else {
      return numbers.sorted().map(String.init).joined(separator: " or ")
    }
    return "\(first) to \(last)"
  }

  static func text(_ error: any Error) -> String {
    guard let error = error as? StoreError else { return "\(error)" }
    return "\(error.code.rawValue): \(error.message)"
  }

  /// As the store is now: after `rekey` it has one of two keys, after `decrypt` one or none.
  var options: StoreOptions {
    var options = Workload.options(.durable, seed: judged.seed)
    options.key = keyOf(store)
    return options
  }

  /// On a copy, for looking replays the log.
  private func rawLook() -> Oracle? {
    let copy = URL(fileURLWithPath: judged.folder + ".raw")
    try? FileManager.default.removeItem(at: copy)
    defer { try? FileManager.default.removeItem(at: copy) }
    guard (try? FileManager.default.copyItem(at: folder, to: copy)) != nil else { return nil }
    let path = Workload.store(copy).path
    return FileManager.default.fileExists(atPath: path) ? Oracle(path, key: keyOf(Workload.store(copy))) : nil
  }

  func snapshots() -> [Snapshot] { (try? Snapshot.all(of: store)) ?? [] }

  private var home: URL { folder.appendingPathComponent("list.sqlite.holdfast") }

  /// What lies beside the store: snapshots, the source and its copy, exports, what was set aside.
  private mutating func judgeFiles() {
    let found = snapshots()
    for snapshot in found {
      let file = home.appendingPathComponent("snapshots/\(snapshot.id).sqlite")
      let header = try? FileHandle(forReadingFrom: file).read(upToCount: 20)
      if header?.last == 2 { find("snapshot-with-log", "\(snapshot.id) is said to be one file, and its header asks for a log") }
      let raw = Oracle(file.path, readOnly: true, key: keyOf(file))
      if !raw.problems.isEmpty || raw.batches != snapshot.rows["batches"] {
        find("snapshot-broken", "\(snapshot.id) holds \(raw.batches) batches: \(raw.problems.joined(separator: "; "))")
      }
    }
    for unreadable in Snapshot.unreadable(of: store) { find("snapshot-broken", "\(unreadable.lastPathComponent) is unreadable") }
    for word in ["snapshot", "restored"] {
      guard let id = acked(word), !id.isEmpty else { continue }
      if found.first(where: { $0.id == id })?.rows["batches"] != Workload.prepared { find("lost", "the reported snapshot \(id) is gone") }
    }
    // Rotation keeps the newest snapshot without findings.
    if let kept = acked("kept")?.split(separator: " "), kept.count == 2 {
      let id = String(kept[0])
      do {
        let batches = try Snapshot.verify(id, of: store, options: options).rows["batches"]
        if batches != Int(kept[1]) { find("snapshot-broken", "\(id) holds \(batches ?? -1) batches; told: \(kept[1])") }
      } catch {
        find("lost", "the newest reported snapshot \(id): \(Self.text(error))")
      }
    }
    if judged.workload == .restoreInPlace || judged.workload == .restoreReplacing, !found.contains(where: { $0.label == "earlier" }) {
      find("lost", "the snapshot that was put back is gone")
    }
    if let kept = acked("replaced"), !kept.isEmpty {
      let raw = Oracle(home.appendingPathComponent("quarantine/\(kept)/list.sqlite").path, key: Keys.key)
      if raw.batches != Workload.prepared || !raw.problems.isEmpty {
        find("quarantine-lost", "what was set aside holds \(raw.batches) batches: \(raw.problems.joined(separator: "; "))")
      }
    }
    if let numbers = judged.workload.source {
      let source = try? BatchFormat.data(numbers.map { Batch(number: $0, seed: judged.seed) })
      if (try? Data(contentsOf: Workload.source(folder))) != source { find("source-changed", "the source is not as it was") }
      if let backup = acked("backup"), (try? Data(contentsOf: folder.appendingPathComponent(backup))) != source {
        find("lost", "the reported copy of the source is gone or another")
      }
    }
    if judged.workload == .export {
      let content = try? Data(contentsOf: Workload.exported(folder))
      let isOld = content == Workload.oldExport
      let isWhole = content.map { Self.isWholeExport($0, seed: judged.seed) } ?? false
      if !isOld, !isWhole { find("export-broken", "\(content?.count ?? -1) bytes are no whole export") }
      if isOld, acked("exported") != nil { find("lost", "the reported export is gone") }
    }
  }

  private static func isWholeExport(_ content: Data, seed: UInt64) -> Bool {
    let lines = content.split(separator: 0x0A)
    let batches = (1...Workload.prepared).map { Batch(number: $0, seed: seed) }
    return lines.count == 2 + batches.count + batches.map(\.lines.count).reduce(0, +)
      && lines.last?.starts(with: Data(#"{"end":true"#.utf8)) == true
      && content.last == 0x0A
  }

  // MARK: The next run

  /// The same again must work now, and leave nothing of the attacked one behind.
  private mutating func runAgain() {
    guard judged.runsAgain else { return }
    let options = options
    do {
      switch judged.workload {
      case .rekey, .decrypt:
        try repeatKeyChange()
        if judged.isArchived { try judgeNextArchive() }
      case .importNew, .importInto, .importOpen:
        guard let source = judged.workload.source, findings.isEmpty else { return }
        if judged.workload != .importNew, FileManager.default.fileExists(atPath: store.path) {
          // The batch that the verdict wrote may stand where the source's first one belongs.
          let open = try Store.open(at: store, schemas: [Library.old], options: options)
          try open.write { _ = try $0.execute("DELETE FROM batches WHERE number = (SELECT max(number) FROM batches)") }
          try open.close()
        }
        let file = try ImportSource(Workload.source(folder))
        _ = try Store.importing(BatchFormat(file.content()), from: file, into: store, schemas: [Library.old], storeOptions: options)
        let raw = Oracle(store.path, key: options.key)
        if raw.batches < source.upperBound { find("next-run", "importing again leaves \(raw.batches) batches") }
      case .snapshot, .migrate, .restoreInPlace:
        let open = try Store.open(at: store, schemas: judged.workload.schemas, options: options)
        try open.snapshot(label: "next run")
        try open.close()
      case .restoreReplacing:
        guard let snapshot = snapshots().first(where: { $0.label == "earlier" }) else { return }
        _ = try Store.restore(at: store, snapshot: snapshot.id, options: options)
      case .export:
        let open = try Store.open(at: store, schemas: [Library.old], options: options)
        _ = try open.export(to: Workload.exported(folder))
        try open.close()
      case .housekeeping:
        try Housekeeping.again(store, options, seed: judged.seed)
        let newest = try ArchiveReading(folder: judged.folder).restored(.time(.distantFuture)).get()
        if newest.content != Oracle(store.path, key: Keys.key).content {
          find("archive-wrong", "after retention, the newest commit \(newest.commit) is not the store's")
        }
        for name in leftOfArchive() { find("leftover", "\(name) is still there after retention") }
      case .retention:
        let open = try Store.open(at: store, schemas: judged.workload.schemas, options: options)
        try open.applyRetention()
        for problem in try Retaining.problems(open, isEnded: true, areNotesKept: false) { find("retention", "the next run: \(problem)") }
        try open.close()
      default: break
      }
    } catch {
      find("next-run", Self.text(error))
    }
    judgeLeftovers()
  }

  /// What retention gave up or did not finish, and removes when it runs again.
  private func leftOfArchive() -> [String] {
    let names = Set((try? FileManager.default.subpathsOfDirectory(atPath: home.appendingPathComponent("archive").path)) ?? [])
    // The names begin with the folder of the generation.
    let described = Set(names.filter { $0.hasSuffix(".json") }.map { String($0.prefix(8)) })
    return names.filter { name in
      name.hasSuffix(".removed") || name.hasSuffix(".sqlite") && !names.contains(String(name.dropLast(6)) + "json")
        || name.hasSuffix(".segment") && !described.contains(String(name.prefix(8)))
    }.sorted()
  }

  mutating func judgeLeftovers() {
    var names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for place in ["snapshots", "archive"] {
      names += (try? FileManager.default.subpathsOfDirectory(atPath: home.appendingPathComponent(place).path)) ?? []
    }
    for name in names {
      if name.contains(".holdfast-") { find("leftover", "\(name) is still there after the next run") }
      if name.hasSuffix("-wal") || name.hasSuffix("-journal") { find("leftover", "\(name) is still there after closing") }
    }
  }
}
