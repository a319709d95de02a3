extension [Double] {
  /// Zero if empty.
  var median: Double {
    let ordered = sorted()
    if ordered.isEmpty { return 0 }
    let middle = ordered.count / 2
    return ordered.count.isMultiple(of: 2) ? (ordered[middle - 1] + ordered[middle]) / 2 : ordered[middle]
  }

  /// The smallest value that `share` (0...1) of all do not exceed; zero if empty.
  func quantile(_ share: Double) -> Double {
    let ordered = sorted()
    if ordered.isEmpty { return 0 }
    return ordered[Swift.min(ordered.count - 1, Int((Double(ordered.count) * share).rounded(.up)) - 1)]
  }
}
