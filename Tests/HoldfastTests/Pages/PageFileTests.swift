import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("A database file, page by page")
struct PageFileTests {
  let folder: TemporaryFolder
  let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.file("pages.sqlite")
    try Data().write(to: url)
  }

  private func page(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 512) }

  @Test("what was written stands in its place, and the hashes are those of the file")
  func written() throws {
    let file = try PageFile(url, PageHashes(pageBytes: 512), nil)
    try file.resize(to: 4, changes: 4, "the test")
    for number in [3, 1] as [UInt32] {
      var bytes = page(UInt8(number))
      try bytes.withUnsafeMutableBytes { _ = try file.write(number, $0) }
    }
    try file.flush()
    #expect(try Data(contentsOf: url) == Data(page(1) + page(0) + page(3) + page(0)))
    #expect(try file.read(3) == Data(page(3)) && file.read(9) == Data(page(0)))
    #expect(try PageHashes.of(url, pageBytes: 512, nil) == file.hashes)
    try file.resize(to: 1, changes: 0, "the test")
    #expect(try Data(contentsOf: url) == Data(page(1)))
    #expect(try PageHashes.of(url, pageBytes: 512, nil) == file.hashes)
  }

  @Test("a size that no commit can give a database is damage, and the file stays as it is")
  func impossible() throws {
    let file = try PageFile(url, PageHashes(pageBytes: 512), nil)
    try file.resize(to: 2, changes: 2, "the test")
    #expect(failure { try file.resize(to: 1_000_006, changes: 3, "the test") }?.code == .damaged)
    #expect(DurableFile.size(url.path) == 1_024 && file.hashes.pages == 2)
    #expect(PageHashes(pageBytes: 512).mayHave(1_000_003, changes: 3) && !PageHashes(pageBytes: 512).mayHave(1_000_004, changes: 3))
  }

  @Test("with a key, pages go into the file encrypted and come out as they were", .whereSQLiteEncrypts)
  func sealed() throws {
    let key = StoreKey.random()
    let file = try PageFile(url, PageHashes(pageBytes: 1_024), key)
    try file.resize(to: 1, changes: 1, "the test")
    var bytes = [UInt8](repeating: 7, count: 1_024 - PageCipher.proofBytes) + [UInt8](repeating: 0, count: PageCipher.proofBytes - 1) + [1]
    let plain = Data(bytes)
    try bytes.withUnsafeMutableBytes { _ = try file.write(1, $0) }
    #expect(try Data(contentsOf: url).range(of: Data(repeating: 7, count: 16)) == nil)
    #expect(try file.read(1) == plain)
  }
}
