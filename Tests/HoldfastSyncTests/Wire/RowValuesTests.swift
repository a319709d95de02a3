import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastSync

@Suite("The values of a row")
struct RowValuesTests {
  private static let columns = ["", "a", "A", "ab", "b", "é", "e\u{301}", "z"].map { ExactText($0) }

  @Test("they are what a dictionary of the same columns holds, in the order of the columns' bytes", arguments: 0..<200 as Range<UInt64>)
  func asDictionary(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (values, wanted): (RowValues, [ExactText: ExactText]) = ([:], [:])
    for number in 0..<40 {
      let column = random.pick(Self.columns)
      let value = random.chance(30) ? nil : ExactText("\(number)")
      values[column] = value
      wanted[column] = value
      #expect(values.elementsEqual(wanted.sorted { $0.key < $1.key }) { $0 == $1 }, "seed \(seed)")
      #expect(Self.columns.allSatisfy { values[$0] == wanted[$0] }, "seed \(seed)")
    }
    #expect(RowValues(wanted.map { ($0.key, $0.value) }) == values, "seed \(seed)")
  }

  @Test("merged, they are what two merged dictionaries are; own and other value are told apart", arguments: 0..<200 as Range<UInt64>)
  func mergedAsDictionaries(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let (own, other) = (Self.some(&random, "own"), Self.some(&random, "other"))
    func both(_ own: ExactText, _ other: ExactText) -> ExactText { ExactText(own.text + "+" + other.text) }
    let wanted = own.merging(other, uniquingKeysWith: both).sorted { $0.key < $1.key }
    let (values, others) = (RowValues(own.map { ($0.key, $0.value) }), RowValues(other.map { ($0.key, $0.value) }))
    #expect(values.merging(others, both).elementsEqual(wanted) { $0 == $1 }, "seed \(seed)")
  }

  private static func some(_ random: inout SeededGenerator, _ value: String) -> [ExactText: ExactText] {
    var result: [ExactText: ExactText] = [:]
    for column in columns where random.chance(50) { result[column] = ExactText(value) }
    return result
  }

  @Test("two rows with very many columns, each between two of the other, are merged, and settled, in one walk")
  func manyColumns() {
    func row(_ first: Int, at time: Int64) -> SyncRow {
      let columns = stride(from: first, to: 200_000, by: 2).map { ExactText("c\(1_000_000 + $0)") }
      let groups = columns.map { ($0, SyncRow.Exception(Stamp(time: time, node: 0), [ExactText("2")])) }
      return SyncRow(
        SyncRow.Name("t", "k"), generation: 1, birth: Stamp(time: 1, node: 0), values: RowValues(columns.map { ($0, ExactText("1")) }),
        exceptions: time > 1 ? Dictionary(uniqueKeysWithValues: groups) : [:])
    }
    let (even, odd, later) = (row(0, at: 1), row(1, at: 1), row(0, at: 2))
    // A walk takes two seconds. To move the rest of the columns for each one takes very much longer.
    let begun = ContinuousClock.now
    #expect(even.merged(with: odd).values.count == 200_000)
    #expect(later.merged(with: odd).values.count == 100_000)
    #expect(ContinuousClock.now - begun < .seconds(20))
  }

  @Test("of two rows' values one is chosen where both have the column")
  func merged() {
    let (first, second): (RowValues, RowValues) = (
      [ExactText("a"): ExactText("1"), ExactText("b"): ExactText("2")], [ExactText("b"): ExactText("3"), ExactText("c"): ExactText("4")]
    )
    let both = first.merging(second) { max($0, $1) }
    #expect(both.map { "\($0.key.text)\($0.value.text)" } == ["a1", "b3", "c4"])
    #expect(first.merging(second) { own, _ in own }[ExactText("b")] == ExactText("2"))
    #expect(both.filter { $0.key > ExactText("a") }.keys.map(\.text) == ["b", "c"])
  }
}
