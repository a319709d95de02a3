import Foundation
import Holdfast

/// Where a property with a name stands in values: found in the first value that has it, because values of a type have one layout.
final class PropertyPlace: @unchecked Sendable {
  /// A property among those of its struct, with its label.
  private typealias Step = (place: Int, label: String)

  private let name: String
  private let lock = NSLock()
  // Guarded by `lock`.
  private var known: [Step]?

  init(_ name: String) { self.name = name }

  /// The property's value; nil: this value has none.
  func value(in item: Any) -> Any? {
    if let path = lock.withLock({ known }), let value = Self.value(at: path, in: item) { return value }
    guard let path = Self.path(to: name, in: item) else { return nil }
    lock.withLock { known = path }
    return Self.value(at: path, in: item)
  }

  private static func value(at path: [Step], in item: Any) -> Any? {
    var value = item
    for step in path {
      let properties = Mirror(reflecting: bare(value)).children
      guard step.place < properties.count else { return nil }
      let property = properties[properties.index(properties.startIndex, offsetBy: step.place)]
      guard property.label == step.label else { return nil }
      value = property.value
    }
    return value
  }

  /// An own property is found before those of the structs in the item.
  private static func path(to name: String, in item: Any) -> [Step]? {
    let mirror = Mirror(reflecting: bare(item))
    guard mirror.displayStyle == .struct else { return nil }
    let properties = mirror.children.enumerated().compactMap { place, child in
      child.label.map { (step: Step(place, $0), name: ColumnName.of($0), value: child.value) }
    }
    if let own = properties.first(where: { $0.name == name }) { return [own.step] }
    for property in properties where ShownValue.isOfProperties(property.value) {
      let rest = name.hasPrefix(property.name + "_") ? String(name.dropFirst(property.name.count + 1)) : nil
      if let found = rest.flatMap({ path(to: $0, in: property.value) }) ?? path(to: name, in: property.value) {
        return [property.step] + found
      }
    }
    return nil
  }

  /// The value in an optional; itself otherwise.
  private static func bare(_ value: Any) -> Any {
    let mirror = Mirror(reflecting: value)
    return mirror.displayStyle == .optional ? mirror.children.first.map { bare($0.value) } ?? value : value
  }
}
