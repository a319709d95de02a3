import Foundation
import Holdfast

/// The stores of `torture salvage`: two schemas that the salvage was made with or that resemble them, and an odd one that it never saw.
enum SalvageStores: String, CaseIterable, Codable, Sendable {
  case batches, audiobooks, odd

  var schema: LibrarySchema {
    switch self {
    case .batches: DamagedLibrary.batches.schema
    case .audiobooks: DamagedLibrary.audiobooks.schema
    case .odd: OddLibrary.schema
    }
  }

  /// About 0.3, 1.2 and 5 MB.
  static let scales = [1, 4, 16]

  /// One state of a store. Files of each: `store.sqlite`, and `store.sqlite-wal` where it has a log.
  enum State: String, Codable, Sendable {
    case closed
    /// As a killed process leaves it, with the last tenth of its rows in the log.
    case half
    /// Closed, but beside the log of its earlier life.
    case stale
    /// Closed, but beside the log of another store of the same app.
    case foreign
  }

  static func folder(_ store: SalvageStores, _ scale: Int, _ state: State, in prepared: String = Self.prepared) -> URL {
    URL(fileURLWithPath: "\(prepared)/salvage-\(store.rawValue)-\(scale)-\(state.rawValue)")
  }

  static var prepared: String { Paths.scratch + "/prepared" }

  /// Makes all states of one size, once.
  func prepare(_ scale: Int, seed: UInt64) throws {
    let half = Self.folder(self, scale, .half)
    guard !FileManager.default.fileExists(atPath: half.path) else { return }
    let (file, log) = (half.appendingPathComponent("store.sqlite"), half.appendingPathComponent("store.sqlite-wal"))
    for state in [State.closed, .half, .stale, .foreign] {
      try FileManager.default.createDirectory(at: Self.folder(self, scale, state), withIntermediateDirectories: true)
    }
    func keep(_ url: URL, as name: String, _ state: State) throws {
      try FileManager.default.copyItem(at: url, to: Self.folder(self, scale, state).appendingPathComponent(name))
    }
    let other = try Paths.fresh("prepared/other").appendingPathComponent("store.sqlite")
    for (url, seed) in [(other, seed &+ 1), (file, seed)] {
      let store = try open(url, seed)
      try fill(store, parts: 0..<scale * 10, seed: seed)
      try store.close()
    }
    try keep(file, as: "store.sqlite", .closed)
    try keep(file, as: "store.sqlite", .foreign)
    let unclosed = try open(other, seed &+ 1)
    try fill(unclosed, parts: scale * 10..<scale * 11, seed: seed &+ 1)
    try keep(URL(fileURLWithPath: other.path + "-wal"), as: "store.sqlite-wal", .foreign)
    try unclosed.close()
    let first = try open(file, seed)
    try fill(first, parts: scale * 10..<scale * 11, seed: seed)
    try keep(log, as: "store.sqlite-wal", .stale)
    let killed = (try Data(contentsOf: file), try Data(contentsOf: log))
    try first.close()
    let later = try open(file, seed)
    try fill(later, parts: scale * 11..<scale * 12, seed: seed)
    try later.close()
    try keep(file, as: "store.sqlite", .stale)
    try FileManager.default.removeItem(at: half)
    try FileManager.default.createDirectory(at: half, withIntermediateDirectories: true)
    try killed.0.write(to: file)
    try killed.1.write(to: log)
  }

  private func open(_ url: URL, _ seed: UInt64) throws -> Store {
    try Store.open(at: url, schemas: [schema], options: Workload.options(.fast, seed: seed))
  }

  /// A part is about 30 kB.
  private func fill(_ store: Store, parts: Range<Int>, seed: UInt64) throws {
    for part in parts {
      try store.write { tx in
        switch self {
        case .batches: for number in 1...18 { try DamagedLibrary.batches.save(part * 18 + number, seed: seed, in: tx) }
        case .audiobooks: for number in 1...8 { try DamagedLibrary.audiobooks.save(part * 8 + number, seed: seed, in: tx) }
        case .odd: try OddLibrary.fill(part, seed: seed, in: tx)
        }
      }
    }
  }
}
