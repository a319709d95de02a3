import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast
@testable import HoldfastTransfer

@Suite("A source that is the beginning of a file") struct ImportBeginningTests {
  private func file(_ text: String) throws -> (folder: TemporaryFolder, url: URL) {
    let folder = try TemporaryFolder()
    try Data(text.utf8).write(to: folder.file("a.bin"))
    return (folder, folder.file("a.bin"))
  }

  private func pieces(_ source: ImportSource) throws -> Data {
    let pieces = try SourcePieces(source)
    var all = Data()
    while let piece = try pieces.next() { all += piece }
    return all
  }

  @Test("it has the size, the hash, the content and the document of the beginning alone")
  func beginning() throws {
    let (folder, url) = try file("[1, 2] and much more")
    defer { withExtendedLifetime(folder) {} }
    let source = try ImportSource(url, leadingBytes: 6)
    #expect(source.isBeginning && source.bytes == 6)
    #expect(try source.sha256 == SHA256Hex.of("[1, 2]"))
    #expect(try source.content() == Data("[1, 2]".utf8))
    #expect(try pieces(source) == Data("[1, 2]".utf8))
    var scanner = JSONScanner(try source.document())
    #expect(try scanner.value() == .array([.integer(1), .integer(2)]))
    #expect(try scanner.peek() == .end)
    let whole = try ImportSource(url)
    #expect(!whole.isBeginning && whole.bytes == 20)
    #expect(try pieces(whole) == Data("[1, 2] and much more".utf8))
    for count in [0, -1] as [Int64] { #expect(try pieces(ImportSource(url, leadingBytes: count)) == Data()) }
  }

  @Test("it is not copied, and a file that is shorter has no such beginning")
  func refused() throws {
    let (folder, url) = try file("short")
    let copying = #expect(throws: StoreError.self) { try ImportSource(url, leadingBytes: 3).keepCopy() }
    #expect(copying?.code == .misuse)
    let longer = #expect(throws: StoreError.self) { try ImportSource(url, leadingBytes: 6) }
    #expect(longer?.code == .invalidSource && longer?.message == "\(url.path) has less than 6 bytes")
    #expect(try folder.contents() == ["a.bin"])
    let missing = #expect(throws: StoreError.self) { try ImportSource(folder.file("b.bin"), leadingBytes: 1) }
    #expect(missing?.code == .notFound)
  }

  @Test("a change of it is noticed while it is read, and one behind it is not")
  func changed() throws {
    let (folder, url) = try file("header and weights")
    defer { withExtendedLifetime(folder) {} }
    let source = try ImportSource(url, leadingBytes: 6)
    try Data("header and other weights".utf8).write(to: url)
    #expect(try pieces(source) == Data("header".utf8))
    try Data("HEADER and weights".utf8).write(to: url)
    let error = #expect(throws: StoreError.self) { try pieces(source) }
    #expect(error?.code == .verificationFailed)
    #expect(error?.suggestion == "Import it again when no other program writes to it.")
    #expect(throws: StoreError.self) { try source.content() }
  }
}
