/// What one snapshot of a store, or the server, shows of the transactions of all devices.
package struct Sight: Sendable, Hashable {
  /// The tags of the two notes of a pair; nil for a note that is not there.
  package struct Pair: Sendable, Hashable {
    package var first, second: String?

    package init(_ first: String? = nil, _ second: String? = nil) { (self.first, self.second) = (first, second) }
  }

  /// By device; 0 for one that has written nothing.
  package var counters: [Int]
  /// The counters that each device's last transaction had before it, by device; empty for a device that has written nothing.
  package var seen: [[Int]]
  /// By device, and by the pair's number.
  package var pairs: [[Pair]]

  /// With nothing written.
  package init(devices: Int) {
    counters = Array(repeating: 0, count: devices)
    seen = Array(repeating: [], count: devices)
    pairs = Array(repeating: Array(repeating: Pair(), count: Script.pairs), count: devices)
  }

  /// What can never be seen together: half a transaction, or a transaction without one before it, of its device or of another that it had seen.
  package var violations: [Violation] {
    var found: [Violation] = []
    for (device, (counter, pairs)) in zip(counters, pairs).enumerated() {
      for (number, pair) in pairs.enumerated() {
        let expected = Script.last(writing: number, upTo: counter).flatMap(Script.tag)
        guard pair != Pair(expected, expected) else { continue }
        let text =
          "device \(device) at \(counter): pair \(number) is \(pair.first ?? "none"), \(pair.second ?? "none") and not \(expected ?? "none")"
        let isAhead = pair.first.flatMap { Int($0) }.map { $0 > counter } ?? false
        found.append(Violation(pair.first != pair.second || isAhead ? .half : .order, text))
      }
    }
    for (device, seen) in seen.enumerated() {
      for (other, (before, counter)) in zip(seen, counters).enumerated() where counter < before {
        let text = "device \(device) at \(counters[device]) had seen \(before) of device \(other), which is at \(counter)"
        found.append(Violation(.order, text))
      }
    }
    return found
  }

  /// The transactions that the server had acknowledged, by device, and that this does not show.
  package func lost(of acknowledged: [Int]) -> [Violation] {
    zip(acknowledged, counters).enumerated().filter { $1.0 > $1.1 }.map { device, numbers in
      Violation(.lostAcknowledged, "device \(device): \(numbers.0) was acknowledged, and the server is at \(numbers.1)")
    }
  }
}

/// A promise that was broken.
package struct Violation: Sendable, Hashable {
  package enum Kind: String, Sendable, CaseIterable {
    case half = "atomic visibility"
    case order = "causality"
    case back = "a transaction that was seen is gone"
    case lostCommit = "a commit of the device is lost"
    case lostAcknowledged = "an acknowledged write is lost"
    case ended = "a process ended by itself"
    case stuck = "no progress"
    case convergence = "convergence"
    case digest = "digests"
    case foreignKeys = "foreign keys"
    case check = "the store's check"
    case missing = "a fault that did not happen"
  }

  package let kind: Kind
  package let text: String

  package init(_ kind: Kind, _ text: String) { (self.kind, self.text) = (kind, text) }
}
