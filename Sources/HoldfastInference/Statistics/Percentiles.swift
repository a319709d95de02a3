// Percentiles by nearest rank: the smallest value that at least this many of a hundred values do not exceed. It is always one
// of the values.

extension [Double] {
  /// The values at these percentiles, which must rise. Changes the order of the array. Empty for an empty array.
  mutating func takePercentiles(_ percentiles: [Int]) -> [Double] {
    guard !isEmpty else { return [] }
    let count = count
    return withUnsafeMutableBufferPointer { values in
      var start = 0
      return percentiles.map { percentile in
        let place = Swift.min(count - 1, Swift.max(start, (count * percentile + 99) / 100 - 1))
        values.bring(place, from: start)
        start = place
        return values[place]
      }
    }
  }
}

extension UnsafeMutableBufferPointer<Double> {
  /// Moves the value with the sorted index `place` to that index, smaller ones before it and greater ones after it. Reads only
  /// from `start` on. Hoare's selection; sorts when selection would take long.
  fileprivate mutating func bring(_ place: Int, from start: Int) {
    var (low, high) = (start, count - 1)
    var rounds = 0
    while low < high {
      rounds += 1
      if rounds > 64 || high - low < 16 { return self[low...high].sort() }
      let middle = low + (high - low) / 2
      let pivot = Swift.max(Swift.min(self[low], self[middle]), Swift.min(Swift.max(self[low], self[middle]), self[high]))
      var (left, right) = (low, high)
      while left <= right {
        while self[left] < pivot { left += 1 }
        while self[right] > pivot { right -= 1 }
        if left <= right {
          swapAt(left, right)
          left += 1
          right -= 1
        }
      }
      if place <= right { high = right } else if place >= left { low = left } else { return }
    }
  }
}
