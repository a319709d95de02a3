import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast
@testable import HoldfastTransfer

/// SQLite keeps a log beside the name by which it opens a file. Under a second name (hard link) the log's commits are missing.
@Suite("A store with several names")
struct SeveralNamesTests {
  private func second(_ left: LeftStore) throws -> URL {
    let other = left.folder.file("second.sqlite")
    try FileManager.default.linkItem(at: left.url, to: other)
    return other
  }

  @Test("nothing is written by either name, both files stay as they are, and the error says what to do", arguments: [true, false])
  func refused(bySecond: Bool) throws {
    let left = try LeftStore()
    let other = try second(left)
    let before = try left.bytes()
    let name = bySecond ? other : left.url
    let writes: [() throws -> Void] = [
      { try Store.open(at: name, schemas: [Shelves.schema], options: .testing).close() },
      { _ = try Store.rewind(at: name, to: .time(.distantFuture), options: .testing) },
      { try StoreFiles(name).checkMayReplace() },
    ]
    for write in writes {
      let error = failure(write)
      #expect(error?.code == .invalidValue, "\(String(describing: error))")
      #expect(error?.message.contains("\(name.path) has another name (hard links)") == true, "\(String(describing: error))")
      #expect(error?.recoverySuggestion?.contains("copy the file with its -wal file") == true)
    }
    #expect(try left.bytes() == before)
    // As advised: without the other name, every commit is there.
    try FileManager.default.removeItem(at: other)
    let store = try left.open()
    #expect(try store.count("shelves") == 4)
    try store.close()
  }

  @Test("a look by either name says so, leaves nothing beside the file, and the name with the log shows its commits")
  func looks() throws {
    let left = try LeftStore()
    let other = try second(left)
    let before = try left.bytes()
    for (name, shelves) in [(left.url, 4), (other, 1)] {
      let store = try Store.open(at: name, schemas: [Shelves.schema], options: .looking)
      #expect(store.notices.map(\.kind) == [.severalNames])
      #expect(try store.count("shelves") == shelves)
      try store.close()
      let report = try Store.check(at: name, schemas: [Shelves.schema], options: .testing)
      #expect(report.findings.map(\.part) == [.files], "\(report.findings)")
    }
    #expect(try left.bytes() == before)
  }

  @Test("the commits of a program that uses the other name end a look that began before them")
  func meanwhile() throws {
    let folder = try TemporaryFolder()
    try folder.store([Shelves.schema]).close()
    let open = try folder.store([Shelves.schema])
    try FileManager.default.linkItem(at: folder.file("store.sqlite"), to: folder.file("second.sqlite"))
    let look = try Store.open(at: folder.file("second.sqlite"), schemas: [Shelves.schema], options: .looking)
    #expect(try look.count("shelves") == 0)
    try open.fill()
    try open.checkpoint(.truncate)
    #expect(failure { try look.count("shelves") }?.code == .busy)
    try look.close()
    try open.close()
  }

  @Test("a second name that an interrupted placing of ours left is removed first")
  func ownName() throws {
    let folder = try TemporaryFolder()
    try folder.store([Shelves.schema]).close()
    let url = folder.file("store.sqlite")
    // As a kill leaves it between the two steps on a volume without exclusive renames.
    let building = folder.file("\(WorkingFolder.prefix)building-\(UUID().uuidString)")
    let replacement = Replacement.newFile(try StoreFiles(url))
    for (place, name) in [(building, "store.sqlite"), (replacement.deletingLastPathComponent(), replacement.lastPathComponent)] {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      try FileManager.default.linkItem(at: url, to: place.appendingPathComponent(name))
    }
    let look = try folder.store([Shelves.schema], options: .looking)
    #expect(look.notices == [])
    try look.close()
    let store = try folder.store([Shelves.schema])
    #expect(store.access == .readWrite)
    try store.close()
    #expect(DurableFile.hardLinks(url.path) == 1)
  }

  @Test("an import's report says that newer rows of its source may be beside another name, except where the source has a log")
  func importSource() throws {
    let folder = try TemporaryFolder()
    let source = folder.file("player.db")
    try RawDatabase.with(source, creating: true) { try $0.execute("CREATE TABLE tracks (id TEXT)") }
    #expect(SourceFiles(source).otherNames == nil)
    try FileManager.default.linkItem(at: source, to: folder.file("copy.db"))
    #expect(SourceFiles(source).otherNames?.contains("another name") == true)
    try Data([1]).write(to: folder.file("player.db-wal"))
    #expect(SourceFiles(source).otherNames == nil)
  }
}
