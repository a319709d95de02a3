import Foundation
import Holdfast
import HoldfastTransfer

/// Values of the SDK's databases, with what verification compares.
enum LegacyValue {
  /// Stands for bytes that are no value of JSON: no field is such a list.
  static let unreadable = JSONValue.array([.array([])])

  static func text(_ value: JSONValue) -> Written<String>? {
    if case .string(let text) = value { Written(value: text, text: value) } else { nil }
  }

  static func texts(_ value: JSONValue) -> Written<[String]>? {
    guard case .array(let elements) = value else { return nil }
    let texts = elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
    return texts.count == elements.count ? Written(value: texts, text: value) : nil
  }

  static func list(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }

  /// A database has 0 and 1.
  static func bool(_ value: JSONValue) -> Written<Bool>? {
    switch value {
    case .bool(let flag): Written(value: flag, text: value)
    case .integer(let number) where number == 0 || number == 1: Written(value: number == 1, text: .bool(number == 1))
    default: nil
    }
  }

  /// A number without a fraction, however it is written.
  static func int64(_ value: JSONValue) -> Written<Int64>? {
    switch value {
    case .integer(let number): Written(value: number, text: value)
    case .double(let number): Int64(exactly: number).map { Written(value: $0, text: .integer($0)) }
    default: nil
    }
  }

  static func int(_ value: JSONValue) -> Written<Int>? {
    guard let number = int64(value), let value = Int(exactly: number.value) else { return nil }
    return Written(value: value, text: number.text)
  }

  static func double(_ value: JSONValue) -> Written<Double>? {
    switch value {
    case .integer(let number): Double(exactly: number).map { Written(value: $0, text: .double($0)) }
    case .double(let number) where number.isFinite: Written(value: number, text: value)
    default: nil
    }
  }

  /// As milliseconds. Compared as what comes back, which is what the source has but for the last bit or two of it.
  static func seconds(_ value: JSONValue) -> Written<Double>? {
    guard let number = double(value)?.value else { return nil }
    let stored = number * 1000
    let back = stored / 1000
    guard stored.isFinite, abs(back - number) <= 2 * number.ulp else { return nil }
    return Written(value: stored, text: .double(back))
  }

  static func object(_ value: JSONValue) -> Written<[String: JSONValue]>? {
    if case .object(let members) = value { Written(value: members, text: value) } else { nil }
  }
}

/// How a form writes its times. Each reading is compared in the form itself, at the millisecond.
enum LegacyDates: Sendable {
  /// Seconds since 2001, as Foundation's encoder writes a date.
  case since2001
  /// `2025-08-05 12:30:00.000` in UTC, as GRDB writes it.
  case sqlText

  /// Between the two epochs.
  private static let epochs: Int64 = 978_307_200_000

  func read(_ value: JSONValue) -> Written<Date>? {
    switch self {
    case .sqlText:
      guard case .string(let text) = value else { return nil }
      return Written(sqlDate: text)
    case .since2001:
      guard let seconds = LegacyValue.double(value)?.value,
        let milliseconds = Int64(exactly: (seconds * 1000).rounded(.toNearestOrAwayFromZero)),
        let date = DateCodec.date(milliseconds: milliseconds &+ Self.epochs)
      else { return nil }
      return Written(value: date, text: .double(Double(milliseconds) / 1000))
    }
  }

  /// A stored date in this form.
  func value(_ date: Date) -> JSONValue {
    switch self {
    case .sqlText: .sqlDate(date)
    case .since2001: DateCodec.milliseconds(date).map { .double(Double($0 - Self.epochs) / 1000) } ?? .null
    }
  }

  /// What a column of the first database has, seconds since 1970 or SQLite's own text, as its JSON would have it. Nil when it is no time.
  static func since2001(column value: JSONValue) -> JSONValue? {
    if case .string(let text) = value { return DateCodec.parseSQLText(text).map { .double(Double($0 - epochs) / 1000) } }
    guard let seconds = LegacyValue.double(value)?.value,
      let milliseconds = Int64(exactly: (seconds * 1000).rounded(.toNearestOrAwayFromZero)), DateCodec.range.contains(milliseconds)
    else { return nil }
    return .double(Double(milliseconds - epochs) / 1000)
  }
}
