import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("The copy of a source")
struct SourceBackupTests {
  @Test("a store in memory has no folder for the copy of a file in a bundle: nothing is put into the bundle, and the report says why")
  func bundleIntoMemory() throws {
    let world = try NoteWorld("a")
    let resources = world.folder.file("Notes.library/Contents/Resources")
    try FileManager.default.createDirectory(at: resources, withIntermediateDirectories: true)
    let source = resources.appendingPathComponent("notes.txt")
    try Data("a".utf8).write(to: source)
    let store = try Store.inMemory(schemas: [NoteWorld.schema])
    let report = try store.importing(NoteFormat("a"), from: try ImportSource(source))
    #expect(report.verified && report.backup == nil)
    #expect(report.notes == ["no copy of the source is kept: a store in memory has no folder for it": 1])
    #expect(try FileManager.default.contentsOfDirectory(atPath: resources.path) == ["notes.txt"])
  }
  @Test("the copy of a source counts under the cap for all copies: automatic snapshots give way for it")
  func cap() throws {
    let world = try NoteWorld("a")
    var options = StoreOptions.testing
    options.snapshots.maximumBytes = 5 << 20
    let store = try world.folder.store([NoteWorld.schema], name: "capped.sqlite", options: options)
    let copy = try #require(try store.importing(NoteFormat(world.text), from: ImportSource(world.source)).backup)
    #expect(try store.snapshotStatus().sourceBytes == 1)
    for label in ["first", "second"] {
      _ = try store.write { tx in try tx.execute("INSERT INTO notes (id, text, time) VALUES (\(label), 'text', 0)") }
      try store.snapshotLastCommit(label: label, isCancelled: { false })
    }
    #expect(try store.snapshots().map(\.label).sorted() == ["first", "second"])
    // As if the source had been larger than the cap.
    try Data(count: 8 << 20).write(to: URL(fileURLWithPath: copy))
    try store.snapshot(label: "mine")
    #expect(try store.snapshots().map(\.label) == ["mine"])
    #expect(try store.snapshotStatus().sourceBytes == 8 << 20)
  }
}
