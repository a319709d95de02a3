import Foundation
public import Holdfast

/// What programs see of values: an object with a member for each stored property, named in snake case.
///
/// ```swift
/// static let properties = ShownProperties { value in
///   if let plant = value as? Plant { ["position": nil, "bed": .id(plant.bedID)] } else { [:] }
/// }
/// ```
/// By their types: flags, numbers of every kind, texts, ids, times, bytes and JSON as in `ShownValue`; a whole number beyond 64 bits and a
/// URL as a text; values with a raw value as that; nil as `null`; arrays and sets as lists, a set in the order of its JSON; dictionaries as
/// objects; structs as an object in the same way; and any other value as `String(describing:)` tells it. A property that is added to a type is
/// a member from then on: use this for types without secrets.
public struct ShownProperties: Sendable {
  private let differing: @Sendable (Any) -> [String: ShownValue?]

  /// - Parameter differing: members of a value's object that are not its properties, or differ from them. Nil leaves a property out.
  public init(_ differing: @escaping @Sendable (Any) -> [String: ShownValue?] = { _ in [:] }) { self.differing = differing }

  /// The object of a struct.
  public func object(of value: Any) -> JSONValue {
    let differing = differing(value)
    var members = differing.compactMapValues { $0?.json }
    for case (let name?, let property) in Mirror(reflecting: value).children.map({ ($0.label.map(ColumnName.of), $0.value) })
    where differing[name] == nil {
      members[name] = json(of: property)
    }
    return .object(members)
  }

  /// The objects of structs, as a list.
  public func list(of values: [Any]) -> ShownValue { .json(.array(values.map(object))) }

  func json(of value: Any) -> JSONValue {
    switch value {
    case let flag as Bool: return .bool(flag)
    case let number as any BinaryInteger: return Int64(exactly: number).map(JSONValue.integer) ?? .string(String(describing: number))
    // By its own digits: 0.1 as a Float is 0.1, and not the nearest Double.
    case let number as any BinaryFloatingPoint: return .number(Double(String(describing: number)))
    case let number as Decimal: return .number(Double(number.description))
    case let text as any StringProtocol: return .string(String(text))
    case let data as Data: return ShownValue.bytes(data).json
    case let url as URL: return .string(url.absoluteString)
    case let id as UUID: return ShownValue.id(id).json
    case let date as Date: return ShownValue.time(date).json
    case let json as JSONValue: return json
    case let members as [String: JSONValue]: return .object(members)
    case let word as any RawRepresentable: return json(of: word.rawValue)
    default: break
    }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional: return mirror.children.first.map { json(of: $0.value) } ?? .null
    case .collection: return .array(mirror.children.map { json(of: $0.value) })
    case .set:
      return .array(mirror.children.map { json(of: $0.value) }.sorted { $0.canonicalText() < $1.canonicalText() })
    case .dictionary:
      let pairs = mirror.children.map { Mirror(reflecting: $0.value).children.map { json(of: $0.value) } }
      return .object(Dictionary(pairs.map { (($0.first ?? .null).plainText, $0.last ?? .null) }) { first, _ in first })
    case .struct: return object(of: value)
    default: return .string(String(describing: value))
    }
  }
}
