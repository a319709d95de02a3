import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

struct ArchiveFlushTests {
  @Test("the archive's segment is flushed before the log is moved into the file")
  func segmentFirst() throws {
    let folder = try TemporaryFolder()
    var options = StoreOptions.testing
    options.durability = .durable
    options.archive.mode = .begins
    let notes = StoreSchema("notes", migrations: [Migration("notes/001", sql: "CREATE TABLE notes (id INTEGER PRIMARY KEY) STRICT;")])
    let store = try folder.store([notes], options: options)
    // The base is there, then a commit in the log and in the segment.
    _ = try store.archive()
    try store.write { tx in _ = try tx.execute("INSERT INTO notes (id) VALUES (1)") }
    _ = try store.archive()
    let lines = systemCalls(in: folder) { try store.checkpoint() }.lines
    let segment = try #require(lines.firstIndex { $0.hasPrefix("flush ") && $0.hasSuffix(".segment") }, "\(lines)")
    let file = try #require(lines.firstIndex { $0 == "flush store.sqlite" }, "\(lines)")
    #expect(segment < file)
    try store.close()
  }
}
