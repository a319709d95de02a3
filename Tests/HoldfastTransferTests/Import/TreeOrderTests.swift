import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastTransfer

@Suite("The order of records that name others of their kind")
struct TreeOrderTests {
  /// The keys in the order in which they are passed on; a record is `key` or `key<above,above`.
  private func order(_ records: [String]) throws -> [String] {
    var (tree, passed) = (TreeOrder<Int>(), [String]())
    func visit(_ scanned: Scanned<Int>, _ position: Int) { if case .record(let record) = scanned { passed.append(record.key) } }
    for (place, text) in records.enumerated() {
      let parts = text.split(separator: "<").map(String.init)
      let above = parts.count > 1 ? parts[1].split(separator: ",").map(String.init) : []
      let record = SourceRecord(
        kind: "people", key: parts[0], path: .text(text), fields: [], content: place, original: .bytes([]))
      try tree.take(record, above: above, at: place, visit)
    }
    try tree.end(visit)
    return passed
  }

  @Test("each comes behind all that it names, wherever they stand, and otherwise in the source's order")
  func parents() throws {
    #expect(try order(["c<b", "b<a", "x", "a", "d<a"]) == ["x", "a", "b", "c", "d"])
    #expect(try order(["child<mother,father", "mother", "other<child", "father"]) == ["mother", "father", "child", "other"])
    #expect(try order(["self<self", "a<self"]) == ["self", "a"])
  }

  @Test("those that name one that is not there, or each other, come at the end in the source's order")
  func missing() throws {
    #expect(try order(["b<nobody", "a<b", "c", "e<f", "f<e"]) == ["c", "b", "a", "e", "f"])
  }

  @Test("many that each wait for another one that is not there take no longer than their number")
  func many() throws {
    let records = (0..<20_000).map { "k\($0)<n\($0)" }
    let clock = ContinuousClock()
    var passed: [String] = []
    let time = try clock.measure { passed = try order(records) }
    #expect(passed.count == 20_000 && time < .seconds(20))
  }
}
