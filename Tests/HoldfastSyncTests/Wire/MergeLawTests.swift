import Holdfast
import HoldfastSync
import HoldfastTesting
import Testing

/// The laws of `SyncRow.merged`. Where one does not hold, the test fails with the seeds of the rows.
struct MergeLawTests {
  // MARK: Rows that devices make

  @Test("rows merge as if each column were merged by its own stamp, in whatever order, and however often")
  func registers() {
    let seeds: Range<UInt64> = 0..<(ProofRun.isLong ? 200_000 : 4_000)
    #expect(seeds.filter { !Self.mergesLikeRegisters(seed: $0) } == [])
  }

  /// One register for each column: the model that birth and exceptions must equal.
  private struct Registers {
    struct Register: Comparable {
      var stamp: Stamp
      var value: ExactText
      static func < (first: Register, second: Register) -> Bool { (first.stamp, first.value) < (second.stamp, second.value) }
    }

    var generation: Int64
    var columns: [ExactText: Register]
    var forgets = false

    func merged(with other: Registers) -> Registers {
      guard generation == other.generation else { return generation > other.generation ? self : other }
      return Registers(
        generation: generation, columns: columns.merging(other.columns) { max($0, $1) }, forgets: forgets || other.forgets)
    }
  }

  /// A row, and the same in the model.
  private struct Known {
    var row: SyncRow
    var registers: Registers
  }

  private static func mergesLikeRegisters(seed: UInt64) -> Bool {
    var random = SeededGenerator(seed: seed)
    let known = history(&random)
    let wanted = known.dropFirst().reduce(known[0].registers) { $0.merged(with: $1.registers) }
    let rows = known.map(\.row)
    let orders: [[SyncRow]] = [rows, rows.reversed(), Array(rows[2...]) + rows[..<3]]
    let merged = orders.map { order in order.dropFirst().reduce(order[0]) { $0.merged(with: $1) } }
    return Set(merged).count == 1 && merged[0].generation == wanted.generation && merged[0].forgets == wanted.forgets
      && merged[0].current == RowValues(wanted.columns.map { ($0.key, $0.value.value) })
  }

  /// What four devices know of a row that was inserted several times, edited, and perhaps deleted or purged. A stamp has one value for each column.
  private static func history(_ random: inout SeededGenerator) -> [Known] {
    var births: [(generation: Int64, stamp: Stamp)] = []
    for generation: Int64 in [1, 3] {
      for node: Int64 in 0..<3 { births.append((generation, Stamp(time: Int64.random(in: 1...30, using: &random), node: node))) }
    }
    var known: [Known] = []
    for _ in 0..<4 {
      let (generation, birth) = random.pick(births)
      known.append(random.chance(80) ? living(generation, birth, &random) : deleted(generation + 1, random.chance(50)))
    }
    return known
  }

  private static func deleted(_ generation: Int64, _ forgets: Bool) -> Known {
    Known(
      row: SyncRow(name, generation: generation, forgets: forgets),
      registers: Registers(generation: generation, columns: [:], forgets: forgets))
  }

  private static func living(_ generation: Int64, _ birth: Stamp, _ random: inout SeededGenerator) -> Known {
    func register(_ stamp: Stamp, _ column: ExactText) -> Registers.Register {
      Registers.Register(stamp: stamp, value: ExactText("\"\(generation) \(stamp.text) \(column.text)\""))
    }
    var registers: [ExactText: Registers.Register] = [:]
    for column in columns { registers[column] = register(birth, column) }
    let values = RowValues(registers.map { ($0.key, $0.value.value) })
    var exceptions: [ExactText: SyncRow.Exception] = [:]
    for group in [ExactText("a"), ExactText("b,c")] where random.chance(40) {
      let stamp = Stamp(time: Int64.random(in: birth.time + 1...40, using: &random), node: Int64.random(in: 5...8, using: &random))
      for column in SyncRow.columns(of: group) { registers[column] = register(stamp, column) }
      exceptions[group] = SyncRow.Exception(stamp, SyncRow.columns(of: group).map { register(stamp, $0).value })
    }
    let row = SyncRow(name, generation: generation, birth: birth, values: values, exceptions: exceptions)
    return Known(row: row, registers: Registers(generation: generation, columns: registers))
  }

  // MARK: Any rows

