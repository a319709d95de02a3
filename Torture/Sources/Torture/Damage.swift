import Foundation
import Holdfast

/// Damage to the files of a store as a dying disk or a careless copy does it.
struct Damage: Codable, Sendable {
  var what: String
  var seed: UInt64

  /// A kind of damage: its name, which states it needs, and what it does to the folder.
  static let kinds = [
    "flip", "flip-many", "zero-page", "zero-sectors", "noise-page", "cut", "empty", "header", "page-one", "swap-pages", "grow",
    "delete-file", "log-cut", "log-flip", "log-zero", "log-header", "log-noise", "log-deleted", "log-foreign", "log-stale", "log-alone",
    "index-noise", "journal-foreign", "journal-hot", "swapped", "file-of-another", "snapshot-flip", "snapshot-cut", "snapshot-json",
    "snapshot-swapped", "schema-row", "cell-loop",
  ]

  /// The half-closed store has a log; kinds that attack the log need that one.
  var needsLog: Bool { what.hasPrefix("log-") || what == "index-noise" }

  func apply(to folder: URL, other: URL) throws {
    var random = Chance(seed)
    let file = Workload.store(folder).path
    let log = file + "-wal"
    switch what {
    case "flip": try change(file) { Self.flip(&$0, 1, &random) }
    case "flip-many": try change(file) { Self.flip(&$0, 2 + random.below(200), &random) }
    case "zero-page": try page(file, &random) { _ in 0 }
    case "noise-page": try page(file, &random) { UInt8(truncatingIfNeeded: $0.next()) }
    case "zero-sectors":
      try change(file) { bytes in
        for _ in 0..<(1 + random.below(8)) { Self.fill(&bytes, at: random.below(bytes.count / 512) * 512, count: 512, with: 0) }
      }
    case "cut": try change(file) { $0.removeLast(1 + random.below($0.count - 1)) }
    case "empty": try change(file) { $0 = [] }
    case "header": try change(file) { for _ in 0..<(1 + random.below(8)) { $0[random.below(100)] = UInt8(random.below(256)) } }
    case "page-one":
      try change(file) { bytes in for index in 0..<min(4096, bytes.count) { bytes[index] = UInt8(truncatingIfNeeded: random.next()) } }
    case "swap-pages":
      try change(file) { bytes in
        let (one, two) = (random.below(bytes.count / 4096) * 4096, random.below(bytes.count / 4096) * 4096)
        let (first, second) = (Array(bytes[one..<one + 4096]), Array(bytes[two..<two + 4096]))
        bytes.replaceSubrange(one..<one + 4096, with: second)
        bytes.replaceSubrange(two..<two + 4096, with: first)
      }
    case "grow":
      try change(file) { bytes in
        let count = 1 + random.below(9_000)
        bytes += random.bytes(count)
      }
    case "delete-file": unlink(file)
    case "log-alone": unlink(file)
    case "log-cut": try change(log) { $0.removeLast(1 + random.below(max(1, $0.count - 1))) }
    case "log-flip": try change(log) { Self.flip(&$0, 1 + random.below(4), &random) }
    case "log-zero": try change(log) { bytes in Self.fill(&bytes, at: random.below(bytes.count), count: 4_096, with: 0) }
    case "log-header": try change(log) { $0[random.below(min(32, $0.count))] = UInt8(random.below(256)) }
    case "log-noise": try change(log) { $0 += random.bytes(5_000) }
    case "log-deleted": unlink(log)
    case "log-foreign": try copy(Workload.store(other).path + "-wal", to: log)
    case "log-stale":
      // The log of an earlier life beside the closed file of a later one.
      let stale = [UInt8](try Data(contentsOf: URL(fileURLWithPath: log)))
      _ = Oracle(file)
      try Data(stale).write(to: URL(fileURLWithPath: log))
    case "index-noise":
      try Data(random.bytes(32_768)).write(to: URL(fileURLWithPath: file + "-shm"))
    case "journal-foreign":
      try Data(random.bytes(5_000)).write(to: URL(fileURLWithPath: file + "-journal"))
    case "journal-hot":
      // A whole journal's header, of nothing: SQLite rolls back to a file of so many pages.
      var journal: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7, 0, 0, 0, 0]
      journal += [1, 2, 3, 4, 0, 0, 0, UInt8(1 + random.below(9)), 0, 0, 2, 0, 0, 0, 16, 0]
      journal += Array(repeating: 0, count: 512 - journal.count)
      try Data(journal).write(to: URL(fileURLWithPath: file + "-journal"))
    case "swapped": try swap(file, with: log)
    case "file-of-another": try copy(Workload.store(other).path, to: file)
    case "snapshot-flip": try snapshots(folder, ".sqlite", &random) { Self.flip(&$0, 1, &$1) }
    case "snapshot-cut": try snapshots(folder, ".sqlite", &random) { $0.removeLast(1 + $1.below($0.count - 1)) }
    case "snapshot-json": try snapshots(folder, ".json", &random) { Self.flip(&$0, 1 + $1.below(3), &$1) }
    case "snapshot-swapped":
      let all = try Self.snapshotFiles(folder, ".sqlite")
      if all.count > 1 { try swap(all[0], with: all[1]) }
    case "schema-row":
      // The text of the schema itself.
      try change(file) { bytes in
        let text = Array("CREATE ".utf8)
        let places = (0..<min(4096, bytes.count - text.count)).filter { Array(bytes[$0..<$0 + text.count]) == text }
        guard !places.isEmpty else { return }
        bytes[places[random.below(places.count)] + random.below(30)] = UInt8(random.below(256))
      }
    case "cell-loop":
      // A page that points at itself or at another one's parent: a tree without an end.
      try change(file) { bytes in
        let pages = (1..<(bytes.count / 4096)).filter { bytes[$0 * 4096] == 5 || bytes[$0 * 4096] == 2 }
        guard !pages.isEmpty else { return }
        let page = pages[random.below(pages.count)]
        let target = UInt32(1 + random.below(bytes.count / 4096))
        withUnsafeBytes(of: target.bigEndian) { bytes.replaceSubrange(page * 4096 + 8..<page * 4096 + 12, with: $0) }
      }
    default: throw POSIXError(.EINVAL)
    }
  }

  // MARK: How

  private func page(_ path: String, _ random: inout Chance, _ byte: (inout Chance) -> UInt8) throws {
    try change(path) { bytes in
      let page = random.below(bytes.count / 4096)
      for index in page * 4096..<page * 4096 + 4096 { bytes[index] = byte(&random) }
    }
  }

  private static func flip(_ bytes: inout [UInt8], _ count: Int, _ random: inout Chance) {
    for _ in 0..<count { bytes[random.below(bytes.count)] ^= UInt8(1 << random.below(8)) }
  }

  private static func fill(_ bytes: inout [UInt8], at start: Int, count: Int, with byte: UInt8) {
    for index in start..<min(bytes.count, start + count) { bytes[index] = byte }
  }

  private func copy(_ source: String, to target: String) throws {
    try Data(contentsOf: URL(fileURLWithPath: source)).write(to: URL(fileURLWithPath: target))
  }

  static func snapshotFiles(_ folder: URL, _ suffix: String) throws -> [String] {
    let path = folder.appendingPathComponent("list.sqlite.holdfast/snapshots").path
    return try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(suffix) }.sorted().map { "\(path)/\($0)" }
  }

  private func snapshots(_ folder: URL, _ suffix: String, _ random: inout Chance, _ body: (inout [UInt8], inout Chance) -> Void) throws {
    let files = try Self.snapshotFiles(folder, suffix)
    guard !files.isEmpty else { return }
    let chosen = files[random.below(files.count)]
    try change(chosen) { body(&$0, &random) }
  }
}

/// Changes the bytes of a file. An empty file stays so.
func change(_ path: String, _ body: (inout [UInt8]) -> Void) throws {
  var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  guard bytes.count > 1 else { return }
  body(&bytes)
  try Data(bytes).write(to: URL(fileURLWithPath: path))
}

/// Exchanges the contents of two files.
func swap(_ one: String, with other: String) throws {
  let (first, second) = (try Data(contentsOf: URL(fileURLWithPath: one)), try Data(contentsOf: URL(fileURLWithPath: other)))
  try first.write(to: URL(fileURLWithPath: other))
  try second.write(to: URL(fileURLWithPath: one))
}
