import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("The hash of a source", .timeLimit(.minutes(10))) struct SourceHashTests {
  private let folder: TemporaryFolder
  private var url: URL { folder.file("a.json") }

  init() throws { folder = try TemporaryFolder() }

  @Test("a file of four terabytes that begins as no JSON is refused at its beginning, and never hashed")
  func refusedEarly() throws {
    try Data("<no JSON>".utf8).write(to: url)
    let file = try FileHandle(forWritingTo: url)
    try file.truncate(atOffset: 1 << 42)
    try file.close()
    let source = try ImportSource(url)
    #expect(source.bytes == 1 << 42)
    var scanner = JSONScanner(try source.document())
    #expect((try? scanner.value()) == nil)
    #expect(try !PortableImport.recognises(source))
  }

  @Test("it is taken when it is first needed, and then stays, in every copy of the source")
  func taken() throws {
    try Data("[1]".utf8).write(to: url)
    let source = try ImportSource(url)
    let copy = source
    let first = try source.sha256
    #expect(try first == ImportSource(url).sha256)
    try Data("[3]".utf8).write(to: url)
    #expect(try source.sha256 == first && copy.sha256 == first)
    #expect(try ImportSource(url).sha256 != first)
  }

  @Test("a file that changed before its hash was needed is refused")
  func changed() throws {
    try Data("[1]".utf8).write(to: url)
    let source = try ImportSource(url)
    try Data("[1, 2]".utf8).write(to: url)
    #expect(code { _ = try source.sha256 } == .verificationFailed)
  }

  @Test("bytes that begin as no JSON are those of the whole file when it is short")
  func short() throws {
    try Data("x\ny".utf8).write(to: url)
    #expect(try ImportSource(url).document().bytes(0..<9) == Array("x\ny".utf8))
  }
}
