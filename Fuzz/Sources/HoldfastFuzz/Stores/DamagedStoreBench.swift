import Foundation
import Holdfast

/// Salvages, looks at, opens and heals one damaged store after the other.
///
/// Nothing may fail with another error than a `StoreError`, or take ten seconds; a look and a salvage may change no byte. When a process ends
/// in the middle of a case, `case` in its folder has the number.
final class DamagedStoreBench: FuzzBench {
  private let own: URL
  private let folder: URL
  private var file: URL { folder.appendingPathComponent("store.sqlite") }
  private var log: URL { folder.appendingPathComponent("store.sqlite-wal") }
  private var options = StoreOptions.testing

  private let fault: Fault?

  init(_ name: String, fault: Fault?) throws {
    self.fault = fault
    own = Bench.folder.appendingPathComponent("holdfast-fuzz-\(ProcessInfo.processInfo.processIdentifier)-stores-\(name)")
    folder = own.appendingPathComponent("damaged")
    options.createsIfMissing = false
    options.busyTimeout = .milliseconds(100)
    try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: own) }

  func isEmpty() throws -> Bool { true }

  func run(_ seed: UInt64, _ number: Int) throws -> String {
    let target = DamagedStores()
    var choice = SeededRandom(seed: seed, number: number)
    guard let template = target.template(&choice) else { throw Finding(message: "there is no store to damage") }
    var (source, random) = try target.source(seed, number)
    try Data("\(number)".utf8).write(to: own.appendingPathComponent("case"))
    let begun = ContinuousClock.now
    let outcome: String
    do {
      outcome = try check(source, template, &random)
    } catch let error as Finding {
      throw error
    } catch {
      throw Finding(message: "an error that is not the kit's: \(error)")
    }
    let seconds = (ContinuousClock.now - begun) / .seconds(1)
    guard seconds < 100 else { throw Finding(message: "it took \(seconds) s") }
    return outcome
  }

  private func check(_ source: FuzzSource, _ template: StoreTemplate, _ random: inout SeededRandom) throws -> String {
    try lay(source)
    let schemas = random.chance(1, of: 2) ? [] : [template.schema]
    let new = own.appendingPathComponent("new.sqlite")
    for path in [new.path, new.path + ".set-aside.jsonl"] { unlink(path) }
    let salvaged = try outcome("the salvage") { try Store.salvage(file, to: new, schemas: schemas, options: .testing) }
    if fault == .changesSource { try Data("SQLite".utf8).write(to: file) }
    try isUntouched(source, after: "the salvage")
    if let error = salvaged.failure, error.code != .notADatabase { throw Finding(message: "the salvage failed with \(error)") }
    if salvaged.failure != nil, FileManager.default.fileExists(atPath: new.path) { throw Finding(message: "a failed salvage left a file") }
    // Each of the others takes as long as a salvage, or longer.
    if random.chance(1, of: 4) {
      _ = try outcome("kinds") { try Store.kinds(at: file, options: options) }
      _ = try outcome("the check") { try Store.check(at: file, schemas: [template.schema], options: options) }
      _ = try outcome("the note of damage") { try Store.damage(of: file) }
      try isUntouched(source, after: "looking")
    }
    if random.chance(1, of: 6) {
      let opened = try outcome("opening and reading") {
        let store = try Store.open(at: file, schemas: [template.schema], options: options)
        defer { try? store.close() }
        return try store.read { reader in
          let tables = try reader.values("SELECT name FROM sqlite_schema WHERE type = 'table'") { try $0.text() }
          for table in tables { _ = try? reader.count("SELECT count(*) FROM \(raw: "\"" + table.replacing("\"", with: "\"\"") + "\"")") }
          return tables.count
        }
      }
      if opened.failure == nil { return "salvaged, opened" }
    } else if random.chance(1, of: 16) {
      let healed = try outcome("healing") { try Store.heal(at: file, schemas: [template.schema], options: options) }
      return (salvaged.failure == nil ? "salvaged, " : "no row, ") + (healed.value.map { "healed by \($0.means)" } ?? "not healed")
    }
    return salvaged.failure == nil ? "salvaged" : "no row"
  }

  private func lay(_ source: FuzzSource) throws {
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(source.bytes).write(to: file)
    if let bytes = source.log { try Data(bytes).write(to: log) }
  }

  private func isUntouched(_ source: FuzzSource, after what: String) throws {
    guard try Data(contentsOf: file) == Data(source.bytes) else { throw Finding(message: "\(what) changed the damaged file") }
    guard try source.log == nil || Data(contentsOf: log) == source.log.map({ Data($0) }) else {
      throw Finding(message: "\(what) changed the log")
    }
  }

  /// Only errors of the kit are passed over.
  private func outcome<T>(_ what: String, _ body: () throws -> T) throws -> (value: T?, failure: StoreError?) {
    do {
      return (try body(), nil)
    } catch let error as StoreError {
      if fault == .throwsOthers { throw Finding(message: "\(what) failed with an error that is not the kit's: \(error.code)") }
      return (nil, error)
    } catch {
      throw Finding(message: "\(what) failed with an error that is not the kit's: \(error)")
    }
  }
}
