import Holdfast
import HoldfastSync
import HoldfastSyncServer
import HoldfastTesting
import Testing

struct SyncServerTests {
  // MARK: Pushing

  @Test("all rows that one push changes have one number; a push that changes nothing leaves the head as it is")
  func numbers() throws {
    let world = try ServerWorld()
    #expect(try world.push(.book("b", at: 1), .book("a", at: 1)) == "pushed: 1 books/a, 1 books/b; cursor 1")
    #expect(try world.push(.book("c", at: 1), cursor: 1) == "pushed: 2 books/c; cursor 2")
    #expect(try world.push(.book("a", at: 1), .book("c", at: 1), cursor: 2) == "pushed: 1 books/a, 2 books/c; cursor 2")
    #expect(try world.push(cursor: 2) == "pushed: ; cursor 2")
    #expect(try world.pull() == "page: 1 books/a, 1 books/b, 2 books/c; cursor 2")
  }

  @Test("a row that arrives is merged with the one that is there, and the answer has the merged row")
  func merges() throws {
    let world = try ServerWorld()
    _ = try world.push(.book("a", at: 1, ["title": "1", "year": "1"], later: ["year": (5, ["5"])]))
    let request = SyncRequest(.push([.book("a", at: 3, ["title": "3", "year": "3"])]), epoch: "e1", cursor: 0, schema: 1)
    let response = try world.server.answer(request, in: "anna", now: ServerWorld.now)
    let merged = SyncRow.book("a", at: 3, ["title": "3"], later: ["year": (5, ["5"])])
    guard case .pushed(let rows, _, _) = response.outcome else { throw StoreError(.verificationFailed, response.picture) }
    #expect(rows == [SyncResponse.Stored(merged, at: 2)])
    #expect(try world.rows() == [merged])
    #expect(response.now == ServerWorld.now && response.epoch == "e1")
  }

  @Test("a row that was sent several times in one push is sent once, merged")
  func sentTwice() throws {
    let world = try ServerWorld()
    let (first, second) = (SyncRow.book("a", at: 1, ["title": "1"]), SyncRow.book("a", at: 1, ["year": "2"]))
    #expect(try world.push(first, second) == "pushed: 1 books/a; cursor 1")
    #expect(try world.rows() == [first.merged(with: second)])
  }

  @Test("the answer has a cursor only where the device had seen all before its push")
  func cursorAfterPush() throws {
    let world = try ServerWorld()
    #expect(try world.push(.book("a", at: 1), cursor: 0) == "pushed: 1 books/a; cursor 1")
    #expect(try world.push(.book("b", at: 1), cursor: 0) == "pushed: 2 books/b")
    #expect(try world.push(.book("b", at: 1), cursor: 1) == "pushed: 2 books/b")
  }

  @Test("a stamp of more than two minutes after the server's time is refused, and nothing of its push is applied")
  func future() throws {
    let world = try ServerWorld()
    let last = ServerWorld.now + 120_000
    #expect(try world.push(.book("a", at: last)) == "pushed: 1 books/a; cursor 1")
    #expect(try world.push(.book("b", at: 1), .book("c", at: last + 1)) == "future")
    #expect(try world.push(.book("b", at: 1, later: ["title": (last + 1, ["1"])])) == "future")
    #expect(try world.push(SyncRow(SyncRow.Name("books", "b"), generation: 1, birth: Stamp(time: .max, node: 0))) == "future")
    #expect(try world.pull() == "page: 1 books/a; cursor 1")
  }

  @Test("a server whose clock was ahead once takes the later edits of the rows that it took then, and of no other")
  func clockWasAhead() throws {
    let world = try ServerWorld()
    let ahead = ServerWorld.now + 86_400_000
    let request = SyncRequest(.push([.book("a", at: ahead)]), epoch: "e1", cursor: 0, schema: 1)
    #expect(try world.server.answer(request, in: "anna", now: ahead).picture == "pushed: 1 books/a; cursor 1")
    #expect(try world.push(.book("b", at: ahead), cursor: 1) == "future")
    #expect(try world.push(.book("a", at: ahead + 120_001), cursor: 1) == "future")
    #expect(try world.push(.book("a", at: ahead + 120_000), cursor: 1) == "pushed: 2 books/a; cursor 2")
  }

