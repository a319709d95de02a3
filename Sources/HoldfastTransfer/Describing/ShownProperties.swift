public import Foundation
public import Holdfast

/// What programs see of values: an object with a member for each stored property, named in snake case.
///
/// ```swift
/// static let properties = ShownProperties { value in
///   if let plant = value as? Plant { ["position": nil, "bed": .id(plant.bedID)] } else { [:] }
/// }
/// ```
/// By their types: flags, whole numbers, numbers, texts, ids, times and JSON as in `ShownValue`; values with a raw value as that; nil as
/// `null`; arrays as lists; and any other value as an object in the same way. A property that is added to a type is a member from then on:
/// use this for types without secrets.
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

  private func json(of value: Any) -> JSONValue {
    switch value {
    case let flag as Bool: return .bool(flag)
    case let number as Int: return .number(Int64(number))
    case let number as Int64: return .number(number)
    case let number as Double: return .number(number)
    case let text as String: return .string(text)
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
    default: return object(of: value)
    }
  }
}
