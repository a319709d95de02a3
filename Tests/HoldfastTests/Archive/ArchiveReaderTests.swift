import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

/// The reader in Python has back what this program has written.
@Suite(
  "A reader in Python",
  .enabled(if: Python.url != nil && ArchivedNotes.key == nil, "needs python3 on the PATH, and reads no encrypted archive"))
struct ArchiveReaderTests {
  let notes: ArchivedNotes
  private var url: URL { notes.url }

  init() throws { notes = try ArchivedNotes() }

  @Test("restores every commit and a label; verifies the archive, and tells damage in the middle of a finished segment and of the last one")
  func restores() throws {
    let (states, labelled) = try written()
    for (commit, rows) in states {
      #expect(try restored("--commit", String(commit)) == rows, "commit \(commit)")
    }
    #expect(try restored("--label", "before the move") == labelled)
    let archive = try StoreFiles(url).archive.path
    #expect(try Python.run([archive, "verify"]) == 0)
    let generation = try #require(try ArchiveFolder(StoreFiles(url), ArchivedNotes.key).generations().last)
    for segment in [try finishedSegment(), generation.segments.last.map(generation.segment)] {
      let segment = try #require(segment)
      try Damage.flip(segment)
      #expect(try Python.run([archive, "verify"]) == 2)
      // Back again.
      try Damage.flip(segment)
    }
  }

  @Test("restores what was merged, and what is behind a gap, by number and by time, as this program does")
  func merged() throws {
    let world = try RetentionWorld()
    for _ in 0..<2 { try world.session(12) }
    try world.session(1, mode: .off)
    try world.session(3)
    world.pass(hours: 2)
    #expect(try world.run().merged > 0 && world.archive.generations().count == 2)
    let archive = try world.reader
    // The notes are of the clock, which this test moves.
    let events = try archive.history().filter { $0.kind != .note }
    #expect(events.count { $0.kind == .gap } == 1)
    for event in events {
      let ours = world.folder.file("ours-\(event.commit).sqlite")
      try archive.restore(to: .commit(event.commit), at: ours)
      let time = ArchiveTime.microseconds(event.time)
      let text = "\(DateCodec.iso8601(time / 1_000, fraction: true).dropLast())\(String(1_000 + time % 1_000).dropFirst())Z"
      for moment in [["--commit", "\(event.commit)"], ["--time", text]] {
        let theirs = world.folder.file("theirs-\(event.commit)\(moment[0]).sqlite")
        #expect(try Python.run([world.archive.url.path, "restore", theirs.path] + moment) == 0)
        #expect(try world.texts(of: theirs) == world.texts(of: ours), "\(moment)")
      }
    }
    #expect(try Python.run([world.archive.url.path, "verify"]) == 0)
  }

  /// Four openings; one makes a label and vacuums, one writes a commit of several records, which also finishes its segment.
  private func written() throws -> (states: [Int64: [String]], labelled: [String]) {
    var (states, labelled): ([Int64: [String]], [String]) = ([:], [])
    for opening in 0..<4 {
      let store = try notes.open(schemas: [.read])
      for number in 1...3 {
        try store.write { tx in
          _ = try tx.execute("INSERT INTO notes (bytes) VALUES (randomblob(\(opening * 3_000 + number)))")
        }
        states[try newestCommit(store)] = try rows(store)
      }
      if opening == 1 {
        try store.label("before the move")
        labelled = try rows(store)
        try store.write { tx in _ = try tx.execute("DELETE FROM notes WHERE id % 2 = 0") }
        try store.vacuum()
        states[try newestCommit(store)] = try rows(store)
      }
      if opening == 2 {
        // More than 4 MB of pages.
        try store.write { tx in
          for _ in 0..<6 { try tx.execute("INSERT INTO notes (bytes) VALUES (randomblob(1000000))") }
        }
        states[try newestCommit(store)] = try rows(store)
        try store.write { tx in _ = try tx.execute("UPDATE notes SET bytes = x'00' WHERE length(bytes) = 1000000 AND id % 2 = 1") }
        states[try newestCommit(store)] = try rows(store)
      }
      try store.close()
    }
    return (states, labelled)
  }

  private func newestCommit(_ store: Store) throws -> Int64 {
    try #require(try store.archive().history().last { $0.kind == .commit }).commit
  }

  private static let sql = "SELECT id || hex(bytes) FROM notes ORDER BY id"

  private func rows(_ store: Store) throws -> [String] {
    // Another connection: it sees what the store has committed.
    try RawDatabase.with(url) { try $0.rows(Self.sql) }.map { $0[0] }
  }

  private func restored(_ moment: String...) throws -> [String] {
    let file = notes.folder.file("restored-\(UUID().uuidString).sqlite")
    #expect(try Python.run([StoreFiles(url).archive.path, "restore", file.path] + moment) == 0)
    return try RawDatabase.with(file) { try $0.rows(Self.sql) }.map { $0[0] }
  }

  /// The segment with a commit of several records, which is long enough to be finished by the next commit.
  private func finishedSegment() throws -> URL? {
    let generation = try #require(try ArchiveFolder(StoreFiles(url), ArchivedNotes.key).generations().last)
    let finished = generation.segments.filter { SegmentReader.lastCommit(generation.segment($0), ArchivedNotes.seal) != nil }
    let parts = try finished.filter { first in
      let segment = try SegmentReader(generation.segment(first), ArchivedNotes.seal)
      while let record = try segment.next() {
        if case .commit(let commit) = record, commit.goesOn { return true }
      }
      return false
    }
    return parts.first.map(generation.segment)
  }
}

/// Runs the reader.
private enum Python {
  static let url: URL? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { URL(fileURLWithPath: String($0)).appendingPathComponent("python3") }
    .first { FileManager.default.isExecutableFile(atPath: $0.path) }

  private static let reader = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Examples/archive_reader.py")

  /// Returns the exit code.
  static func run(_ arguments: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = url
    process.arguments = [reader.path] + arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}

extension StoreSchema {
  fileprivate static let read = StoreSchema("read", sql: "CREATE TABLE notes (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;")
}
