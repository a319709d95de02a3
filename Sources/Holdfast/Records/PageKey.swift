import Foundation

/// The place of a row in a list: the values that the list is ordered by, an id last. It stays right when rows are added or
/// removed, and need not be that of a row that is still there.
///
/// To whoever pages it is opaque; they may keep it, as JSON too, and pass it to the list that it came from. `Reader.page` makes one
/// of its last row, with the name of the list before the values, and compares with it. A list that pages by hand does so itself:
///
/// ```swift
/// let rest: BoundSQL = if let key { "WHERE (sort_title, title, id) > \(sql: try key.row(.text, .text, .text))" } else { "" }
/// let next = PageKey(.text(last.sortTitle), .text(last.title), .id(last.id))
/// ```
public struct PageKey: Sendable, Hashable {
  /// In the order of the list's columns.
  public let parts: [SQLValue]

  /// What one column of a list's order holds.
  public enum Part: Sendable {
    /// INTEGER or REAL.
    case number
    /// TEXT, which ids are, too.
    case text
  }

  /// The place of the row with these values.
  public init(_ parts: SQLValue...) { self.parts = parts }
  /// The same for values that are not counted in the code.
  public init(_ parts: [SQLValue]) { self.parts = parts }

  /// The parts as a row value, to be compared with the columns of the order.
  ///
  /// Against NULL every comparison is unknown and selects nothing: a column that has NULL is compared by its `parts`.
  /// - Throws: `.misuse` when the parts are others than these: the key is that of another list.
  public func row(_ kinds: Part...) throws -> BoundSQL { try row(kinds) }
  public func row(_ kinds: [Part]) throws -> BoundSQL {
    guard parts.count == kinds.count, zip(parts, kinds).allSatisfy({ Self.is($0, $1) }) else { throw Self.foreign }
    var list: BoundSQL = ""
    for part in parts { list = list.values.isEmpty ? "\(part)" : "\(sql: list), \(part)" }
    return "(\(sql: list))"
  }

  static var foreign: StoreError {
    StoreError(.misuse, "this page key is not one of this list", suggestion: "Pass the `next` of a page of the same list.")
  }

  private static func `is`(_ part: SQLValue, _ kind: Part) -> Bool {
    switch (part, kind) {
    case (.integer, .number), (.text, .text): true
    case (.real(let value), .number): !value.isNaN
    default: false
    }
  }
}

/// As an array of texts, a letter for the type before each value: numbers come back as they were.
extension PageKey: Codable {
  public func encode(to encoder: any Encoder) throws { try texts.encode(to: encoder) }

  var texts: [String] {
    parts.map { part in
      switch part {
      case .null: "n"
      case .integer(let value): "i\(value)"
      case .real(let value): "r\(value)"
      case .text(let value): "t\(value)"
      case .blob(let value): "b\(value.base64EncodedString())"
      }
    }
  }

  /// - Throws: `DecodingError` for anything that is not an encoded key.
  public init(from decoder: any Decoder) throws {
    parts = try [String](from: decoder).map { text in
      let rest = String(text.dropFirst())
      let part: SQLValue? =
        switch text.first {
        case "n" where rest.isEmpty: .null
        case "i": Int64(rest).map(SQLValue.integer)
        case "r": Double(rest).map(SQLValue.real)
        case "t": .text(rest)
        case "b": Data(base64Encoded: rest).map(SQLValue.blob)
        default: nil
        }
      if let part { return part }
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "this is not a page key"))
    }
  }
}
