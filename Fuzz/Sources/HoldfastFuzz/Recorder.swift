import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastInference
import HoldfastMusic
import HoldfastTesting
import HoldfastTransfer
import HoldfastWorkouts

/// Writes down what imports leave behind, one line an import: the report, and hashes of the stored rows, the ledger and the quarantine with
/// its bytes. Two versions of an importer do the same where their lines are the same.
enum Recorder {
  /// Imports the cases of each target that imports.
  static func record(_ targets: [any FuzzTarget], _ seed: UInt64, _ cases: Int) throws {
    for target in targets.compactMap({ $0 as? any ImportTarget }) {
      let desk = try Desk(target.schemas, target.tables, target.file)
      for number in 0..<cases {
        var (source, random) = try target.source(seed, number)
        if let earlier = source.earlier {
          print("\(target.name) \(seed) \(number) earlier: \(try desk.line(earlier, target.format))")
          try target.edit(desk.store, &random)
        }
        print("\(target.name) \(seed) \(number): \(try desk.line(source.bytes, target.format))")
        try desk.clear()
      }
    }
  }

  /// Imports each file of a folder, and of the folders in it, into each library, twice.
  static func record(_ folder: URL) throws {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])?.compactMap { $0 as? URL } ?? []
    for library in libraries {
      for file in files.sorted(by: { $0.path < $1.path }) where try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
      {
        let desk = try Desk([library.schema], library.tables, file.lastPathComponent)
        for time in 1...2 {
          print("\(library.schema.name) \(file.lastPathComponent) \(time): \(try desk.line(Array(Data(contentsOf: file)), library.format))")
        }
      }
    }
  }

  private typealias Library = (schema: StoreSchema, tables: [String], format: (ImportSource) throws -> any ImportFormat)

  private static var libraries: [Library] {
    func library(_ schema: StoreSchema, _ format: @escaping (ImportSource) throws -> any ImportFormat) -> Library {
      (schema, Set(schema.records.map { $0.table }).sorted(), format)
    }
    return [
      library(AudiobookLibrary.schema, AudiobookLibrary.importer(for:)), library(MusicStore.schema, MusicStore.importer(for:)),
      library(WorkoutLog.schema, WorkoutLog.importer(for:)), library(InferenceStore.schema, InferenceStore.importer(for:)),
    ]
  }
}

/// A store whose clock stands and whose ids are counted, and a folder for one source.
private final class Desk {
  let store: Store
  /// Always the same: the ledger's fingerprints hold the path of the source.
  private static let folder = Bench.folder.appendingPathComponent("holdfast-record")
  private let source: URL
  private let tables: [String]
  private let rows: Contents
  private let quarantine: Contents
  private let ledger: Contents
  private static let bookkeeping = ["holdfast_imports", "holdfast_imported", "holdfast_quarantine"]

  init(_ schemas: [StoreSchema], _ tables: [String], _ file: String) throws {
    try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
    (source, self.tables) = (Self.folder.appendingPathComponent(file), tables)
    var options = StoreOptions.testing
    options.now = { Date(timeIntervalSince1970: 1_790_000_000) }
    options.newID = .counting()
    store = try Store.inMemory(schemas: schemas, options: options)
    // A secret is sealed with a number at random.
    rows = try Contents(of: store, tables, without: ["sealed"])
    quarantine = try Contents(of: store, ["holdfast_quarantine"])
    ledger = try Contents(of: store, ["holdfast_imported"])
  }

  deinit { try? FileManager.default.removeItem(at: Self.folder) }

  func line(_ bytes: [UInt8], _ format: (ImportSource) throws -> any ImportFormat) throws -> String {
    try Data(bytes).write(to: source)
    let told: String
    do {
      var hints = SourceHints()
      hints.timeZone = .gmt
      let from = try ImportSource(source, hints: hints)
      var options = ImportOptions()
      options.keepsCopy = false
      func start<Format: ImportFormat>(_ format: Format) throws -> ImportReport {
        try store.importing(format, from: from, options: options)
      }
      told = try start(format(from)).picture
    } catch let error as StoreError {
      told = "\(error.code.rawValue) \(error.message) \(error.offset.map { "at \($0)" } ?? "")"
    }
    let words = told.replacingOccurrences(of: source.path, with: source.lastPathComponent).replacingOccurrences(of: "\n", with: " | ")
    let hashes = try [rows, quarantine, ledger].map { String(UInt64(bitPattern: try $0.hash(of: store)), radix: 16) }
    return "\(hashes.joined(separator: " ")) \(words)"
  }

  func clear() throws {
    try store.write { tx in for table in tables + Self.bookkeeping { try tx.execute("DELETE FROM \(raw: table)") } }
  }
}
