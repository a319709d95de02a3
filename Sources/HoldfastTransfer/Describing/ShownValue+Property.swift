import Foundation
import Holdfast

extension ShownValue {
  /// A value of a property by its type, and by the unit that ends the property's name.
  init(of value: Any, named name: String) {
    self = Self.shown(value, name) ?? .json(ShownProperties().json(of: value))
  }

  /// Whether fields may be looked for in a value: it is a struct, or an optional with one, which is not shown as one value.
  static func isOfProperties(_ value: Any) -> Bool { shown(value, "") == nil && !(value is any RawRepresentable) }

  /// Whether it is an optional struct of that kind, without its struct.
  static func isMissingProperties(_ value: Any) -> Bool {
    guard let optional = value as? any OptionalValue, optional.isMissing else { return false }
    let type = type(of: optional).wrapped
    let isOneValue = [String.self, Bool.self, UUID.self, Date.self, Data.self, URL.self, [String].self].contains { $0 == type }
    return !isOneValue && !(type is any Numeric.Type || type is any RawRepresentable.Type || type is any StoredJSONText.Type)
  }

  /// Nil for a value without a form of its own for people.
  private static func shown(_ value: Any, _ name: String) -> ShownValue? {
    // The usual types first, by a comparison: a cast that fails is slow.
    let type = type(of: value)
    if type == String.self || type == String?.self { return .text(value as? String) }
    if type == UUID.self || type == UUID?.self { return .id(value as? UUID) }
    if type == Date.self || type == Date?.self { return .time(value as? Date) }
    if type == Int.self || type == Int?.self { return whole((value as? Int).map(Int64.init), name) }
    if type == Int64.self || type == Int64?.self { return whole(value as? Int64, name) }
    if type == Double.self || type == Double?.self { return real(value as? Double, name) }
    if type == Bool.self { return (value as? Bool).map(ShownValue.flag) }
    switch value {
    case let flag as Bool: return .flag(flag)
    case let number as any BinaryInteger:
      return Int64(exactly: number).map { whole($0, name) } ?? .text(String(describing: number))
    case let number as any BinaryFloatingPoint: return real(Double(String(describing: number)), name)
    case let texts as [String]: return .texts(texts)
    case let data as Data: return .bytes(data)
    case let json as any StoredJSONText: return .stored(json.text)
    case let word as any RawRepresentable: return shown(word.rawValue, name)
    default: return missing(value, name)
    }
  }

  private static func whole(_ number: Int64?, _ name: String) -> ShownValue {
    if name.hasSuffix("_bytes") { return .size(number) }
    let number = number.map(Int.init(clamping:))
    return name.hasSuffix("_seconds") ? .seconds(number) : .count(number)
  }

  private static func real(_ number: Double?, _ name: String) -> ShownValue {
    name.hasSuffix("_seconds") ? .length(number) : .number(number)
  }

  /// Nothing, aligned as its type is; nil for a value that is something.
  private static func missing(_ value: Any, _ name: String) -> ShownValue? {
    guard let optional = value as? any OptionalValue, optional.isMissing else { return nil }
    let type = type(of: optional).wrapped
    if type is any BinaryInteger.Type { return whole(nil, name) }
    return type is any BinaryFloatingPoint.Type ? real(nil, name) : .text(nil)
  }
}

private protocol OptionalValue {
  static var wrapped: Any.Type { get }
  var isMissing: Bool { get }
}

extension Optional: OptionalValue {
  fileprivate static var wrapped: Any.Type { Wrapped.self }
  fileprivate var isMissing: Bool { self == nil }
}

private protocol StoredJSONText { var text: String { get } }
extension StoredJSON: StoredJSONText {}
