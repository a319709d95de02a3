import Foundation
import Holdfast
import HoldfastTesting
import Testing

/// Processes that share an archived store, and come and go at the same time; nobody is killed.
///
/// 40 openings in the short form of `make proof`, 600 in the long one. Before SQLite's lock was taken at closing, one closing in about a
/// hundred left a file that was ahead of the archive.
@Suite("processes that share an archive", .serialized)
struct ShareTests {
  @Test("no gap without a cause: every commit is in the archive, whoever archived and closed when", arguments: [2, 3])
  func share(processes: Int) throws {
    let seed = UInt64.random(in: 0...UInt64(UInt32.max))
    print("sharing, \(processes) processes: seed \(seed)")
    let folder = try TemporaryFolder()
    let url = folder.file("shared.sqlite")
    let sessions = KillWorld.isShort ? 8 : 120
    let drivers = try (0..<processes).map { number in
      try Driver.start(["--share", url.path, "--seed", "\(seed &+ UInt64(number))", "--cases", "\(sessions)"])
    }
    let lines = try drivers.flatMap { try $0.lines() }
    let commits = lines.compactMap { line in line.hasPrefix("commits ") ? Int(line.dropFirst("commits ".count)) : nil }
    try #require(commits.count == processes, "seed \(seed): \(lines)")
    // Takes what was left in the log.
    var options = StoreOptions.testing
    options.archive.mode = .begins
    try Store.open(at: url, schemas: [], options: options).close()
    let archive = try Archive(of: url, options: options)
    let history = try archive.history()
    #expect(history.filter { $0.kind == .gap } == [], "seed \(seed)")
    #expect(try archive.verify().isHealthy, "seed \(seed)")
    let file = folder.file("newest.sqlite")
    try archive.restore(to: .time(.distantFuture), at: file)
    let rows = try RawDatabase.with(file) { try $0.rows("SELECT count(*) FROM rows") }
    #expect(rows == [["\(commits.reduce(0, +))"]], "seed \(seed)")
  }
}
