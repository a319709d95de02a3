import Foundation
import Holdfast
import HoldfastTransfer

/// A rule that a case broke, as a sentence.
struct Finding: Error {
  var message: String
}

/// One store and one folder, on which one thread runs its cases.
final class Bench: FuzzBench {
  private let target: any ImportTarget
  private let store: Store
  private let own: URL
  private let source: URL
  private let fault: Fault?
  private let contents: Contents
  private let all: Contents
  private let emptyContent: Int64

  /// The folder is in memory where the system has one there, because a case is mostly file operations.
  static let folder: URL = {
    let memory = URL(fileURLWithPath: "/dev/shm")
    return FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
  }()

  init(_ name: String, _ target: any ImportTarget, fault: Fault?) throws {
    self.target = target
    own = Self.folder.appendingPathComponent("holdfast-fuzz-\(ProcessInfo.processInfo.processIdentifier)-\(name)")
    try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
    source = own.appendingPathComponent(target.file)
    store = try Store.inMemory(schemas: target.schemas)
    self.fault = fault
    contents = try Contents(of: store, target.tables)
    all = try Contents(of: store, target.tables + Self.ledger)
    emptyContent = try all.hash(of: store)
  }

  deinit { try? FileManager.default.removeItem(at: own) }

  private static let ledger = ["holdfast_imports", "holdfast_imported", "holdfast_quarantine"]

  func run(_ seed: UInt64, _ number: Int) throws -> String {
    do {
      var (source, random) = try target.source(seed, number)
      defer { try? clear() }
      if let earlier = source.earlier {
        _ = try? importing(earlier)
        try target.edit(store, &random)
      }
      return try check(source, &random)
    } catch let error as Finding {
      throw error
    } catch {
      throw Finding(message: "an error outside the import: \(error)")
    }
  }

  private func check(_ made: FuzzSource, _ random: inout SeededRandom) throws -> String {
    let bytes = made.bytes
    let before = try content()
    let report: ImportReport
    do {
      report = try importing(bytes)
    } catch let error as StoreError {
      guard target.refusals.contains(error.code) else { throw Finding(message: "the import failed with \(error)") }
      if error.code == .invalidSource, target.saysWhere, error.offset.map({ 0...bytes.count ~= $0 }) != true {
        throw Finding(message: "the error has no offset within the source: \(error)")
      }
      guard try content() == before else { throw Finding(message: "the import failed and changed the store: \(error)") }
      guard try Data(contentsOf: source) == Data(bytes) else { throw Finding(message: "the source was changed") }
      return error.code.rawValue
    }
    for (kind, counts) in report.counts where !counts.addsUp { throw Finding(message: "the counts of \(kind) do not add up: \(counts)") }
    guard try Data(contentsOf: source) == Data(bytes) else { throw Finding(message: "the source was changed") }
    if let counts = made.counts { try compare(report, counts) }
    let after = try content()
    let second: ImportReport
    do { second = try importing(bytes) } catch { throw Finding(message: "a second import failed: \(error)") }
    for (kind, counts) in second.counts where counts.imported + counts.merged > 0 {
      throw Finding(message: "a second import changed \(kind): \(counts)")
    }
    guard try content() == after else { throw Finding(message: "a second import changed the library") }
    if random.chance(1, of: made.earlier != nil ? 4 : 32) {
      let integrity = try store.integrityCheck(quick: true)
      guard integrity.isHealthy else {
        throw Finding(message: "the integrity check failed: \(integrity.findings.map { "\($0.part): \($0.message) \($0.row ?? "")" })")
      }
    }
    return (made.earlier != nil ? "again, " : "") + (report.isClean ? "clean" : "with quarantine")
  }

  /// Throws unless the report counts the records of the source, and no other records outside the library's kinds.
  private func compare(_ report: ImportReport, _ counts: [String: Int]) throws {
    func together(_ counts: [String: Int]) -> [String: Int] {
      counts.reduce(into: [:]) { $0[target.countedAs[$1.key] ?? $1.key, default: 0] += $1.value }
    }
    let (made, reported) = (together(counts), together(report.counts.mapValues(\.source)))
    for kind in Set(made.keys).union(reported.keys) where made[kind] != nil || !target.tables.contains(kind) {
      if target.uncounted.contains(kind) { continue }
      let (expected, counted) = (made[kind] ?? 0, reported[kind] ?? 0)
      if counted != expected { throw Finding(message: "the source has \(expected) \(kind), and \(counted) were reported") }
    }
  }

  private func importing(_ bytes: [UInt8]) throws -> ImportReport {
    try Data(bytes).write(to: source)
    func start<Format: ImportFormat>(_ format: Format, _ from: ImportSource) throws -> ImportReport {
      guard let fault else { return try store.importing(format, from: from) }
      return try store.importing(Faulty(base: format, fault: fault, source: source), from: from)
    }
    let from = try ImportSource(source)
    return try start(try target.format(of: from), from)
  }

  private func content() throws -> Int64 { try contents.hash(of: store) }

  /// Empties the store and the folder for the next case.
  private func clear() throws {
    try store.write { tx in for table in target.tables + Self.ledger { try tx.execute("DELETE FROM \(raw: table)") } }
    for name in try FileManager.default.contentsOfDirectory(atPath: own.path) {
      try FileManager.default.removeItem(at: own.appendingPathComponent(name))
    }
  }

  /// Whether the store is like a new one, its search indexes included.
  func isEmpty() throws -> Bool {
    try all.hash(of: store) == emptyContent && store.integrityCheck().isHealthy
  }
}
