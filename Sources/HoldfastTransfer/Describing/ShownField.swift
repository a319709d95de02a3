public import Holdfast

/// One field that a library shows: a member of a document, a table's column or a fact, and how to read it.
public struct ShownField<Item>: Sendable {
  /// The member of the document; nil: the field is for people only.
  public let name: String?
  /// The heading of the column, or the name of the fact; nil: the field is for programs only.
  public let title: String?
  /// Whether a narrow terminal may cut the column. Columns of ids and of numbers are never cut.
  public let shrinks: Bool
  /// Reads the field.
  public let value: @Sendable (Item) -> ShownValue

  /// Makes a field for programs, for people, or for both.
  public init(_ name: String?, _ title: String? = nil, shrinks: Bool = false, _ value: @escaping @Sendable (Item) -> ShownValue) {
    (self.name, self.title, self.shrinks, self.value) = (name, title, shrinks, value)
  }
}

/// An answer of a library: the members of a document, and blocks for people.
public struct Shown: Sendable {
  /// For programs.
  public var members: [String: JSONValue]
  /// For people, from top to bottom.
  public var blocks: [ShownBlock]

  /// Makes an answer.
  public init(_ members: [String: JSONValue], _ blocks: [ShownBlock] = []) {
    (self.members, self.blocks) = (members, blocks)
  }
}

/// A block of an answer for people. An empty block is not shown.
public enum ShownBlock: Sendable {
  /// One line per fact: its name and its value.
  case facts([(name: String, words: String)])
  /// A table, with a heading of its own if `title` is given.
  case table(title: String? = nil, [ShownColumn], [[String]])
  /// Numbers with bars.
  case chart(title: String, [(label: String, number: Double, words: String)])
}

/// One column of a table.
public struct ShownColumn: Sendable {
  /// The heading.
  public var title: String
  /// Whether the texts are aligned right, as numbers are.
  public var alignsRight = false
  /// Whether the column may be cut when the terminal is too narrow.
  public var canShrink = false

  /// A column of texts that are never cut.
  public static func text(_ title: String) -> ShownColumn { ShownColumn(title: title) }
  /// A column of texts that may be cut.
  public static func flexible(_ title: String) -> ShownColumn { ShownColumn(title: title, canShrink: true) }
  /// A column of numbers.
  public static func number(_ title: String) -> ShownColumn { ShownColumn(title: title, alignsRight: true) }
}

extension Array {
  /// The members of a document, for programs.
  public func members<Item>(of item: Item) -> [String: JSONValue] where Element == ShownField<Item> {
    var members: [String: JSONValue] = [:]
    for field in self { if let name = field.name { members[name] = field.value(item).json } }
    return members
  }

  /// The members as a JSON object.
  public func object<Item>(of item: Item) -> JSONValue where Element == ShownField<Item> { .object(members(of: item)) }

  /// The facts, for people.
  public func facts<Item>(of item: Item) -> ShownBlock where Element == ShownField<Item> {
    .facts(compactMap { field in field.title.map { ($0, field.value(item).words) } })
  }

  /// The found items as JSON objects, each with its kind.
  public func hits<Item>(_ kind: String, _ items: [Item]) -> [JSONValue] where Element == ShownField<Item> {
    items.map { .object(members(of: $0).merging(["kind": .string(kind)]) { own, _ in own }) }
  }

  /// A table with a line for each item.
  public func table<Item>(of items: [Item], title: String? = nil) -> ShownBlock where Element == ShownField<Item> {
    .table(title: title, items.first.map(columns) ?? [], items.map(cells))
  }

  /// An answer about one item: its members under `name`, and its facts.
  public func shown<Item>(_ name: String, _ item: Item, _ blocks: ShownBlock...) -> Shown where Element == ShownField<Item> {
    Shown([name: .object(members(of: item))], [facts(of: item)] + blocks)
  }

  /// An answer that is one item alone: its members and its facts.
  public func shown<Item>(_ item: Item) -> Shown where Element == ShownField<Item> { Shown(members(of: item), [facts(of: item)]) }

  func cells<Item>(of item: Item) -> [String] where Element == ShownField<Item> { filter { $0.title != nil }.map { $0.value(item).words } }

  func columns<Item>(of item: Item) -> [ShownColumn] where Element == ShownField<Item> {
    compactMap { field in
      let isFigure = field.value(item).isFigure
      return field.title.map { ShownColumn(title: $0, alignsRight: isFigure, canShrink: field.shrinks && !isFigure) }
    }
  }
}

extension [(label: String, number: Double, words: String)] {
  /// Makes the lines of a chart of integers.
  public init(_ counts: [(String, Int)]) { self = counts.map { ($0, Double($1), String($1)) } }
}
