import Foundation
import Holdfast

/// Where a property with a name stands in values. Values of a type have one layout, so it is looked for only once.
final class PropertyPlace: @unchecked Sendable {
  private struct Step {
    let place: Int
    let label: String
    /// Whether the next step is in an optional struct, which another value may not have.
    var leadsIntoOptional = false
  }

  private let name: String
  private let lock = NSLock()
  // Guarded by `lock`.
  private var known: [Step]?

  init(_ name: String) { self.name = name }

  /// The property's value as it is shown. Nothing where it would stand in a struct that this item does not have; words that say so where the
  /// type has no such property, so that a misspelled name is seen.
  func shown(in item: Any) -> ShownValue {
    if let path = lock.withLock({ known }) { return shown(Self.value(at: path, in: item)) }
    guard let path = Self.path(to: name, in: item) else {
      return Self.mayHoldMore(item) ? .text(nil) : .text("no property \(name)")
    }
    if !path.contains(where: \.leadsIntoOptional) { lock.withLock { known = path } }
    return shown(Self.value(at: path, in: item))
  }

  private func shown(_ value: Any?) -> ShownValue { value.map { ShownValue(of: $0, named: name) } ?? .text(nil) }

  /// Whether an optional struct is missing in the item, or the whole item.
  private static func mayHoldMore(_ item: Any) -> Bool {
    let mirror = mirror(of: item)
    guard mirror.displayStyle == .struct else { return mirror.displayStyle == .optional }
    return mirror.children.contains { _, value in
      ShownValue.isMissingProperties(value) || ShownValue.isOfProperties(value) && mayHoldMore(value)
    }
  }

  private static func value(at path: [Step], in item: Any) -> Any? {
    var value = item
    for step in path {
      let properties = mirror(of: value).children
      guard step.place < properties.count else { return nil }
      let property = properties[properties.index(properties.startIndex, offsetBy: step.place)]
      guard property.label == step.label else { return nil }
      value = property.value
    }
    return value
  }

  /// An own property is found first, then those of the structs in the item, at last those of optional structs.
  private static func path(to name: String, in item: Any) -> [Step]? {
    let mirror = mirror(of: item)
    guard mirror.displayStyle == .struct else { return nil }
    let properties = mirror.children.enumerated().compactMap { place, child in
      child.label.map { (step: Step(place: place, label: $0), name: ColumnName.of($0), value: child.value) }
    }
    if let own = properties.first(where: { $0.name == name }) { return [own.step] }
    let structs = properties.filter { ShownValue.isOfProperties($0.value) }.map { step, name, value in
      let isOptional = Mirror(reflecting: value).displayStyle == .optional
      return (step: Step(place: step.place, label: step.label, leadsIntoOptional: isOptional), name: name, value: value)
    }
    for part in structs.filter({ !$0.step.leadsIntoOptional }) + structs.filter(\.step.leadsIntoOptional) {
      let rest = name.hasPrefix(part.name + "_") ? String(name.dropFirst(part.name.count + 1)) : nil
      if let found = rest.flatMap({ path(to: $0, in: part.value) }) ?? path(to: name, in: part.value) { return [part.step] + found }
    }
    return nil
  }

  /// The mirror of a value; of an optional, that of the value in it, if there is one.
  private static func mirror(of value: Any) -> Mirror {
    let mirror = Mirror(reflecting: value)
    return mirror.displayStyle == .optional ? mirror.children.first.map { Mirror(reflecting: $0.value) } ?? mirror : mirror
  }
}
