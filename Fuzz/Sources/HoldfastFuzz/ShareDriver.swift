import Foundation
import Holdfast

/// One of several processes that share an archived store: opens it, writes some commits, closes it, and does that again.
enum ShareDriver {
  private static let schema = StoreSchema(
    "shared",
    migrations: [Migration("shared/001", sql: "CREATE TABLE rows (id INTEGER PRIMARY KEY, process INTEGER NOT NULL, text TEXT) STRICT;")])

  /// Prints the number of its commits at the end.
  static func run(_ store: String, seed: UInt64, sessions: Int) -> Int32 {
    do {
      var random = SeededRandom(seed: seed, number: 0)
      var commits = 0
      for _ in 0..<sessions {
        var options = StoreOptions.production
        options.archive.mode = .begins
        options.durability = seed % 2 == 0 ? .fast : .durable
        let open = try Store.open(at: URL(fileURLWithPath: store), schemas: [schema], options: options)
        for _ in 0...Int.random(in: 0..<20, using: &random) {
          // Most commits write new pages: an older image of such a page is nowhere.
          let text = String(repeating: "\(Int.random(in: 0..<1_000, using: &random)) ", count: Int.random(in: 0..<4_000, using: &random))
          try open.write { tx in _ = try tx.execute("INSERT INTO rows (process, text) VALUES (\(Int64(seed)), \(text))") }
          commits += 1
          usleep(UInt32(Int.random(in: 0..<1_000, using: &random)))
        }
        try open.close()
        usleep(UInt32(Int.random(in: 0..<3_000, using: &random)))
      }
      print("commits \(commits)")
      return 0
    } catch {
      print("\(error)")
      return 1
    }
  }
}
