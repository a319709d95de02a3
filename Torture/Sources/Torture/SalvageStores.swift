import Foundation
import Holdfast

/// The stores of `torture salvage`: two schemas that the salvage was made with or that resemble them, an odd one that it was not made with, and
/// one that each seed makes anew.
enum SalvageStores: String, CaseIterable, Codable, Sendable {
  case batches, audiobooks, odd, random

  /// The seed of the rows, and of a random schema: one for all cases, but of `random` that of the case.
  func seed(of number: UInt64) -> UInt64 { self == .random ? number : 1 }

  func schema(_ seed: UInt64) -> LibrarySchema {
    switch self {
    case .batches: DamagedLibrary.batches.schema
    case .audiobooks: DamagedLibrary.audiobooks.schema
    case .odd: OddLibrary.schema
    case .random: RandomLibrary(seed: seed).schema()
    }
  }

  /// About 0.3, 1.2 and 5 MB.
  static let scales = [1, 4, 16]

  /// One state of a store. Files of each: `store.sqlite`, and `store.sqlite-wal` where it has a log.
  enum State: String, CaseIterable, Codable, Sendable {
    case closed
    /// As a killed process leaves it, with the last tenth of its rows in the log.
    case half
    /// Closed, but beside the log of its earlier life.
    case stale
    /// Closed, but beside the log of another store of the same app.
    case foreign
  }

  func folder(_ scale: Int, _ state: State, seed: UInt64, in prepared: String = Self.prepared) -> URL {
    URL(fileURLWithPath: "\(prepared)/salvage-\(rawValue)-\(scale)-\(state.rawValue)-\(seed)")
  }

  static var prepared: String { Paths.scratch + "/prepared" }

  /// Makes all states of one size, once.
  func prepare(_ scale: Int, seed: UInt64) throws {
    let half = folder(scale, .half, seed: seed)
    guard !FileManager.default.fileExists(atPath: half.path) else { return }
    let (file, log) = (half.appendingPathComponent("store.sqlite"), half.appendingPathComponent("store.sqlite-wal"))
    for state in State.allCases {
      try FileManager.default.createDirectory(at: folder(scale, state, seed: seed), withIntermediateDirectories: true)
    }
    func keep(_ url: URL, as name: String, _ state: State) throws {
      try FileManager.default.copyItem(at: url, to: folder(scale, state, seed: seed).appendingPathComponent(name))
    }
    let other = try Paths.fresh("prepared/other").appendingPathComponent("store.sqlite")
    for (url, rows) in [(other, seed &+ 1), (file, seed)] {
      if self == .random {
        // Rows from before a table gets a column.
        let first = RandomLibrary(seed: seed).schema(isFirst: true)
        let store = try Store.open(at: url, schemas: [first], options: Workload.options(.fast, seed: seed))
        try fill(store, parts: 0..<scale * 5, seed, rows: rows, isFirst: true)
        try store.close()
      }
      let store = try open(url, seed)
      try fill(store, parts: (self == .random ? scale * 5 : 0)..<scale * 10, seed, rows: rows)
      try store.close()
    }
    try keep(file, as: "store.sqlite", .closed)
    try keep(file, as: "store.sqlite", .foreign)
    let unclosed = try open(other, seed)
    try fill(unclosed, parts: scale * 10..<scale * 11, seed, rows: seed &+ 1)
    try keep(URL(fileURLWithPath: other.path + "-wal"), as: "store.sqlite-wal", .foreign)
    try unclosed.close()
    let first = try open(file, seed)
    try fill(first, parts: scale * 10..<scale * 11, seed, rows: seed)
    try keep(log, as: "store.sqlite-wal", .stale)
    let killed = (try Data(contentsOf: file), try Data(contentsOf: log))
    try first.close()
    let later = try open(file, seed)
    try fill(later, parts: scale * 11..<scale * 12, seed, rows: seed)
    try later.close()
    try keep(file, as: "store.sqlite", .stale)
    try FileManager.default.removeItem(at: half)
    try FileManager.default.createDirectory(at: half, withIntermediateDirectories: true)
    try killed.0.write(to: file)
    try killed.1.write(to: log)
  }

  private func open(_ url: URL, _ seed: UInt64) throws -> Store {
    try Store.open(at: url, schemas: [schema(seed)], options: Workload.options(.fast, seed: seed))
  }

  /// Removes the states of one size and one seed.
  func remove(_ scale: Int, seed: UInt64) throws {
    for state in State.allCases { try FileManager.default.removeItem(at: folder(scale, state, seed: seed)) }
  }

  /// A part is about 30 kB.
  ///
  /// - Parameters:
  ///   - schema: the seed of a random schema.
  ///   - isFirst: before its second migration.
  private func fill(_ store: Store, parts: Range<Int>, _ schema: UInt64, rows seed: UInt64, isFirst: Bool = false) throws {
    let random = RandomLibrary(seed: schema)
    for part in parts {
      try store.write { tx in
        switch self {
        case .batches: for number in 1...18 { try DamagedLibrary.batches.save(part * 18 + number, seed: seed, in: tx) }
        case .audiobooks: for number in 1...8 { try DamagedLibrary.audiobooks.save(part * 8 + number, seed: seed, in: tx) }
        case .odd: try OddLibrary.fill(part, seed: seed, in: tx)
        case .random: try random.fill(part, seed: seed, isFirst: isFirst, in: tx)
        }
      }
    }
  }
}
