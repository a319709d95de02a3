// Sums of numbers from data: they stop at the greatest number, and never trap.

extension FixedWidthInteger {
  /// The sum, or the greatest or least possible number.
  func adding(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}

extension Double {
  /// The sum, or the greatest or least finite number: JSON cannot express infinity.
  func adding(_ other: Double) -> Double { (self + other).finite }

  /// The number itself, or the nearest finite one. NaN becomes 0.
  var finite: Double {
    isNaN ? 0 : Swift.min(Swift.max(self, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
  }
}
