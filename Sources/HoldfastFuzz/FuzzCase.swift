import AudiobookLibrary
import Foundation
import Holdfast

/// What is wrong with a case, in a sentence.
struct Finding: Error {
  var message: String
}

/// One store and one folder, used by one thread for case after case.
final class Bench {
  private let store: Store
  private let source: URL
  private let fault: Fault?
  private let emptyContent: Int64

  /// In memory where the system has a folder there: a case is mostly file operations.
  init(_ name: String, fault: Fault?) throws {
    let memory = URL(fileURLWithPath: "/dev/shm")
    let base = FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
    folder = base.appendingPathComponent("holdfast-fuzz-\(ProcessInfo.processInfo.processIdentifier)-\(name)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    source = folder.appendingPathComponent("library.json")
    store = try Store.inMemory(schemas: [AudiobookLibrary.schema])
    self.fault = fault
    emptyContent = try Self.content(of: store, Self.tables + Self.ledger)
  }

  private let folder: URL

  deinit { try? FileManager.default.removeItem(at: folder) }

  private static let tables = ["collections", "tracks", "playback_states", "favorites", "tags"]
  private static let ledger = ["holdfast_imports", "holdfast_imported", "holdfast_quarantine"]

  /// Runs the case with this number, and says how it ended.
  ///
  /// - Throws: `Finding`.
  func run(_ seed: UInt64, _ number: Int) throws -> (outcome: String, bytes: [UInt8]) {
    let (bytes, earlier, isCountable, rest) = Self.sources(seed, number)
    var random = rest
    do {
      defer { try? clear() }
      if let earlier {
        _ = try? importing(earlier)
        try edit(&random)
      }
      return (try check(bytes, isCountable: isCountable, hasEarlier: earlier != nil, &random), bytes)
    } catch let error as Finding {
      throw error
    } catch {
      throw Finding(message: "the case itself failed: \(error)")
    }
  }

  /// The source of a case; for one case in three another source, that was imported before.
  static func sources(_ seed: UInt64, _ number: Int) -> (bytes: [UInt8], earlier: [UInt8]?, isCountable: Bool, random: SeededRandom) {
    var seeds = Seeds(random: SeededRandom(seed: seed, number: number))
    var library = seeds.library(version: seeds.random.pick([1, 2, 3, 3], otherwise: 3))
    let earlier = seeds.random.chance(1, of: 3) ? library : nil
    var mutation = Mutation(seeds.random)
    mutation.values(of: &library)
    var text = ""
    library.write(into: &text)
    var bytes = Array(text.utf8)
    mutation.bytes(&bytes)
    return (bytes, earlier.map(Self.bytes), mutation.isCountable, mutation.random)
  }

  private static func bytes(_ node: Node) -> [UInt8] {
    var text = ""
    node.write(into: &text)
    return Array(text.utf8)
  }

  private func check(_ bytes: [UInt8], isCountable: Bool, hasEarlier: Bool, _ random: inout SeededRandom) throws -> String {
    let before = try content()
    let report: ImportReport
    do {
      report = try importing(bytes)
    } catch let error as StoreError {
      guard [.invalidSource, .newerSource].contains(error.code) else { throw Finding(message: "the import failed with \(error)") }
      if error.code == .invalidSource, error.offset.map({ 0...bytes.count ~= $0 }) != true { throw Finding(message: "no offset: \(error)") }
      guard try content() == before else { throw Finding(message: "the import failed and changed the store: \(error)") }
      guard try Data(contentsOf: source) == Data(bytes) else { throw Finding(message: "the source was changed") }
      return error.code.rawValue
    }
    for (kind, counts) in report.counts where !counts.addsUp { throw Finding(message: "the counts of \(kind) do not add up: \(counts)") }
    guard try Data(contentsOf: source) == Data(bytes) else { throw Finding(message: "the source was changed") }
    if isCountable { try count(bytes, report) }
    let after = try content()
    let second: ImportReport
    do { second = try importing(bytes) } catch { throw Finding(message: "a second import failed: \(error)") }
    for (kind, counts) in second.counts where counts.imported + counts.merged > 0 {
      throw Finding(message: "a second import had something to do in \(kind): \(counts)")
    }
    guard try content() == after else { throw Finding(message: "a second import changed the library") }
    if random.chance(1, of: hasEarlier ? 4 : 32) {
      let integrity = try store.integrityCheck(quick: true)
      guard integrity.isHealthy else {
        throw Finding(message: "not healthy: \(integrity.findings.map { "\($0.part): \($0.message) \($0.row ?? "")" })")
      }
    }
    return (hasEarlier ? "again, " : "") + (report.isClean ? "clean" : "with quarantine")
  }

  private func importing(_ bytes: [UInt8]) throws -> ImportReport {
    try Data(bytes).write(to: source)
    func start<Format: ImportFormat>(_ format: Format, _ from: ImportSource) throws -> ImportReport {
      guard let fault else { return try store.importing(format, from: from) }
      return try store.importing(Faulty(base: format, fault: fault, source: source), from: from)
    }
    let from = try ImportSource(source)
    return try start(try AudiobookLibrary.recognised(from), from)
  }

  /// Counts collections and tracks with Foundation's decoder.
  private func count(_ bytes: [UInt8], _ report: ImportReport) throws {
    guard let root = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any], let collections = root["collections"] as? [Any]
    else { return }
    let tracks = collections.reduce(0) { $0 + ((($1 as? [String: Any])?["tracks"] as? [Any])?.count ?? 0) }
    let tags = collections.reduce(0) { $0 + ((($1 as? [String: Any])?["tags"] as? [Any])?.count ?? 0) }
    for (kind, expected) in [("collections", collections.count), ("tracks", tracks), ("tags", tags)] {
      let counted = report.counts[kind]?.source ?? 0
      if counted != expected { throw Finding(message: "the source has \(expected) \(kind), and \(counted) were reported") }
    }
  }

