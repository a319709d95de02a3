import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Strange names in an archive's folder")
struct ArchiveStrangersTests {
  let notes: ArchivedNotes

  init() throws { notes = try ArchivedNotes() }

  @Test("a file with the name of a generation is none, nor is an empty folder, a link to nowhere, or a name that is only read as a number")
  func generations() throws {
    let store = try notes.open()
    try notes.add(1, to: store)
    try store.label("here")
    try store.close()
    let folder = ArchiveFolder(try StoreFiles(notes.url), ArchivedNotes.key)
    for name in ["99999999", "00000002", "+0000003"] { try Data("mine".utf8).write(to: folder.url.appendingPathComponent(name)) }
    for name in ["99999998", "00000007", "+0000001"] {
      try FileManager.default.createDirectory(at: folder.url.appendingPathComponent(name), withIntermediateDirectories: false)
    }
    let link = folder.url.appendingPathComponent("00000005").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "nowhere")
    let archive = try Archive(of: notes.url, options: ArchivedNotes.options)
    #expect(try archive.history().map(\.kind) == [.base, .commit, .label])
    #expect(try archive.verify().isHealthy)
    #expect(archive.waiting() == .commits(0))
    let again = try notes.open()
    try notes.add(2, to: again)
    _ = try again.rewind(to: .label("here"))
    // The next generation takes a free number.
    try #require(again.archiver).beginAnew(because: "the test asks")
    #expect(try again.archive().history().filter { $0.kind == .gap }.map(\.text) == ["the test asks"])
    #expect(try again.drillArchive().hasPassed)
    try again.close()
    #expect(try Data(contentsOf: folder.folder(2)) == Data("mine".utf8))
    #expect(try archive.verify().isHealthy)
  }
}
