/// A weight as it was entered: a number and its unit.
public struct Weight: Sendable, Hashable, Codable {
  /// May be below 0 for help by a machine.
  public var value: Double
  /// Any text; only kilograms and pounds can be converted.
  public var unit: WeightUnit

  /// A weight of any unit.
  public init(_ value: Double, _ unit: WeightUnit) {
    self.value = value
    self.unit = unit
  }

  /// A pound in kilograms, exactly, by the international agreement of 1959.
  public static let kilogramsPerPound = 0.45359237

  /// The same weight in another unit. Nil when the units differ and one of them is neither kilograms nor pounds, for example
  /// `bodyweight`, and for numbers that are not finite.
  ///
  /// The result is as exact as a `Double`, and not rounded for display: 80 kg are 176.36980974790206 lb. If it differs from a
  /// multiple of 0.001 only by a floating-point error, it becomes that multiple. So converting there and back, any number of
  /// times, gives the entered number, for all multiples of 0.001 up to 3,600; the exact product of such a number and a pound is
  /// never that close to another multiple.
  public func converted(to other: WeightUnit) -> Weight? {
    unit.conversion(to: other).value(value).map { Weight($0, other) }
  }

  /// Rounded to this many decimals, half away from zero, for people to read: 77.16 lb, which an app wrote for 35 kg, are 35.00 kg again.
  ///
  /// - Parameter decimals: 0 to 9; other values count as the nearest of these.
  public func rounded(decimals: Int = 2) -> Weight {
    var scale = 1.0
    for _ in 0..<min(max(decimals, 0), 9) { scale *= 10 }
    let rounded = (value * scale).rounded() / scale
    return Weight(rounded.isFinite ? rounded : value, unit)
  }

  /// The arithmetic of a conversion, chosen once for many numbers.
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

  /// The factor and the product are rounded, so the error is below four units of the last place.
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
