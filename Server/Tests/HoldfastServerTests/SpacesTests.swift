import Foundation
import Holdfast
import HoldfastSyncServer
import Testing

/// What every kind of store promises.
@Suite struct SpacesTests {
  @Test("a push numbers the rows that it changes, merges them, and answers the merged rows", arguments: StoreKind.allCases)
  func pushing(_ kind: StoreKind) async throws {
    let world = try await SpacesWorld(kind)
    #expect(try await world.push(book("b"), book("a")) == "200 1a 1b cursor 1")
    #expect(try await world.push(book("c"), cursor: 1) == "200 2c cursor 2")
    #expect(try await world.push(book("a"), book("c"), cursor: 2) == "200 1a 2c cursor 2")
    #expect(try await world.push(book("a", title: "Persuasion", at: ServerWorld.now + 1), cursor: 0) == "200 3a")
    #expect(try await world.push(book("a", title: "older"), cursor: 3) == "200 3a cursor 3")
    #expect(try await world.push(book("d"), book("e", at: ServerWorld.now + 120_001)) == "422")
    #expect(try await world.pull() == "200 1b 2c 3a cursor 3")
    #expect(try await world.lines().last?.contains("Persuasion") == true)
    #expect(try await world.spaces.pushCount() == 3)
  }

  @Test(
    "any text is a key: with NUL, and in two spellings that Swift takes for one; rows of a push come in the order of bytes",
    arguments: StoreKind.allCases)
  func keys(_ kind: StoreKind) async throws {
    let world = try await SpacesWorld(kind)
    let keys = ["a\\u0000b", "a\\u0000c", "a\\\"b", "e\u{301}", "\u{E9}", "\u{1F4D6}"]
    #expect(try await world.push(keys.reversed().map { book($0) }, epoch: nil).hasPrefix("200 "))
    let lines = try await world.lines()
    #expect(lines.map { $0.firstMatch(of: #/"k":"(.*)","q"/#).map { Array($0.output.1.utf8) } } == keys.map { Array($0.utf8) })
    #expect(try await world.spaces.space("anna").rows == 6)
  }

  @Test(
    "a new row whose table and key have more than 2,048 bytes is refused, and the rows beside it are applied; 2,048 are indexed, and move",
    arguments: StoreKind.allCases)
  func longKeys(_ kind: StoreKind) async throws {
    let world = try await SpacesWorld(kind)
    // Letters that no index can compress, and some of two bytes.
    let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
    var random: UInt32 = 46
    let key = (0..<2_003).reduce(into: "") { text, _ in
      random = random &* 1_664_525 &+ 1_013_904_223
      text.append(letters[Int(random >> 26)])
    }
    let (fits, tooLong) = (key + String(repeating: "\u{E9}", count: 20), key + String(repeating: "\u{E9}", count: 20) + "x")
    #expect("books".utf8.count + fits.utf8.count == SyncLimits.nameBytes)
    #expect(try await world.push(book(fits), book(tooLong), book("b")) == "200 1b 1\(fits) \(tooLong) row_too_large cursor 1")
    let longTable = book("c").replacing("\"books\"", with: "\"\(key)\(key)\"")
    #expect(try await world.push(longTable, book("d"), cursor: 1) == "200 2d c row_too_large cursor 2")
    #expect(try await world.push(book(fits, title: "Persuasion", at: ServerWorld.now + 1), cursor: 2) == "200 3\(fits) cursor 3")
    let other = try await (kind == .file ? StoreKind.database : .file).make()
    try await world.spaces.move("anna", to: other)
    #expect(try await other.space("anna").rows == 3)
    #expect(try await other.problems() == [])
  }

  @Test("a database refuses, in words, a space that has a row of a file of before the limit, and takes nothing of it")
  func longKeyOfBefore() async throws {
    let line = SyncLine(space: "anna", table: "books", key: String(repeating: "x", count: 2_044), sequence: 1, line: "{}")
    let old = try await SpacesWorld(.file).spaces.copying("anna") { $0 }
    let database = try await StoreKind.database.make()
    #expect(await code { try await database.take(SpaceCopy(old.space, []) { last in last == nil ? [line] : [] }) } == .constraint)
    #expect(try await database.spaces() == [])
  }