  /// What a listener does between two imports.
  private func edit(_ random: inout SeededRandom) throws {
    let library = AudiobookLibrary(store)
    for collection in try library.collections() {
      let track = collection.tracks.randomElement(using: &random)?.id
      switch Int.random(in: 0..<9, using: &random) {
      case 0: try library.deleteCollection(collection.id)
      case 1: try library.renameCollection(collection.id, to: "renamed")
      case 2: if let tag = collection.tags.first { try library.removeTag(tag, from: collection.id) }
      case 3: if let track { try library.removeTracks([track]) }
      case 4: if let track { try library.renameTrack(track, to: "renamed") }
      case 5: if let track { try library.toggleFavorite(track: track) }
      case 6: if let track { try library.savePlaybackState(PlaybackState(position: 3, updatedAt: Date()), of: track) }
      case 7: if let track { try library.moveTrack(track, before: nil) }
      default: break
      }
    }
  }

  private func content() throws -> Int64 { try Self.content(of: store, Self.tables) }

  /// A hash of every row.
  private static func content(of store: Store, _ tables: [String]) throws -> Int64 {
    try store.read { reader in
      var print = Fingerprint()
      for table in tables {
        print.combine(table)
        // A row's place in the file is nobody's business.
        let columns = try reader.values("SELECT name FROM pragma_table_info(\(table)) WHERE name <> 'rowid' ORDER BY cid") { try $0.text() }
        try reader.rows("SELECT \(raw: columns.joined(separator: ", ")) FROM \(raw: table) ORDER BY 1, 2") { row in
          for _ in columns {
            switch try row.value() {
            case .null: print.combineNil()
            case .integer(let value): print.combine(value)
            case .real(let value): print.combine(value)
            case .text(let value): print.combine(value)
            case .blob(let value): print.combine(value)
            }
          }
        }
      }
      return print.value
    }
  }

  /// Makes the store what a new one is, so that no case sees another.
  private func clear() throws {
    try store.write { tx in for table in ["collections"] + Self.ledger { try tx.execute("DELETE FROM \(raw: table)") } }
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    }
  }

  /// Says whether the store is as a new one, its search indexes included.
  func isEmpty() throws -> Bool {
    try Self.content(of: store, Self.tables + Self.ledger) == emptyContent && store.integrityCheck().isHealthy
  }
}
