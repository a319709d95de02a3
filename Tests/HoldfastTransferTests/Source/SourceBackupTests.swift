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
}