  @Test("rows that no device should make obey the laws: stamps with two values, bodies with different columns, overlapping groups")
  func wildRows() {
    let seeds: Range<UInt64> = 0..<(ProofRun.isLong ? 200_000 : 4_000)
    #expect(seeds.filter { !Self.obeysLaws(seed: $0) } == [])
  }

  private static func wildRow(_ random: inout SeededGenerator) -> SyncRow {
    var values: RowValues = [:]
    for column in columns where random.chance(60) { values[column] = value(&random) }
    var exceptions: [ExactText: SyncRow.Exception] = [:]
    for group in [ExactText("a"), ExactText("b"), ExactText("b,c")] where random.chance(40) {
      let values = SyncRow.columns(of: group).map { _ in value(&random) }
      exceptions[group] = SyncRow.Exception(stamp(&random), values)
    }
    let generation = Int64.random(in: 1...3, using: &random)
    return SyncRow(
      name, generation: generation, birth: stamp(&random), values: values, exceptions: exceptions, forgets: random.chance(50))
  }

  private static func stamp(_ random: inout SeededGenerator) -> Stamp { Stamp(time: Int64.random(in: 1...4, using: &random), node: 0) }

  private static func value(_ random: inout SeededGenerator) -> ExactText { ExactText("\(Int.random(in: 1...3, using: &random))") }

  /// Commutative, associative, idempotent.
  private static func obeysLaws(seed: UInt64) -> Bool {
    var random = SeededGenerator(seed: seed)
    let (a, b, c) = (wildRow(&random), wildRow(&random), wildRow(&random))
    let ab = a.merged(with: b)
    return ab == b.merged(with: a) && ab.merged(with: c) == a.merged(with: b.merged(with: c)) && a.merged(with: a) == a
      && ab.merged(with: b) == ab
  }

  private static let name = SyncRow.Name("books", "1")
  private static let columns = [ExactText("a"), ExactText("b"), ExactText("c")]

  // MARK: Examples

  @Test("of two births the later wins as a whole; earlier exceptions go, later ones stay")
  func births() {
    let first = SyncRow.book("1", at: 1, ["a": "1", "b": "1", "c": "1"], later: ["a": (2, ["2"]), "b": (9, ["9"])])
    let second = SyncRow.book("1", at: 5, ["a": "5", "b": "5", "c": "5"])
    #expect(first.merged(with: second) == .book("1", at: 5, ["a": "5", "c": "5"], later: ["b": (9, ["9"])]))
  }

  @Test("the higher generation wins as a whole: a deletion against any edit, a new insertion against the deletion")
  func generations() {
    let edited = SyncRow.book("1", at: 1, ["a": "1"], later: ["a": (99, ["99"])])
    #expect(edited.merged(with: .deletedBook("1")) == .deletedBook("1"))
    let again = SyncRow.book("1", generation: 3, at: 2, ["a": "2"])
    #expect(again.merged(with: edited) == again)
    #expect(again.merged(with: .deletedBook("1")) == again)
  }

  @Test("of two deletions one that was purged wins; a row that was inserted again is not purged, and neither is its ordinary deletion")
  func forgotten() {
    let purged = SyncRow.deletedBook("1", forgets: true)
    for other in [SyncRow.deletedBook("1"), .book("1", at: 1, ["a": "1"]), purged] { #expect(purged.merged(with: other) == purged) }
    let again = SyncRow.book("1", generation: 3, at: 2, ["a": "2"])
    for later in [again, .deletedBook("1", generation: 4)] { #expect(later.merged(with: purged) == later && !later.forgets) }
  }

  @Test("versions that know different columns of one birth: the merged body has the columns of both")
  func unknownColumns() {
    let (old, new) = (SyncRow.book("1", at: 1, ["a": "1"]), SyncRow.book("1", at: 1, ["a": "1", "b": "2"], later: ["a": (3, ["3"])]))
    #expect(old.merged(with: new) == .book("1", at: 1, ["b": "2"], later: ["a": (3, ["3"])]))
  }

  @Test("of one stamp with two values, the value with the greater bytes wins, for each column of a body and for an exception as a whole")
  func oneStamp() {
    let first = SyncRow.book("1", at: 1, ["a": "1", "b": "2"], later: ["c,d": (3, ["1", "9"])])
    let second = SyncRow.book("1", at: 1, ["a": "2", "b": "1"], later: ["c,d": (3, ["2", "1"])])
    #expect(first.merged(with: second) == .book("1", at: 1, ["a": "2", "b": "2"], later: ["c,d": (3, ["2", "1"])]))
  }
}
