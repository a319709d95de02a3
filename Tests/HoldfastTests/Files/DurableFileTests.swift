import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Files and their names")
struct DurableFileTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("a finished file never takes the name of one that is there, also of an empty one")
  func placeTaken() throws {
    for content in ["", "theirs"] {
      try Data(content.utf8).write(to: folder.file("target"))
      try Data("mine".utf8).write(to: folder.file("mine"))
      #expect(failure { try DurableFile.place(folder.file("mine"), at: folder.file("target")) }?.code == .busy)
      #expect(try Data(contentsOf: folder.file("target")) == Data(content.utf8))
      #expect(try Data(contentsOf: folder.file("mine")) == Data("mine".utf8))
    }
  }

  @Test("a replaced file is the new one, and nothing is left beside it")
  func replace() throws {
    try DurableFile.replace(folder.file("a"), with: Data("one".utf8))
    try DurableFile.replace(folder.file("a"), with: Data("two".utf8))
    #expect(try Data(contentsOf: folder.file("a")) == Data("two".utf8))
    #expect(try folder.contents() == ["a"])
  }

  @Test("a copy is never written into a file that is there")
  func copyTaken() throws {
    for (name, text) in [("a", "mine"), ("b", "theirs")] { try Data(text.utf8).write(to: folder.file(name)) }
    #expect(failure { try DurableFile.copy(folder.file("a"), to: folder.file("b")) }?.code == .cannotCreate)
    #expect(try Data(contentsOf: folder.file("b")) == Data("theirs".utf8))
  }

  @Test("a copy that has no room on its volume is not begun")
  func copyWithoutRoom() throws {
    try Data().write(to: folder.file("a"))
    try Damage.resize(folder.file("a"), to: 1 << 42)
    #expect(failure { try DurableFile.copy(folder.file("a"), to: folder.file("b")) }?.code == .diskFull)
    #expect(try folder.contents() == ["a"])
  }

  @Test("a copy of a file of several pieces is equal to it")
  func largeCopy() throws {
    var generator = SeededGenerator(seed: 1)
    let bytes = Data((0..<((5 << 19) + 3)).map { _ in UInt8.random(in: 0...255, using: &generator) })
    try bytes.write(to: folder.file("a"))
    try DurableFile.copy(folder.file("a"), to: folder.file("b"))
    #expect(try Data(contentsOf: folder.file("b")) == bytes)
  }

  @Test("a folder under way that nobody holds is removed by the next one; one that is held stays")
  func abandoned() throws {
    let held = try WorkingFolder(in: folder.url, "building")
    let abandoned = folder.file(".holdfast-building-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: abandoned, withIntermediateDirectories: false)
    try Data("x".utf8).write(to: abandoned.appendingPathComponent("y"))
    try FileManager.default.createDirectory(at: folder.file(".holdfast-mine"), withIntermediateDirectories: false)
    let next = try WorkingFolder(in: folder.url, "building")
    #expect(try Set(folder.contents()) == [held.url.lastPathComponent, next.url.lastPathComponent, ".holdfast-mine"])
    withExtendedLifetime((held, next)) {}
  }

  @Test("reading a file's bytes drops none of the locks that this process holds on it")
  func locksStay() throws {
    let store = try folder.store([Shelves.schema])
    try store.fill()
    let bytes = try FileBytes(folder.file("store.sqlite"))
    #expect(try bytes.read(16) == Data("SQLite format 3\0".utf8))
    // The lock that every connection of a store holds as long as it is open: another process would find it gone.
    #expect(try HeldLocks.exist(on: folder.file("store.sqlite")))
    try store.close()
  }

  @Test("a file that becomes shorter while it is read ends where it ends; a pipe is no file")
  func shrinks() throws {
    let url = folder.file("source")
    try Data(repeating: 7, count: 10_000).write(to: url)
    let bytes = try FileBytes(url)
    #expect(try bytes.next(4_000).count == 4_000)
    #expect(truncate(url.path, 5_000) == 0)
    #expect(try bytes.next(4_000) == Data(repeating: 7, count: 1_000))
    #expect(try bytes.next(4_000).isEmpty)
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    #expect(failure { try FileBytes(pipe) }?.code == .inputOutput)
  }

  @Test("a file is read; a pipe, a folder or a device in its place is an error that says what to do, and nothing waits")
  func notAFile() throws {
    let file = folder.file("file")
    try Data("content".utf8).write(to: file)
    #expect(try DurableFile.content(of: file) == Data("content".utf8))
    #expect(failure { try DurableFile.content(of: folder.file("none")) }?.code == .notFound)
    let pipe = folder.file("pipe")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    for url in [pipe, folder.url, URL(fileURLWithPath: "/dev/null")] {
      let error = failure { try DurableFile.content(of: url) }
      #expect(error?.code == .inputOutput && error?.suggestion?.hasPrefix("Move it") == true, "\(url)")
    }
  }

  @Test("a file of one byte is no database, and stays as it is")
  func oneByte() throws {
    try Data("x".utf8).write(to: folder.file("store.sqlite"))
    #expect(failure { try folder.store([Shelves.schema]) }?.code == .notADatabase)
    #expect(try Data(contentsOf: folder.file("store.sqlite")) == Data("x".utf8))
  }

  @Test("what Foundation throws has the system's reason")
  func reason() throws {
    let error = try #require(#expect(throws: (any Error).self) { try Data(contentsOf: folder.url) })
    #expect(DurableFile.failure(error, folder.url).message.hasSuffix("Is a directory"))
    #expect(DurableFile.isOutOfResources(POSIXError(.EMFILE)) && !DurableFile.isOutOfResources(error))
    #expect(DurableFile.isOutOfResources(DurableFile.failure(POSIXError(.EMFILE), folder.url)))
  }
}

