import Holdfast
import HoldfastTesting
import Testing

@Suite("Sparse order")
struct SparseOrderTests {
  @Test("spreads a new list by the stride")
  func positions() {
    #expect(SparseOrder.positions(for: 3) == [1024, 2048, 3072])
    #expect(SparseOrder.positions(for: 0) == [])
    #expect(SparseOrder.positions(for: -1) == [])
  }

  @Test("changes one position for a move, an insertion or a swap of neighbours")
  func smallChanges() {
    #expect(SparseOrder.assign(existing: [2048, 3072, 1024, 4096]) == [2048, 3072, 3584, 4096])
    #expect(SparseOrder.assign(existing: [4096, 1024, 2048, 3072]) == [0, 1024, 2048, 3072])
    #expect(SparseOrder.assign(existing: [2048, 3072, 1024]) == [2048, 3072, 4096])
    #expect(SparseOrder.assign(existing: [1024, nil, nil, 2048]) == [1024, 1365, 1706, 2048])
    #expect(SparseOrder.assign(existing: [nil, nil]) == [1024, 2048])
    #expect(SparseOrder.assign(existing: []) == [])
    #expect(SparseOrder.assign(existing: [5, 6, 7]) == [5, 6, 7])
    // No room between 5 and 6: the rows of one side move, whichever are fewer.
    #expect(SparseOrder.assign(existing: [5, nil, 6, 7, 8]) == [-2042, -1018, 6, 7, 8])
  }

  @Test("keeps as many positions as any assignment can, for every order of up to six with every choice of new items")
  func minimality() {
    var wrong: [[Int64?]] = []
    var tried = 0
    for gap in [1, 2, SparseOrder.stride] {
      for count in 0...6 {
        forEachPermutation(of: (0..<count).map { Int64($0) * gap }) { order in
          for mask in 0..<(1 << count) where count < 6 || mask.nonzeroBitCount < 2 {
            let existing = order.enumerated().map { mask >> $0.offset & 1 == 1 ? nil : $0.element }
            tried += 1
            if !isBest(SparseOrder.assign(existing: existing), existing) { wrong.append(existing) }
          }
        }
      }
    }
    #expect(tried > 20_000)
    #expect(wrong.isEmpty, "\(wrong.count), first \(wrong.prefix(3))")
  }

  @Test("with room to spare keeps exactly a longest increasing subsequence of a thousand random items")
  func longestIncreasingSubsequence() {
    var random = SeededGenerator(printing: 0x50_0002)
    for _ in 0..<6 {
      let order = (0..<1000).map { Int64($0) * 1_000_000 }.shuffled(using: &random)
      let result = SparseOrder.assign(existing: order)
      #expect(isIncreasing(result))
      #expect(zip(result, order).count { $0 == $1 } == longestIncreasing(order))
    }
  }

  @Test("never overflows at the ends of the numbers, whatever the positions")
  func extremes() {
    var random = SeededGenerator(printing: 0x50_0003)
    var wrong: [[Int64?]] = []
    for _ in 0..<5_000 {
      let existing = (0..<Int.random(in: 1...5, using: &random)).map { _ -> Int64? in
        switch Int.random(in: 0..<4, using: &random) {
        case 0: nil
        case 1: .min + Int64.random(in: 0...5, using: &random)
        case 2: .max - Int64.random(in: 0...5, using: &random)
        default: Int64.random(in: -5...5, using: &random)
        }
      }
      if !isBest(SparseOrder.assign(existing: existing), existing) { wrong.append(existing) }
    }
    #expect(wrong.isEmpty, "\(wrong.count), first \(wrong.prefix(3))")
  }

  /// Compares with every set of items that could stay.
  private func isBest(_ result: [Int64], _ existing: [Int64?]) -> Bool {
    guard result.count == existing.count, isIncreasing(result) else { return false }
    let kept = zip(result, existing).count { $0 == $1 }
    let best = (0..<(1 << existing.count)).filter { canStay($0, existing) }.map(\.nonzeroBitCount).max() ?? 0
    return kept >= best
  }

  private func canStay(_ mask: Int, _ existing: [Int64?]) -> Bool {
    var floor: Int64? = .min  // the lowest number still free; nil when none is left
    for (index, position) in existing.enumerated() {
      guard let low = floor else { return false }
      var taken = low
      if mask >> index & 1 == 1 {
        guard let position, position >= low else { return false }
        taken = position
      }
      floor = taken == .max ? nil : taken + 1
    }
    return true
  }

  private func isIncreasing(_ numbers: [Int64]) -> Bool {
    zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }
  }

  private func longestIncreasing(_ numbers: [Int64]) -> Int {
    var best: [Int] = []
    for (index, number) in numbers.enumerated() {
      var longest = 1
      for earlier in 0..<index where numbers[earlier] < number { longest = max(longest, best[earlier] + 1) }
      best.append(longest)
    }
    return best.max() ?? 0
  }

  private func forEachPermutation(of items: [Int64], chosen: [Int64] = [], _ body: ([Int64]) -> Void) {
    if items.isEmpty { body(chosen) }
    for index in items.indices {
      var rest = items
      let item = rest.remove(at: index)
      forEachPermutation(of: rest, chosen: chosen + [item], body)
    }
  }
}
