import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("The beginning of a database file")
struct DatabaseHeaderTests {
  @Test("a header tells what SQLite tells", arguments: [512, 4_096, 65_536])
  func told(pageBytes: Int) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("x.sqlite")
    try RawDatabase.with(url, creating: true) { raw in
      try raw.execute("PRAGMA page_size = \(pageBytes); PRAGMA journal_mode = WAL; CREATE TABLE t (a)")
    }
    let header = try DatabaseHeader(of: url)
    #expect(header.pageBytes == pageBytes && header.isPlain && header.keepsLog && header.reservedBytes == 0 && !header.isEncrypted)
    #expect(header.freeList == 0 && header.changes.map { $0 > 0 } == true)
    try RawDatabase.with(url) { raw in try raw.execute("CREATE TABLE u (a)") }
    #expect(try DatabaseHeader(of: url).changes ?? 0 > header.changes ?? 0)
  }

  @Test("what is cut off or changed tells nothing, and never traps")
  func hostile() {
    for count in 0...100 {
      let header = DatabaseHeader(Data(repeating: 0xFF, count: count))
      #expect(header.pageBytes == nil && !header.isPlain && !header.isEncrypted && !header.isEmpty || count == 0)
    }
    var bytes = [UInt8](repeating: 0, count: 100)
    #expect(DatabaseHeader(bytes).isEmpty && DatabaseHeader(bytes).changes == 0)
    // Of the two counts one has another bit.
    bytes[27] = 1
    #expect(DatabaseHeader(bytes).changes == nil)
  }

  @Test("a log whose first page has had fewer changes is older than the file; without a count or a mark nothing is said")
  func origins() {
    let line = LogLine(store: "a", mark: "2", previous: "1")
    func reason(_ log: LogOrigin, _ file: LogOrigin) -> String? { log.foreignness(to: file) }
    #expect(reason(.init(line: line, changes: 3), .init(line: line, changes: 3)) == nil)
    #expect(reason(.init(line: line, changes: 2), .init(line: line, changes: 3)) != nil)
    #expect(reason(.init(line: nil, changes: nil), .init(line: line, changes: 3)) == nil)
    #expect(reason(.init(line: line, changes: 4), .init(line: LogLine(store: "a", mark: "0"), changes: 3)) != nil)
  }
}
