import Foundation
import Holdfast
import HoldfastTransfer

// Every form of the app's own files says the same of a workout, an exercise and a set. One table a kind says how each field is
// called, how it goes from a source into a row and how it comes back: reading, merging, verifying and exporting are loops over it.

/// One field of a record in the app's own files.
struct WorkoutField<Row: Sendable>: Sendable {
  /// As the Swift apps spell it; a point leads into an object: `suggest.repRange`.
  let name: String
  /// As the core spells it: `suggest.rep_range`.
  let snakeName: String
  /// Whatever the letters' case and the underscores: `suggest.reprange`.
  let plainName: String
  /// For people: a text.
  let what: String
  /// A record without it is quarantined.
  private(set) var isRequired = false
  /// The app does not know it: a source without it says nothing of it.
  private(set) var isOurs = false
  /// The stored value in the source's form.
  let get: @Sendable (Row, WorkoutDates) -> JSONValue
  /// Puts what the source has into the row, and returns it in the form that `get` gives back; nil, with the row as it was, where it
  /// is of a wrong kind.
  let take: @Sendable (JSONValue, inout Row, WorkoutDates) -> JSONValue?

  init(
    _ name: String, _ what: String, get: @escaping @Sendable (Row, WorkoutDates) -> JSONValue,
    take: @escaping @Sendable (JSONValue, inout Row, WorkoutDates) -> JSONValue?
  ) {
    self.name = name
    self.what = what
    snakeName = name.reduce(into: "") { text, letter in text += letter.isUppercase ? "_" + letter.lowercased() : String(letter) }
    plainName = Self.plain(name)
    self.get = get
    self.take = take
  }

