import Foundation
import HoldfastTransfer

/// The sets in a cell of Jefit's `EXERCISE LOGS`: `60x10,60x8`. A trailing comma is no set.
struct JefitSets {
  struct Timed {
    var cells: SetCells
    /// Numbers that the log cannot store, by their names.
    var others: [(name: String, number: String)]
  }

  let text: String
  let pieces: [String]
  /// The weight and the repetitions of each piece; nil where it is no pair.
  let pairs: [(weight: String, reps: String)?]

  init(_ text: String) {
    self.text = text
    pieces = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    pairs = pieces.map { piece in
      let parts = piece.lowercased().split(separator: "x", omittingEmptySubsequences: false)
      guard parts.count == 2, let weight = parts.first, let reps = parts.last, !weight.isEmpty, !reps.isEmpty else { return nil }
      return (String(weight), String(reps))
    }
  }

  /// The numbers behind each `0x` in fives; empty where the sets cannot be times.
  private var fives: [[String]] {
    let numbers = pairs.compactMap { pair in pair.flatMap { JefitContents.isNothing($0.weight) ? $0.reps : nil } }
    guard numbers.count == pieces.count, numbers.count.isMultiple(of: 5) else { return [] }
    return stride(from: 0, to: numbers.count, by: 5).map { Array(numbers[$0..<$0 + 5]) }
  }

  /// Whether five of the pairs may be one set with a time.
  var maybeTimes: Bool { !fives.isEmpty }

  /// Whether each five has its last number alone. Few people do the fifth set alone.
  var areLikelyTimes: Bool {
    maybeTimes
      && fives.allSatisfy { five in five.dropLast().allSatisfy(JefitContents.isNothing) && !JefitContents.isNothing(five.last) }
  }

  func times() -> [Timed] {
    fives.map { five in
      var set = SetCells()
      (set.distance, set.seconds) = (five[1], five[4])
      return Timed(cells: set, others: [("calories", five[0]), ("speed", five[2]), ("laps", five[3])])
    }
  }
}
