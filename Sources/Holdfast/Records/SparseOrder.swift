/// Positions of rows in a stored list, with gaps, so that a move usually changes one row.
///
/// Positions are any `Int64`, also negative ones; only their order matters. Pure functions without state.
public enum SparseOrder {
  /// The distance between neighbours where there is enough room.
  public static let stride: Int64 = 1024

  /// Positions for a new list: `stride`, 2 × `stride`, and so on. Empty when `count` is 0 or less.
  public static func positions(for count: Int) -> [Int64] {
    (0..<max(0, count)).map { Int64(truncatingIfNeeded: $0 + 1) &* stride }
  }

  /// Strictly increasing positions for items in their wanted order; changes as few existing positions as possible.
  ///
  /// `existing` holds each item's present position, nil for a new item; the result has the same count. An item keeps its position when
  /// there is room for all items between it and the next kept item. No other choice keeps more positions, even with duplicates or without
  /// gaps. The other items are spread evenly over their gap, or one `stride` apart before the first and after the last kept item. O(n log
  /// n).
  public static func assign(existing: [Int64?]) -> [Int64] {
    let kept = mostThatCanStay(existing)
    guard let first = kept.first, let last = kept.last else { return positions(for: existing.count) }
    var result: [Int64] = []
    result.reserveCapacity(existing.count)

    let leading = first.index
    let leadingStep = step(room: distance(.min, first.position), places: leading)
    for place in 0..<leading { result.append(first.position &- Int64(leadingStep &* UInt64(leading - place))) }
    result.append(first.position)

    for (lower, upper) in zip(kept, kept.dropFirst()) {
      let places = UInt64(upper.index - lower.index)
      let (whole, rest) = distance(lower.position, upper.position).quotientAndRemainder(dividingBy: places)
      for place in 1..<places {
        result.append(lower.position &+ Int64(bitPattern: whole &* place &+ rest &* place / places))
      }
      result.append(upper.position)
    }

    let trailing = existing.count - 1 - last.index
    let trailingStep = step(room: distance(last.position, .max), places: trailing)
    for place in 0..<trailing { result.append(last.position &+ Int64(trailingStep &* UInt64(place + 1))) }
    return result
  }
}

/// The largest set of items that can keep their positions.
///
/// Items at i < j can both stay when there is room for the j - i - 1 items between them: position(j) - position(i) >= j - i. So position -
/// index must not decrease. Patience sorting finds a longest non-decreasing subsequence of that difference.
private func mostThatCanStay(_ existing: [Int64?]) -> [(index: Int, position: Int64)] {
  var tails: [(slack: Int64, index: Int)] = []
  var previous = [Int](repeating: -1, count: existing.count)
  for (index, position) in existing.enumerated() {
    guard let position else { continue }
    // On overflow, the items before or after this one do not fit below or above it.
    let (slack, tooLow) = position.subtractingReportingOverflow(Int64(index))
    let tooHigh = position.addingReportingOverflow(Int64(existing.count - 1 - index)).overflow
    if tooLow || tooHigh { continue }
    let length = tails.partitioningIndex { $0.slack > slack }
    previous[index] = length == 0 ? -1 : tails[length - 1].index
    if length == tails.count { tails.append((slack, index)) } else { tails[length] = (slack, index) }
  }
  var kept: [(index: Int, position: Int64)] = []
  var next = tails.last?.index ?? -1
  while next >= 0 {
    if let position = existing[next] { kept.append((next, position)) }
    next = previous[next]
  }
  return kept.reversed()
}

/// `b - a` for `a <= b`, which may need all 64 bits.
private func distance(_ a: Int64, _ b: Int64) -> UInt64 {
  UInt64(bitPattern: b &- a)
}

/// The distance between `places` items that share `room` at an open end: a stride, or less near the ends of `Int64`.
private func step(room: UInt64, places: Int) -> UInt64 {
  min(UInt64(SparseOrder.stride), room / UInt64(max(1, places)))
}

extension Array {
  /// The first index whose element satisfies `belongs`. `belongs` must be false up to some element, and true from there on.
  fileprivate func partitioningIndex(where belongs: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if belongs(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
