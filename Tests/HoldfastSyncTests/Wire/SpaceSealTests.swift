import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastSync

/// How rows are sealed. Documentation/SyncProtocol.md has the formulas, and the rows of the first test.
struct SpaceSealTests {
  private static func key(_ first: UInt8 = 0) throws -> StoreKey { try StoreKey(Data((0..<32).map { $0 &+ first })) }
  private static func seal(_ first: UInt8 = 0, space: String = "anna") throws -> SpaceSeal { SpaceSeal(try key(first), space: space) }

  @Test("the rows of the protocol's page are sealed as it says, which another program has computed")
  func vector() throws {
    let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let page = try String(contentsOf: root.appendingPathComponent("Documentation/SyncProtocol.md"), encoding: .utf8)
    let lines = page.split(separator: "\n").filter { $0.hasPrefix("{\"") && $0.contains("tags\"") }.map(String.init)
    #expect(lines.count == 4)
    for (plain, sealed) in zip(lines.prefix(2), lines.suffix(2)) {
      #expect(try Self.seal().sealed(SyncRow(line: plain)).line == sealed)
      #expect(try Self.seal().opened(SyncRow(line: sealed)).line == plain)
    }
  }

  @Test("a table and a key of 1,500 bytes together fit, sealed, into the server's limit, and 1,520 do not")
  func longNames() throws {
    func bytes(_ count: Int) throws -> Int {
      let key = String(repeating: "x", count: count - "books".utf8.count)
      let name = try Self.seal().sealed(SyncRow(SyncRow.Name("books", key), generation: 2)).name
      return name.table.text.utf8.count + name.key.text.utf8.count
    }
    #expect(try bytes(1_500) <= 2_048 && bytes(1_520) > 2_048)
  }

  // MARK: Laws

  private static let columns = [ExactText("a"), ExactText("b"), ExactText("c")]

  /// Stamps with two values, bodies with different columns, overlapping groups, deleted and purged rows.
  private static func row(_ random: inout SeededGenerator) -> SyncRow {
    func stamp() -> Stamp { Stamp(time: Int64.random(in: 1...4, using: &random), node: 0) }
    func value() -> ExactText { ExactText(random.pick(["null", "1", "2.5", "\"é, 3\"", "{\"b\":\"/9g=\"}"])) }
    var values: RowValues = [:]
    for column in columns where random.chance(60) { values[column] = value() }
    var exceptions: [ExactText: SyncRow.Exception] = [:]
    for group in [ExactText("a"), ExactText("b"), ExactText("b,c")] where random.chance(40) {
      exceptions[group] = SyncRow.Exception(stamp(), SyncRow.columns(of: group).map { _ in value() })
    }
    return SyncRow(
      SyncRow.Name("books", "ä/1"), generation: Int64.random(in: 1...3, using: &random), birth: stamp(), values: values,
      exceptions: exceptions, forgets: random.chance(50))
  }

  private static let seeds: Range<UInt64> = 0..<(ProofRun.isLong ? 20_000 : 500)

  @Test("a row that was sealed opens to the same row, is sealed to the same bytes again, and is a row for everybody who has no key")
  func opens() throws {
    let seal = try Self.seal()
    for seed in Self.seeds {
      var random = SeededGenerator(seed: seed)
      let row = Self.row(&random)
      let sealed = try seal.sealed(row)
      #expect(try seal.opened(sealed) == row && Self.seal().sealed(row).line == sealed.line, "seed \(seed)")
      #expect(try SyncRow(line: sealed.line) == sealed, "seed \(seed)")
    }
  }

  @Test("what a server makes of two sealed rows opens to what a device makes of both, also where one stamp has two values")
  func merges() throws {
    let seal = try Self.seal()
    for seed in Self.seeds {
      var random = SeededGenerator(seed: seed)
      let (first, second) = (Self.row(&random), Self.row(&random))
      let sealed = try (seal.sealed(first), seal.sealed(second))
      let merged = try first.merged(with: second, under: seal)
      #expect(try seal.opened(sealed.0.merged(with: sealed.1)) == merged, "seed \(seed)")
      #expect(try seal.sealed(merged) == sealed.0.merged(with: sealed.1), "seed \(seed)")
      #expect(try second.merged(with: first, under: seal) == merged, "seed \(seed)")
      #expect(try first.merged(with: second, under: nil) == first.merged(with: second), "seed \(seed)")
    }
  }

  @Test("where each stamp has one value, sealed rows merge as plain ones: two versions' columns unite, an exception takes its column")
  func mergesLikePlain() throws {
    let seal = try Self.seal()
    let old = SyncRow.book("1", at: 1, ["a": "1", "d": "4"])
    let new = SyncRow.book("1", at: 1, ["a": "1", "b": "2", "c": "2"], later: ["b,c": (3, ["3", "null"])])
    let merged = try seal.opened(seal.sealed(old).merged(with: seal.sealed(new)))
    #expect(merged == old.merged(with: new))
    #expect(merged == .book("1", at: 1, ["a": "1", "d": "4"], later: ["b,c": (3, ["3", "null"])]))
  }

