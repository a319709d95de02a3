/// The fields of a type, by name: its stored properties in snake case, and the fields that differ from them.
///
/// ```swift
/// static let plant = ShownFields<Plant>(["weeks": { .count($0.weeks) }])
/// static let plants = plant.titled(["id": "ID", "name": .flexible("PLANT"), "weeks": "WEEKS", "bed_id": nil])
/// ```
/// A name that no property has is looked for in the structs that the item holds, at last in optional ones: `width`, and `leaf_width`, is
/// `leaf.width`.
///
/// By its type, a value is shown as in `ShownProperties`, and people see what its name says: a number whose name ends in `_seconds` is a
/// length, and a whole number whose name ends in `_bytes` is a size. A property of an optional struct that an item does not have is `null`.
/// A name that nothing has is shown as `no property` and the name, so that a slip is seen; as `null`, too, where an empty optional might have it.
///
/// To read a property by its name takes some microseconds. In a list of a million rows, write its closure.
public struct ShownFields<Item>: Sendable {
  private let differing: [String: @Sendable (Item) -> ShownValue]

  /// - Parameter differing: fields that are no properties, or are shown in another way.
  public init(_ differing: [String: @Sendable (Item) -> ShownValue] = [:]) { self.differing = differing }

  /// The fields with these names, in this order, each with its title for people.
  public func titled(_ titles: KeyValuePairs<String, ShownTitle>) -> [ShownField<Item>] {
    titles.map { name, title in
      ShownField(title.isForPeopleOnly ? nil : name, title.text, shrinks: title.shrinks, differing[name] ?? Self.property(name))
    }
  }

  private static func property(_ name: String) -> @Sendable (Item) -> ShownValue {
    let place = PropertyPlace(name)
    return { item in place.shown(in: item) }
  }
}

/// The title of a field for people: a text; nil for a field that only programs read.
public struct ShownTitle: Sendable {
  let text: String?
  var shrinks = false
  var isForPeopleOnly = false

  /// A heading of a column that a narrow terminal may cut.
  public static func flexible(_ text: String) -> ShownTitle { ShownTitle(text: text, shrinks: true) }
  /// The title of a field that is no member of a document.
  public static func people(_ text: String, shrinks: Bool = false) -> ShownTitle {
    ShownTitle(text: text, shrinks: shrinks, isForPeopleOnly: true)
  }
}

extension ShownTitle: ExpressibleByStringLiteral, ExpressibleByNilLiteral {
  /// A heading of a column, or the name of a fact.
  public init(stringLiteral text: String) { self.init(text: text) }
  /// No title: only programs read the field.
  public init(nilLiteral: ()) { self.init(text: nil) }
}