  @Test("a page has whole pushes, and at most 1,000 rows or 1 MB unless one push has more", arguments: StoreKind.allCases)
  func pages(_ kind: StoreKind) async throws {
    let world = try await SpacesWorld(kind)
    let long = String(repeating: "x", count: 200_000)
    _ = try await world.push((0..<600).map { book("a\($0)") })
    _ = try await world.push((0..<400).map { book("b\($0)") })
    _ = try await world.push(book("c"))
    for push in 0..<2 { _ = try await world.push((0..<4).map { book("d\(push)\($0)", title: long) }) }
    _ = try await world.push(book("e"))
    #expect(try await world.pull().hasSuffix(" 2b99 cursor 2 more"))
    #expect(try await world.pull(cursor: 1).hasSuffix(" 3c 4d00 4d01 4d02 4d03 cursor 4 more"))
    #expect(try await world.pull(cursor: 2) == "200 3c 4d00 4d01 4d02 4d03 cursor 4 more")
    #expect(try await world.pull(cursor: 3) == "200 4d00 4d01 4d02 4d03 cursor 4 more")
    #expect(try await world.pull(cursor: 4) == "200 5d10 5d11 5d12 5d13 6e cursor 6")
    #expect(try await world.pull(cursor: 6) == "200 cursor 6")
    // Short rows, whose merges with the long ones are more than a page.
    let columns = ["d00", "d01", "d02", "d03", "d10", "d11", "d12"].map { book($0).replacing("\"title\":\"Emma\"", with: "\"year\":1815") }
    _ = try await world.push(columns)
    _ = try await world.push(book("z"))
    #expect(try await world.pull(cursor: 6) == "200 7d00 7d01 7d02 7d03 7d10 7d11 7d12 cursor 7 more")
    #expect(try await world.pull(cursor: 7) == "200 8z cursor 8")
  }