  // MARK: What does not open

  @Test("another key, and another space's seal, open no row: not a deleted one either; a plain row is no sealed one")
  func wrong() throws {
    let rows = [SyncRow.book("1", ["a": "1"]), .deletedBook("1"), .deletedBook("1", forgets: true)]
    for row in rows {
      let sealed = try Self.seal().sealed(row)
      for other in try [Self.seal(1), Self.seal(space: "otto")] { #expect(code { _ = try other.opened(sealed) } == .wrongKey) }
      #expect(code { _ = try Self.seal().opened(row) } == .notSealed)
    }
    #expect(try Self.seal().check != Self.seal(1).check && Self.seal().check != Self.seal(space: "otto").check)
  }

  @Test("a server cannot give a value to another row, column, generation or time")
  func moved() throws {
    let seal = try Self.seal()
    let first = try seal.sealed(.book("1", ["a": "1", "b": "1"]))
    let second = try seal.sealed(.book("2", ["a": "1"]))
    let names = first.values.keys.filter { $0 != ExactText("birth") }
    var (swapped, older, again) = (first, first, first)
    (swapped.values[names[0]], swapped.values[names[1]]) = (first.values[names[1]], first.values[names[0]])
    older.birth = .at(9)
    again.generation = 3
    let moved = SyncRow(second.name, generation: 1, birth: first.birth, values: first.values)
    for row in [swapped, older, again, moved] { #expect(code { _ = try seal.opened(row) } == .wrongKey) }
  }

  @Test("a server cannot invent a birth or a generation, also of a row without a value")
  func invented() throws {
    let seal = try Self.seal()
    let rows = [
      SyncRow.book("1", ["a": "1"]), .book("1", later: ["a": (3, ["1"])]), .book("1"), .book("1", generation: 3, at: 2),
    ]
    let sealed = try rows.map(seal.sealed)
    #expect(try sealed.map(seal.opened) == rows)
    for row in sealed {
      let bare = SyncRow(row.name, generation: row.generation, birth: row.birth)
      var (older, again, unproved, other) = (row, row, row, row)
      older.birth = .at(9)
      again.generation += 2
      unproved.values[ExactText("birth")] = nil
      other.values[ExactText("birth")] = try seal.sealed(.book("2", generation: row.generation)).values[ExactText("birth")]
      for row in [bare, older, again, unproved, other] { #expect(code { _ = try seal.opened(row) } == .wrongKey) }
    }
  }

  @Test("a group that repeats a column, or has its columns in another order, does not open; neither does a value under another name")
  func groups() throws {
    let seal = try Self.seal()
    let row = try seal.sealed(.book("1", later: ["a,b": (3, ["1", "2"])]))
    let (group, exception) = try #require(row.exceptions.first)
    let (first, second) = (exception.values[0], exception.values[1])
    for values in [[first, first], [second, second], [second, first]] {
      var changed = row
      changed.exceptions[group] = SyncRow.Exception(exception.stamp, values)
      #expect(code { _ = try seal.opened(changed) } == .wrongKey)
    }
    // Sealed by a program that takes any text for a column: it opens to the column `a`.
    #expect(code { _ = try seal.opened(seal.sealed(.book("1", ["a,\"x": "y\""]))) } == .wrongKey)
  }

  @Test("the error of a row that does not open names its table and its push; it is wrongKey only where no row of the answer opens")
  func named() throws {
    let right = SyncResponse.Stored(try Self.seal().sealed(.book("1")), at: 6)
    let wrong = SyncResponse.Stored(try Self.seal(1).sealed(.deletedBook("2")), at: 7)
    let plain = SyncResponse.Stored(.book("2"), at: 7)
    for (rows, code) in [
      ([wrong], .wrongKey), ([wrong, right], .verificationFailed), ([right, wrong], .verificationFailed), ([plain], .notSealed),
      ([right, plain], .verificationFailed),
    ] as [([SyncResponse.Stored], StoreError.Code)] {
      for outcome in [SyncResponse.Outcome.page(rows, cursor: 7, more: false), .pushed(rows, refused: [], cursor: 7)] {
        let error = #expect(throws: StoreError.self) { try SyncResponse(outcome, now: 1, epoch: "e1").opened(by: Self.seal()) }
        #expect(error?.code == code && error?.message.contains("a row of books, of push 7, does not open") == true)
      }
    }
  }

  @Test("equal values of two rows, and of two columns, look different; a key looks the same in each of its rows")
  func unlinkable() throws {
    let seal = try Self.seal()
    let rows = try ["1", "2"].map { try seal.sealed(.book($0, ["a": "1", "b": "1"])) }
    #expect(Set(rows.flatMap { $0.values.keys }).count == 5 && Set(rows.flatMap { $0.values.values }).count == 6)
    #expect(try seal.sealed(.deletedBook("1")).name == rows[0].name)
  }
}