  /// A name without its spelling: SQLite finds a column in any letters, and the two apps spell words apart or together.
  static func plain(_ name: String) -> String {
    guard name.utf8.contains(where: { $0 == 0x5F || 0x41...0x5A ~= $0 }) else { return name }
    // From bytes in a row, which String takes several times faster than others.
    return String(decoding: name.utf8.filter { $0 != 0x5F }.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  var required: Self {
    var field = self
    field.isRequired = true
    return field
  }

  var ours: Self {
    var field = self
    field.isOurs = true
    return field
  }
}

extension WorkoutField {
  static func text(_ name: String, _ path: any WritableKeyPath<Row, String> & Sendable) -> Self {
    Self(name, "a text") { row, _ in
      .string(row[keyPath: path])
    } take: { value, row, _ in
      guard case .string(let text) = value else { return nil }
      row[keyPath: path] = text
      return .string(row[keyPath: path])
    }
  }

  /// Without it, it is what the app takes it for.
  static func text(_ name: String, _ path: any WritableKeyPath<Row, String> & Sendable, otherwise: String) -> Self {
    let field = text(name, path)
    return Self(name, field.what, get: field.get) { value, row, dates in
      field.take(value == .null ? .string(otherwise) : value, &row, dates)
    }
  }

  static func textOrNil(_ name: String, _ path: any WritableKeyPath<Row, String?> & Sendable) -> Self {
    Self(name, "a text") { row, _ in
      .text(row[keyPath: path])
    } take: { value, row, _ in
      switch value {
      case .string(let text): row[keyPath: path] = text
      case .null: row[keyPath: path] = nil
      default: return nil
      }
      return .text(row[keyPath: path])
    }
  }

  static func int(_ name: String, _ path: any WritableKeyPath<Row, Int?> & Sendable) -> Self {
    Self(name, "a whole number") { row, _ in
      .number(row[keyPath: path].map(Int64.init))
    } take: { value, row, _ in
      guard value != .null else {
        row[keyPath: path] = nil
        return .null
      }
      guard let number = value.wholeNumber else { return nil }
      row[keyPath: path] = Int(clamping: number)
      return .integer(number)
    }
  }

  static func double(_ name: String, _ path: any WritableKeyPath<Row, Double?> & Sendable) -> Self {
    Self(name, "a number") { row, _ in
      .number(row[keyPath: path])
    } take: { value, row, _ in
      guard value != .null else {
        row[keyPath: path] = nil
        return .null
      }
      guard let number = value.finiteNumber else { return nil }
      row[keyPath: path] = number
      return .double(number)
    }
  }

  /// A list of texts; none is the same as an empty one.
  static func texts(_ name: String, _ path: any WritableKeyPath<Row, [String]> & Sendable) -> Self {
    Self(name, "a list of texts") { row, _ in
      .texts(row[keyPath: path])
    } take: { value, row, _ in
      let value = value == .null ? .array([]) : value
      guard let texts = value.texts else { return nil }
      row[keyPath: path] = texts
      return value
    }
  }

  static func date(_ name: String, _ path: any WritableKeyPath<Row, Date> & Sendable) -> Self {
    Self(name, "a date") { row, dates in
      dates.value(row[keyPath: path])
    } take: { value, row, dates in
      guard let date = dates.read(value) else { return nil }
      row[keyPath: path] = date.value
      return date.text
    }
  }

  static func dateOrNil(_ name: String, _ path: any WritableKeyPath<Row, Date?> & Sendable) -> Self {
    Self(name, "a date") { row, dates in
      row[keyPath: path].map(dates.value) ?? .null
    } take: { value, row, dates in
      guard value != .null else {
        row[keyPath: path] = nil
        return .null
      }
      guard let date = dates.read(value) else { return nil }
      row[keyPath: path] = date.value
      return date.text
    }
  }
}

/// How a form writes its times. Each reading is compared in the form itself, at the millisecond.
enum WorkoutDates: Sendable, Equatable {
  /// `2025-12-25T10:15:30.123456789Z`, as the core writes it.
  case rfc3339
  /// `2018-01-29 00:08:00.000` in UTC.
  case sqlText
  /// Seconds since 1970.
  case since1970
  /// Seconds since 2001, as Foundation's encoder writes a date.
  case since2001
  /// `2025-04-08T11:00:00`, on the clock of some zone.
  case local(TimeZone)

  /// Between the two epochs.
  private static let epochs: Int64 = 978_307_200_000

  func read(_ value: JSONValue) -> Written<Date>? {
    switch self {
    case .rfc3339:
      guard case .string(let text) = value else { return nil }
      return Written(date: text)
    case .sqlText:
      guard case .string(let text) = value else { return nil }
      return Written(sqlDate: text)
    case .since1970: return Self.read(value, 0)
    case .since2001: return Self.read(value, Self.epochs)
    case .local(let zone):
      guard case .string(let text) = value else { return nil }
      return read(text, on: WallClock(timeZone: zone))
    }
  }

  /// A stored date in this form.
  func value(_ date: Date) -> JSONValue {
    guard let milliseconds = DateCodec.milliseconds(date) else { return .null }
    switch self {
    case .rfc3339: return .iso8601(date)
    case .sqlText: return .sqlDate(date)
    case .since1970: return .double(Double(milliseconds) / 1000)
    case .since2001: return .double(Double(milliseconds - Self.epochs) / 1000)
    case .local(let zone):
      return .string(String(DateCodec.iso8601(WallClock(timeZone: zone).time(date), fraction: false).dropLast()))
    }
  }

  private static func read(_ value: JSONValue, _ epoch: Int64) -> Written<Date>? {
    guard let seconds = value.finiteNumber, let milliseconds = Int64(exactly: (seconds * 1000).rounded(.toNearestOrAwayFromZero)),
      let date = DateCodec.date(milliseconds: milliseconds &+ epoch)
    else { return nil }
    return Written(value: date, text: .double(Double(milliseconds) / 1000))
  }

  private func read(_ text: String, on clock: WallClock) -> Written<Date>? {
    guard text.utf8.count == 19, let wall = DateCodec.parseISO8601(text + "Z") else { return nil }
    let date = clock.date(wall)
    guard DateCodec.milliseconds(date) != nil else { return nil }
    // A time that the clock left out in spring becomes the one after it, and is compared as that.
    return Written(value: date, text: clock.time(date) == wall ? .string(text) : value(date))
  }
}

extension JSONValue {
  /// A number without a fraction, however it is written.
  var wholeNumber: Int64? {
    switch self {
    case .integer(let number): number
    case .double(let number): Int64(exactly: number)
    default: nil
    }
  }

  var finiteNumber: Double? {
    switch self {
    case .integer(let number): Double(exactly: number)
    case .double(let number) where number.isFinite: number
    default: nil
    }
  }

  /// The texts of a list of nothing else.
  var texts: [String]? {
    guard case .array(let elements) = self else { return nil }
    let texts = elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
    return texts.count == elements.count ? texts : nil
  }

  static func texts(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
}
