import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("A source that the app has open")
struct OpenDatabaseTests {
  @Test(
    "a database that is taken for text is refused, and keeps the locks that this process holds on it",
    arguments: ["document", "content", "pieces"])
  func keepsLocks(_ reading: String) throws {
    let folder = try TemporaryFolder()
    let store = try folder.store([StoreSchema("t", migrations: [Migration("t/001", sql: "CREATE TABLE t (a INTEGER) STRICT")])])
    let source = try ImportSource(folder.file("store.sqlite"))
    #expect(try source.beginning(15) == Data("SQLite format 3".utf8))
    let error = #expect(throws: StoreError.self) {
      switch reading {
      case "document": _ = try source.document()
      case "content": _ = try source.content()
      default: try source.pieces { _ in true }
      }
    }
    #expect(error?.code == .invalidSource)
    #expect(try HeldLocks.stand(on: folder.file("store.sqlite")))
    try store.close()
  }
}
