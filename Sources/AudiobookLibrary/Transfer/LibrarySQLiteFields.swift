import Foundation
import Holdfast

/// The columns of one row, read leniently: the first thing that is wrong is remembered, and the record goes into quarantine
/// for it.
struct LibrarySQLiteFields {
  let row: SQLiteRow
  /// What is wrong, for a person.
  private(set) var problem: String?

  init(_ row: SQLiteRow) { self.row = row }

  mutating func fail(_ reason: String) { problem = problem ?? reason }

  mutating func text(_ column: String) -> String { textOrNil(column) ?? missing(column, "") }

  mutating func textOrNil(_ column: String) -> String? {
    switch row.value(column) {
    case nil, .null?: nil
    case .text(let text)?: text
    case .blob? where row.isBrokenText(column): wrong("\(column) is not text in UTF-8")
    default: wrong("\(column) should be a text")
    }
  }

  mutating func double(_ column: String) -> Double { doubleOrNil(column) ?? missing(column, 0) }

  mutating func doubleOrNil(_ column: String) -> Double? {
    switch row.value(column) {
    case nil, .null?: return nil
    case .real(let value)? where value.isFinite: return value
    case .integer(let value)?: if let exact = Double(exactly: value) { return exact }
    default: break
    }
    return wrong("\(column) should be a number")
  }

  mutating func int64(_ column: String) -> Int64 {
    switch row.value(column) {
    case nil, .null?: return missing(column, 0)
    case .integer(let value)?: return value
    // What a column without a type keeps of a number that was bound as a Double.
    case .real(let value)?: if let exact = Int64(exactly: value) { return exact }
    default: break
    }
    return wrong("\(column) should be a whole number") ?? 0
  }

  mutating func id(_ column: String) -> Written<UUID>? { idOrNil(column) ?? missing(column, nil) }

  mutating func idOrNil(_ column: String) -> Written<UUID>? {
    guard let text = textOrNil(column) else { return nil }
    return Written(id: text) ?? wrong("\(column) is not an id: \(text.prefix(60))")
  }

  mutating func date(_ column: String) -> Written<Date>? { dateOrNil(column) ?? missing(column, nil) }

  mutating func dateOrNil(_ column: String) -> Written<Date>? {
    guard let text = textOrNil(column) else { return nil }
    return Written(sqlDate: text) ?? wrong("\(column) is not a date: \(text.prefix(60))")
  }

  /// A map of texts, as JSON text with sorted keys.
  mutating func textMap(_ column: String) -> JSONColumn<[String: String]> {
    guard let text = textOrNil(column) else { return .empty }
    guard let members = [String: JSONValue](json: text), members.values.allSatisfy({ if case .string = $0 { true } else { false } }) else {
      return wrong("\(column) should be a JSON object of texts") ?? .empty
    }
    return members.isEmpty ? .empty : JSONColumn(text: JSONValue.object(members).canonicalText())
  }

  /// Of a kind that is known its content with sorted keys, of another the text word for word.
  mutating func tagged<Kind: MemberDecodable>(_ type: String, _ payload: String) -> Tagged<Kind> {
    let name = text(type)
    let content = textOrNil(payload)
    guard problem == nil else { return Tagged(type: name, payload: "{}") }
    if let tagged = Self.tagged(Kind.self, name, content) { return tagged }
    fail(
      Kind.knownTypes.contains(name) ? "\(payload) lacks what the kind \(name) carries" : "\(payload) should be a JSON object")
    return Tagged(type: name, payload: "{}")
  }

  static func tagged<Kind: MemberDecodable>(_: Kind.Type, _ name: String, _ content: String?) -> Tagged<Kind>? {
    guard var members = [String: JSONValue](json: content ?? "{}") else { return nil }
    guard Kind.knownTypes.contains(name) else { return Tagged(type: name, payload: content ?? "{}") }
    guard Kind(type: name, members: members) != nil else { return nil }
    members["type"] = nil
    return Tagged(type: name, payload: JSONValue.object(members).canonicalText())
  }

  /// Columns that hold something and are not among `known`.
  func unknown(besides known: Set<String>) -> [String] {
    row.columns.filter { column in
      let name = column.lowercased()
      return !known.contains(name) && row.value(name) != .null
    }
  }

  private mutating func missing<T>(_ column: String, _ otherwise: T) -> T {
    fail("\(column) is missing")
    return otherwise
  }

  private mutating func wrong<T>(_ reason: String) -> T? {
    fail(reason)
    return nil
  }
}

extension Written<Date> {
  /// `2025-11-05 11:41:22.123` in UTC is compared as it stands. Another way to write a time is first brought into that form by
  /// its letters alone, and one with an offset or finer than a millisecond by Foundation: neither shares anything with the
  /// kit's own reading. Nil also for a time before 1583 in the last two forms, where Foundation counts in another calendar.
  init?(sqlDate text: String) {
    guard let milliseconds = DateCodec.parseSQLText(text), let date = DateCodec.date(milliseconds: milliseconds),
      let canonical = SQLDateText.canonical(text)
    else { return nil }
    self.init(value: date, text: .string(canonical))
  }
}

/// Other spellings of a date and time as `YYYY-MM-DD HH:MM:SS.SSS`. Only for texts that the kit reads as dates.
enum SQLDateText {
  static func canonical(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    if bytes.count == 23, bytes[10] == UInt8(ascii: " "), bytes[19] == UInt8(ascii: "."), bytes.last != UInt8(ascii: "Z") { return text }
    let day = text.prefix(10)
    var time = text.dropFirst(11)
    var offset: Substring = ""
    if time.last == "Z" {
      time = time.dropLast()
    } else if let sign = time.lastIndex(where: { $0 == "+" || $0 == "-" }) {
      offset = time[sign...]
      time = time[..<sign]
    }
    let parts = time.split(separator: ".", maxSplits: 1)
    let fraction = parts.count == 2 ? parts[1] : ""
    let clock = (parts.first.map(String.init) ?? "00:00") + ((parts.first?.count ?? 0) > 5 ? "" : ":00")
    if offset.isEmpty, fraction.count <= 3 {
      return "\(day) \(clock).\(fraction)\(String(repeating: "0", count: 3 - fraction.count))"
    }
    return byFoundation("\(day)T\(clock)\(offset.isEmpty ? "Z" : offset)", fraction)
  }

  private static func byFoundation(_ seconds: String, _ fraction: Substring) -> String? {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions =
      seconds.dropLast(2).last == ":" || seconds.last == "Z"
      ? [.withInternetDateTime] : [.withFullDate, .withTime, .withColonSeparatorInTime, .withTimeZone]
    guard seconds.prefix(4) >= "1583", let whole = formatter.date(from: seconds), let part = Decimal(string: "0.\(fraction)0") else {
      return nil
    }
    var exact = (Decimal(whole.timeIntervalSince1970) + part) * 1000
    var rounded = Decimal()
    NSDecimalRound(&rounded, &exact, 0, .plain)
    let milliseconds = NSDecimalNumber(decimal: rounded).int64Value
    return DateCodec.range.contains(milliseconds) ? DateCodec.sqlText(milliseconds) : nil
  }
}
