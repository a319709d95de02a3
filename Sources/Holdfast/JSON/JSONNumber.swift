/// A number, checked and not converted yet; valid as long as its document.
struct JSONNumber {
  fileprivate(set) var isNegative = false
  /// The first 19 significant digits.
  fileprivate(set) var mantissa: UInt64 = 0
  /// The value is `mantissa` times ten to this power, if `isExact`.
  fileprivate(set) var exponent = 0
  /// Whether all digits behind the mantissa are zeros.
  fileprivate(set) var isExact = true
  /// Whether the text has neither a point nor an exponent.
  fileprivate(set) var isWhole = true
  /// The number as written.
  fileprivate(set) var bytes = UnsafeBufferPointer<UInt8>(start: nil, count: 0)

  /// The value as an integer, however it is written: `1.0` and `1e3` have one, `1.5` and 2⁶³ have none.
  var int64: Int64? {
    guard isExact, mantissa == 0 || -19...18 ~= exponent else { return nil }
    var magnitude = mantissa
    if mantissa != 0 {
      for _ in 0..<abs(exponent) {
        if exponent > 0 {
          let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
          if overflow { return nil }
          magnitude = product
        } else {
          let (quotient, remainder) = magnitude.quotientAndRemainder(dividingBy: 10)
          if remainder != 0 { return nil }
          magnitude = quotient
        }
      }
    }
    if isNegative { return magnitude <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil }
    return Int64(exactly: magnitude)
  }

  /// The nearest Double; infinite when the number is too large.
  var double: Double {
    // Both factors are exact, so the result is rounded only once, and correctly (Clinger 1990).
    if isExact, mantissa <= 1 << 53, -22...22 ~= exponent {
      let whole = Double(mantissa)
      let value = exponent < 0 ? whole / Self.powersOfTen[-exponent] : whole * Self.powersOfTen[exponent]
      return isNegative ? -value : value
    }
    // C's `strtod` would use the locale's decimal point.
    return Double(String(decoding: bytes, as: UTF8.self)) ?? .infinity
  }

  /// Whether a Double can hold the number.
  var isFinite: Bool { exponent < 289 || double.isFinite }

  /// The number as written; cut after 40 bytes.
  var text: String { String(decoding: bytes.prefix(40), as: UTF8.self) + (bytes.count > 40 ? "…" : "") }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  /// Takes the next digit; returns whether the digit became part of the mantissa.
  @inline(__always)
  fileprivate mutating func take(_ digit: UInt8) -> Bool {
    guard mantissa < 1_000_000_000_000_000_000 else {
      if digit != 0 { isExact = false }
      return false
    }
    mantissa = mantissa &* 10 &+ UInt64(digit)
    return true
  }
}

extension JSONTokens {
  /// Reads a number and checks every byte. The cursor must be at its sign or first digit.
  mutating func number() throws(JSONTokenFailure) -> JSONNumber {
    var number = JSONNumber()
    var index = offset
    if base[index] == UInt8(ascii: "-") {
      number.isNegative = true
      index += 1
    }
    guard let first = digit(at: index) else { throw JSONTokenFailure(offset: index, expected: "a digit") }
    if first == 0 {
      index += 1
      if digit(at: index) != nil { throw JSONTokenFailure(offset: index, expected: "no digit after a leading zero") }
    }
    while let digit = digit(at: index) {
      if !number.take(digit) { number.exponent += 1 }
      index += 1
    }
    if base[index] == UInt8(ascii: ".") {
      number.isWhole = false
      index += 1
      guard digit(at: index) != nil else { throw JSONTokenFailure(offset: index, expected: "a digit after the point") }
      while let digit = digit(at: index) {
        if number.take(digit) { number.exponent -= 1 }
        index += 1
      }
    }
    if base[index] | 0x20 == UInt8(ascii: "e") {
      number.isWhole = false
      index += 1
      let isNegative = base[index] == UInt8(ascii: "-")
      if isNegative || base[index] == UInt8(ascii: "+") { index += 1 }
      guard digit(at: index) != nil else { throw JSONTokenFailure(offset: index, expected: "a digit in the exponent") }
      var exponent = 0
      while let digit = digit(at: index) {
        // Larger than the number of digits in any file, which could offset the exponent.
        if exponent < 1 << 48 { exponent = exponent * 10 + Int(digit) }
        index += 1
      }
      number.exponent += isNegative ? -exponent : exponent
    }
    number.bytes = UnsafeBufferPointer(start: base + offset, count: index - offset)
    guard number.isFinite else {
      throw JSONTokenFailure(offset: offset, expected: "a number that a Double can hold", found: number.text)
    }
    offset = index
    return number
  }

  @inline(__always)
  private func digit(at index: Int) -> UInt8? {
    let digit = base[index] &- UInt8(ascii: "0")
    return digit <= 9 ? digit : nil
  }
}