  @Test("a push of several rows whose answer would exceed 8 MB is refused, and nothing of it is applied; one row is always answered")
  func largeAnswer() throws {
    var world = try ServerWorld()
    #expect(world.server.answerBytes == 8 << 20)
    let large = SyncRow.book("a", at: 1, ["title": "\"\(String(repeating: "x", count: 1_000))\""])
    #expect(try world.push(large) == "pushed: 1 books/a; cursor 1")
    world.server.answerBytes = large.line.utf8.count
    #expect(try world.push(.book("a", at: 0), .book("b", at: 1), cursor: 1) == "failed: invalid_value")
    #expect(try world.pull(cursor: 1) == "page: ; cursor 1")
    #expect(try world.push(.book("a", at: 0), cursor: 1) == "pushed: 1 books/a; cursor 1")
    world.server.answerBytes = 1
    #expect(try world.push(.book("a", at: 0), cursor: 1) == "pushed: 1 books/a; cursor 1")
  }

  @Test("a device whose schema is older than the space demands may neither push nor pull")
  func oldSchema() throws {
    let world = try ServerWorld()
    try world.server.requireSchema(2, in: "anna")
    #expect(try world.push(.book("a", at: 1), schema: 1) == "old schema")
    #expect(try world.pull(schema: 1) == "old schema")
    #expect(try world.pull(epoch: nil, schema: 1) == "old schema")
    #expect(try world.push(.book("a", at: 1), schema: 2) == "pushed: 1 books/a; cursor 1")
  }

  @Test("several pushes may share one transaction: each has its number, and all or none are stored")
  func sharedTransaction() throws {
    let world = try ServerWorld()
    func push(_ key: String, _ tx: Writer) throws -> String {
      let request = SyncRequest(.push([.book(key, at: 1)]), epoch: "e1", cursor: 0, schema: 1)
      return try world.server.push([.book(key, at: 1)], of: request, in: "anna", now: ServerWorld.now, tx).picture
    }
    let pictures = try world.server.store.write { (tx: Writer) -> [String] in [try push("a", tx), try push("b", tx)] }
    #expect(pictures == ["pushed: 1 books/a; cursor 1", "pushed: 2 books/b"])
    let thrown = code {
      try world.server.store.write { (tx: Writer) -> Void in
        _ = try push("c", tx)
        throw StoreError(.cancelled, "the second push fails")
      }
    }
    #expect(thrown == .cancelled)
    #expect(try world.pull() == "page: 1 books/a, 2 books/b; cursor 2")
    #expect(try world.server.store.integrityCheck().findings == [])
  }

  // MARK: Refused rows

  @Test("a row over the limit of a row is refused, and the others are applied")
  func rowTooLarge() throws {
    let world = try ServerWorld { $0.rowBytes = 100 }
    let large = SyncRow.book("a", at: 1, ["title": "\"\(String(repeating: "x", count: 100))\""])
    #expect(try world.push(large, .book("b", at: 1)) == "pushed: 1 books/b; a row_too_large; cursor 1")
    #expect(try world.push(large, cursor: 1) == "pushed: ; a row_too_large; cursor 1")
    #expect(try world.push(.deletedBook("a"), cursor: 1) == "pushed: 2 books/a; cursor 2")
  }

  @Test("by default a row has at most 256 KB")
  func defaultLimit() throws {
    let world = try ServerWorld()
    func book(_ bytes: Int) -> SyncRow {
      let frame = SyncRow.book("a", at: 1, ["title": "\"\""]).line.utf8.count
      return .book("a", at: 1, ["title": "\"\(String(repeating: "x", count: bytes - frame))\""])
    }
    #expect(try world.push(book(262_145)) == "pushed: ; a row_too_large; cursor 0")
    #expect(try world.push(book(262_144)) == "pushed: 1 books/a; cursor 1")
  }

