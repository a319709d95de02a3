import Foundation
import Holdfast

/// How dates stand in the JSON of another program.
public enum JSONDates: Sendable {
  /// Milliseconds since 1970: what GRDB writes into a column.
  case milliseconds
  /// Seconds since 1970.
  case seconds
  /// Seconds since 2001: what `JSONEncoder` writes by default.
  case secondsSince2001
  /// ISO 8601, in whole seconds.
  case iso8601

  private var strategies: (decoding: JSONDecoder.DateDecodingStrategy, encoding: JSONEncoder.DateEncodingStrategy) {
    switch self {
    case .milliseconds: (.millisecondsSince1970, .millisecondsSince1970)
    case .seconds: (.secondsSince1970, .secondsSince1970)
    case .secondsSince2001: (.deferredToDate, .deferredToDate)
    case .iso8601: (.iso8601, .iso8601)
    }
  }

  fileprivate var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = strategies.decoding
    return decoder
  }

  fileprivate var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = strategies.encoding
    return encoder
  }
}

extension ValueForm where Value: Codable {
  /// A value of `type` as JSON: in a JSON source the value itself, in a database text or bytes.
  ///
  /// Compared as JSON: 1 equals 1.0, a member that is null equals none, and numbers may differ in their last two bits. A value with members
  /// that `type` does not have is wrong, because they would be lost.
  ///
  /// - Parameter dates: how dates stand in it. Default: as GRDB writes them.
  public static func json(_ type: Value.Type, dates: JSONDates = .milliseconds) -> ValueForm {
    @Sendable func encoded(_ value: Value) -> JSONValue? {
      (try? dates.encoder.encode(value)).flatMap { JSONValue(json: String(decoding: $0, as: UTF8.self)) }
    }
    return ValueForm("\(type) as JSON", .json) { value, said in
      guard let own = encoded(value) else { return .null }
      return own.means(said) ? said : own
    } read: { json in
      guard let value = try? dates.decoder.decode(type, from: Data(json.canonicalText().utf8)), encoded(value)?.means(json) == true else {
        return nil
      }
      return Written(value: value, text: json)
    }
  }
}

extension JSONValue {
  /// Whether two values are the same to a reader of JSON.
  fileprivate func means(_ other: JSONValue) -> Bool {
    switch (self, other) {
    case (.array(let one), .array(let two)): return one.count == two.count && zip(one, two).allSatisfy { $0.means($1) }
    case (.object(let one), .object(let two)):
      return Set(one.keys).union(two.keys).allSatisfy { (one[$0] ?? .null).means(two[$0] ?? .null) }
    case (.double, _), (_, .double):
      guard let one = finiteNumber, let two = other.finiteNumber else { return false }
      return abs(one - two) <= 2 * max(one.magnitude, two.magnitude).ulp
    default: return self == other
    }
  }
}