  @Test("a token opens one space until it is revoked, and names are taken once", arguments: StoreKind.allCases)
  func tokens(_ kind: StoreKind) async throws {
    let world = try await SpacesWorld(kind)
    let spaces = world.spaces
    let reads = try await spaces.makeToken(for: "anna", .reads, name: nil)
    try await spaces.makeSpace("bert")
    let bert = try await spaces.makeToken(for: "bert", .writes, name: "phone")
    #expect(
      try await spaces.tokens().map { "\($0.name) \($0.space) \($0.role)" } == [
        "anna-1 anna writes", "anna-2 anna reads", "phone bert writes",
      ])
    #expect(try await spaces.tokens().allSatisfy { abs($0.createdAt.timeIntervalSinceNow) < 60 } || kind == .file)
    #expect(try await world.push(book("a"), token: reads) == "403")
    #expect(try await world.pull(token: reads) == "200 cursor 0")
    #expect(try await world.pull(token: bert) == "404")
    #expect(try await world.pull(token: "") == "401")
    #expect(await spaces.head(of: "anna", token: reads, now: 5).head == 0)
    #expect(await spaces.head(of: "anna", token: bert, now: 5).status == 404)
    #expect(await spaces.head(of: "anna", token: nil, now: 5).status == 401)
    try await spaces.revokeToken(named: "anna-2")
    #expect(try await world.pull(token: reads) == "401")
    #expect(await code { try await spaces.revokeToken(named: "anna-2") } == .notFound)
    #expect(await code { _ = try await spaces.makeToken(for: "anna", .reads, name: "phone") } == .constraint)
    #expect(await code { _ = try await spaces.makeToken(for: "carl", .reads, name: nil) } == .notFound)
    #expect(await code { _ = try await spaces.makeToken(for: "anna", .reads, name: "A") } == .invalidValue)
  }

  @Test("tokens without a name that are made at the same time each have a number of their own", arguments: StoreKind.allCases)
  func tokensAtTheSameTime(_ kind: StoreKind) async throws {
    let spaces = try await SpacesWorld(kind).spaces
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { _ = try await spaces.makeToken(for: "anna", .writes, name: nil) } }
      try await group.waitForAll()
    }
    #expect(try await spaces.tokens().map(\.name) == (1...9).map { "anna-\($0)" })
  }

  @Test("new limits and a new epoch send a device back to the fork; an old schema is refused", arguments: StoreKind.allCases)
  func epochs(_ kind: StoreKind) async throws {
    let world = try await SpacesWorld(kind)
    let spaces = world.spaces
    let first = try await world.epoch
    #expect(try await world.push(book("a"), book("b")) == "200 1a 1b cursor 1")
    var limits = SyncLimits()
    limits.rows = 2
    for _ in 0..<2 { try await spaces.setLimits(limits, of: "anna") }
    let second = try await world.epoch
    #expect(try await spaces.space("anna").limits == limits && first != second)
    #expect(try await world.pull(epoch: first, cursor: 1) == "409 fork 1")
    #expect(try await world.push(book("c"), cursor: 1) == "200 c quota cursor 1")
    try await spaces.setLimits(nil, of: "anna")
    #expect(try await world.push(book("c"), cursor: 1) == "200 2c cursor 2")
    try await spaces.beginEpoch(in: "anna")
    try await spaces.beginEpoch(in: nil)
    #expect(try await world.pull(epoch: first, cursor: 9) == "409 fork 1")
    #expect(try await world.pull(epoch: second, cursor: 1) == "409 fork 1")
    #expect(try await world.pull(epoch: "unknown", cursor: 1) == "409")
    #expect(try await world.pull(cursor: 3) == "409")
    try await spaces.requireSchema(2, in: "anna")
    #expect(try await world.pull(schema: 1) == "426")
    #expect(try await world.pull(schema: 2) == "200 1a 1b 2c cursor 2")
    #expect(await code { try await spaces.setLimits(nil, of: "bert") } == .notFound)
    #expect(await code { try await spaces.beginEpoch(in: "bert") } == .notFound)
    #expect(await code { try await spaces.makeSpace("anna") } == .constraint)
    #expect(await code { try await spaces.makeSpace("An na") } == .invalidValue)
  }

  @Test(
    "pushes at one time each have their own answer and number, and a refused one among them changes nothing", arguments: StoreKind.allCases)
  func atTheSameTime(_ kind: StoreKind) async throws {
    let world = try await SpacesWorld(kind)
    let answers = try await withThrowingTaskGroup(of: (Int, String).self) { group in
      for number in 0..<100 {
        group.addTask { (number, try await world.push(book("\(number)", at: number == 7 ? ServerWorld.now * 2 : 5), book("shared"))) }
      }
      return try await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
    }
    #expect(answers.filter { !$0.value.hasPrefix("200 ") } == [7: "422"])
    let space = try await world.spaces.space("anna")
    #expect(space.rows == 100 && space.head == 99)
    #expect(try await world.lines().count == 100)
    #expect(try await world.spaces.problems() == [])
  }

  @Test(
    "a space moves into a store of the other kind, and back, with rows, numbers, tokens, limits and lineage", arguments: StoreKind.allCases)
  func moving(_ kind: StoreKind) async throws {
    let world = try await SpacesWorld(kind)
    let other = try await (kind == .file ? StoreKind.database : .file).make()
    let first = try await world.epoch
    _ = try await world.push((0..<1_500).map { book("\($0)") }.prefix(1_000).map { $0 })
    _ = try await world.push((0..<1_500).map { book("\($0)") }.suffix(500).map { $0 }, cursor: 1)
    var limits = SyncLimits()
    limits.rowBytes = 7_000
    try await world.spaces.setLimits(limits, of: "anna")
    try await world.spaces.requireSchema(1, in: "anna")
    let (lines, before) = (try await world.lines(), try await world.spaces.space("anna"))
    try await world.spaces.move("anna", to: other)
    #expect(try await world.spaces.spaces() == [])
    #expect(try await world.spaces.tokens() == [])
    let moved = SpacesWorld(other, token: world.token)
    #expect(try await moved.lines() == lines)
    let after = try await other.space("anna")
    #expect(after.epoch != before.epoch && after.head == 2 && after.rows == 1_500 && after.bytes == before.bytes)
    #expect(after.limits == limits && after.minSchema == 1)
    #expect(try await moved.pull(epoch: first, cursor: 2) == "409 fork 2")
    #expect(try await other.problems() == [])
    try await other.move("anna", to: world.spaces)
    #expect(try await world.lines() == lines)
    #expect(try await other.spaces() == [])
    #expect(try await world.push(book("new"), cursor: 2) == "200 3new cursor 3")
    #expect(try await world.spaces.problems() == [])
  }

  @Test("a space that the other store has is not moved; one that changes while it moves stays where it is", arguments: StoreKind.allCases)
  func notMoved(_ kind: StoreKind) async throws {
    let world = try await SpacesWorld(kind)
    _ = try await world.push(book("a"))
    let other = try await SpacesWorld(kind == .file ? .database : .file)
    #expect(await code { try await world.spaces.move("anna", to: other.spaces) } == .constraint)
    try await other.spaces.removeSpace("anna", unchanged: nil)
    let old = try await world.spaces.copying("anna") { $0 }
    _ = try await world.push(book("b"), cursor: 1)
    let torn = try await world.spaces.copying("anna") { copy in
      await code { try await other.spaces.take(SpaceCopy(old.space, copy.tokens) { _ in [] }) }
    }
    #expect(torn == .busy)
    #expect(try await other.spaces.spaces() == [])
    #expect(try await other.spaces.tokens() == [])
    #expect(await code { try await world.spaces.removeSpace("anna", unchanged: old) } == .busy)
    #expect(try await world.lines().count == 2)
    #expect(await code { try await world.spaces.move("bert", to: other.spaces) } == .notFound)
  }

  @Test("a space of which a token was made or revoked while it moved is not removed", arguments: StoreKind.allCases)
  func tokensWhileMoving(_ kind: StoreKind) async throws {
    let spaces = try await SpacesWorld(kind).spaces
    func refusal(after change: () async throws -> Void) async throws -> StoreError.Code? {
      let copy = try await spaces.copying("anna") { $0 }
      try await change()
      return await code { try await spaces.removeSpace("anna", unchanged: copy) }
    }
    #expect(try await refusal { _ = try await spaces.makeToken(for: "anna", .reads, name: "phone") } == .busy)
    #expect(try await refusal { try await spaces.revokeToken(named: "phone") } == .busy)
    #expect(try await refusal {} == nil)
    #expect(try await spaces.tokens() == [])
  }

  @Test("a copy is read in parts of 1,000 rows, and ends a part at 8 MB", arguments: StoreKind.allCases)
  func parts(_ kind: StoreKind) async throws {
    let world = try await SpacesWorld(kind)
    let long = String(repeating: "x", count: 250_000)
    for push in 10..<21 { _ = try await world.push((0..<4).map { book("a\(push)\($0)", title: long) }) }
    _ = try await world.push((0..<1_000).map { book("b\($0)") })
    let parts = try await world.spaces.copying("anna") { copy in
      var parts: [Int] = []
      try await copy.each { parts.append($0.count) }
      return parts
    }
    #expect(parts == [34, 1_000, 10])
  }

  @Test("a backup is a file that a server opens, with all spaces; it never overwrites", arguments: StoreKind.allCases)
  func backup(_ kind: StoreKind) async throws {
    let world = try await SpacesWorld(kind)
    _ = try await world.push(book("a"), book("b"))
    try await world.spaces.makeSpace("bert")
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("backup-\(UUID().uuidString).sqlite")
    defer { try? FileManager.default.removeItem(at: file) }
    try await world.spaces.backUp(to: file, options: .testing)
    #expect(await code { try await world.spaces.backUp(to: file, options: .testing) } == .cannotCreate)
    #expect(try SyncServer.check(at: file, options: .testing).findings == [])
    let copy = SyncServer(try Store.open(at: file, schemas: [SyncServer.schema], options: .testing))
    #expect(try await SpacesWorld(copy, token: world.token).lines() == world.lines())
    #expect(try copy.spaces().map(\.name) == ["anna", "bert"])
    try copy.store.close()
  }
}