  @Test("a row over the space's number of rows is refused; rows that are there may still change")
  func quotaOfRows() throws {
    let world = try ServerWorld { $0.rows = 2 }
    #expect(try world.push(.book("a", at: 1), .book("b", at: 1), .book("c", at: 1)) == "pushed: 1 books/a, 1 books/b; c quota; cursor 1")
    #expect(try world.push(.book("b", at: 2, ["title": "2"]), cursor: 1) == "pushed: 2 books/b; cursor 2")
  }

  @Test("a row over the space's bytes is refused; one that becomes smaller is taken, and gives room")
  func quotaOfBytes() throws {
    let (small, large) = (SyncRow.book("b", at: 1), SyncRow.book("a", at: 1, ["title": "\"\(String(repeating: "x", count: 100))\""]))
    let world = try ServerWorld { $0.bytes = Int64(large.line.utf8.count) }
    #expect(try world.push(large, small) == "pushed: 1 books/a; b quota; cursor 1")
    #expect(try world.push(.deletedBook("a"), small, cursor: 1) == "pushed: 2 books/a, 2 books/b; cursor 2")
  }

  @Test("a full space takes the mark of a deleted row, which makes its line longer; a deleted row that it does not have is refused")
  func quotaOfPurges() throws {
    let deleted = SyncRow.deletedBook("a")
    let world = try ServerWorld { ($0.bytes, $0.rowBytes) = (Int64(deleted.line.utf8.count), deleted.line.utf8.count) }
    #expect(try world.push(deleted) == "pushed: 1 books/a; cursor 1")
    let purged = SyncRow.deletedBook("a", forgets: true)
    #expect(try world.push(purged, .deletedBook("b"), cursor: 1) == "pushed: 2 books/a; b quota; cursor 2")
    #expect(try world.rows() == [purged])
  }

  @Test("a space may have limits of its own; where they change, a new epoch begins")
  func ownLimits() throws {
    let world = try ServerWorld()
    var limits = SyncLimits()
    limits.rows = 0
    try world.server.setLimits(limits, of: "anna")
    #expect(try world.push(.book("a", at: 1)) == "branched at 0")
    let second = try world.server.space("anna")
    #expect(second.limits == limits)
    #expect(try world.push(.book("a", at: 1), epoch: second.epoch) == "pushed: ; a quota; cursor 0")
    try world.server.setLimits(limits, of: "anna")
    #expect(try world.server.space("anna") == second)
    try world.server.setLimits(nil, of: "anna")
    let third = try world.server.space("anna")
    #expect(third.limits == nil && third.epoch != second.epoch)
    #expect(try world.push(.book("a", at: 1), epoch: third.epoch) == "pushed: 1 books/a; cursor 1")
  }

  // MARK: Pulling

  @Test("a page has the rows behind the cursor, ordered by push, table and key")
  func order() throws {
    let world = try ServerWorld()
    _ = try world.push(.book("b", at: 1), SyncRow(SyncRow.Name("authors", "z"), generation: 2), .book("a", at: 1))
    _ = try world.push(.book("0", at: 1), .book("a", at: 2))
    #expect(try world.pull() == "page: 1 authors/z, 1 books/b, 2 books/0, 2 books/a; cursor 2")
    #expect(try world.pull(epoch: nil) == "page: 1 authors/z, 1 books/b, 2 books/0, 2 books/a; cursor 2")
    #expect(try world.pull(cursor: 1) == "page: 2 books/0, 2 books/a; cursor 2")
    #expect(try world.pull(cursor: 2) == "page: ; cursor 2")
  }

  @Test("a page of at most so many rows never ends within a push, and has at least one")
  func pagesOfRows() throws {
    var world = try ServerWorld()
    world.server.pageRows = 2
    _ = try world.push(.book("a", at: 1))
    _ = try world.push(.book("b", at: 1), .book("c", at: 1))
    _ = try world.push(.book("d", at: 1), .book("e", at: 1), .book("f", at: 1))
    _ = try world.push(.book("g", at: 1))
    _ = try world.push(.book("h", at: 1))
    #expect(try world.pull() == "page: 1 books/a; cursor 1, more")
    #expect(try world.pull(cursor: 1) == "page: 2 books/b, 2 books/c; cursor 2, more")
    #expect(try world.pull(cursor: 2) == "page: 3 books/d, 3 books/e, 3 books/f; cursor 3, more")
    #expect(try world.pull(cursor: 3) == "page: 4 books/g, 5 books/h; cursor 5")
  }

