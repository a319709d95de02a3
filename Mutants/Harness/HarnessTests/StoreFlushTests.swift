import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Flushing what a store makes")
struct StoreFlushTests {
  let folder: TemporaryFolder
  let url: URL
  let snapshot: Snapshot

  /// A closed store with a snapshot.
  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("store.sqlite")
    let store = try folder.store([])
    snapshot = try store.snapshot()
    try store.close()
  }

  @Test("a snapshot is flushed after SQLite has finished it, before it gets its name; one that cannot be described is not there")
  func snapshots() throws {
    let store = try folder.store([])
    let before = try folder.contents().filter { $0.hasSuffix(".sqlite") }
    let lines = systemCalls(in: folder) { try store.snapshot() }.lines
    let name = try #require(lines.firstIndex { $0.hasPrefix("name ") && $0.contains("copying/copy.sqlite") })
    // SQLite has flushed what it has copied; this is ours, after the last change.
    let changed = lines[..<name].lastIndex { $0.hasPrefix("remove ") && $0.hasSuffix("copy.sqlite-journal") } ?? 0
    #expect(lines[changed..<name].contains { $0.hasPrefix("flush ") && $0.hasSuffix("copy.sqlite") }, "\(lines)")
    let count = lines.filter { $0.hasPrefix("flush ") }.count
    for failing in 1...count {
      let calls = systemCalls(in: folder, failing: Int32(failing)) { try store.snapshot() }
      let described = try folder.contents().filter { $0.hasSuffix(".json") }.count
      let copies = try folder.contents().filter { $0.contains("snapshots/") && $0.hasSuffix(".sqlite") }.count
      #expect(described == copies, "\(failing): \(calls.lines)")
    }
    #expect(!before.isEmpty)
  }

  @Test("a store that is built beside its place is flushed before it gets its name")
  func building() throws {
    let files = try StoreFiles(folder.file("built.sqlite"))
    let lines = systemCalls(in: folder) {
      _ = try files.building(.testing) { new in
        // Foundation would flush what it writes.
        let file = try #require(fopen(new.path, "w"))
        fputs("content", file)
        fclose(file)
      }
    }.lines
    let name = try #require(lines.firstIndex { $0.hasPrefix("name ") && $0.hasSuffix(" built.sqlite") })
    #expect(lines[..<name].contains { $0.hasPrefix("flush ") && $0.hasSuffix("/built.sqlite") }, "\(lines)")
  }

  @Test("restoring a file: the intent stands before the store's names change, and goes after they are flushed")
  func restoring() throws {
    let lines = systemCalls(in: folder) { try Store.restore(at: url, snapshot: snapshot.id, options: .testing) }.lines
    let intent = try #require(lines.firstIndex { $0.hasPrefix("name ") && $0.hasSuffix("replacement/intent.json") })
    let away = try #require(lines.firstIndex { $0.hasPrefix("name store.sqlite ") })
    let there = try #require(lines.firstIndex { $0.hasPrefix("name ") && $0.hasSuffix(" store.sqlite") })
    let forgotten = try #require(lines.firstIndex { $0.hasPrefix("remove ") && $0.hasSuffix("intent.json") })
    #expect(intent < away && away < there && there < forgotten)
    #expect(lines[intent..<away].contains("flush store.sqlite.holdfast/replacement"))
    #expect(lines[there..<forgotten].contains("flush ."))
  }

  @Test("a flush that fails during a healing fails it: no source is passed over for that, and the store is as it was or whole")
  func healing() throws {
    var options = StoreOptions.testing
    options.archive.mode = .begins
    let archived = folder.file("archived.sqlite")
    let store = try Store.open(at: archived, schemas: [], options: options)
    _ = try store.archive()
    try store.close()
    let sound = try Data(contentsOf: archived)
    // From the archive, then from a snapshot.
    for (url, isArchived) in [(archived, true), (url, false)] {
      var failing: Int32 = 1
      while true {
        try? FileManager.default.removeItem(at: url)
        let (lines, error) = systemCalls(in: folder, failing: failing) { try Store.heal(at: url, schemas: [], options: options) }
        guard lines.contains(where: { $0.hasPrefix("failed flush") }) else { break }
        if let error { #expect((error as? StoreError)?.code == .inputOutput, "\(failing): \(error)") }
        if isArchived, error == nil { #expect(try Data(contentsOf: url) == sound, "\(failing)") }
        failing += 1
      }
      #expect(failing > 2)
    }
  }

  @Test("finishing a restore flushes the names that a killed process gave, before the intent goes")
  func resuming() throws {
    let files = try StoreFiles(url)
    let (kept, replacement) = (files.quarantine.appendingPathComponent("kept"), files.folder.appendingPathComponent("replacement"))
    for place in [kept, replacement] { try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true) }
    let intent = #"{"sha256":"\#(snapshot.sha256)","kept":"kept","reason":"a test"}"#
    try Data(intent.utf8).write(to: replacement.appendingPathComponent("intent.json"))
    let lines = systemCalls(in: folder) { _ = try Replacement.finish(files, .testing) }.lines
    let forgotten = try #require(lines.firstIndex { $0.hasPrefix("remove ") && $0.hasSuffix("intent.json") })
    #expect(lines[..<forgotten].contains("flush .") && lines[..<forgotten].contains("flush store.sqlite.holdfast/quarantine/kept"))
  }

  @Test("restoring a file with any flush failing: an error leaves the old file, or the next opening finishes")
  func restoringFails() throws {
    let old = try Data(contentsOf: url)
    for failing in 1...40 {
      let calls = systemCalls(in: folder, failing: Int32(failing)) {
        try Store.restore(at: url, snapshot: snapshot.id, options: .testing)
      }
      guard calls.error != nil else { continue }
      #expect(try Data(contentsOf: url) == old, "\(failing): \(calls.lines)")
      #expect(!Replacement.isPending(try StoreFiles(url)), "\(failing): \(calls.lines)")
    }
  }
}