@Suite("Paths in errors")
struct ErrorPathTests {
  private static let id = "D67B7399-5EC5-4E4F-A344-6DF1EB376D61"

  @Test(
    "a file in a working folder is named by the file that the person asked for",
    arguments: [
      ("/tmp/.holdfast-look-\(id)/copy.sqlite: disk I/O error", "/my data/s t.db: disk I/O error"),
      ("a copy of /x: /my data/.holdfast-healing-\(id)/.holdfast-salvaging-\(id)/a.db is bad", "a copy of /x: /my data/s t.db is bad"),
      ("/my data/.holdfast-building-\(id)/s t.db-wal is there", "/my data/s t.db-wal is there"),
      ("5 bytes in /my data/.holdfast-look-\(id), and 3 are left", "5 bytes in /my data, and 3 are left"),
      ("/my data/.holdfast-look is not ours", "/my data/.holdfast-look is not ours"),
      ("(/a/.holdfast-look-\(id)/x) and /b/.holdfast-look-\(id)/y", "(/my data/s t.db) and /my data/s t.db"),
    ])
  func named(given: String, wanted: String) {
    let error = StoreError(.inputOutput, given, cause: StoreError(.inputOutput, given))
    let named = StoreError(error, path: "/my data/s t.db")
    #expect(named.message == wanted)
    #expect((named.cause as? StoreError)?.message == wanted)
  }

  @Test("a store that lies in a working folder is named as it is")
  func temporary() {
    let path = "/tmp/.holdfast-store-\(Self.id)/store.sqlite"
    #expect(StoreError(StoreError(.damaged, "\(path) is damaged"), path: path).message == "\(path) is damaged")
  }

  @Test("what stands where a file was expected is said")
  func noFile() throws {
    let folder = try TemporaryFolder()
    #expect(mkfifo(folder.file("pipe").path, 0o600) == 0)
    #expect(DurableFile.noFile(folder.file("pipe").path).message.hasSuffix("pipe is not a file, but a pipe, a socket or a device"))
    #expect(DurableFile.noFile(folder.url.path).message.hasSuffix("is a folder"))
    #expect(DurableFile.noFile(folder.file("none").path).code == .notFound)
    for name in [folder.file("pipe"), folder.url] {
      let heal = failure { try Store.heal(at: name, schemas: [Shelves.schema], options: .testing) }
      let salvage = failure { try Store.salvage(name, to: folder.file("new.sqlite"), schemas: [Shelves.schema], options: .testing) }
      #expect([heal?.code, salvage?.code] == [.notADatabase, .notADatabase], "\(String(describing: heal)) \(String(describing: salvage))")
    }
  }
}