  @Test("the same for a page of at most so many bytes")
  func pagesOfBytes() throws {
    var world = try ServerWorld()
    world.server.pageBytes = 2 * SyncRow.book("a", at: 1).line.utf8.count
    _ = try world.push(.book("a", at: 1))
    _ = try world.push(.book("b", at: 1))
    _ = try world.push(.book("c", at: 1), .book("d", at: 1), .book("e", at: 1))
    #expect(try world.pull() == "page: 1 books/a, 2 books/b; cursor 2, more")
    #expect(try world.pull(cursor: 2) == "page: 3 books/c, 3 books/d, 3 books/e; cursor 3")
  }

  @Test("by default a page has at most 1,000 rows or 1 MB")
  func defaultPages() throws {
    let world = try ServerWorld()
    #expect(world.server.pageRows == 1_000 && world.server.pageBytes == 1_048_576)
    for push in 0..<1_001 { _ = try world.push(.book("\(push)", at: 1)) }
    #expect(try world.pull().hasSuffix("; cursor 1000, more"))
    #expect(try world.pull(cursor: 1_000) == "page: 1001 books/1000; cursor 1001")
  }

  // MARK: Epochs

  @Test("a device of an earlier epoch goes back to where the next epoch began; one of an unknown epoch to the beginning")
  func forks() throws {
    let world = try ServerWorld()
    _ = try world.push(.book("a", at: 1))
    _ = try world.push(.book("b", at: 1))
    try world.server.beginEpoch("e2", in: "anna")
    _ = try world.push(.book("c", at: 1), epoch: "e2")
    try world.server.beginEpoch("e3", in: "anna")
    #expect(try world.pull(epoch: "e1", cursor: 9) == "branched at 2")
    #expect(try world.pull(epoch: "e2", cursor: 1) == "branched at 3")
    #expect(try world.pull(epoch: "e0", cursor: 1) == "branched")
    #expect(try world.pull(epoch: "e3", cursor: 2) == "page: 3 books/c; cursor 3")
    #expect(try world.push(.book("d", at: 1), epoch: "e1") == "branched at 2")
    #expect(try world.push(.book("d", at: 1), epoch: "e0") == "branched")
    #expect(try world.pull(epoch: "e3", cursor: 3) == "page: ; cursor 3")
  }

