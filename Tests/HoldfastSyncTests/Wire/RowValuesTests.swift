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
