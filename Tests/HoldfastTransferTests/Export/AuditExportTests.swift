import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Exporting the audit") struct AuditExportTests {
  private static let schema = StoreSchema(
    "doors", migrations: [Migration("doors/001", sql: "CREATE TABLE doors (id TEXT NOT NULL PRIMARY KEY, name ANY) STRICT;")],
    declarations: [.audit("doors")])

  @Test("each entry is one line of JSON, oldest first; the documented export contains none")
  func lines() throws {
    let folder = try TemporaryFolder()
    let clock = TestClock()
    var options = StoreOptions.testing
    options.now = { clock.now }
    let store = try folder.store([Self.schema], options: options)
    try Audit.$actor.withValue("anna") {
      try store.write(as: "add") { tx in _ = try tx.execute("INSERT INTO doors VALUES ('a', 1.5)") }
    }
    try store.write(as: "rename") { tx in _ = try tx.execute("UPDATE doors SET name = x'00FF'") }
    let file = folder.file("audit.jsonl")
    #expect(try store.exportAudit(to: file) == 3)
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst().map(String.init)
    #expect(
      lines == [
        #"{"actor":"anna","after":{"id":"a","name":1.5},"before":{},"id":2,"operation":"insert","reason":null,"#
          + #""row":"a","table":"doors","time":"2026-01-01T00:00:00.000Z","verb":"add"}"#,
        #"{"actor":null,"after":{"id":"a","name":{"blob":"00FF"}},"before":{"id":"a","name":1.5},"id":3,"operation":"update","#
          + #""reason":null,"row":"a","table":"doors","time":"2026-01-01T00:00:00.000Z","verb":"rename"}"#,
      ])
    #expect(throws: StoreError.self) { try store.exportAudit(to: folder.file("store.sqlite")) }
    _ = try store.export(to: folder.file("all.jsonl"))
    #expect(try !String(contentsOf: folder.file("all.jsonl"), encoding: .utf8).contains("anna"))
  }
}