  @Test("the name of an epoch is never used again, also not that of one that has ended")
  func epochNames() throws {
    let world = try ServerWorld()
    try world.server.beginEpoch("e2", in: "anna")
    for epoch in ["e1", "e2"] { #expect(code { try world.server.beginEpoch(epoch, in: "anna") } == .constraint) }
    #expect(try world.server.space("anna").epoch == "e2")
  }

  @Test("a cursor above the head is of a server that was rewound: the device begins anew, and its push is not applied")
  func rewound() throws {
    let world = try ServerWorld()
    _ = try world.push(.book("a", at: 1))
    #expect(try world.pull(cursor: 2) == "branched")
    #expect(try world.push(.book("b", at: 1), cursor: 2) == "branched")
    #expect(try world.pull(cursor: 1) == "page: ; cursor 1")
  }

  @Test("without an epoch only the first page can be pulled, and nothing pushed")
  func noEpoch() throws {
    let world = try ServerWorld()
    _ = try world.push(.book("a", at: 1))
    #expect(try world.pull(epoch: nil) == "page: 1 books/a; cursor 1")
    #expect(try world.pull(epoch: nil, cursor: 1) == "branched")
    #expect(try world.push(.book("b", at: 1), epoch: nil) == "branched")
  }

  // MARK: Spaces

  @Test("a space that is not there is the answer `.notFound`, and spaces do not see each other")
  func spaces() throws {
    let world = try ServerWorld()
    _ = try world.push(.book("a", at: 1))
    try world.server.makeSpace("bert", epoch: "e1")
    for verb in [SyncRequest.Verb.pull, .push([.book("a", at: 1)])] {
      let response = try world.server.answer(SyncRequest(verb, epoch: "e1", cursor: 0, schema: 1), in: "carl", now: 5)
      #expect(response.picture == "failed: not_found" && response.epoch.isEmpty && response.now == 5)
    }
    let pull = SyncRequest(.pull, epoch: "e1", cursor: 0, schema: 1)
    #expect(try world.server.answer(pull, in: "bert", now: 5).picture == "page: ; cursor 0")
    #expect(code { try world.server.makeSpace("anna", epoch: "e9") } == .constraint)
    #expect(code { try world.server.beginEpoch("e1", in: "anna") } == .constraint)
    #expect(code { try world.server.beginEpoch("e2", in: "carl") } == .notFound)
    #expect(code { try world.server.setLimits(nil, of: "carl") } == .notFound)
    #expect(code { try world.server.requireSchema(1, in: "carl") } == .notFound)
    #expect(code { _ = try world.server.space("carl") } == .notFound)
    #expect(code { _ = try world.server.digest(of: "carl") } == .notFound)
  }

  @Test("the digest is the sum over the rows, whatever way they came")
  func digest() throws {
    let (first, second) = (try ServerWorld(), try ServerWorld())
    #expect(try first.server.digest(of: "anna") == 0)
    let rows = (0..<20).map { SyncRow.book("\($0)", at: Int64($0), ["title": "\($0)"]) }
    for row in rows { _ = try first.push(row) }
    _ = try first.push(.deletedBook("3"), .book("5", at: 9, later: ["title": (10, ["7"])]))
    _ = try second.push(.deletedBook("3"), .book("5", at: 9, later: ["title": (10, ["7"])]))
    for row in rows.reversed() { _ = try second.push(row) }
    #expect(try Set(first.rows()) == Set(second.rows()))
    let sum = try first.rows().reduce(0) { $0 &+ SyncRow.digest(ofLine: $1.line) }
    #expect(try first.server.digest(of: "anna") == sum)
    #expect(try second.server.digest(of: "anna") == sum)
  }

  @Test("any text is a key: with a NUL character, and in two spellings that Swift takes for one")
  func keys() throws {
    let world = try ServerWorld()
    let rows = ["", "a\u{0}b", "a\u{0}c", "e\u{301}", "é", "\n"].map { SyncRow.book($0, at: 1) }
    for row in rows { _ = try world.push(row) }
    #expect(try world.rows() == rows)
  }

  // MARK: The store

  @Test("a request and its answer are the same as text")
  func asText() throws {
    let world = try ServerWorld()
    for request in [
      SyncRequest(.push([.book("a", at: 1, ["title": "1"]), .deletedBook("b")]), epoch: "e1", cursor: 0, schema: 1),
      SyncRequest(.pull, epoch: nil, cursor: 0, schema: 1),
    ] {
      let response = try world.server.answer(SyncRequest(body: request.body), in: "anna", now: ServerWorld.now)
      #expect(try SyncResponse(body: response.body, status: response.status).picture == response.picture)
    }
  }

  @Test(
    "the integrity check finds a line that is not its row, and a space that does not count its rows",
    arguments: [
      ("UPDATE sync_row SET body = '{}'", IntegrityReport.Part.records),
      ("UPDATE sync_row SET body = replace(body, 'books', 'tags')", .records),
      ("UPDATE sync_space SET head = 0", .invariants), ("UPDATE sync_space SET rows = 7", .invariants),
      ("UPDATE sync_space SET bytes = 7", .invariants),
    ] as [(String, IntegrityReport.Part)])
  func damage(_ sql: String, _ part: IntegrityReport.Part) throws {
    let world = try ServerWorld()
    _ = try world.push(.book("a", at: 1))
    #expect(try world.server.store.integrityCheck().findings == [])
    try world.server.store.write { tx in _ = try tx.execute(BoundSQL(raw: sql)) }
    #expect(try world.server.store.integrityCheck().findings.contains { $0.part == part })
  }
}
