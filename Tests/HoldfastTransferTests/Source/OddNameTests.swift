import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

/// Linux lets a name be any bytes; in text those that are not UTF-8 look like U+FFFD, which is another name.
@Suite("Names that are not UTF-8", .enabled(if: TemporaryFolder.takesAnyName, "the file system takes no such names")) struct OddNameTests {
  private static let schema = StoreSchema(
    "notes", migrations: [Migration("notes/001", sql: "CREATE TABLE notes (id TEXT NOT NULL PRIMARY KEY) STRICT")])

  private let folder: TemporaryFolder
  /// What such a name looks like.
  private var twin: URL { folder.file("caf\u{FFFD}") }
  private var link: URL { folder.file("link") }

  init() throws {
    folder = try TemporaryFolder()
    // `caf` and a byte of Latin-1.
    let name =
      Array(folder.url.path.utf8.map { CChar(bitPattern: $0) }) + "/caf".utf8.map { CChar(bitPattern: $0) } + [CChar(bitPattern: 0xE9), 0]
    let file = try #require(fopen(name, "w"), "no such names here")
    fclose(file)
    try #require(symlink(name, link.path) == 0)
  }

  private func expectRefusal(_ name: String, _ body: () throws -> Void) throws {
    let before = try folder.contents()
    let error = #expect(throws: StoreError.self) { try body() }
    #expect(error?.code == .notFound && error?.message.contains("\(name) leads to a name that is not UTF-8") == true)
    #expect(error?.suggestion == "Another file could be taken for it. Rename it to a UTF-8 name, and try again.")
    #expect(try folder.contents() == before)
  }

  @Test("a link to one is refused, and what it looks like is not taken for it", arguments: [true, false])
  func link(hasTwin: Bool) throws {
    if hasTwin { try Data("another".utf8).write(to: twin) }
    try expectRefusal("/link") { _ = try ImportSource(link) }
    try expectRefusal("/link") { _ = try FileExport.write(Data("new".utf8), to: link) }
    try expectRefusal("/link") { _ = try Store.open(at: link, schemas: [Self.schema], options: .testing) }
    if hasTwin { #expect(try Data(contentsOf: twin) == Data("another".utf8)) }
  }

  @Test("a URL of such bytes has no path, and is refused")
  func url() throws {
    let url = try #require(URL(string: "file://\(folder.url.path)/caf%E9"))
    try expectRefusal("/caf%E9") { _ = try ImportSource(url) }
    try expectRefusal("/caf%E9") { _ = try FileExport.write(Data("new".utf8), to: url) }
    try expectRefusal("/caf%E9") { _ = try Store.open(at: url, schemas: [Self.schema], options: .testing) }
  }

  @Test("what a list of the folder says of one is not found, with what to do; a file that is called so is a file")
  func listed() throws {
    let error = #expect(throws: StoreError.self) { _ = try ImportSource(twin) }
    #expect(error?.code == .notFound && error?.suggestion?.contains("Rename it to a UTF-8 name") == true)
    try Data("another".utf8).write(to: twin)
    #expect(try ImportSource(twin).bytes == 7)
  }

  @Test("a mark behind such a byte hides nothing, and neither does a file that is still to be made behind a link to such a folder")
  func hidden() throws {
    func bytes(_ text: String) -> [CChar] { text.utf8.map { CChar(bitPattern: $0) } }
    // A byte of Latin-1, and an accent behind it, which makes one character of both.
    let name = bytes(folder.url.path + "/x") + [CChar(bitPattern: 0xE9)] + bytes("\u{301}") + [0]
    let file = open(name, O_CREAT | O_WRONLY, 0o644)
    try #require(file >= 0)
    close(file)
    try Data("another".utf8).write(to: folder.file("x\u{FFFD}\u{301}"))
    try #require(symlink(name, folder.file("marked").path) == 0)
    try expectRefusal("/marked") { _ = try ImportSource(folder.file("marked")) }
    let odd = bytes(folder.url.path + "/d") + [CChar(bitPattern: 0xE9), 0]
    try #require(mkdir(odd, 0o755) == 0 && symlink(odd, folder.file("behind").path) == 0)
    let new = folder.file("behind/new")
    try expectRefusal("/behind/new") { _ = try FileExport.write(Data("new".utf8), to: new) }
    try expectRefusal("/behind/new") { _ = try Store.open(at: new, schemas: [Self.schema], options: .testing) }
  }

  @Test("a link to what has no name, as a pipe, is told as no file, and one that goes round as one that cannot be followed")
  func pipes() throws {
    let pipe = Pipe()
    let error = #expect(throws: StoreError.self) {
      _ = try ImportSource(URL(fileURLWithPath: "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"))
    }
    #expect(error?.code == .invalidSource && error?.suggestion == "Save it as a file first; a source is read twice.")
    try #require(symlink(folder.file("round").path, folder.file("round").path) == 0)
    #expect(#expect(throws: StoreError.self) { _ = try ImportSource(folder.file("round")) }?.code == .inputOutput)
  }

  @Test("beside a store and a source they do no harm")
  func beside() throws {
    let store = try folder.store([Self.schema])
    _ = try store.snapshot(label: "one")
    #expect(try Snapshot.all(of: folder.file("store.sqlite")).count == 1)
    #expect(try store.export(to: folder.file("out")).bytes > 0)
    _ = try ImportSource(folder.file("out")).keepCopy()
  }
}
