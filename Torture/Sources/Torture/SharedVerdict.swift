import Foundation
import Holdfast

/// A folder in which several processes worked, with what they told: `live` is the store's folder, the `.acks` files lie beside it.
struct SharedCase: Judged {
  enum Method: String, Codable { case writers, upkeep, versions }

  var method: Method
  var folder: String
  var seed: UInt64
  /// Batches that were there before.
  var prepared = 0
  /// Whether each process archived the store when it could, and no other program wrote to it.
  var isArchived = false

  var live: URL { URL(fileURLWithPath: folder).appendingPathComponent("live") }

  /// The lines of all processes; in the order in which they were told where all told them into one file.
  var lines: [String] {
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(".acks") }.sorted()
    return names.flatMap { name in
      let text = (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? ""
      return text.split(separator: "\n").map(String.init)
    }
  }

  func judge() -> [Finding] { SharedVerdict(self).findings }
}

/// Judges what several processes left behind.
struct SharedVerdict: Findings {
  var findings: [Finding] = []
  private let judged: SharedCase
  private var store: URL { Workload.store(judged.live) }

  init(_ judged: SharedCase) {
    self.judged = judged
    judgeCodes()
    if judged.isArchived { judgeArchive() }
    switch judged.method {
    case .writers: judgeWriters()
    case .upkeep: findings += UpkeepVerdict(judged).findings
    case .versions: judgeVersions()
    }
    judgeProduct()
  }

  private mutating func judgeCodes() {
    for line in judged.lines where line.hasPrefix("failed") && judged.method != .versions { find("wrong-code", line) }
    // `busy 1980 ms: …`: nobody is told so before the wait that was asked for is over.
    for line in judged.lines where line.hasPrefix("busy ") {
      let waited = Int(line.split(separator: " ")[1]) ?? 0
      if waited < Workload.busyMilliseconds * 9 / 10 { find("early-busy", line) }
    }
  }

  /// All batches in one line, each acknowledged one there, and by one writer only.
  private mutating func judgeWriters() {
    let raw = Oracle(store.path)
    for problem in raw.problems { find("oracle", problem) }
    var acked: [Int: Int] = [:]
    for line in judged.lines where line.hasPrefix("commit ") { acked[Int(line.dropFirst(7)) ?? 0, default: 0] += 1 }
    for (number, count) in acked.sorted(by: { $0.key < $1.key }) {
      if count > 1 { find("twice", "batch \(number) was acknowledged \(count) times") }
      if number > raw.batches { find("lost", "batch \(number) was acknowledged, and the last one is \(raw.batches)") }
    }
  }

  private mutating func judgeVersions() {
    let raw = Oracle(store.path)
    for problem in raw.problems { find("oracle", problem) }
    let isMigrated = judged.lines.contains { $0 == "migrated" }
    if isMigrated, raw.version != 2 { find("oracle", "migrated, and the version is \(raw.version)") }
    for line in judged.lines where line.hasPrefix("commit ") {
      let number = Int(line.dropFirst(7)) ?? 0
      if number > raw.batches { find("lost", "batch \(number) was acknowledged, and the last one is \(raw.batches)") }
    }
    if raw.batches < judged.prepared { find("lost", "\(raw.batches) of \(judged.prepared) batches") }
  }

  /// Whoever archived last, another process went on where it ended: no gap has a cause here. Before SQLite alone looks: that moves the log.
  private mutating func judgeArchive() {
    var options = Workload.options(.durable, seed: judged.seed)
    options.archives()
    do {
      let open = try Store.open(at: store, schemas: [Library.old], options: options)
      let archive = try open.archive()
      for gap in try archive.history().filter({ $0.kind == .gap }).prefix(1) { find("archive-gap", gap.text) }
      for finding in try archive.verify().findings.prefix(1) { find("archive-wrong", finding.message) }
      let newest = judged.live.appendingPathComponent("newest.sqlite")
      try archive.restore(to: .time(.distantFuture), at: newest)
      try open.close()
      let (one, two) = (Oracle(newest.path, isLine: false), Oracle(store.path, isLine: false))
      if one.content != two.content { find("archive-wrong", "its newest state is not the store's") }
    } catch {
      find("cannot-open", Verdict.text(error))
    }
  }

  /// Opens, is healthy, and the next run works.
  private mutating func judgeProduct() {
    do {
      let schema = Library.schema(judged.method == .versions ? 2 : 1)
      let open = try Store.open(at: store, schemas: [schema], options: Workload.options(.durable, seed: judged.seed))
      for finding in try open.integrityCheck().findings.prefix(3) { find("unhealthy", "\(finding.part.rawValue): \(finding.message)") }
      for notice in open.notices { find("notice", "\(notice.kind.rawValue): \(notice.message)") }
      try open.write { try Library.save(Batch(number: 999_999_999, seed: judged.seed), in: $0) }
      try open.close()
    } catch {
      find("cannot-open", Verdict.text(error))
    }
    for suffix in ["-wal", "-journal"] where FileManager.default.fileExists(atPath: store.path + suffix) {
      find("leftover", "\(suffix) is still there after closing")
    }
  }
}
