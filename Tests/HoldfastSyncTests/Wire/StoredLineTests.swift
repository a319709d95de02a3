import Holdfast
import HoldfastSync
import HoldfastSyncServer
import Testing

/// A pull copies the stored lines; only the number of the push is put in.
struct StoredLineTests {
  private static let key = #"a,"t":"b","#
  private static let rows: [SyncRow] = [
    SyncRow.book("a", at: 1, ["title": "\"Emma\""]), SyncRow.book("", at: 1), SyncRow.book(key, at: 1),
    SyncRow.book("a\u{0}b\n\"\\é", at: 1), SyncRow.deletedBook("a"), SyncRow.deletedBook(key, forgets: true),
    SyncRow.book("a", at: 1, later: ["title": (5, ["\"x,\\\"k\\\":\""])]),
  ]

  @Test(
    "a stored line gets the row's number without being read, byte for byte as the row itself is written",
    arguments: rows)
  func numbered(_ row: SyncRow) throws {
    let response = SyncResponse(.page([.init(row, at: 7)], cursor: 7, more: false), now: 5, epoch: "e")
    let line = try #require(SyncRow.line(row.line, of: row.name, at: 7))
    #expect(response.body(lines: [line]) == response.body)
  }

  @Test(
    "a stored line that does not begin as its row's is an error of the store, and not an answer",
    arguments: ["", "{}", "books", #"{"g":1,"k":"b","t":"books"}"#, #"{"g":1,"k":"a","t":"tags"}"#, #"{"g":1,"k":"a","t":"books""#])
  func damaged(_ line: String) async throws {
    let world = try ServerWorld()
    _ = try world.push(.book("a", at: 1))
    try await world.server.store.write { tx in _ = try tx.execute("UPDATE sync_row SET body = \(line)") }
    #expect(SyncRow.line(line, of: SyncRow.Name("books", "a"), at: 1) == nil)
    let token = try world.server.makeToken(for: "anna")
    let pull = SyncRequest(.pull, epoch: "e1", cursor: 0, schema: 1)
    let answer = await world.server.answer(.pull, pull.body, in: "anna", token: token, now: ServerWorld.now)
    #expect(answer.status == 503 && answer.problem?.code == .decoding && answer.problem?.row == "a")
  }

  @Test("the answer over HTTP and the one to a device in this process have the same bytes")
  func sameAnswer() async throws {
    var world = try ServerWorld()
    world.server.pageRows = 2
    for (number, key) in ["a", Self.key, "é", "\u{0}"].enumerated() { _ = try world.push(.book(key, at: Int64(number) + 1)) }
    let token = try world.server.makeToken(for: "anna")
    for cursor: Int64 in 0...4 {
      let pull = SyncRequest(.pull, epoch: "e1", cursor: cursor, schema: 1)
      let answer = await world.server.answer(.pull, pull.body, in: "anna", token: token, now: ServerWorld.now)
      #expect(try answer.body == world.server.answer(pull, in: "anna", now: ServerWorld.now).body)
      #expect(answer.status == 200 && answer.rows == min(2, 4 - Int(cursor)))
    }
  }
}
