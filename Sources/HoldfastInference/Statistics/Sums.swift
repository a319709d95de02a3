// Sums of numbers that come from data: they stop at the greatest number, and never trap.

extension FixedWidthInteger {
  /// The sum, or the greatest or least number that there is.
  func adding(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}

extension Double {
  /// The sum, or the greatest or least finite number: JSON has no word for infinity.
  func adding(_ other: Double) -> Double { (self + other).finite }

  /// Itself, or the finite number next to it. No number is 0.
  var finite: Double {
    isNaN ? 0 : Swift.min(Swift.max(self, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
  }
}
