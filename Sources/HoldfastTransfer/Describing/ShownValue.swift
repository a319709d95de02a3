public import Foundation
public import Holdfast

/// One value of a library, for people and for programs.
public indirect enum ShownValue: Sendable {
  case text(String?)
  case texts([String])
  case id(UUID?)
  case time(Date?)
  /// Seconds, shown as `1:02:33`.
  case length(Double?)
  case seconds(Int?)
  /// Bytes, shown as `1.5 MB`.
  case size(Int64?)
  case count(Int?)
  /// Shown to people with at most three digits after the point.
  case number(Double?)
  case flag(Bool)
  /// JSON that a record keeps as text. Text that is not JSON is a string.
  case stored(String)
  case json(JSONValue)
  /// For programs in Base64; people see how many.
  case bytes(Data)
  /// A value with other words for people; nil and "" show nothing.
  case told(ShownValue, String?)

  /// The same value, but people see nothing when it is zero: an unknown length is not 0:00.
  public var unlessZero: ShownValue { ["0", "0:00", "0 bytes"].contains(words) ? .told(self, nil) : self }

  /// The value for programs: ids in lower case, times in RFC 3339 in UTC with milliseconds, lengths in seconds, sizes in bytes.
  public var json: JSONValue {
    switch self {
    case .text(let text): .text(text)
    case .texts(let texts): .array(texts.map(JSONValue.string))
    case .id(let id): .text(id.map(IDCodec.lowercase))
    case .time(let date): .text(date.flatMap(DateCodec.milliseconds).map { DateCodec.iso8601($0, fraction: true) })
    case .length(let number), .number(let number): .number(number)
    case .size(let bytes): .number(bytes)
    case .seconds(let number), .count(let number): .number(number.map(Int64.init))
    case .flag(let flag): .bool(flag)
    case .stored(let text): Self.parsed(text)
    case .json(let json): json
    case .bytes(let data): .object(["base64": .string(data.base64EncodedString())])
    case .told(let value, _): value.json
    }
  }

  /// The value for people; empty when it is unknown.
  public var words: String {
    switch self {
    case .text(let text): text ?? ""
    case .texts(let texts): texts.joined(separator: ", ")
    case .id(let id): id.map(IDCodec.lowercase) ?? ""
    case .time(let date): date.flatMap(DateCodec.milliseconds).map { DateCodec.iso8601($0, fraction: false) } ?? ""
    case .length(let seconds): Self.length(seconds)
    case .seconds(let seconds): Self.length(seconds.map(Double.init))
    case .size(let bytes): bytes.map(Self.size) ?? ""
    case .count(let count): count.map(String.init) ?? ""
    case .number(let number): number.map { Self.decimal($0, places: 3) } ?? ""
    case .flag(let flag): flag ? "yes" : ""
    case .stored(let text): text
    case .json(let json): json.plainText
    case .bytes(let data): "\(data.count) bytes"
    case .told(_, let words): words ?? ""
    }
  }

  /// Whether the value is aligned right in its column.
  var isFigure: Bool {
    switch self {
    case .length, .seconds, .size, .count, .number: true
    case .told(let value, _): value.isFigure
    default: false
    }
  }

  /// Rounds to `places` digits after the point and drops zeros at the end: `80`, `82.5`.
  public static func decimal(_ number: Double, places: Int) -> String {
    let factor = (0..<places).reduce(1.0) { factor, _ in factor * 10 }
    let parts = (number * factor).rounded()
    guard parts.magnitude < 1e15 else { return number.description }
    let rounded = parts / factor
    return Int64(exactly: rounded).map(String.init) ?? rounded.description
  }

  /// `1 track`, `2 tracks`, `no tracks`.
  public static func counted(_ count: Int, _ one: String, _ many: String? = nil) -> String {
    "\(count == 0 ? "no" : String(count)) \(count == 1 ? one : many ?? one + "s")"
  }

  private static func length(_ seconds: Double?) -> String {
    guard let seconds, seconds.isFinite, let whole = Int(exactly: min(max(0, seconds), 1e12).rounded(.down)) else { return "" }
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
    return hours > 0 ? "\(hours):\(two(minutes)):\(two(rest))" : "\(minutes):\(two(rest))"
  }

  /// In steps of 1000, as sizes of disks are given.
  private static func size(_ bytes: Int64) -> String {
    var amount = Double(max(0, bytes))
    guard amount >= 1000 else { return "\(max(0, bytes)) bytes" }
    var unit = ""
    for next in ["kB", "MB", "GB", "TB"] where amount >= 1000 {
      amount /= 1000
      unit = next
    }
    let tenths = Int(amount * 10)
    return "\(tenths / 10).\(tenths % 10) \(unit)"
  }

  private static func parsed(_ text: String) -> JSONValue {
    var scanner = JSONScanner(JSONDocument(Array(text.utf8)))
    guard let value = try? scanner.value(), (try? scanner.finish()) != nil else { return .string(text) }
    return value
  }
}
