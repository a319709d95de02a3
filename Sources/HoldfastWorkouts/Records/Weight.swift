/// A weight as it was entered: a number and what it is counted in.
public struct Weight: Sendable, Hashable, Codable {
  /// May be less than 0 where a machine helped.
  public var value: Double
  /// Any text; only kilograms and pounds can be converted.
  public var unit: WeightUnit

  /// A weight of any unit.
  public init(_ value: Double, _ unit: WeightUnit) {
    self.value = value
    self.unit = unit
  }

  /// A pound in kilograms, exactly, as the treaty of 1959 between the countries that use it has it.
  public static let kilogramsPerPound = 0.45359237

  /// The same weight counted in another unit; itself in its own. Nil where one of two different units is neither kilograms nor pounds,
  /// `bodyweight` for instance, and for numbers that are not finite.
  ///
  /// The result is as exact as a `Double` is, and is not rounded for display: 80 kg are 176.36980974790206 lb. But where it differs from a
  /// multiple of 0.001 only by what floating-point arithmetic adds, it is that multiple. So converting there and back, any number of times,
  /// gives what was entered, for all multiples of 0.001 up to 3,600; the exact product of such a number and a pound is never as close
  /// to another multiple.
  public func converted(to other: WeightUnit) -> Weight? {
    if other == unit { return self }
    return unit.conversion(to: other).value(value).map { Weight($0, other) }
  }

  /// Rounded to so many decimals, half away from zero, for people to read: 77.16 lb, which an app wrote for 35 kg, are 35.00 kg again.
  ///
  /// - Parameter decimals: 0 to 9; others count as the nearest of these.
  public func rounded(decimals: Int = 2) -> Weight {
    var scale = 1.0
    for _ in 0..<min(max(decimals, 0), 9) { scale *= 10 }
    let rounded = (value * scale).rounded() / scale
    return Weight(rounded.isFinite ? rounded : value, unit)
  }

  /// What happens to a number; told once for many.
  enum Conversion {
    case none, toKilograms, toPounds, impossible

    func value(_ value: Double) -> Double? {
      let converted: Double
      switch self {
      case .none: return value
      case .toKilograms: converted = value * kilogramsPerPound
      case .toPounds: converted = value / kilogramsPerPound
      case .impossible: return nil
      }
      return converted.isFinite ? withoutNoise(converted) : nil
    }
  }

  /// Twice rounded, in the product and in the factor, a value is off by less than four units of its last place.
  private static func withoutNoise(_ value: Double) -> Double {
    let multiple = (value * 1000).rounded() / 1000
    return abs(value - multiple) <= 4 * value.ulp ? multiple : value
  }
}

extension WeightUnit {
  /// Whether weights in it can be converted to kilograms and pounds.
  public var isConvertible: Bool { self == .kilograms || self == .pounds }

  func conversion(to other: WeightUnit) -> Weight.Conversion {
    if self == other { return .none }
    guard isConvertible, other.isConvertible else { return .impossible }
    return self == .pounds ? .toKilograms : .toPounds
  }
}
