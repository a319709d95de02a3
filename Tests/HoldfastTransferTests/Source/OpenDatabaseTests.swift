import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("A source that the app has open")
struct OpenDatabaseTests {
  @Test(
    "whatever reads a database as if it were text drops none of the locks that this process holds on it",
    arguments: ["look", "peek", "leading bytes", "document", "content", "pieces"])
  func keepsLocks(_ reading: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("store.sqlite")
    let store = try folder.store([StoreSchema("t", migrations: [Migration("t/001", sql: "CREATE TABLE t (a INTEGER) STRICT")])])
    let source = try ImportSource(url)
    let (start, count) = (Data("SQLite format 3".utf8), Int(source.bytes))
    switch reading {
    case "look": #expect(try SourceLook(url).tables?.contains("t") == true)
    case "peek": #expect(try source.peek(15) == start && source.peek(6, at: 7) == start.suffix(from: 7).prefix(6))
    case "leading bytes": #expect(try ImportSource(url, leadingBytes: 100).bytes == 100)
    case "document": #expect(try source.document().count == DurableFile.size(url.path))
    case "content": #expect(try source.content().starts(with: start))
    default:
      let pieces = try SourcePieces(source)
      var read = 0
      while let piece = try? pieces.next(100) {
        #expect(piece.count <= 100)
        read += piece.count
      }
      #expect(read > 0 && read <= count)
    }
    #expect(try HeldLocks.exist(on: url))
    try store.close()
    #if os(Linux)
      #expect(try !HeldLocks.exist(on: url))
    #endif
  }
}
